//===- ISATableEmitter.cpp - The ISA as C++ tables --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -gen-isa-table: writes the tables of include/heddle/ISA/ISA.h from
// isa-defs/HeddleISA.td, and refuses definitions whose fields overlap or that
// use one opcode twice.
//
//===----------------------------------------------------------------------===//

#include "ISARecords.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace heddle::tblgen;

namespace {

class ISATableEmitter {
public:
  ISATableEmitter(const RecordKeeper &Records, raw_ostream &OS)
      : ISA(Records), Records(Records), OS(OS) {}

  void run() {
    emitSourceFileHeader("Heddle ISA tables", OS, Records);
    emitEnums();
    emitChipFields();
    emitABIConstants();
    emitTextureConstants();
    OS << "#ifdef GET_ISA_TABLES\n#undef GET_ISA_TABLES\n";
    emitOps();
    emitRoles();
    emitModifiers();
    emitLatencyClasses();
    emitInstructions();
    emitCompactForms();
    emitSpecialRegisters();
    emitChips();
    emitTexelFormats();
    OS << "#endif\n";
    emitEffects();
  }

private:
  void emitEnum(StringRef Guard, ArrayRef<std::string> Names) {
    OS << "#ifdef " << Guard << "\n#undef " << Guard << "\n";
    for (const std::string &Name : Names)
      OS << Name << ",\n";
    OS << "#endif\n";
  }

  void emitEnums() {
    emitEnum("GET_ISA_OP_ENUM", ISA.names(ISA.Ops, 3));
    emitEnum("GET_ISA_ROLE_ENUM", ISA.names(ISA.Roles, 5));
    emitEnum("GET_ISA_FORM_ENUM", ISA.names(ISA.Forms, 4));
    emitEnum("GET_ISA_LATENCY_ENUM", ISA.names(ISA.LatencyClasses, 3));
    emitEnum("GET_ISA_SWAP_ENUM", ISA.names(ISA.Swaps, 5));
    emitModifierEnums();
    // For the backend: X-macro over the instructions' names, in table order.
    OS << "#ifdef GET_ISA_INST_NAMES\n";
    for (const Record *I : ISA.Insts)
      OS << "HEDDLE_INST(" << I->getName() << ")\n";
    OS << "#undef GET_ISA_INST_NAMES\n#endif\n";
  }

  void emitModifierEnums() {
    OS << "#ifdef GET_ISA_MODIFIER_ENUMS\n#undef GET_ISA_MODIFIER_ENUMS\n";
    for (const Record *M : ISA.Modifiers) {
      std::vector<StringRef> Names = M->getValueAsListOfStrings("Enumerators");
      if (Names.empty())
        continue;
      if (Names.size() != M->getValueAsListOfStrings("Names").size())
        PrintFatalError(M->getLoc(), M->getName() + " has " +
                                         Twine(Names.size()) +
                                         " enumerators for another number of "
                                         "values");
      OS << "enum class " << M->getName() << " : uint8_t {\n";
      for (StringRef Name : Names)
        OS << "  " << Name << ",\n";
      OS << "};\n";
    }
    OS << "#endif\n";
  }

  void emitOps() {
    OS << "constexpr OpInfo OpTable[] = {\n";
    for (const Record *Op : ISA.Ops)
      OS << "  {" << quoted(Op->getName().drop_front(3)) << ", "
         << quoted(Op->getValueAsString("Title")) << ",\n   "
         << quoted(Op->getValueAsString("Meaning"))
         << ", Swap::" << Op->getValueAsDef("Sources")->getName().drop_front(5)
         << "},\n";
    OS << "};\n";
  }

  /// In the order of the operations.
  void emitEffects() {
    emitEnum("GET_ISA_FLOW_ENUM", ISA.names(ISA.Flows, 5));
    emitEnum("GET_ISA_SPACE_ENUM", ISA.names(ISA.Spaces, 6));
    OS << "#ifdef GET_ISA_EFFECTS_TABLE\n#undef GET_ISA_EFFECTS_TABLE\n"
       << "constexpr Effects EffectsTable[] = {\n";
    for (const Record *Op : ISA.Ops)
      OS << "  {Flow::" << Op->getValueAsDef("Behind")->getName().drop_front(5)
         << ", Space::"
         << Op->getValueAsDef("Accesses")->getName().drop_front(6) << ", "
         << Op->getValueAsInt("AccessWords") << "},\n";
    OS << "};\n#endif\n";
  }

  void emitRoles() {
    OS << "constexpr std::string_view RoleNames[] = {\n";
    for (const Record *R : ISA.Roles)
      OS << "  " << quoted(R->getName().drop_front(5)) << ",\n";
    OS << "};\n";
  }

  void emitModifiers() {
    for (const Record *M : ISA.Modifiers) {
      OS << "constexpr std::string_view " << M->getName() << "Values[] = {";
      for (StringRef V : M->getValueAsListOfStrings("Names"))
        OS << quoted(V) << ", ";
      OS << "};\n";
    }
    OS << "constexpr ModifierInfo ModifierTable[] = {\n";
    for (const Record *M : ISA.Modifiers)
      OS << "  {" << quoted(M->getName()) << ", " << M->getName()
         << "Values},\n";
    OS << "};\n";
  }

  void emitLatencyClasses() {
    OS << "constexpr LatencyClassInfo LatencyTable[] = {\n";
    for (const Record *C : ISA.LatencyClasses)
      OS << "  {" << quoted(C->getName().drop_front(3)) << ", "
         << quoted(C->getValueAsString("Pipe")) << ", "
         << (C->getValueAsBit("Variable") ? "true" : "false") << "},\n";
    OS << "};\n";
  }

  void emitInstructions() {
    for (const Record *I : ISA.Insts) {
      OS << "constexpr OperandInfo " << I->getName() << "Operands[] = {\n";
      for (const Operand &O : ISA.operands(I))
        OS << "  {Role::" << O.Role << ", OperandKind::" << O.Kind << ", "
           << O.Lsb << ", " << O.Width << ", " << (O.Signed ? "true" : "false")
           << ", " << (O.IsDef ? "true" : "false") << ", " << O.Modifier
           << ", Spelling::" << O.Spelling << "},\n";
      OS << "};\n";
    }
    OS << "constexpr InstInfo InstTable[] = {\n";
    for (const Record *I : ISA.Insts)
      emitInstruction(I);
    OS << "};\n";
  }

  void emitInstruction(const Record *I) {
    const Record *Op = I->getValueAsDef("Operation");
    OS << "  {" << quoted(I->getName()) << ", "
       << quoted(Op->getName().drop_front(3)) << ", "
       << quoted(I->getValueAsString("HAsm"))
       << ", Op::" << Op->getName().drop_front(3)
       << ", Form::" << I->getValueAsDef("InstForm")->getName().drop_front(4)
       << ", " << ISA.opcode(I) << ", LatencyClass::"
       << Op->getValueAsDef("Latency")->getName().drop_front(3);
    for (StringRef Flag : {"Uniform", "mayLoad", "mayStore", "isBranch",
                           "isCall", "isReturn", "isBarrier"}) {
      bool Unset;
      OS << ", " << (I->getValueAsBitOrUnset(Flag, Unset) ? "true" : "false");
    }
    OS << ", " << I->getName() << "Operands},\n";
  }

  /// The bits of the 128-bit form that a compact form does not have.
  std::array<uint64_t, 2> fixedBits(const CompactForm &Form) {
    APInt Bits(128, ISA.opcode(Form.Inst));
    for (const auto &[O, Value] : Form.Fixed)
      Bits |= APInt(128, Value) << O.Lsb;
    bool HasCounters =
        any_of(Form.Fields, [](const CompactField &F) { return F.To == 109; });
    if (!HasCounters) // no counters: 7
      Bits |= APInt(128, 077) << 109;
    return {Bits.extractBitsAsZExtValue(64, 0),
            Bits.extractBitsAsZExtValue(64, 64)};
  }

  void emitCompactForms() {
    for (const CompactForm &Form : ISA.CompactForms) {
      OS << "constexpr CompactField Compact" << Form.Code << "[] = {";
      ListSeparator Separator(", ");
      for (const CompactField &F : Form.Fields)
        OS << Separator << "{" << F.Lsb << ", " << F.Width << ", " << F.To
           << ", " << F.ToWidth << ", " << F.Shift << ", "
           << (F.Signed ? "true" : "false") << "}";
      OS << "};\n";
    }
    OS << "constexpr CompactForm CompactTable[] = {\n";
    for (const CompactForm &Form : ISA.CompactForms) {
      auto [Lo, Hi] = fixedBits(Form);
      OS << formatv("  {{{0}, {{{1:x}u, {2:x}u}, Compact{0}},\n", Form.Code, Lo,
                    Hi);
    }
    OS << "};\n";
  }

  void emitSpecialRegisters() {
    OS << "constexpr SpecialRegisterInfo SpecialRegisterTable[] = {\n";
    for (const Record *R : Records.getAllDerivedDefinitions("SpecialRegister"))
      OS << "  {" << quoted(R->getValueAsString("Name")) << ", "
         << quoted(R->getValueAsString("Intrinsic")) << ", "
         << R->getValueAsInt("Number") << ", " << R->getValueAsBit("Uniform")
         << ", " << R->getValueAsBit("Wide") << "},\n";
    OS << "};\nconstexpr SystemCallInfo SystemCallTable[] = {\n";
    for (const Record *R : Records.getAllDerivedDefinitions("SystemCall"))
      OS << "  {" << R->getValueAsInt("Number") << ", "
         << quoted(R->getValueAsString("Function")) << ", "
         << R->getValueAsInt("ArgumentRegisters") << ", "
         << R->getValueAsInt("ResultRegisters") << "},\n";
    OS << "};\n";
  }

  void emitChipFields() {
    OS << "#ifdef GET_ISA_CHIP_FIELDS\n#undef GET_ISA_CHIP_FIELDS\n";
    for (StringRef F : ISA.ChipFields)
      OS << "uint32_t " << F << ";\n";
    OS << "#endif\n";
  }

  void emitChips() {
    for (const Record *C : ISA.Chips) {
      OS << "constexpr ClassTiming " << C->getName() << "Timings[] = {\n";
      for (const Record *L : ISA.LatencyClasses)
        emitTiming(C, L);
      OS << "};\n";
    }
    OS << "constexpr ChipInfo ChipTable[] = {\n";
    for (const Record *C : ISA.Chips) {
      OS << "  {" << quoted(C->getValueAsString("Name")) << ", "
         << quoted(C->getValueAsString("Description"));
      for (StringRef F : ISA.ChipFields)
        OS << ", " << C->getValueAsInt(F);
      OS << ", " << C->getName() << "Timings},\n";
    }
    OS << "};\n";
  }

  void emitTiming(const Record *Chip, const Record *Class) {
    for (const Record *T : Chip->getValueAsListOfDefs("Latencies"))
      if (T->getValueAsDef("Class") == Class) {
        OS << "  {" << T->getValueAsInt("Latency") << ", "
           << T->getValueAsInt("Interval") << "},\n";
        return;
      }
    PrintFatalError(Chip->getLoc(),
                    "no timing for latency class " + Class->getName());
  }

  void emitABIConstants() {
    OS << "#ifdef GET_ISA_ABI_CONSTANTS\n#undef GET_ISA_ABI_CONSTANTS\n";
    for (const Record *R : Records.getAllDerivedDefinitions("ABIConstant"))
      OS << "/// " << R->getValueAsString("Meaning") << "\nconstexpr uint32_t "
         << R->getName().drop_front(4) << " = " << R->getValueAsInt("Value")
         << ";\n";
    for (const Record *R : Records.getAllDerivedDefinitions("Window"))
      OS << "/// high word of generic addresses\nconstexpr uint32_t "
         << R->getValueAsString("Name") << " = " << R->getValueAsInt("High")
         << ";\n";
    OS << "#endif\n";
  }

  /// IMAGE_Base becomes ImageBase.
  static std::string fieldName(const Record *R) {
    auto [Object, Field] = R->getName().split('_');
    return Object.take_front().str() + Object.drop_front().lower() +
           Field.str();
  }

  void emitTextureConstants() {
    OS << "#ifdef GET_ISA_TEXTURE_CONSTANTS\n"
          "#undef GET_ISA_TEXTURE_CONSTANTS\n";
    for (const Record *R : Records.getAllDerivedDefinitions("DescriptorField"))
      OS << "/// " << R->getValueAsString("Meaning")
         << "\nconstexpr FieldPlace " << fieldName(R) << " = {"
         << R->getValueAsInt("Offset") << ", " << R->getValueAsInt("Bytes")
         << "};\n";
    for (const Record *R : Records.getAllDerivedDefinitions("TextureConstant"))
      OS << "/// " << R->getValueAsString("Meaning") << "\nconstexpr uint32_t "
         << R->getName().split('_').second << " = " << R->getValueAsInt("Value")
         << ";\n";
    OS << "#endif\n#ifdef GET_ISA_TEXEL_FORMAT_ENUM\n"
          "#undef GET_ISA_TEXEL_FORMAT_ENUM\n";
    for (const Record *R : ISA.TexelFormats)
      OS << R->getName().drop_front(3) << " = " << R->getValueAsInt("Code")
         << ",\n";
    OS << "#endif\n";
  }

  void emitTexelFormats() {
    OS << "constexpr texture::TexelFormatInfo TexelFormatTable[] = {\n";
    for (auto [Index, R] : enumerate(ISA.TexelFormats)) {
      if (R->getValueAsInt("Code") != int64_t(Index))
        PrintFatalError(R->getLoc(), "the codes of formats have a gap");
      OS << "  {" << quoted(R->getValueAsString("Name")) << ", "
         << R->getValueAsInt("Bits") << ", " << R->getValueAsInt("DataType")
         << "},\n";
    }
    OS << "};\n";
  }

  ISARecords ISA;
  const RecordKeeper &Records;
  raw_ostream &OS;
};

void emitISATable(const RecordKeeper &Records, raw_ostream &OS) {
  ISATableEmitter(Records, OS).run();
}

TableGen::Emitter::Opt Registration("gen-isa-table", emitISATable,
                                    "The ISA as C++ tables");

} // namespace
