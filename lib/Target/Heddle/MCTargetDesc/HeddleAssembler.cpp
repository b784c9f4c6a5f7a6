//===- HeddleAssembler.cpp - Assembles and disassembles ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts LLVM's assembler and disassembler together for the target.
//
//===----------------------------------------------------------------------===//

#include "heddle/Target/Assembler.h"

#include "HeddleAsmTemplate.h"
#include "HeddleMCAsmInfo.h"
#include "HeddleMCTargetDesc.h"
#include "HeddleTargetStreamer.h"
#include "heddle/Support/Check.h"
#include "heddle/Target/HeddleTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace heddle;

namespace {

/// The objects of the MC layer that everything needs.
struct MCLayer {
  explicit MCLayer(StringRef Chip, const SourceMgr *Sources = nullptr,
                   bool Verbose = false)
      : Options(makeOptions(Verbose)), T(initializedTarget()), TT(TargetTriple),
        MRI(T.createMCRegInfo(TT)), MAI(T.createMCAsmInfo(*MRI, TT, Options)),
        MII(T.createMCInstrInfo()), STI(T.createMCSubtargetInfo(TT, Chip, "")),
        Ctx(TT, MAI.get(), MRI.get(), STI.get(), Sources, &Options) {
    MAI->setPreserveAsmComments(false);
    FileInfo.reset(T.createMCObjectFileInfo(Ctx, /*PIC=*/true));
    Ctx.setObjectFileInfo(FileInfo.get());
  }

  static MCTargetOptions makeOptions(bool Verbose) {
    MCTargetOptions Options;
    Options.AsmVerbose = Verbose;
    return Options;
  }
  static const Target &initializedTarget() {
    initializeHeddleMC();
    return getTheHeddleTarget();
  }
  MCInstPrinter *createPrinter() const {
    return T.createMCInstPrinter(TT, 0, *MAI, *MII, *MRI);
  }
  std::unique_ptr<MCCodeEmitter> createEmitter() {
    return std::unique_ptr<MCCodeEmitter>(T.createMCCodeEmitter(*MII, Ctx));
  }
  std::unique_ptr<MCAsmBackend> createBackend() {
    return std::unique_ptr<MCAsmBackend>(
        T.createMCAsmBackend(*STI, *MRI, Options));
  }

  MCTargetOptions Options;
  const Target &T;
  Triple TT;
  std::unique_ptr<MCRegisterInfo> MRI;
  std::unique_ptr<MCAsmInfo> MAI;
  std::unique_ptr<MCInstrInfo> MII;
  std::unique_ptr<MCSubtargetInfo> STI;
  std::unique_ptr<MCObjectFileInfo> FileInfo;
  MCContext Ctx;
};

/// Where an expression is nested deeper than LLVM's recursive parser should be
/// trusted with; null if none is. Counts open parentheses and signs in a row.
const char *findDeepNesting(StringRef Source) {
  constexpr unsigned MaxDepth = 500;
  unsigned Parentheses = 0, Signs = 0;
  for (size_t I = 0; I < Source.size(); ++I) {
    char C = Source[I];
    if (C == '\n')
      Parentheses = 0;
    if (C == '/' && Source.substr(I).starts_with("//"))
      I = std::min(Source.find('\n', I), Source.size()) - 1;
    Parentheses += C == '(';
    Parentheses -= C == ')' && Parentheses > 0;
    Signs = StringRef("+-~!").contains(C) ? Signs + 1 : isSpace(C) ? Signs : 0;
    if (std::max(Parentheses, Signs) > MaxDepth)
      return Source.data() + I;
  }
  return nullptr;
}

using StreamerFactory = function_ref<MCStreamer *(MCLayer &)>;

bool parseAssembly(MemoryBufferRef Source, StringRef Chip,
                   StreamerFactory CreateStreamer, raw_ostream &Diagnostics,
                   bool Verbose = false) {
  SourceMgr Sources;
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(Source, false),
                             SMLoc());
  Sources.setDiagHandler(
      [](const SMDiagnostic &D, void *OS) {
        D.print(nullptr, *static_cast<raw_ostream *>(OS), /*ShowColors=*/false);
      },
      &Diagnostics);
  if (const char *Place = findDeepNesting(Source.getBuffer())) {
    Sources.PrintMessage(SMLoc::getFromPointer(Place), SourceMgr::DK_Error,
                         "the expression is nested too deeply");
    return false;
  }
  MCLayer Layer(Chip, &Sources, Verbose);
  std::unique_ptr<MCStreamer> Streamer(CreateStreamer(Layer));
  std::unique_ptr<MCAsmParser> Parser(
      createMCAsmParser(Sources, Layer.Ctx, *Streamer, *Layer.MAI));
  // Faults without a place in the source do not come from the parser.
  Layer.Ctx.setDiagnosticHandler([&](const SMDiagnostic &D, bool,
                                     const SourceMgr &,
                                     std::vector<const MDNode *> &) {
    D.print(nullptr, Diagnostics, /*ShowColors=*/false);
  });
  std::unique_ptr<MCTargetAsmParser> TargetParser(Layer.T.createMCAsmParser(
      *Layer.STI, *Parser, *Layer.MII, Layer.Options));
  Parser->setTargetParser(*TargetParser);
  return !Parser->Run(/*NoInitialTextSection=*/false) && !Layer.Ctx.hadError();
}

} // namespace

bool heddle::assemble(MemoryBufferRef Source, StringRef Chip,
                      SmallVectorImpl<char> &Object, raw_ostream &Diagnostics) {
  raw_svector_ostream OS(Object);
  auto CreateStreamer = [&](MCLayer &Layer) {
    std::unique_ptr<MCAsmBackend> Backend = Layer.createBackend();
    std::unique_ptr<MCObjectWriter> Writer = Backend->createObjectWriter(OS);
    return Layer.T.createMCObjectStreamer(Layer.TT, Layer.Ctx,
                                          std::move(Backend), std::move(Writer),
                                          Layer.createEmitter(), *Layer.STI);
  };
  return parseAssembly(Source, Chip, CreateStreamer, Diagnostics);
}

bool heddle::reformatAssembly(MemoryBufferRef Source, StringRef Chip,
                              bool ShowEncoding, raw_ostream &Text,
                              raw_ostream &Diagnostics) {
  auto CreateStreamer = [&](MCLayer &Layer) {
    return Layer.T.createAsmStreamer(
        Layer.Ctx, std::make_unique<formatted_raw_ostream>(Text),
        std::unique_ptr<MCInstPrinter>(Layer.createPrinter()),
        ShowEncoding ? Layer.createEmitter() : nullptr, Layer.createBackend());
  };
  return parseAssembly(Source, Chip, CreateStreamer, Diagnostics, ShowEncoding);
}

std::string heddle::metadataToYAML(const ModuleMetadata &Metadata) {
  return Heddle::metadataToYAML(Metadata);
}

struct Disassembler::Parts {
  explicit Parts(StringRef Chip)
      : Layer(Chip), Printer(Layer.createPrinter()),
        Decoder(Layer.T.createMCDisassembler(*Layer.STI, Layer.Ctx)) {}

  MCLayer Layer;
  std::unique_ptr<MCInstPrinter> Printer;
  std::unique_ptr<MCDisassembler> Decoder;
};

Disassembler::Disassembler(StringRef Chip) : P(std::make_unique<Parts>(Chip)) {}
Disassembler::~Disassembler() = default;

std::optional<MCInst> Disassembler::decode(ArrayRef<uint8_t> Bytes) const {
  MCInst Inst;
  uint64_t Size;
  if (P->Decoder->getInstruction(Inst, Size, Bytes, 0, nulls()) !=
      MCDisassembler::Success)
    return std::nullopt;
  return Inst;
}

std::string Disassembler::print(const MCInst &Inst) const {
  std::string Text;
  raw_string_ostream OS(Text);
  P->Printer->printInst(&Inst, 0, "", *P->Layer.STI, OS);
  return StringRef(Text).ltrim().str();
}

std::optional<uint64_t> Disassembler::target(const MCInst &Inst,
                                             uint64_t Address) const {
  const isa::InstInfo *Info = Heddle::getInstInfo(Inst.getOpcode());
  int Index = Info ? Heddle::findOperand(*Info, isa::Role::tgt) : -1;
  if (Index < 0 || !Inst.getOperand(Index).isImm())
    return std::nullopt;
  return Address + isa::InstBytes + Inst.getOperand(Index).getImm();
}

Flow Disassembler::flow(const MCInst &Inst) const {
  Flow F;
  const isa::InstInfo *Info = Heddle::getInstInfo(Inst.getOpcode());
  if (!Info)
    return F;
  unsigned Guard = P->Layer.MRI->getEncodingValue(
      Inst.getOperand(Heddle::findOperand(*Info, isa::Role::pg)).getReg());
  bool Negated =
      Inst.getOperand(Heddle::findOperand(*Info, isa::Role::pgn)).getImm();
  bool Always = Guard == Heddle::PredicateTrue && !Negated;
  bool HasTarget = Info->operand(isa::Role::tgt);
  F.Branches = Info->IsBranch && HasTarget;
  F.GoesAnywhere = Info->IsBranch && !HasTarget;
  F.FallsThrough = !Always || !(Info->IsBarrier || Info->IsBranch);
  return F;
}

bool Disassembler::setSymbol(MCInst &Inst, StringRef Symbol, int64_t Addend,
                             StringRef Specifier) const {
  const isa::InstInfo *Info = Heddle::getInstInfo(Inst.getOpcode());
  if (!Info)
    return false;
  MCContext &Ctx = P->Layer.Ctx;
  for (unsigned I = 0; I < Info->Operands.size(); ++I) {
    const isa::OperandInfo &O = Info->Operands[I];
    if (O.Lsb != 32 || O.Width < 32)
      continue;
    const MCExpr *E =
        MCSymbolRefExpr::create(Ctx.getOrCreateSymbol(Symbol), Ctx);
    if (Addend)
      E = MCBinaryExpr::createAdd(E, MCConstantExpr::create(Addend, Ctx), Ctx);
    if (uint16_t S = Heddle::parseSpecifierName(Specifier))
      E = MCSpecifierExpr::create(E, S, Ctx);
    Inst.getOperand(I) = MCOperand::createExpr(E);
    // A compact form holds numbers of 64 bits that are small, but no symbol.
    if (O.Width == 64)
      Inst.setFlags(0);
    return true;
  }
  return false;
}

std::string Disassembler::quoteSymbol(StringRef Name) const {
  std::string Text;
  raw_string_ostream OS(Text);
  P->Layer.Ctx.getOrCreateSymbol(Name)->print(OS, P->Layer.MAI.get());
  return Text;
}
