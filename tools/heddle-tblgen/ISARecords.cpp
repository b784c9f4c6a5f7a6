//===- ISARecords.cpp - The records of isa-defs/ ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the records of the ISA, places operands by their roles and checks
// that no two fields of an instruction overlap. Reads the fields of compact
// forms.
//
//===----------------------------------------------------------------------===//

#include "ISARecords.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

#include <bitset>

using namespace llvm;

namespace heddle::tblgen {

std::string quoted(StringRef S) {
  std::string Result;
  raw_string_ostream OS(Result);
  OS << '"';
  OS.write_escaped(S);
  OS << '"';
  return Result;
}

ISARecords::ISARecords(const RecordKeeper &Records) : Records(Records) {
  auto Collect = [&](StringRef Class) {
    ArrayRef<const Record *> Defs = Records.getAllDerivedDefinitions(Class);
    return std::vector<const Record *>(Defs.begin(), Defs.end());
  };
  Ops = Collect("ISAOp");
  Roles = Collect("Role");
  Forms = Collect("Form");
  Modifiers = Collect("Modifier");
  LatencyClasses = Collect("LatencyClass");
  Swaps = Collect("Swap");
  Flows = Collect("Flow");
  Spaces = Collect("Space");
  Insts = Collect("HInst");
  Chips = Collect("Chip");
  TexelFormats = Collect("TexelFormat");
  llvm::sort(TexelFormats, [](const Record *A, const Record *B) {
    return A->getValueAsInt("Code") < B->getValueAsInt("Code");
  });
  llvm::sort(Forms, [](const Record *A, const Record *B) {
    return A->getValueAsBitsInit("Code")->convertInitializerToInt() <
           B->getValueAsBitsInit("Code")->convertInitializerToInt();
  });
  for (const RecordVal &V : Records.getClass("Chip")->getValues())
    if (isa<IntRecTy>(V.getType()))
      ChipFields.push_back(V.getName());

  DenseMap<unsigned, const Record *> ByOpcode;
  for (const Record *I : Insts) {
    placeOperands(I);
    check(I);
    const Record *&Other = ByOpcode[opcode(I)];
    if (Other)
      PrintFatalError(I->getLoc(),
                      I->getName() + " has the opcode of " + Other->getName());
    Other = I;
  }
  for (const Record *R : Collect("Compact"))
    CompactForms.push_back(makeCompactForm(R));
  llvm::sort(CompactForms, [](const CompactForm &A, const CompactForm &B) {
    return A.Code < B.Code;
  });
}

static unsigned bitsOf(const Record *R, StringRef Field) {
  return *R->getValueAsBitsInit(Field)->convertInitializerToInt();
}

unsigned ISARecords::opcode(const Record *Inst) const {
  return bitsOf(Inst->getValueAsDef("Operation"), "Code") << 4 |
         bitsOf(Inst->getValueAsDef("InstForm"), "Code") << 1;
}

const std::vector<Operand> &ISARecords::operands(const Record *Inst) const {
  return OperandsOf.find(Inst)->second;
}

std::vector<std::string> ISARecords::names(ArrayRef<const Record *> List,
                                           unsigned Drop) const {
  std::vector<std::string> Result;
  for (const Record *R : List)
    Result.push_back(R->getName().drop_front(Drop).str());
  return Result;
}

/// The lowest bit of a role's field; forms CI and CU exchange b and c.
unsigned ISARecords::slot(const Record *Inst, StringRef Role) const {
  StringRef Form = Inst->getValueAsDef("InstForm")->getName();
  if (Form == "FormCI" || Form == "FormCU") {
    if (Role == "b")
      Role = "c";
    else if (Role == "c")
      Role = "b";
  }
  const Record *R = Records.getDef(("Role_" + Role).str());
  if (!R)
    PrintFatalError(Inst->getLoc(), "no role named " + Role);
  return R->getValueAsInt("Lsb");
}

Operand ISARecords::makeOperand(const Record *Inst, StringRef Role,
                                const Record *Type, bool IsDef) const {
  static const std::pair<StringRef, unsigned> Files[] = {
      {"GPR32", 8},  {"GPR64", 8},   {"GPR128", 8}, {"PR", 3}, {"UGPR32", 6},
      {"UGPR64", 6}, {"UGPR128", 6}, {"UPR", 3},    {"BR", 4}};
  Operand O{Role.str(), "", slot(Inst, Role), 0,   false,
            IsDef,      -1, "Number",         Type};
  StringRef Name = Type->getName();
  if (Name == "PGuard" || Name == "UPGuard")
    Name = Name == "PGuard" ? "PR" : "UPR";
  for (auto &[File, Width] : Files)
    if (Name == File) {
      O.Kind = File.str();
      O.Width = Width;
      return O;
    }
  O.Width = Type->getValueAsInt("Width");
  if (Type->isSubClassOf("Modifier")) {
    O.Kind = "Modifier";
    O.Modifier = llvm::find(Modifiers, Type) - Modifiers.begin();
  } else if (Name == "Ctl") {
    O.Kind = "Control";
  } else if (Type->getValue("SourceModifier")) {
    O.Kind = "SourceModifier";
  } else {
    O.Kind = Name == "BrTarget" || Name == "CallTarget" ? "Target" : "Imm";
    O.Signed = Type->getValueAsBit("Signed");
    if (O.Kind == "Imm")
      O.Spelling = Type->getValueAsString("Spelling").str();
  }
  return O;
}

void ISARecords::placeOperands(const Record *Inst) {
  std::vector<Operand> &List = OperandsOf[Inst];
  for (bool IsDef : {true, false}) {
    const DagInit *Dag =
        Inst->getValueAsDag(IsDef ? "OutOperandList" : "InOperandList");
    for (unsigned I = 0; I < Dag->getNumArgs(); ++I)
      List.push_back(makeOperand(Inst, Dag->getArgNameStr(I),
                                 cast<DefInit>(Dag->getArg(I))->getDef(),
                                 IsDef));
  }
}

void ISARecords::check(const Record *Inst) const {
  std::bitset<128> Used(0xFFF);
  for (const Operand &O : operands(Inst))
    for (unsigned Bit = O.Lsb; Bit < O.Lsb + O.Width; ++Bit) {
      if (Bit >= 121 || Used[Bit])
        PrintFatalError(Inst->getLoc(), "operand " + O.Role + " of " +
                                            Inst->getName() +
                                            " overlaps another field");
      Used[Bit] = true;
    }
}

//===----------------------------------------------------------------------===//
// Compact forms
//===----------------------------------------------------------------------===//

/// What every compact form has, as isa-defs/HeddleCompact.td says; the control
/// field is in parts.
static void addCommonFields(CompactForm &Form, bool HasCounters) {
  auto Add = [&](StringRef Role, unsigned Lsb, unsigned Width, unsigned To) {
    Form.Fields.push_back({Role.str(), Lsb, Width, To, Width, 0, false, false});
  };
  Add("guard", 9, 4, 12);
  Add("stall", 13, 4, 104);
  Add("wait", 17, 6, 115);
  Add("yield", 23, 1, 108);
  if (!HasCounters)
    return;
  Add("wr", 24, 3, 109);
  Add("rd", 27, 3, 112);
}

CompactForm ISARecords::makeCompactForm(const Record *R) const {
  CompactForm Form;
  Form.Inst = R->getValueAsDef("Inst");
  Form.Code = bitsOf(R, "Code");
  for (const CompactForm &Other : CompactForms)
    if (Other.Code == Form.Code)
      PrintFatalError(R->getLoc(), "a second compact form with this code");
  bool HasCounters = Form.Inst->getValueAsDef("Operation")
                         ->getValueAsDef("Latency")
                         ->getValueAsBit("Variable");
  addCommonFields(Form, HasCounters);
  unsigned Next = HasCounters ? 30 : 24;
  SmallVector<StringRef> Items;
  R->getValueAsString("Fields").split(Items, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef Item : Items)
    addCompactItem(Form, Item, Next, R);
  return Form;
}

void ISARecords::addCompactItem(CompactForm &Form, StringRef Item,
                                unsigned &Next, const Record *R) const {
  StringRef Role = Item.take_while(isAlpha);
  StringRef Rest = Item.drop_front(Role.size());
  auto O = find_if(operands(Form.Inst),
                   [&](const Operand &O) { return O.Role == Role; });
  if (O == operands(Form.Inst).end())
    PrintFatalError(R->getLoc(), Form.Inst->getName() + " has no " + Role);
  uint64_t Value;
  if (Rest.consume_front("=") && !Rest.getAsInteger(10, Value)) {
    Form.Fixed.push_back({*O, Value});
    return;
  }
  CompactField F{Role.str(), Next, O->Width,  O->Lsb,
                 O->Width,   0,    O->Signed, true};
  if (Rest.consume_front(":") && Rest.consumeInteger(10, F.Width))
    PrintFatalError(R->getLoc(), "expected a width in '" + Item + "'");
  if (Rest.consume_front("<<") && Rest.consumeInteger(10, F.Shift))
    PrintFatalError(R->getLoc(), "expected a shift in '" + Item + "'");
  if (!Rest.empty())
    PrintFatalError(R->getLoc(), "cannot read '" + Item + "'");
  if (F.Width == 32)
    F.Lsb = std::max(Next, 32u);
  Next = F.Lsb + F.Width;
  if (Next > 64 || F.Width == 0 || F.Width + F.Shift > F.ToWidth)
    PrintFatalError(R->getLoc(), "'" + Item + "' does not fit");
  Form.Fields.push_back(F);
}

} // namespace heddle::tblgen
