//===- Program.cpp - Loading a PTX module -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, imports, places the variables and decodes the functions.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/PTX/Parser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

constexpr uint64_t FunctionBytes = 16;

class Loader {
public:
  Loader(Program &P, DeviceMemory &Memory) : P(P), Memory(Memory) {}

  Error parse(StringRef Text, const InterpreterOptions &Options);
  Error placeSymbols();
  Error initialise();
  Error decode();

private:
  void placeFunction(StringRef Name, bool IsEntry);
  Error placeVariable(GlobalOp G, uint64_t &Constants, uint64_t &Shared);
  Error initialise(GlobalOp G);
  void describeKernel(EntryOp E);

  Program &P;
  DeviceMemory &Memory;
};

/// `file:line:column: error: text` of each message.
std::string messagesOf(ArrayRef<std::string> Lines) {
  return join(Lines, "\n");
}

Program::SourceVariable describe(const DWARFDie &Die) {
  DWARFDie Type = Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
  constexpr uint64_t PointerBytes = sizeof(uint64_t);
  std::optional<uint64_t> Bytes =
      Type ? Type.getTypeSize(PointerBytes) : std::nullopt;
  return {Die.getDeclLine(), Bytes.value_or(0)};
}

Error Loader::parse(StringRef Text, const InterpreterOptions &Options) {
  MemoryBufferRef Buffer(Text, Options.ModuleName);
  ptx::DiagnosticEngine Diags;
  std::unique_ptr<ptx::Module> Parsed = ptx::parseModule(Buffer, Diags);
  if (!Parsed) {
    std::string Rendered;
    raw_string_ostream OS(Rendered);
    Diags.print(OS);
    return createStringError(StringRef(Rendered).rtrim());
  }
  P.Context = std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  std::vector<std::string> Lines;
  mlir::ScopedDiagnosticHandler Handler(
      P.Context.get(), [&](mlir::Diagnostic &D) {
        std::string Line;
        raw_string_ostream OS(Line);
        OS << ptxir::getPTXLoc(D.getLocation()) << ": " << D;
        Lines.push_back(std::move(Line));
        return mlir::success();
      });
  std::unique_ptr<ptx::DebugInfo> Debug;
  if (Options.OnVariable)
    Debug = ptx::DebugInfo::create(*Parsed, Text);
  P.Module = importPTX(*Parsed, Buffer, *P.Context,
                       [](const ptx::Function &) { return ImportedPart::Body; },
                       {Debug.get(), /*AreComplete=*/false});
  for (const ptx::Function *F : Parsed->Functions)
    if (Debug)
      for (const ptx::DebugVariable &V : Debug->variablesOf(F->getName()))
        P.Variables[V.Die] = describe(Debug->dwarf().getDIEForOffset(V.Die));
  if (!P.Module)
    return createStringError(messagesOf(Lines));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

void Loader::placeFunction(StringRef Name, bool IsEntry) {
  auto F = std::make_unique<Function>();
  F->Name = Name.str();
  F->IsEntry = IsEntry;
  F->Address = CodeBase + FunctionBytes * (P.Functions.size() + 1);
  P.Places[Name] = {Space::Generic, F->Address};
  P.FunctionsByName[Name] = F.get();
  P.Functions.push_back(std::move(F));
}

Error Loader::placeVariable(GlobalOp G, uint64_t &Constants, uint64_t &Shared) {
  uint64_t Size = G.getSize(), Align = std::max<uint64_t>(G.getAlignment(), 1);
  StringRef Name = G.getSymName();
  auto PlaceIn = [&](uint64_t &End) {
    End = alignTo(End, Align);
    uint64_t Address = End;
    End += Size;
    return Address;
  };
  switch (G.getSpace()) {
  case Space::Shared:
    if (Size != 0)
      P.Places[Name] = {Space::Shared, PlaceIn(Shared)};
    return Error::success();
  case Space::Const:
    P.Places[Name] = {Space::Const, PlaceIn(Constants)};
    return Error::success();
  default:
    break;
  }
  if (G.getLinkage() == Linkage::External)
    return createStringError(placeOf(G) + ": error: '" + Name +
                             "' is not defined");
  uint64_t Address = Memory.allocate(Size, Align, /*FromHost=*/false);
  if (!Address)
    return createStringError("out of device memory for '" + Name + "'");
  P.Blocks.push_back(Address);
  P.Places[Name] = {Space::Global, Address};
  P.Symbols.push_back(
      {Name.str(), rt::SymbolInfo::SpaceKind::Global, Address, Size});
  return Error::success();
}

Error Loader::placeSymbols() {
  uint64_t Constants = 0, Shared = 0, DynamicAlign = 16;
  for (mlir::Operation &Op : *P.Module->getBody()) {
    if (auto G = dyn_cast<GlobalOp>(Op)) {
      if (Error E = placeVariable(G, Constants, Shared))
        return E;
      if (G.getSpace() == Space::Shared && G.getSize() == 0)
        DynamicAlign = std::max<uint64_t>(DynamicAlign, G.getAlignment());
    } else if (llvm::isa<FuncOp, EntryOp>(Op)) {
      placeFunction(mlir::SymbolTable::getSymbolName(&Op).getValue(),
                    llvm::isa<EntryOp>(Op));
    }
  }
  P.StaticSharedBytes = uint32_t(Shared);
  P.DynamicSharedOffset = uint32_t(alignTo(Shared, DynamicAlign));
  P.ConstantBytes = Constants;
  P.ConstantBase = Memory.allocate(Constants, 256, /*FromHost=*/false);
  if (!P.ConstantBase)
    return createStringError("out of device memory for constants");
  P.Blocks.push_back(P.ConstantBase);
  for (GlobalOp G : P.Module->getOps<GlobalOp>()) {
    StringRef Name = G.getSymName();
    if (G.getSpace() == Space::Shared && G.getSize() == 0)
      P.Places[Name] = {Space::Shared, P.DynamicSharedOffset};
    if (G.getSpace() == Space::Const)
      P.Symbols.push_back({Name.str(), rt::SymbolInfo::SpaceKind::Constant,
                           P.ConstantBase + P.Places[Name].Address,
                           uint64_t(G.getSize())});
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Initial values
//===----------------------------------------------------------------------===//

Error Loader::initialise(GlobalOp G) {
  if (G.getSpace() == Space::Shared)
    return Error::success();
  SymbolPlace Place = P.Places[G.getSymName()];
  uint64_t Address =
      Place.Address + (Place.Space == Space::Const ? P.ConstantBase : 0);
  uint8_t *Host = Memory.find(Address, G.getSize());
  std::string Bytes = G.getInit().value_or("").str();
  Bytes.resize(G.getSize(), '\0');
  std::copy(Bytes.begin(), Bytes.end(), Host);
  if (!G.getRelocs())
    return Error::success();
  for (auto Reloc : G.getRelocs()->getAsRange<RelocAttr>()) {
    auto It = P.Places.find(Reloc.getSymbol().getValue());
    if (It == P.Places.end())
      return createStringError(placeOf(G) + ": error: '" +
                               Reloc.getSymbol().getValue() +
                               "' is not defined");
    uint64_t Value =
        Reloc.getGeneric() ? genericAddress(It->second) : It->second.Address;
    Value += uint64_t(Reloc.getAddend());
    unsigned Width = bitWidth(G.getTy()) / 8;
    if (uint64_t Mask = Reloc.getMask())
      Value = (Value & Mask) >> countr_zero(Mask);
    else if (!isUIntN(8 * Width, Value) && !isIntN(8 * Width, int64_t(Value)))
      return createStringError(placeOf(G) + ": error: the address of '" +
                               Reloc.getSymbol().getValue() +
                               "' does not fit into " + Twine(8 * Width) +
                               " bits");
    for (unsigned N = 0; N != Width; ++N)
      Host[Reloc.getOffset() + N] = uint8_t(Value >> (8 * N));
  }
  return Error::success();
}

Error Loader::initialise() {
  for (GlobalOp G : P.Module->getOps<GlobalOp>())
    if (Error E = initialise(G))
      return E;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::optional<rt::Dim3> extent(std::optional<ArrayRef<int32_t>> Values) {
  if (!Values || Values->size() != 3)
    return std::nullopt;
  return rt::Dim3{uint32_t((*Values)[0]), uint32_t((*Values)[1]),
                  uint32_t((*Values)[2])};
}

void Loader::describeKernel(EntryOp E) {
  rt::KernelInfo Info;
  Info.Name = E.getSymName().str();
  SmallVector<uint64_t> Offsets = E.getParamOffsets();
  for (auto [N, Param] :
       enumerate(E.getParams().getAsRange<EntryParamAttr>())) {
    rt::ParamInfo PI;
    PI.Name = Param.getName().getValue().str();
    PI.Offset = uint32_t(Offsets[N]);
    PI.Size = uint32_t(sizeOf(Param));
    PI.Align = uint32_t(Param.getAlignment());
    PI.Type = stringifyEnum(Param.getType()).str();
    if (Param.getCount())
      PI.Type += "[" + std::to_string(Param.getCount()) + "]";
    Info.ParamBytes = PI.Offset + PI.Size;
    Info.Params.push_back(std::move(PI));
  }
  Info.SharedBytes = P.StaticSharedBytes;
  Info.MaxBlock = extent(E.getMaxntid());
  Info.RequiredBlock = extent(E.getReqntid());
  Info.RequiredCluster = extent(E.getReqnctapercluster());
  Info.MaxClusterRank = E.getMaxclusterrank();
  Info.ExplicitCluster = E.getExplicitcluster();
  P.KernelInfos.push_back(std::move(Info));
  P.Kernels.push_back({P.FunctionsByName[E.getSymName()],
                       P.KernelInfos.back().RequiredCluster.has_value()});
}

Error Loader::decode() {
  for (mlir::Operation &Op : *P.Module->getBody()) {
    if (!llvm::isa<FuncOp, EntryOp>(Op))
      continue;
    Function &F = *P.FunctionsByName[mlir::SymbolTable::getSymbolName(&Op)];
    if (Op.getRegion(0).empty()) {
      F.System = findSystemCall(F.Name);
      if (!F.System)
        P.FunctionsByName.erase(F.Name); // An error where it is called.
      continue;
    }
    if (auto E = dyn_cast<EntryOp>(Op))
      describeKernel(E);
  }
  for (mlir::Operation &Op : *P.Module->getBody()) {
    if (!llvm::isa<FuncOp, EntryOp>(Op) || Op.getRegion(0).empty())
      continue;
    Function &F = *P.FunctionsByName[mlir::SymbolTable::getSymbolName(&Op)];
    if (Error E = decodeFunction(P, &Op, F))
      return E;
  }
  return Error::success();
}

} // namespace

const Function *Program::functionAt(uint64_t Address) const {
  uint64_t Number = (Address - CodeBase) / FunctionBytes - 1;
  if (Address < CodeBase + FunctionBytes || Address % FunctionBytes ||
      Number >= Functions.size())
    return nullptr;
  return Functions[Number].get();
}

uint64_t genericAddress(const SymbolPlace &Place) {
  switch (Place.Space) {
  case Space::Shared:
    return windowBase(Window::Shared) + Place.Address;
  case Space::Const:
    return windowBase(Window::Constant) + Place.Address;
  default:
    return Place.Address;
  }
}

Expected<std::unique_ptr<Program>>
loadProgram(StringRef Text, const InterpreterOptions &Options,
            DeviceMemory &Memory) {
  auto P = std::make_unique<Program>();
  Loader L(*P, Memory);
  Error E = L.parse(Text, Options);
  if (!E)
    E = L.placeSymbols();
  if (!E)
    E = L.initialise();
  if (!E)
    E = L.decode();
  if (!E)
    return P;
  unloadProgram(*P, Memory);
  return std::move(E);
}

void unloadProgram(Program &P, DeviceMemory &Memory) {
  for (uint64_t Address : P.Blocks)
    Memory.release(Address);
  P.Blocks.clear();
}

} // namespace heddle::interp
