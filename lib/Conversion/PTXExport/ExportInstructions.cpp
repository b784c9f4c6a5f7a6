//===- ExportInstructions.cpp - Most instructions ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back of ImportInstructions.cpp: an operation's name and attributes
// are an opcode, modifiers and types, and the row of the table that these fit
// says how the mnemonic and the operands are written.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "heddle/Dialect/PTX/Instruction.h"
#include "heddle/Dialect/PTX/Modifiers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxexport;
using ptx::ModKind;
using ptxir::OperandKind;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The operands on their way into the places of a row.
class BodyExporter::Arrangement {
public:
  Arrangement(BodyExporter &B, const ptx::Mnemonic &Mn, const Operands &Ops,
              SmallVectorImpl<std::string> *Texts)
      : B(B), Mn(Mn), Ops(Ops), Texts(Texts) {}

  bool run();

private:
  /// Whether a place takes what there is for it.
  enum class Fit { No, Absent, Yes };

  bool isThere(const ptx::OperandSpec &S) const {
    return S.WithKind == ptx::NoModKind ? !S.Optional
                                        : Mn.Mods[S.WithKind] != 0;
  }
  size_t registers(const ptx::OperandSpec &S) const {
    return S.VecModifier ? Width : size_t(1);
  }
  Fit take(const ptx::OperandSpec &S);
  Fit takeSources(const ptx::OperandSpec &S);
  Fit takeResults(const ptx::OperandSpec &S);
  Fit takeImmediate(const ptx::OperandSpec &S);
  Fit takeAddress();
  bool write(const ptx::OperandSpec &S);

  BodyExporter &B;
  const ptx::Mnemonic &Mn;
  const Operands &Ops;
  SmallVectorImpl<std::string> *Texts;
  SmallVector<std::string> Parts; ///< Of the place at hand.
  size_t Width = 1;
  size_t Surplus = 0; ///< Sources for optional places.
  size_t NextSource = 0, NextResult = 0, NextImmediate = 0;
  bool Address = false;
};

BodyExporter::Arrangement::Fit
BodyExporter::Arrangement::takeSources(const ptx::OperandSpec &S) {
  bool There = isThere(S);
  if (!There && S.WithKind == ptx::NoModKind && Surplus >= registers(S)) {
    There = true;
    Surplus -= registers(S);
  }
  if (!There)
    return Fit::Absent;
  auto Ty = ptx::getOperandType(Mn, S);
  for (size_t I = 0; I != registers(S); ++I, ++NextSource)
    if (Texts)
      Parts.push_back(B.source(Ops.Sources[NextSource], Ty, S.AddressOf));
  return Fit::Yes;
}

BodyExporter::Arrangement::Fit
BodyExporter::Arrangement::takeResults(const ptx::OperandSpec &S) {
  size_t N = registers(S);
  if (Ops.Results.size() - NextResult < N)
    return Fit::No;
  for (size_t I = 0; I != N; ++I, ++NextResult)
    if (Texts)
      Parts.push_back(B.reg(Ops.Results[NextResult]));
  return Fit::Yes;
}

BodyExporter::Arrangement::Fit
BodyExporter::Arrangement::takeImmediate(const ptx::OperandSpec &S) {
  if (NextImmediate == Ops.Immediates.size())
    return isThere(S) ? Fit::No : Fit::Absent;
  Parts.push_back(std::to_string(Ops.Immediates[NextImmediate++]));
  return Fit::Yes;
}

BodyExporter::Arrangement::Fit BodyExporter::Arrangement::takeAddress() {
  if (Address || !Ops.Address)
    return Fit::No;
  Address = true;
  if (Texts)
    Parts.push_back(B.bracketed(Ops.Address, Ops.Offset) +
                    (Ops.Unified ? ".unified" : ""));
  return Fit::Yes;
}

BodyExporter::Arrangement::Fit
BodyExporter::Arrangement::take(const ptx::OperandSpec &S) {
  switch (S.Role) {
  case ptx::OperandRole::Source:
    return takeSources(S);
  case ptx::OperandRole::Dest:
    return takeResults(S);
  case ptx::OperandRole::Immediate:
    return takeImmediate(S);
  case ptx::OperandRole::Address:
    return takeAddress();
  default:
    return Fit::No;
  }
}

/// Writes the parts that were taken for a place.
bool BodyExporter::Arrangement::write(const ptx::OperandSpec &S) {
  // A second result is the predicate beside the first.
  bool Pair = S.Role == ptx::OperandRole::Dest && S.PairPredicate &&
              NextResult < Ops.Results.size();
  if (S.PairRequired && !Pair)
    return false;
  if (Texts && !Parts.empty()) {
    std::string Text = S.VecModifier && Width > 1
                           ? "{" + llvm::join(Parts, ", ") + "}"
                           : Parts.front();
    if (Pair && (S.PairRequired || !Ops.Results[NextResult].use_empty()))
      Text += "|" + B.reg(Ops.Results[NextResult]);
    Texts->push_back(Text);
  }
  NextResult += Pair;
  return true;
}

bool BodyExporter::Arrangement::run() {
  if (unsigned Vec = Mn.Mods[unsigned(ModKind::Vec)])
    Width = size_t(1) << Vec; // v2, v4 and v8 are 1, 2 and 3.
  ArrayRef<ptx::OperandSpec> Specs = Mn.Form->getOperands();
  size_t Required = 0;
  for (const ptx::OperandSpec &S : Specs)
    if (S.Role == ptx::OperandRole::Source && isThere(S))
      Required += registers(S);
  if (Ops.Sources.size() < Required)
    return false;
  Surplus = Ops.Sources.size() - Required;
  for (const ptx::OperandSpec &S : Specs) {
    Parts.clear();
    Fit Found = take(S);
    if (Found == Fit::No || (Found == Fit::Yes && !write(S)))
      return false;
  }
  return NextSource == Ops.Sources.size() && NextResult == Ops.Results.size() &&
         NextImmediate == Ops.Immediates.size() && Address == bool(Ops.Address);
}

/// Puts the operands into the places of a row: false when they do not fit in
/// number. \p Texts, when given, gets the text of each place.
bool BodyExporter::arrange(const ptx::Mnemonic &Mn, const Operands &Ops,
                           SmallVectorImpl<std::string> *Texts) {
  return Arrangement(*this, Mn, Ops, Texts).run();
}

/// Types that the operation does not name since the row has no choice.
static bool addFixedTypes(const ptx::FormRow &Row, ptx::Mnemonic &Mn) {
  if (Mn.NumTypes != 0)
    return true;
  for (const ptx::FormElement &E : Row.getElements())
    if (E.IsType) {
      if (ptx::getChoices(E).size() != 1)
        return false;
      Mn.Types[Mn.NumTypes++] = ptx::Type(ptx::getChoices(E).front().Value);
    }
  return true;
}

/// Whether the vector of .v2, .v4 or .v8 has more bits than the row allows.
static bool isTooWide(const ptx::Mnemonic &Mn) {
  // v2, v4 and v8 are 1, 2 and 3.
  unsigned Log = Mn.Mods[unsigned(ModKind::Vec)];
  return Log != 0 && Mn.NumTypes != 0 &&
         ptx::getTypeBits(Mn.Types[0]) << Log > Mn.Form->MaxVectorBits;
}

LogicalResult BodyExporter::write(Operation *Op, StringRef Opcode,
                                  ptx::Mnemonic Mn, const Operands &Ops) {
  std::optional<ptx::Mnemonic> Best;
  ptx::MnemonicParts Parts, BestParts;
  for (const ptx::FormRow *Row : ptx::findFormsOf(Opcode)) {
    ptx::Mnemonic Candidate = Mn;
    Candidate.Form = Row;
    Candidate.Op = Row->Op;
    if (!addFixedTypes(*Row, Candidate) ||
        !ptx::spellParts(*Row, Candidate, Parts) || isTooWide(Candidate) ||
        !arrange(Candidate, Ops, nullptr))
      continue;
    bool Available = M.isAvailable(Candidate);
    if (!Best || Available) {
      Best = Candidate;
      BestParts = Parts;
    }
    if (Available)
      break;
  }
  if (!Best)
    return M.unsupported(Op, Op->getName().getStringRef() +
                                 " with these modifiers and operands in PTX");
  SmallVector<std::string> Texts;
  (void)arrange(*Best, Ops, &Texts);
  std::string Text = ptx::spellMnemonic(*Best, BestParts);
  line(Text + (Texts.empty() ? "" : " ") + llvm::join(Texts, ", ") + ";");
  return success();
}

//===----------------------------------------------------------------------===//
// Operations that are an instruction of the same name
//===----------------------------------------------------------------------===//

static std::optional<ptx::Type> typeOf(ptxir::ScalarType Ty) {
  ptx::Type Result;
  if (ptx::findType(ptxir::stringifyEnum(Ty), Result))
    return Result;
  return std::nullopt;
}

/// The opcode of an operation: its name, with `.sync` where PTX has it only so.
static std::string opcodeOf(Operation *Op) {
  StringRef Name = Op->getName().stripDialect();
  if (Name == "warp_sync")
    return "bar.warp.sync";
  bool Masked = isa<ptxir::MatchOp, ptxir::ReduxOp, ptxir::ElectOp>(Op);
  if (auto Shfl = dyn_cast<ptxir::ShflOp>(Op))
    Masked = bool(Shfl.getMask());
  if (auto Vote = dyn_cast<ptxir::VoteOp>(Op))
    Masked = bool(Vote.getMask());
  return Masked ? (Name + ".sync").str() : Name.str();
}

/// The kinds of modifiers that the rows of an opcode have.
static llvm::SmallBitVector modifiersOf(StringRef Opcode) {
  llvm::SmallBitVector Kinds(ptx::NumModKinds);
  for (const ptx::FormRow *Row : ptx::findFormsOf(Opcode))
    for (const ptx::FormElement &E : Row->getElements())
      if (!E.IsType)
        for (const ptx::FormChoice &C : ptx::getChoices(E))
          if (C.Kind != ptx::NoModKind)
            Kinds.set(C.Kind);
  return Kinds;
}

/// Reads the attributes of an operation as modifiers and types. An attribute
/// such as `mode` is another modifier for another opcode.
static void readAttributes(Operation *Op, StringRef Opcode, ptx::Mnemonic &Mn) {
  llvm::SmallBitVector Kinds = modifiersOf(Opcode);
  auto Set = [&](ModKind Kind, StringRef Spelling) {
    if (!Spelling.empty())
      Mn.Mods[unsigned(Kind)] = ptx::findModifierValue(Kind, Spelling);
  };
  for (const ptxir::ModifierRule &Rule : ptxir::getModifierRules())
    if (Attribute A = Op->getAttr(Rule.Attr); A && Kinds[unsigned(Rule.Kind)])
      Set(Rule.Kind, Rule.Spell(Rule.Kind, A));
  for (StringRef Accuracy : {"approx", "full"})
    if (Op->hasAttr(Accuracy))
      Set(ModKind::Accuracy, Accuracy);
  if (Op->hasAttr("abs") || Op->hasAttr("xorsign_abs"))
    Set(ModKind::AbsMode, "abs");
  for (StringRef Name : {"ty", "sty"})
    if (auto Ty = Op->getAttrOfType<ptxir::ScalarTypeAttr>(Name))
      if (auto Known = typeOf(Ty.getValue()))
        Mn.Types[Mn.NumTypes++] = *Known;
}

/// Conversions of bits are those of unsigned integers.
static ptx::Type withoutBits(ptx::Type Ty) {
  switch (Ty) {
  case ptx::Type::B8:
    return ptx::Type::U8;
  case ptx::Type::B16:
    return ptx::Type::U16;
  case ptx::Type::B32:
    return ptx::Type::U32;
  case ptx::Type::B64:
    return ptx::Type::U64;
  default:
    return Ty;
  }
}

LogicalResult BodyExporter::writeByTable(Operation *Op) {
  ptx::Mnemonic Mn;
  std::string Opcode = opcodeOf(Op);
  readAttributes(Op, Opcode, Mn);
  if (isa<ptxir::CvtOp>(Op))
    for (ptx::Type &Ty : Mn.Types)
      Ty = withoutBits(Ty);
  Operands Ops;
  Ops.Results.assign(Op->result_begin(), Op->result_end());
  Ops.Sources.assign(Op->operand_begin(), Op->operand_end());
  if (auto Lop3 = dyn_cast<ptxir::Lop3Op>(Op))
    Ops.Immediates.push_back(Lop3.getLut());
  return write(Op, Opcode, Mn, Ops);
}

//===----------------------------------------------------------------------===//
// Any instruction
//===----------------------------------------------------------------------===//

namespace heddle::ptxexport {

/// Writes one ptx.inst as its row says.
class InstWriter {
public:
  InstWriter(BodyExporter &Body, ptxir::InstOp Op) : Body(Body), Op(Op) {}
  void run(const ptx::Mnemonic &Mn);

private:
  void moveUpdated();
  std::string text(ptxir::OperandAttr Form, std::optional<ptx::Type> Ty);
  std::string selector(ptxir::OperandAttr Form) const;
  /// Whether the operand is or may be the name of a variable.
  bool isSymbolic() const {
    return Spec->AddressOf || Spec->Role == ptx::OperandRole::Object;
  }

  BodyExporter &Body;
  ptxir::InstOp Op;
  const ptx::OperandSpec *Spec = nullptr;
  unsigned NextArg = 0, NextResult = 0;
};

} // namespace heddle::ptxexport

/// The digits of lanes, four bits each, the highest first.
static std::string laneDigits(unsigned Lanes, unsigned Count) {
  std::string Text;
  for (unsigned I = Count; I != 0; --I)
    Text += char('0' + (Lanes >> (4 * (I - 1)) & 0xF));
  return Text;
}

/// `.b0`, `.h10`: what a video instruction selects; empty for all.
static std::string selectorText(ptx::OperandSelector Kind, unsigned Code) {
  auto Mask = [&](char Letter, unsigned Count) {
    std::string Text;
    for (unsigned I = Count; I != 0; --I)
      if (Code >> (I - 1) & 1)
        Text += char('0' + I - 1);
    bool All = Code == (1u << Count) - 1;
    return All ? std::string() : std::string(".") + Letter + Text;
  };
  auto Lanes = [&](char Letter, unsigned Count, unsigned Default) {
    return Code == Default
               ? std::string()
               : std::string(".") + Letter + laneDigits(Code, Count);
  };
  switch (Kind) {
  case ptx::OperandSelector::None:
    return {};
  case ptx::OperandSelector::Part:
    if (Code == 0)
      return {};
    return Code < 5 ? ".b" + std::to_string(Code - 1)
                    : ".h" + std::to_string(Code - 5);
  case ptx::OperandSelector::Mask2:
    return Mask('h', 2);
  case ptx::OperandSelector::Mask4:
    return Mask('b', 4);
  case ptx::OperandSelector::Lanes2A:
    return Lanes('h', 2, 0x10);
  case ptx::OperandSelector::Lanes2B:
    return Lanes('h', 2, 0x32);
  case ptx::OperandSelector::Lanes4A:
    return Lanes('b', 4, 0x3210);
  case ptx::OperandSelector::Lanes4B:
    return Lanes('b', 4, 0x7654);
  }
  return {};
}

std::string InstWriter::selector(ptxir::OperandAttr Form) const {
  return selectorText(Spec->Selector, unsigned(Form.getValue()));
}

/// The text of an operand, empty when it is left out.
std::string InstWriter::text(ptxir::OperandAttr Form,
                             std::optional<ptx::Type> Ty) {
  switch (Form.getKind()) {
  case OperandKind::None:
    return {};
  case OperandKind::Sink:
    return "_";
  case OperandKind::Result:
    return Body.reg(Op.getValues()[NextResult++]) + selector(Form);
  case OperandKind::Updated:
    ++NextArg;
    return Body.reg(Op.getValues()[NextResult++]);
  case OperandKind::Value:
    return Body.source(Op.getArgs()[NextArg++], Ty, isSymbolic()) +
           selector(Form);
  case OperandKind::Negated:
    return "-" + Body.inRegister(Op.getArgs()[NextArg++]) + selector(Form);
  case OperandKind::Immediate:
    return std::to_string(Form.getValue());
  case OperandKind::Address:
    return Body.address(Op.getArgs()[NextArg++], Form.getValue());
  case OperandKind::Vector: {
    SmallVector<std::string> Parts;
    for (Attribute Part : Form.getParts()) {
      bool IsIndex = Parts.empty() && Spec->FirstIndex;
      Parts.push_back(text(cast<ptxir::OperandAttr>(Part),
                           IsIndex ? std::optional(ptx::Type::U32) : Ty));
    }
    return "{" + llvm::join(Parts, ", ") + "}";
  }
  case OperandKind::Pair: {
    std::string First = text(Form.getPart(0), Ty);
    return First + "|" + text(Form.getPart(1), ptx::Type::Pred);
  }
  }
  return {};
}

/// Moves what is updated to the registers of the results.
void InstWriter::moveUpdated() {
  for (Value Result : Op.getValues()) {
    Value Operand = ptxir::getUpdatedOperand(Result);
    if (!Operand)
      continue;
    std::string From = Body.inRegister(Operand), To = Body.reg(Result);
    std::vector<std::string> Moves;
    if (From != To)
      Body.moveTo(Moves, To, Result.getType(), From);
    for (const std::string &Move : Moves)
      Body.line(Move);
  }
}

void InstWriter::run(const ptx::Mnemonic &Mn) {
  moveUpdated();
  std::string Text = Op.getOpcode().str();
  for (StringRef Part : Op.getModifiers().getAsValueRange<StringAttr>())
    Text += ("." + Part).str();
  // Operands that share brackets are gathered until the group is complete.
  SmallVector<std::string> Texts, Group;
  unsigned GroupLeft = 0;
  for (auto [S, Attr] :
       llvm::zip(Mn.Form->getOperands(), Op.getForms().getValue())) {
    Spec = &S;
    auto Form = cast<ptxir::OperandAttr>(Attr);
    if (S.GroupSize != 0)
      GroupLeft = S.GroupSize;
    std::string Operand =
        text(Form, S.NoConstant ? std::nullopt : ptx::getOperandType(Mn, S));
    bool InGroup = GroupLeft != 0;
    if (!Operand.empty()) {
      bool Brackets = !InGroup && Form.getKind() == OperandKind::Address;
      (InGroup ? Group : Texts)
          .push_back(Brackets ? "[" + Operand + "]" : Operand);
    }
    if (InGroup && --GroupLeft == 0) {
      Texts.push_back("[" + llvm::join(Group, ", ") + "]");
      Group.clear();
    }
  }
  Body.line(Text + (Texts.empty() ? "" : " ") + llvm::join(Texts, ", ") + ";");
}

LogicalResult BodyExporter::writeInst(ptxir::InstOp Op) {
  auto Mn = ptxir::resolveMnemonic(Op);
  if (!Mn)
    return M.unsupported(Op, "an instruction without a row in PTX");
  InstWriter(*this, Op).run(*Mn);
  return success();
}

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

static bool isCarryOp(Operation *Op) {
  return isa<ptxir::AddCarryOp, ptxir::SubCarryOp, ptxir::MadCarryOp>(Op);
}
static Value carryIn(Operation *Op) {
  return llvm::TypeSwitch<Operation *, Value>(Op)
      .Case<ptxir::AddCarryOp, ptxir::SubCarryOp, ptxir::MadCarryOp>(
          [](auto O) { return O.getCarryIn(); })
      .Default(Value());
}

/// Whether the flag still is \p Carry when \p User reads it: nothing between
/// them, which are in one block, writes the flag.
bool BodyExporter::carriesDirectly(Value Carry, Operation *User) {
  Operation *Writer = Carry.getDefiningOp();
  if (!Writer || !isCarryOp(Writer) || Writer->getBlock() != User->getBlock() ||
      carryIn(User) != Carry)
    return false;
  for (Operation *Op = Writer->getNextNode(); Op && Op != User;
       Op = Op->getNextNode()) {
    // A carry that comes from a register is put into the flag again.
    bool Restores = isCarryOp(Op) && carryIn(Op) && carryIn(Op) != Carry;
    if (Restores || (isCarryOp(Op) && !Op->getResult(1).use_empty()))
      return false;
  }
  return true;
}

/// Whether the carry has a use that is not the flag itself.
bool BodyExporter::needsCarryRegister(Value Carry) {
  return llvm::any_of(Carry.getUses(), [&](OpOperand &Use) {
    return !isCarryOp(Use.getOwner()) ||
           !carriesDirectly(Carry, Use.getOwner());
  });
}

LogicalResult BodyExporter::writeCarry(Operation *Op) {
  StringRef Name = Op->getName().stripDialect().split('_').first;
  Value In = carryIn(Op), Out = Op->getResult(1);
  bool Undefined = In && In.getDefiningOp<ptxir::UndefOp>();
  if (In && !Undefined && !carriesDirectly(In, Op)) {
    // 1 + 0xffffffff carries, 0 + 0xffffffff does not.
    Type I32 = IntegerType::get(Op->getContext(), 32);
    std::string Bit = temporary(I32), Unused = temporary(I32);
    line("selp.u32 " + Bit + ", 1, 0, " + inRegister(In) + ";");
    line("add.cc.u32 " + Unused + ", " + Bit + ", 4294967295;");
  }
  ptx::Mnemonic Mn;
  std::string Opcode = (Name + (In ? "c" : "")).str();
  readAttributes(Op, Opcode, Mn);
  if (!Out.use_empty())
    Mn.Mods[unsigned(ModKind::CarryOut)] = 1;
  Operands Ops;
  Ops.Results = {Op->getResult(0)};
  Ops.Sources.assign(Op->operand_begin(), Op->operand_end());
  if (In)
    Ops.Sources.pop_back();
  if (failed(write(Op, Opcode, Mn, Ops)))
    return failure();
  if (needsCarryRegister(Out)) {
    std::string Bit = temporary(IntegerType::get(Op->getContext(), 32));
    line("addc.u32 " + Bit + ", 0, 0;");
    line("setp.ne.u32 " + reg(Out) + ", " + Bit + ", 0;");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// A choice between values for which PTX has no selp. The result's register is
/// not the guard's, nor that of \p Op's first operand unless it stays there.
void BodyExporter::writeGuardedMoves(ptxir::SelpOp Op) {
  std::string Dest = reg(Op.getD()), Guard = inRegister(Op.getP()),
              A = inRegister(Op.getA()), B = inRegister(Op.getB());
  std::vector<std::string> First, Second;
  moveTo(First, Dest, Op.getType(), B);
  moveTo(Second, Dest, Op.getType(), A);
  for (const std::string &Move : First)
    line(Move);
  for (const std::string &Move : Second)
    line(("@" + Twine(Guard) + " " + Move).str());
}

/// mov, and the moves between a register and its parts.
LogicalResult BodyExporter::writeMoves(Operation *Op) {
  auto List = [&](auto Values) {
    SmallVector<std::string> Texts;
    for (Value V : Values)
      Texts.push_back(inRegister(V));
    return "{" + llvm::join(Texts, ", ") + "}";
  };
  auto Mov = [&](ptxir::ScalarType Ty, const std::string &D,
                 const std::string &A) {
    line("mov." + ptxir::stringifyEnum(Ty) + " " + D + ", " + A + ";");
  };
  if (auto Pack = dyn_cast<ptxir::PackOp>(Op)) {
    std::string Parts = List(Pack.getParts());
    Mov(Pack.getTy(), reg(Pack.getD()), Parts);
  } else if (auto Unpack = dyn_cast<ptxir::UnpackOp>(Op)) {
    std::string Whole = inRegister(Unpack.getA());
    Mov(Unpack.getTy(), List(Unpack.getParts()), Whole);
  } else if (auto Move = dyn_cast<ptxir::MovOp>(Op)) {
    std::string A = inRegister(Move.getA());
    std::vector<std::string> Out;
    Type Ty = IntegerType::get(Op->getContext(), ptxir::bitWidth(Move.getTy()));
    moveTo(Out, reg(Move.getD()), Ty, A);
    for (const std::string &Text : Out)
      line(Text);
  }
  return success();
}

LogicalResult BodyExporter::writeSreg(ptxir::SregOp Op) {
  std::string Name = "%" + Op.getName().str();
  ptx::SpecialReg R;
  if (!ptx::findSpecialReg(StringRef(Name).split('.').first, R))
    return M.unsupported(Op, "the special register " + Name + " in PTX");
  unsigned Bits = ptxir::bitWidth(Op.getType());
  ptx::Type Ty = ptx::getSpecialRegInfo(R).Ty;
  if (ptx::getTypeBits(Ty) != Bits)
    Ty = withoutBits(untypedOf(Bits));
  line("mov." + ptx::getTypeName(Ty) + " " + reg(Op.getD()) + ", " + Name +
       ";");
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers and the rest
//===----------------------------------------------------------------------===//

LogicalResult BodyExporter::writeBarrier(Operation *Op) {
  ptx::Mnemonic Mn;
  auto Set = [&](ModKind Kind, StringRef Spelling) {
    Mn.Mods[unsigned(Kind)] = ptx::findModifierValue(Kind, Spelling);
  };
  Operands Ops;
  if (auto Cluster = dyn_cast<ptxir::ClusterBarrierOp>(Op)) {
    if (Cluster.getAligned())
      Set(ModKind::Aligned, "aligned");
    if (Cluster.getRelaxed())
      Set(ModKind::Semantics, "relaxed");
    bool Arrives = Cluster.getMode() == ptxir::ClusterBarrier::Arrive;
    return write(Op,
                 Arrives ? "barrier.cluster.arrive" : "barrier.cluster.wait",
                 Mn, Ops);
  }
  auto Barrier = cast<ptxir::BarrierOp>(Op);
  StringRef Mode = ptxir::stringifyEnum(Barrier.getMode());
  auto [What, Reduction] = Mode.split('_');
  if (!Reduction.empty())
    Set(ModKind::BarRedOp, Reduction);
  Ops.Results.assign(Op->result_begin(), Op->result_end());
  Ops.Sources.assign(Op->operand_begin(), Op->operand_end());
  StringRef Name = Barrier.getAligned() ? "bar." : "barrier.";
  return write(Op, (Name + What).str(), Mn, Ops);
}

bool BodyExporter::writeDirective(Operation *Op) {
  if (auto Label = dyn_cast<ptxir::LabelOp>(Op)) {
    if (!Label.getBehind() && !NameGivers.contains(Op))
      Lines.push_back({Label.getName().str() + ":", NoLabel});
    return true;
  }
  if (auto Place = dyn_cast<ptxir::LocIntermediateOp>(Op)) {
    line(".loc_intermediate " + Twine(Place.getFile()) + " " +
         Twine(Place.getLine()) + " " + Twine(Place.getColumn()));
    return true;
  }
  if (auto Pragma = dyn_cast<ptxir::PragmaOp>(Op)) {
    std::string Text;
    for (StringRef String : Pragma.getStrings().getAsValueRange<StringAttr>())
      Text += (Text.empty() ? "\"" : ", \"") + String.str() + "\"";
    line(".pragma " + Text + ";");
    return true;
  }
  return false;
}

LogicalResult BodyExporter::writeEvent(ptxir::PmeventOp Op) {
  Operands Ops;
  uint32_t Mask = Op.getMask();
  bool Single = llvm::isPowerOf2_32(Mask) && Mask < (1u << 16);
  Ops.Immediates = {Single ? llvm::Log2_32(Mask) : Mask};
  return write(Op, Single ? "pmevent" : "pmevent.mask", {}, Ops);
}

LogicalResult BodyExporter::writeSetmaxnreg(ptxir::SetmaxnregOp Op) {
  ptx::Mnemonic Mn;
  auto Set = [&](ModKind Kind, StringRef Spelling) {
    Mn.Mods[unsigned(Kind)] = ptx::findModifierValue(Kind, Spelling);
  };
  Set(ModKind::RegisterAction, Op.getDec() ? "dec" : "inc");
  Set(ModKind::Sync, "sync");
  Set(ModKind::Aligned, "aligned");
  Operands Ops;
  Ops.Immediates = {int64_t(Op.getCount())};
  return write(Op, "setmaxnreg", Mn, Ops);
}

LogicalResult BodyExporter::writeOp(Operation *Op) {
  if (isCarryOp(Op))
    return writeCarry(Op);
  if (isa<ptxir::BarrierOp, ptxir::ClusterBarrierOp>(Op))
    return writeBarrier(Op);
  if (isa<ptxir::MovOp, ptxir::PackOp, ptxir::UnpackOp>(Op))
    return writeMoves(Op);
  if (isa<ptxir::CallOp, ptxir::CallIndirectOp>(Op))
    return writeCall(Op);
  if (auto Inst = dyn_cast<ptxir::InstOp>(Op))
    return writeInst(Inst);
  if (auto Sreg = dyn_cast<ptxir::SregOp>(Op))
    return writeSreg(Sreg);
  if (auto Select = dyn_cast<ptxir::SelpOp>(Op); Select && writesEarly(Op)) {
    writeGuardedMoves(Select);
    return success();
  }
  if (isa<ptxir::LdOp, ptxir::StOp, ptxir::AtomOp, ptxir::RedOp, ptxir::FenceOp,
          ptxir::PrefetchOp, ptxir::DynAllocaOp, ptxir::StackSaveOp,
          ptxir::StackRestoreOp>(Op))
    return writeMemory(Op);
  if (writeDirective(Op))
    return success();
  if (auto Event = dyn_cast<ptxir::PmeventOp>(Op))
    return writeEvent(Event);
  if (auto Count = dyn_cast<ptxir::SetmaxnregOp>(Op))
    return writeSetmaxnreg(Count);
  if (auto Dep = dyn_cast<ptxir::GriddepOp>(Op)) {
    ptx::Mnemonic Mn;
    Mn.Mods[unsigned(ModKind::GridDep)] = ptx::findModifierValue(
        ModKind::GridDep, Dep.getWait() ? "wait" : "launch_dependents");
    return write(Op, "griddepcontrol", Mn, {});
  }
  return writeByTable(Op);
}
