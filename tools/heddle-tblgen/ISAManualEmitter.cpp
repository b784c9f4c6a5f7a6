//===- ISAManualEmitter.cpp - The ISA manual --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes docs/isa/: the pages of HeddleManual.td with their tables, and for
// each operation its syntax, operands, bits, meaning and latency.
//
//===----------------------------------------------------------------------===//

#include "ISARecords.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <map>

using namespace llvm;
using namespace heddle::tblgen;

namespace {

cl::opt<std::string> ManualDirectory(
    "manual-dir", cl::desc("Folder that -gen-isa-manual writes its pages to"));

constexpr StringLiteral Notice =
    "<!-- Generated from isa-defs/ by `ninja update-isa-manual`. -->\n";

unsigned bitsOf(const Record *R, StringRef Field) {
  return *R->getValueAsBitsInit(Field)->convertInitializerToInt();
}

/// `31..24`, or `12` for a single bit.
std::string bitRange(unsigned Lsb, unsigned Width) {
  std::string Low = utostr(Lsb);
  return Width == 1 ? Low : utostr(Lsb + Width - 1) + ".." + Low;
}

/// Text in a cell of a table: a bar would end the cell.
std::string cell(StringRef Text) {
  std::string Result;
  for (char C : Text)
    Result += C == '|' ? std::string("\\|") : std::string(1, C);
  return Result;
}

class ISAManualEmitter {
public:
  explicit ISAManualEmitter(const RecordKeeper &Records)
      : ISA(Records), Records(Records) {
    for (const Record *I : ISA.Insts)
      InstsOf[I->getValueAsDef("Operation")].push_back(I);
    for (auto &[Op, Insts] : InstsOf)
      sort(Insts, [&](const Record *A, const Record *B) {
        return ISA.opcode(A) < ISA.opcode(B);
      });
  }

  /// Each page's file name and text.
  std::vector<std::pair<std::string, std::string>> pages();

private:
  std::vector<const Record *> operationsOf(const Record *Page) const;
  void emitIndex(ArrayRef<const Record *> Pages, raw_ostream &OS);
  void emitText(StringRef Text, raw_ostream &OS);
  void emitTable(StringRef Name, raw_ostream &OS);
  void emitForms(raw_ostream &OS);
  void emitCompactForms(raw_ostream &OS);
  void emitRoles(raw_ostream &OS);
  void emitWindows(raw_ostream &OS);
  void emitABI(raw_ostream &OS);
  void emitSpecialRegisters(raw_ostream &OS);
  void emitSystemCalls(raw_ostream &OS);
  void emitChips(raw_ostream &OS);
  void emitLatencies(raw_ostream &OS);
  void emitTextureConstants(raw_ostream &OS);
  void emitFields(StringRef Class, raw_ostream &OS);
  void emitImageFields(raw_ostream &OS) { emitFields("ImageField", OS); }
  void emitSamplerFields(raw_ostream &OS) { emitFields("SamplerField", OS); }
  void emitTexelFormats(raw_ostream &OS);

  void emitOperation(const Record *Op, raw_ostream &OS);
  void emitOperands(const Record *Op, raw_ostream &OS);
  void emitModifiers(const Record *Op, raw_ostream &OS);
  void emitLatency(const Record *Op, raw_ostream &OS);
  std::string syntax(const Record *Inst) const;
  std::string describe(const Operand &O) const;
  const Record *timing(const Record *Chip, const Record *Class) const;

  ISARecords ISA;
  const RecordKeeper &Records;
  std::map<const Record *, std::vector<const Record *>> InstsOf;
};

std::vector<const Record *>
ISAManualEmitter::operationsOf(const Record *Page) const {
  std::vector<const Record *> Ops;
  if (!Page->isSubClassOf("OperationPage"))
    return Ops;
  for (const Record *Op : ISA.Ops) {
    int64_t Code = bitsOf(Op, "Code");
    if ((Code >= Page->getValueAsInt("First") &&
         Code <= Page->getValueAsInt("Last")) ||
        is_contained(Page->getValueAsListOfInts("Others"), Code))
      Ops.push_back(Op);
  }
  sort(Ops, [](const Record *A, const Record *B) {
    return bitsOf(A, "Code") < bitsOf(B, "Code");
  });
  return Ops;
}

std::vector<std::pair<std::string, std::string>> ISAManualEmitter::pages() {
  std::vector<std::pair<std::string, std::string>> Result;
  ArrayRef<const Record *> Pages =
      Records.getAllDerivedDefinitions("ManualPage");
  std::map<const Record *, unsigned> Times;
  for (const Record *Page : Pages) {
    std::string Text;
    raw_string_ostream OS(Text);
    OS << Notice << "# " << Page->getValueAsString("Title") << "\n";
    emitText(Page->getValueAsString("Text"), OS);
    for (const Record *Op : operationsOf(Page)) {
      emitOperation(Op, OS);
      ++Times[Op];
    }
    Result.push_back({Page->getValueAsString("File").str() + ".md", Text});
  }
  for (const Record *Op : ISA.Ops)
    if (Times[Op] != 1)
      PrintFatalError(Op->getLoc(), Op->getName() + " is on " +
                                        Twine(Times[Op]) +
                                        " pages of the manual");
  std::string Index;
  raw_string_ostream OS(Index);
  emitIndex(Pages, OS);
  Result.push_back({"README.md", Index});
  return Result;
}

void ISAManualEmitter::emitIndex(ArrayRef<const Record *> Pages,
                                 raw_ostream &OS) {
  OS << Notice << "# The Heddle ISA\n\n"
     << ISA.Ops.size() << " operations in " << ISA.Insts.size()
     << " instructions, each operation in up to five forms. The definitions "
        "are "
        "in [isa-defs/](../../isa-defs/).\n";
  for (bool Operations : {false, true}) {
    OS << (Operations ? "\n## Operations\n\n" : "\n## Common\n\n");
    for (const Record *Page : Pages) {
      if (Page->isSubClassOf("OperationPage") != Operations)
        continue;
      StringRef File = Page->getValueAsString("File");
      OS << "- [" << Page->getValueAsString("Title") << "](" << File << ".md)";
      ListSeparator Separator(", ");
      if (Operations)
        OS << ": ";
      for (const Record *Op : operationsOf(Page)) {
        StringRef Mnemonic = Op->getValueAsString("Mnemonic");
        OS << Separator << "[" << Mnemonic << "](" << File << ".md#"
           << Mnemonic.lower() << ")";
      }
      OS << "\n";
    }
  }
}

void ISAManualEmitter::emitText(StringRef Text, raw_ostream &OS) {
  OS << "\n";
  SmallVector<StringRef> Lines;
  Text.trim('\n').split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Line.consume_front("@") && !Line.empty())
      emitTable(Line, OS);
    else
      OS << Line << "\n";
}

void ISAManualEmitter::emitTable(StringRef Name, raw_ostream &OS) {
  using Member = void (ISAManualEmitter::*)(raw_ostream &);
  static const std::pair<StringRef, Member> Tables[] = {
      {"FORMS", &ISAManualEmitter::emitForms},
      {"COMPACT_FORMS", &ISAManualEmitter::emitCompactForms},
      {"ROLES", &ISAManualEmitter::emitRoles},
      {"WINDOWS", &ISAManualEmitter::emitWindows},
      {"ABI", &ISAManualEmitter::emitABI},
      {"SPECIAL_REGISTERS", &ISAManualEmitter::emitSpecialRegisters},
      {"SYSTEM_CALLS", &ISAManualEmitter::emitSystemCalls},
      {"CHIPS", &ISAManualEmitter::emitChips},
      {"LATENCIES", &ISAManualEmitter::emitLatencies},
      {"TEXTURE_CONSTANTS", &ISAManualEmitter::emitTextureConstants},
      {"IMAGE_FIELDS", &ISAManualEmitter::emitImageFields},
      {"SAMPLER_FIELDS", &ISAManualEmitter::emitSamplerFields},
      {"TEXEL_FORMATS", &ISAManualEmitter::emitTexelFormats}};
  for (auto [TableName, Emit] : Tables)
    if (TableName == Name)
      return (this->*Emit)(OS);
  PrintFatalError("the manual has no table @" + Name);
}

void ISAManualEmitter::emitForms(raw_ostream &OS) {
  static const std::map<StringRef, StringRef> Meaning = {
      {"FormR", "b and c are registers"},
      {"FormI", "b is an immediate"},
      {"FormU", "b is a uniform register"},
      {"FormCI", "c is an immediate, in bits 63..32; b is in bits 71..64"},
      {"FormCU",
       "c is a uniform register, in bits 37..32; b is in bits 71..64"},
      {"FormX", "an address of a uniform base (u) and a scaled index (x)"}};
  OS << "| suffix | bits 3..1 | |\n|---|---|---|\n";
  for (const Record *F : ISA.Forms) {
    auto It = Meaning.find(F->getName());
    if (It == Meaning.end())
      PrintFatalError(F->getLoc(), "the manual does not describe this form");
    OS << "| `" << F->getValueAsString("Suffix") << "` | " << bitsOf(F, "Code")
       << " | " << It->second << " |\n";
  }
}

void ISAManualEmitter::emitCompactForms(raw_ostream &OS) {
  OS << "| code | instruction | operands |\n|---|---|---|\n";
  for (const CompactForm &Form : ISA.CompactForms) {
    OS << formatv("| `{0:x2}` | {1} | ", Form.Code, Form.Inst->getName());
    ListSeparator Separator(", ");
    for (const CompactField &F : Form.Fields) {
      if (!F.IsOperand)
        continue;
      OS << Separator << F.Role << " " << bitRange(F.Lsb, F.Width);
      if (F.Shift)
        OS << " << " << F.Shift;
    }
    for (const auto &[O, Value] : Form.Fixed)
      OS << Separator << O.Role << " = " << Value;
    OS << " |\n";
  }
}

void ISAManualEmitter::emitRoles(raw_ostream &OS) {
  std::map<int64_t, std::vector<StringRef>> ByBit;
  for (const Record *R : ISA.Roles)
    ByBit[R->getValueAsInt("Lsb")].push_back(R->getName().drop_front(5));
  OS << "| lowest bit | names |\n|---|---|\n";
  for (const auto &[Bit, Names] : ByBit)
    OS << "| " << Bit << " | " << join(Names, ", ") << " |\n";
}

void ISAManualEmitter::emitWindows(raw_ostream &OS) {
  OS << "| high word | window |\n|---|---|\n";
  for (const Record *W : Records.getAllDerivedDefinitions("Window")) {
    StringRef Name = W->getValueAsString("Name");
    Name.consume_back("Window");
    OS << formatv("| `{0:x8}` | {1} |\n", W->getValueAsInt("High"),
                  Name.lower());
  }
}

void ISAManualEmitter::emitABI(raw_ostream &OS) {
  OS << "| constant | value | |\n|---|---|---|\n";
  for (const Record *C : Records.getAllDerivedDefinitions("ABIConstant"))
    OS << "| " << C->getName().drop_front(4) << " | "
       << C->getValueAsInt("Value") << " | " << C->getValueAsString("Meaning")
       << " |\n";
}

void ISAManualEmitter::emitSpecialRegisters(raw_ostream &OS) {
  std::map<int64_t, const Record *> ByNumber;
  for (const Record *R : Records.getAllDerivedDefinitions("SpecialRegister"))
    ByNumber[R->getValueAsInt("Number")] = R;
  OS << "| number | assembly | PTX | bits | uniform |\n|---|---|---|---|---|\n";
  for (const auto &[Number, R] : ByNumber) {
    StringRef Name = R->getValueAsString("Name");
    OS << "| " << Number << " | `SR_" << Name << "` | `"
       << R->getValueAsString("PTX") << "` | "
       << (R->getValueAsBit("Wide") ? 64 : 32) << " | "
       << (R->getValueAsBit("Uniform") ? "yes" : "") << " |\n";
  }
}

void ISAManualEmitter::emitSystemCalls(raw_ostream &OS) {
  OS << "| number | function | |\n|---|---|---|\n";
  std::map<int64_t, const Record *> ByNumber;
  for (const Record *R : Records.getAllDerivedDefinitions("SystemCall"))
    ByNumber[R->getValueAsInt("Number")] = R;
  for (const auto &[Number, R] : ByNumber)
    OS << "| " << Number << " | `" << R->getValueAsString("Function") << "` | "
       << cell(R->getValueAsString("Meaning")) << " |\n";
}

void ISAManualEmitter::emitChips(raw_ostream &OS) {
  OS << "| |";
  for (const Record *C : ISA.Chips)
    OS << " " << C->getValueAsString("Name") << " |";
  OS << "\n|---|";
  for (size_t I = 0; I < ISA.Chips.size(); ++I)
    OS << "---|";
  OS << "\n| |";
  for (const Record *C : ISA.Chips)
    OS << " " << C->getValueAsString("Description") << " |";
  OS << "\n";
  for (StringRef Field : ISA.ChipFields) {
    OS << "| " << Field << " |";
    for (const Record *C : ISA.Chips)
      OS << " " << C->getValueAsInt(Field) << " |";
    OS << "\n";
  }
}

const Record *ISAManualEmitter::timing(const Record *Chip,
                                       const Record *Class) const {
  for (const Record *T : Chip->getValueAsListOfDefs("Latencies"))
    if (T->getValueAsDef("Class") == Class)
      return T;
  PrintFatalError(Chip->getLoc(), "no latency of " + Class->getName());
}

void ISAManualEmitter::emitLatencies(raw_ostream &OS) {
  OS << "| class | pipe | |";
  for (const Record *C : ISA.Chips)
    OS << " " << C->getValueAsString("Name") << " latency | interval |";
  OS << "\n|---|---|---|";
  for (size_t I = 0; I < ISA.Chips.size(); ++I)
    OS << "---|---|";
  OS << "\n";
  for (const Record *L : ISA.LatencyClasses) {
    OS << "| " << L->getName().drop_front(3) << " | "
       << L->getValueAsString("Pipe") << " | "
       << (L->getValueAsBit("Variable") ? "variable" : "fixed") << " |";
    for (const Record *C : ISA.Chips)
      OS << " " << timing(C, L)->getValueAsInt("Latency") << " | "
         << timing(C, L)->getValueAsInt("Interval") << " |";
    OS << "\n";
  }
}

void ISAManualEmitter::emitTextureConstants(raw_ostream &OS) {
  OS << "| constant | value | |\n|---|---|---|\n";
  for (const Record *R : Records.getAllDerivedDefinitions("TextureConstant"))
    OS << "| " << R->getName().split('_').second << " | "
       << R->getValueAsInt("Value") << " | " << R->getValueAsString("Meaning")
       << " |\n";
}

void ISAManualEmitter::emitFields(StringRef Class, raw_ostream &OS) {
  std::map<int64_t, const Record *> ByOffset;
  for (const Record *R : Records.getAllDerivedDefinitions(Class))
    ByOffset[R->getValueAsInt("Offset")] = R;
  OS << "| byte | bytes | field | |\n|---|---|---|---|\n";
  for (const auto &[Offset, R] : ByOffset)
    OS << "| " << Offset << " | " << R->getValueAsInt("Bytes") << " | "
       << R->getName().split('_').second << " | "
       << cell(R->getValueAsString("Meaning")) << " |\n";
}

void ISAManualEmitter::emitTexelFormats(raw_ostream &OS) {
  OS << "| value | name | bits | `TXQ.TYPE` | |\n|---|---|---|---|---|\n";
  for (const Record *R : ISA.TexelFormats)
    OS << "| " << R->getValueAsInt("Code") << " | `"
       << R->getValueAsString("Name") << "` | " << R->getValueAsInt("Bits")
       << " | "
       << formatv("{0:x}", static_cast<uint64_t>(R->getValueAsInt("DataType")))
       << " | " << R->getValueAsString("Meaning") << " |\n";
}

/// The template with modifiers as `.name`, in brackets where one may be silent.
std::string ISAManualEmitter::syntax(const Record *Inst) const {
  std::string Result =
      Inst->getValueAsDef("Operation")->getValueAsString("Mnemonic").str();
  StringRef Rest = Inst->getValueAsString("HAsm");
  while (!Rest.empty()) {
    auto [Text, After] = Rest.split('$');
    Result += Text;
    StringRef Role = After.take_while(isAlnum);
    Rest = After.drop_front(Role.size());
    if (Role.empty())
      break;
    auto O = find_if(ISA.operands(Inst),
                     [&](const Operand &O) { return O.Role == Role; });
    if (O->Kind != "Modifier") {
      StringRef Suffix;
      if (Rest.consume_front("~"))
        Suffix = Rest.take_while(isAlnum);
      Rest = Rest.drop_front(Suffix.size());
      Result += (Suffix.empty()            ? ""
                 : Suffix.starts_with("m") ? "±"
                                           : "!") +
                Role.str();
      continue;
    }
    bool MayBeSilent =
        is_contained(O->Type->getValueAsListOfStrings("Names"), "") ||
        Role == "scope";
    Result += MayBeSilent ? "[." + Role.str() + "]" : "." + Role.str();
  }
  return Result;
}

/// What an operand is, shortly.
std::string ISAManualEmitter::describe(const Operand &O) const {
  static const std::map<StringRef, StringRef> Registers = {
      {"GPR32", "R"},        {"GPR64", "R, 2"},   {"GPR128", "R, 4"},
      {"UGPR32", "UR"},      {"UGPR64", "UR, 2"}, {"UGPR128", "UR, 4"},
      {"PR", "P"},           {"UPR", "UP"},       {"BR", "B"},
      {"Target", "label"},   {"Modifier", ""},    {"SourceModifier", "sign"},
      {"Control", "control"}};
  auto It = Registers.find(O.Kind);
  if (It != Registers.end())
    return It->second.str();
  return (O.Signed ? "signed " : "") + utostr(O.Width) + "-bit number";
}

void ISAManualEmitter::emitOperation(const Record *Op, raw_ostream &OS) {
  OS << "\n## " << Op->getValueAsString("Mnemonic") << "\n\n**"
     << Op->getValueAsString("Title") << ".** "
     << Op->getValueAsString("Meaning") << "\n\n";
  OS << "| instruction | bits 11..0 | syntax |\n|---|---|---|\n";
  for (const Record *I : InstsOf[Op])
    OS << formatv("| {0} | `{1:x3}` | `{2}` |\n", I->getName(), ISA.opcode(I),
                  cell(syntax(I)));
  OS << "\n";
  emitOperands(Op, OS);
  emitModifiers(Op, OS);
  emitLatency(Op, OS);
}

/// A row for each operand, a column for each form: what it is and its bits.
void ISAManualEmitter::emitOperands(const Record *Op, raw_ostream &OS) {
  std::vector<std::string> Roles;
  std::map<std::string, std::map<const Record *, const Operand *>> Places;
  for (const Record *I : InstsOf[Op])
    for (const Operand &O : ISA.operands(I)) {
      if (O.Role == "pg" || O.Role == "pgn" || O.Role == "ctl")
        continue;
      if (!is_contained(Roles, O.Role))
        Roles.push_back(O.Role);
      Places[O.Role][I] = &O;
    }
  if (Roles.empty())
    return;
  OS << "| operand |";
  for (const Record *I : InstsOf[Op])
    OS << " " << I->getName() << " |";
  OS << "\n|---|";
  for (size_t I = 0; I < InstsOf[Op].size(); ++I)
    OS << "---|";
  OS << "\n";
  for (const std::string &Role : Roles) {
    OS << "| " << Role << " |";
    for (const Record *I : InstsOf[Op]) {
      OS << " ";
      if (const Operand *O = Places[Role][I]) {
        std::string What = describe(*O);
        OS << What << (What.empty() ? "" : ": ") << bitRange(O->Lsb, O->Width)
           << " ";
      }
      OS << "|";
    }
    OS << "\n";
  }
  OS << "\n";
}

/// The values of the operation's modifiers.
void ISAManualEmitter::emitModifiers(const Record *Op, raw_ostream &OS) {
  std::vector<StringRef> Done;
  for (const Record *I : InstsOf[Op])
    for (const Operand &O : ISA.operands(I)) {
      if (O.Kind != "Modifier" || is_contained(Done, O.Role))
        continue;
      Done.push_back(O.Role);
      OS << "- `" << O.Role << "`:";
      ListSeparator Separator(",");
      for (auto [Value, Name] :
           enumerate(O.Type->getValueAsListOfStrings("Names")))
        OS << Separator << " " << Value << " "
           << (Name.empty() ? "(none)" : "`" + Name.str() + "`");
      OS << "\n";
    }
  if (!Done.empty())
    OS << "\n";
}

void ISAManualEmitter::emitLatency(const Record *Op, raw_ostream &OS) {
  const Record *Class = Op->getValueAsDef("Latency");
  OS << "Latency class " << Class->getName().drop_front(3) << " ("
     << (Class->getValueAsBit("Variable") ? "variable" : "fixed") << "):";
  MapVector<int64_t, std::vector<StringRef>> Chips;
  for (const Record *C : ISA.Chips)
    Chips[timing(C, Class)->getValueAsInt("Latency")].push_back(
        C->getValueAsString("Name"));
  ListSeparator Separator(";");
  for (const auto &[Cycles, Names] : Chips)
    OS << Separator << " " << Cycles << " cycles on " << join(Names, ", ");
  OS << ".\n";
}

void emitISAManual(const RecordKeeper &Records, raw_ostream &OS) {
  if (ManualDirectory.empty())
    PrintFatalError("-gen-isa-manual needs -manual-dir");
  if (std::error_code EC = sys::fs::create_directories(ManualDirectory))
    PrintFatalError(ManualDirectory + ": " + EC.message());
  for (const auto &[Name, Text] : ISAManualEmitter(Records).pages()) {
    SmallString<128> Path(ManualDirectory);
    sys::path::append(Path, Name);
    std::error_code EC;
    raw_fd_ostream File(Path, EC);
    if (EC)
      PrintFatalError(Path + ": " + EC.message());
    File << Text;
    // The main output lists the pages.
    OS << Name << "\n";
  }
}

TableGen::Emitter::Opt Registration("gen-isa-manual", emitISAManual,
                                    "The ISA manual, in -manual-dir");

} // namespace
