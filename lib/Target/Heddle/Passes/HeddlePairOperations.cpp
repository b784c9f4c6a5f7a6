//===- HeddlePairOperations.cpp - Two operations in one --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VALU does a sum or an extreme and then an extreme, and a comparison whose
// result is a number or is counted. Such pairs that remain behind the uniform
// path, which has no VALU, become one instruction here: IADD3 or IMNMX into
// IMNMX, ISETP into SEL, and the count, or IMNMX that keeps the sum from
// overflowing, into IADD3. Then LOP3 into ISETP, uniform or not, where bits are
// masked to be compared with zero.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;
namespace isa = heddle::isa;

#define DEBUG_TYPE "heddle-pair-operations"
#define PASS_NAME "Heddle pairing of operations"

STATISTIC(NumPaired, "Number of instructions that became a part of another");

namespace {

using Fn = isa::ElementOp;
using Then = isa::ElementThen;

// The values of the ISA's modifiers ElementType and CmpI, of which each bit of
// the latter stands for a result.
enum Type {
  U32 = int(isa::ElementType::U32),
  S32 = int(isa::ElementType::S32)
};
enum Comparison {
  NoBit = int(isa::CmpI::None),
  Less = int(isa::CmpI::Less),
  Equal = int(isa::CmpI::Equal),
  Greater = int(isa::CmpI::Greater),
  AnyBit = int(isa::CmpI::Any)
};

/// A VALU on words. One of B and C may be an operand of a kind that an
/// instruction has only once.
struct Pair {
  Fn First;
  MachineOperand A, B;
  bool Signed = false;
  /// Whether the first operation does the same on both types.
  bool AnySign = false;
  Then Second = Then::Nothing;
  MachineOperand C = zero();
  bool Relu = false;
  bool Saturates = false;

  static MachineOperand zero() {
    return MachineOperand::CreateReg(Heddle::RZ, /*isDef=*/false);
  }
  bool compares() const { return First >= Fn::Equal; }
};

class HeddlePairOperations : public MachineFunctionPass {
  MachineRegisterInfo *MRI = nullptr;
  const HeddleInstrInfo *TII = nullptr;

public:
  static char ID;
  HeddlePairOperations() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  MachineInstr *onlyFor(const MachineOperand &MO, const MachineInstr &User,
                        isa::Op Operation) const;
  bool isUniform(const MachineOperand &MO) const;
  bool isWord(const MachineOperand &MO) const;
  std::optional<Pair> sumOf(const MachineInstr &MI) const;
  std::optional<Pair> extremeOf(const MachineInstr &MI) const;
  std::optional<Pair> pairOf(const MachineInstr &MI) const;
  std::optional<Pair> comparisonOf(const MachineInstr &MI, bool Inverted) const;
  bool replace(MachineInstr &MI, MachineInstr &Inner, Pair P);
  bool pairExtreme(MachineInstr &MI);
  bool pairSelection(MachineInstr &MI);
  bool pairCount(MachineInstr &MI);
  bool pairSaturation(MachineInstr &MI);
  bool pairTest(MachineInstr &MI);
};

} // namespace

char HeddlePairOperations::ID = 0;
INITIALIZE_PASS(HeddlePairOperations, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddlePairOperationsPass() {
  return new HeddlePairOperations();
}

//===----------------------------------------------------------------------===//
// Reading instructions
//===----------------------------------------------------------------------===//

static const MachineOperand &operand(const MachineInstr &MI,
                                     Heddle::OpName Name) {
  return MI.getOperand(Heddle::getNamedOperandIdx(MI.getOpcode(), Name));
}
static int64_t immediate(const MachineInstr &MI, Heddle::OpName Name) {
  return operand(MI, Name).getImm();
}
static bool isZero(const MachineOperand &MO) {
  return MO.isReg() && MO.getReg() == Heddle::RZ;
}

/// The same of an instruction that may be uniform.
static bool isAnyZero(const MachineOperand &MO) {
  return isZero(MO) || (MO.isReg() && MO.getReg() == Heddle::URZ);
}

static isa::Op operationOf(const MachineInstr &MI) {
  return HeddleInstrInfo::getISAInfo(MI.getOpcode())->Operation;
}

/// The instruction of an operation in the block of \p User that makes \p MO for
/// it alone, or null.
MachineInstr *HeddlePairOperations::onlyFor(const MachineOperand &MO,
                                            const MachineInstr &User,
                                            isa::Op Operation) const {
  if (!MO.isReg() || !MO.getReg().isVirtual() || MO.getSubReg() ||
      !MRI->hasOneNonDBGUse(MO.getReg()))
    return nullptr;
  MachineInstr *Def = MRI->getUniqueVRegDef(MO.getReg());
  if (!Def || Def->getParent() != User.getParent() ||
      !HeddleInstrInfo::getISAInfo(Def->getOpcode()) ||
      operationOf(*Def) != Operation || TII->isPredicated(*Def))
    return nullptr;
  return Def;
}

bool HeddlePairOperations::isUniform(const MachineOperand &MO) const {
  if (!MO.isReg() || !MO.getReg().isVirtual())
    return false;
  const TargetRegisterClass *RC = MRI->getRegClass(MO.getReg());
  return any_of(
      ArrayRef<const TargetRegisterClass *>({&Heddle::UGPR32RegClass,
                                             &Heddle::UGPR64RegClass,
                                             &Heddle::UGPR128RegClass}),
      [RC](const TargetRegisterClass *C) { return C->hasSubClassEq(RC); });
}

/// Whether any source may be this.
bool HeddlePairOperations::isWord(const MachineOperand &MO) const {
  return isZero(MO) ||
         (MO.isReg() && MO.getReg().isVirtual() && !isUniform(MO));
}

/// A sum of two terms of which one at most is negative.
std::optional<Pair> HeddlePairOperations::sumOf(const MachineInstr &MI) const {
  using Heddle::OpName;
  constexpr std::pair<OpName, OpName> Names[] = {{OpName::a, OpName::ma},
                                                 {OpName::b, OpName::mb},
                                                 {OpName::c, OpName::mc}};
  SmallVector<std::pair<MachineOperand, bool>, 3> Terms;
  for (auto [Name, Sign] : Names)
    if (!isZero(operand(MI, Name)))
      Terms.push_back({operand(MI, Name), immediate(MI, Sign) != 0});
  if (Terms.size() != 2)
    return std::nullopt;
  auto [X, NegX] = Terms[0];
  auto [Y, NegY] = Terms[1];
  if (NegX && NegY)
    return std::nullopt;
  if (NegX)
    std::swap(X, Y);
  Fn F = NegX || NegY ? Fn::Subtract : Fn::Add;
  // A number may stand second only.
  if (!isWord(X) && F == Fn::Add)
    std::swap(X, Y);
  if (!isWord(X))
    return std::nullopt;
  if (F == Fn::Subtract && Y.isImm()) {
    Y.setImm(int32_t(-Y.getImm()));
    F = Fn::Add;
  }
  return Pair{F, X, Y, false, true};
}

std::optional<Pair>
HeddlePairOperations::extremeOf(const MachineInstr &MI) const {
  return Pair{immediate(MI, Heddle::OpName::minmax) ? Fn::Max : Fn::Min,
              operand(MI, Heddle::OpName::a), operand(MI, Heddle::OpName::b),
              immediate(MI, Heddle::OpName::sgn) != 0};
}

/// A VALU on words that is there already.
std::optional<Pair> HeddlePairOperations::pairOf(const MachineInstr &MI) const {
  using Heddle::OpName;
  int64_t T = immediate(MI, OpName::ety);
  if (T > S32 || immediate(MI, OpName::sat))
    return std::nullopt;
  Pair P{static_cast<Fn>(immediate(MI, OpName::fn)), operand(MI, OpName::a),
         operand(MI, OpName::b), T == S32};
  P.AnySign = P.First == Fn::Add || P.First == Fn::Subtract;
  P.Second = static_cast<Then>(immediate(MI, OpName::then));
  P.C = operand(MI, OpName::c);
  P.Relu = immediate(MI, OpName::relu) != 0;
  return P;
}

std::optional<Pair> HeddlePairOperations::comparisonOf(const MachineInstr &MI,
                                                       bool Inverted) const {
  using Heddle::OpName;
  // A second predicate takes part.
  if (operand(MI, OpName::s).getReg() != Heddle::PT ||
      immediate(MI, OpName::sn) || immediate(MI, OpName::bop))
    return std::nullopt;
  int64_t Code = immediate(MI, OpName::cmp);
  constexpr int64_t All = Less | Equal | Greater;
  if (Inverted)
    Code ^= All;
  Fn F;
  switch (Code) {
  case Equal:
    F = Fn::Equal;
    break;
  case Less | Greater:
    F = Fn::NotEqual;
    break;
  case Less:
    F = Fn::Less;
    break;
  case Less | Equal:
    F = Fn::LessEqual;
    break;
  case Greater:
    F = Fn::Greater;
    break;
  case Greater | Equal:
    F = Fn::GreaterEqual;
    break;
  default:
    return std::nullopt;
  }
  return Pair{F, operand(MI, OpName::a), operand(MI, OpName::b),
              immediate(MI, OpName::sgn) != 0,
              F == Fn::Equal || F == Fn::NotEqual};
}

//===----------------------------------------------------------------------===//
// Pairing
//===----------------------------------------------------------------------===//

/// Puts \p P in the place of \p MI, of which \p Inner made a source, if there
/// is a form for its sources.
bool HeddlePairOperations::replace(MachineInstr &MI, MachineInstr &Inner,
                                   Pair P) {
  if (P.First != Fn::Subtract && !P.compares() && !isWord(P.A))
    std::swap(P.A, P.B);
  bool PlainB = isWord(P.B), PlainC = isWord(P.C);
  auto IsSource = [&](const MachineOperand &MO) {
    return isWord(MO) || isUniform(MO) || MO.isImm();
  };
  if (!isWord(P.A) || !IsSource(P.B) || !IsSource(P.C) || (!PlainB && !PlainC))
    return false;
  unsigned Opcode = !PlainB  ? P.B.isImm() ? Heddle::VALU_i : Heddle::VALU_u
                    : PlainC ? Heddle::VALU_r
                    : P.C.isImm() ? Heddle::VALU_ci
                                  : Heddle::VALU_cu;
  for (MachineOperand *Source : {&P.A, &P.B, &P.C})
    if (Source->isReg()) {
      Source->setIsKill(false);
      if (Source->getReg().isVirtual())
        MRI->clearKillFlags(Source->getReg());
    }
  auto New = BuildMI(*MI.getParent(), MI, MI.getDebugLoc(), TII->get(Opcode))
                 .add(MI.getOperand(0))
                 .add(P.A)
                 .add(P.B)
                 .add(P.C)
                 .addImm(static_cast<int64_t>(P.First))
                 .addImm(P.Signed ? S32 : U32)
                 .addImm(P.Saturates)
                 .addImm(static_cast<int64_t>(P.Second))
                 .addImm(P.Relu);
  for (unsigned At = MI.getNumExplicitOperands() - 3; At != MI.getNumOperands();
       ++At)
    New.add(MI.getOperand(At));
  MI.eraseFromParent();
  MRI->markUsesInDebugValueAsUndef(Inner.getOperand(0).getReg());
  Inner.eraseFromParent();
  ++NumPaired;
  return true;
}

/// An extreme of a sum, of the other extreme, or of a pair with room for it.
bool HeddlePairOperations::pairExtreme(MachineInstr &MI) {
  Pair Outer = *extremeOf(MI);
  for (auto [Made, Other] :
       {std::pair(Outer.A, Outer.B), std::pair(Outer.B, Outer.A)}) {
    MachineInstr *Sum = onlyFor(Made, MI, isa::Op::IADD3);
    MachineInstr *Extreme = onlyFor(Made, MI, isa::Op::IMNMX);
    MachineInstr *Paired = onlyFor(Made, MI, isa::Op::VALU);
    MachineInstr *Inner = Sum ? Sum : Extreme ? Extreme : Paired;
    if (!Inner)
      continue;
    std::optional<Pair> P = Sum       ? sumOf(*Inner)
                            : Extreme ? extremeOf(*Inner)
                                      : pairOf(*Inner);
    if (!P || P->compares() || P->Relu || P->Second == Then::Accumulate ||
        (P->Signed != Outer.Signed &&
         !(P->AnySign && P->Second == Then::Nothing)))
      continue;
    P->Signed = Outer.Signed;
    if (isZero(Other) && Outer.Signed && Outer.First == Fn::Max) {
      P->Relu = true;
    } else if (P->Second == Then::Nothing) {
      P->Second = Outer.First == Fn::Max ? Then::Max : Then::Min;
      P->C = Other;
    } else {
      continue;
    }
    if (replace(MI, *Inner, *P))
      return true;
  }
  return false;
}

/// The word that a comparison selects instead of zero: one, all ones, or, where
/// the word has no sign, any other.
bool HeddlePairOperations::pairSelection(MachineInstr &MI) {
  using Heddle::OpName;
  const MachineOperand &A = operand(MI, OpName::a), &B = operand(MI, OpName::b);
  MachineInstr *Inner = onlyFor(operand(MI, OpName::s), MI, isa::Op::ISETP);
  if (!Inner || isZero(A) == isZero(B))
    return false;
  bool WhereFalse = (immediate(MI, OpName::sn) != 0) != isZero(A);
  std::optional<Pair> P = comparisonOf(*Inner, WhereFalse);
  if (!P)
    return false;
  const MachineOperand &V = isZero(A) ? B : A;
  if (V.isImm() && V.getImm() == 1) {
    P->Second = Then::Accumulate;
  } else if (!V.isImm() || V.getImm() != -1) {
    if (P->Signed && !P->AnySign)
      return false;
    P->Signed = false;
    P->Second = Then::Min;
    P->C = V;
  }
  return replace(MI, *Inner, *P);
}

/// A sum with a comparison that counts one.
bool HeddlePairOperations::pairCount(MachineInstr &MI) {
  std::optional<Pair> Sum = sumOf(MI);
  if (!Sum)
    return false;
  for (auto [Made, Other, Negated] :
       {std::tuple(Sum->B, Sum->A, Sum->First == Fn::Subtract),
        std::tuple(Sum->A, Sum->B, false)}) {
    if (!Negated && Sum->First == Fn::Subtract)
      continue;
    MachineInstr *Inner = onlyFor(Made, MI, isa::Op::VALU);
    std::optional<Pair> P = Inner ? pairOf(*Inner) : std::nullopt;
    // All ones, taken away, are one added.
    if (!P || !P->compares() || !isZero(P->C) || P->Relu ||
        P->Second != (Negated ? Then::Nothing : Then::Accumulate))
      continue;
    P->Second = Then::Accumulate;
    P->C = Other;
    if (replace(MI, *Inner, *P))
      return true;
  }
  return false;
}

/// A sum with a number, whose other operand is limited so that the sum does not
/// overflow.
bool HeddlePairOperations::pairSaturation(MachineInstr &MI) {
  std::optional<Pair> Sum = sumOf(MI);
  if (!Sum || Sum->First != Fn::Add || !Sum->B.isImm())
    return false;
  MachineInstr *Inner = onlyFor(Sum->A, MI, isa::Op::IMNMX);
  std::optional<Pair> Limit = Inner ? extremeOf(*Inner) : std::nullopt;
  if (!Limit || Limit->First != Fn::Min || Limit->Signed || !Limit->B.isImm() ||
      static_cast<uint32_t>(Limit->B.getImm()) !=
          ~static_cast<uint32_t>(Sum->B.getImm()))
    return false;
  Sum->A = Limit->A;
  Sum->Saturates = true;
  return replace(MI, *Inner, *Sum);
}

/// The comparison of the operands of \p Mask, an instruction of logic, with
/// sources of the same kinds.
static std::optional<unsigned> comparisonLike(const MachineInstr &Mask) {
  switch (Mask.getOpcode()) {
  case Heddle::LOP3_r:
    return Heddle::ISETP_r;
  case Heddle::LOP3_i:
    return Heddle::ISETP_i;
  case Heddle::LOP3_u:
    return Heddle::ISETP_u;
  case Heddle::ULOP3_r:
    return Heddle::UISETP_r;
  case Heddle::ULOP3_i:
    return Heddle::UISETP_i;
  default:
    return std::nullopt;
  }
}

/// A comparison of bits that are masked for it alone with zero.
bool HeddlePairOperations::pairTest(MachineInstr &MI) {
  using Heddle::OpName;
  constexpr int64_t And = 0xC0;
  int64_t Code = immediate(MI, OpName::cmp);
  if ((Code != Equal && Code != (Less | Greater)) ||
      !isAnyZero(operand(MI, OpName::b)))
    return false;
  const MachineOperand &Masked = operand(MI, OpName::a);
  MachineInstr *Mask = onlyFor(Masked, MI, isa::Op::LOP3);
  if (!Mask)
    Mask = onlyFor(Masked, MI, isa::Op::ULOP3);
  std::optional<unsigned> Opcode = Mask ? comparisonLike(*Mask) : std::nullopt;
  if (!Opcode || immediate(*Mask, OpName::lut) != And ||
      !isAnyZero(operand(*Mask, OpName::c)))
    return false;
  auto New = BuildMI(*MI.getParent(), MI, MI.getDebugLoc(), TII->get(*Opcode));
  for (const MachineOperand &MO : MI.operands()) {
    if (&MO == &Masked || &MO == &operand(MI, OpName::b)) {
      MachineOperand Source =
          operand(*Mask, &MO == &Masked ? OpName::a : OpName::b);
      if (Source.isReg() && Source.getReg().isVirtual())
        MRI->clearKillFlags(Source.getReg());
      New.add(Source);
    } else if (&MO == &operand(MI, OpName::cmp)) {
      New.addImm(Code == Equal ? NoBit : AnyBit);
    } else {
      New.add(MO);
    }
  }
  MRI->markUsesInDebugValueAsUndef(Masked.getReg());
  MI.eraseFromParent();
  Mask->eraseFromParent();
  ++NumPaired;
  return true;
}

bool HeddlePairOperations::runOnMachineFunction(MachineFunction &MF) {
  if (skipFunction(MF.getFunction()))
    return false;
  MRI = &MF.getRegInfo();
  TII = MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  bool Changed = false;
  auto IsPlain = [&](const MachineInstr &MI) {
    return !MI.isDebugInstr() && HeddleInstrInfo::getISAInfo(MI.getOpcode()) &&
           !TII->isPredicated(MI);
  };
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : make_early_inc_range(MBB)) {
      if (!IsPlain(MI))
        continue;
      switch (operationOf(MI)) {
      case isa::Op::IMNMX:
        Changed |= pairExtreme(MI);
        break;
      case isa::Op::SEL:
        Changed |= pairSelection(MI);
        break;
      case isa::Op::IADD3:
        Changed |= pairCount(MI) || pairSaturation(MI);
        break;
      default:
        break;
      }
    }
  // A comparison that is a part of another instruction needs its mask.
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : make_early_inc_range(MBB))
      if (IsPlain(MI) && (operationOf(MI) == isa::Op::ISETP ||
                          operationOf(MI) == isa::Op::UISETP))
        Changed |= pairTest(MI);
  return Changed;
}
