//===- HeddleUniformPath.cpp - Use the uniform path ------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves values that are the same for all threads of a warp into uniform
// registers, together with the instructions that compute them.
//
// Uniform registers are written only in converged blocks of kernels. The pass
// starts from the largest set of values that the uniform path can compute by
// itself and takes values back that do not pay: an instruction costs the same
// on either path, so a move back to the threads is worth it only where a
// uniform base saves address arithmetic. Users then take the forms that read a
// uniform register, and addresses of the shape base + (extended index << n)
// move into the memory instructions.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "HeddleSwapSources.h"
#include "Passes/HeddleConvergence.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleUniformity.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/InitializePasses.h"
#include <optional>

using namespace llvm;
namespace isa = heddle::isa;
using isa::Swap;

#define DEBUG_TYPE "heddle-uniform-path"

namespace {

//===----------------------------------------------------------------------===//
// Which instructions correspond
//===----------------------------------------------------------------------===//

/// Relations between opcodes, read from the ISA's tables for the opcodes that
/// occur: a short kernel has few, and reading all takes longer than compiling
/// such a kernel.
class Forms {
  struct Use {
    unsigned Operand; ///< becomes a uniform register
    unsigned Opcode;
    bool DropsScale;
  };
  /// Of one opcode.
  struct Relations {
    unsigned UniformOpcode = 0, Indexed = 0;
    SmallVector<Use, 4> Uses;
  };
  DenseMap<unsigned, Relations> Known;

  static isa::OperandKind toUniform(isa::OperandKind K) {
    switch (K) {
    case isa::OperandKind::GPR32:
      return isa::OperandKind::UGPR32;
    case isa::OperandKind::GPR64:
      return isa::OperandKind::UGPR64;
    case isa::OperandKind::GPR128:
      return isa::OperandKind::UGPR128;
    case isa::OperandKind::PR:
      return isa::OperandKind::UPR;
    default:
      return K;
    }
  }

  /// Whether U is I with every register on the uniform path.
  static bool isUniformFormOf(const isa::InstInfo &I, const isa::InstInfo &U) {
    return I.Operands.size() == U.Operands.size() &&
           all_of(zip_equal(I.Operands, U.Operands), [](auto Pair) {
             auto &[A, B] = Pair;
             return toUniform(A.Kind) == B.Kind && A.IsDef == B.IsDef;
           });
  }

  static const isa::InstInfo *find(StringRef Mnemonic, isa::Form F) {
    for (const isa::InstInfo &I : reverse(isa::instructions()))
      if (I.F == F && StringRef(I.Mnemonic) == Mnemonic)
        return &I;
    return nullptr;
  }

  static unsigned findUniformForm(const isa::InstInfo &I) {
    std::string Name = ("U" + StringRef(I.Mnemonic)).str();
    if (I.Operation == isa::Op::S2R)
      Name = "S2UR";
    // The form that reads a uniform register is the plain form on the uniform
    // path.
    for (isa::Form F : {I.F, isa::Form::R, isa::Form::U})
      if (const isa::InstInfo *U = find(Name, F))
        if (U->Uniform && isUniformFormOf(I, *U))
          return Heddle::getOpcode(*U);
    return 0;
  }

  /// If To is From with one register operand made uniform, perhaps without its
  /// scale, which operand that is.
  static std::optional<Use> findUse(const isa::InstInfo &From,
                                    const isa::InstInfo &To) {
    bool Drops = To.Operands.size() + 1 == From.Operands.size();
    if (!Drops && To.Operands.size() != From.Operands.size())
      return std::nullopt;
    std::optional<unsigned> Changed;
    for (unsigned I = 0, J = 0; I < From.Operands.size(); ++I, ++J) {
      if (Drops && From.Operands[I].R == isa::Role::sc) {
        --J;
        continue;
      }
      if (J == To.Operands.size())
        return std::nullopt; // what is missing is not the scale
      isa::OperandKind A = From.Operands[I].Kind, B = To.Operands[J].Kind;
      if (A == B)
        continue;
      if (Changed || toUniform(A) != B)
        return std::nullopt;
      Changed = I;
    }
    if (!Changed)
      return std::nullopt;
    return Use{*Changed, Heddle::getOpcode(To), Drops};
  }

  static Relations relate(const isa::InstInfo &I) {
    Relations Result;
    if (I.Uniform)
      return Result;
    Result.UniformOpcode = findUniformForm(I);
    if (I.F != isa::Form::R)
      return Result;
    // Where both forms make the same operand uniform, CU counts.
    for (isa::Form F : {isa::Form::CU, isa::Form::U})
      if (const isa::InstInfo *To = find(I.Mnemonic, F))
        if (std::optional<Use> U = findUse(I, *To))
          Result.Uses.push_back(*U);
    if (const isa::InstInfo *X = find(I.Mnemonic, isa::Form::X))
      Result.Indexed = Heddle::getOpcode(*X);
    return Result;
  }

  const Relations &of(unsigned Opcode) {
    auto [It, IsNew] = Known.try_emplace(Opcode);
    const isa::InstInfo *I =
        IsNew ? HeddleInstrInfo::getISAInfo(Opcode) : nullptr;
    // A pseudo is more than the instruction that it becomes: reads of clocks
    // must stay where they are.
    if (I && Heddle::getOpcode(*I) == Opcode)
      It->second = relate(*I);
    return It->second;
  }

public:
  /// The counterpart of Opcode on the uniform path, or 0.
  unsigned uniformForm(unsigned Opcode) { return of(Opcode).UniformOpcode; }

  /// The form of MI that reads operand N from a uniform register, or 0.
  unsigned use(const MachineInstr &MI, unsigned N) {
    ArrayRef<Use> Uses = of(MI.getOpcode()).Uses;
    const Use *It = find_if(Uses, [&](const Use &U) { return U.Operand == N; });
    if (It == Uses.end() ||
        (It->DropsScale && MI.getOperand(scaleIndex(MI)).getImm() != 0))
      return 0;
    return It->Opcode;
  }

  /// The form of a memory instruction that adds a scaled index, or 0.
  unsigned indexed(unsigned Opcode) { return of(Opcode).Indexed; }

  static int scaleIndex(const MachineInstr &MI) {
    return Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::sc);
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

MachineOperand &named(MachineInstr &MI, Heddle::OpName Name) {
  return MI.getOperand(Heddle::getNamedOperandIdx(MI.getOpcode(), Name));
}

class UniformPath {
  MachineFunction &MF;
  MachineRegisterInfo &MRI;
  const HeddleInstrInfo &TII;
  const HeddleConvergence &Convergence;
  const HeddleUniformity &UI;
  Forms &F;
  MachineOptimizationRemarkEmitter &Remarks;
  /// Virtual registers to be computed on the uniform path.
  DenseSet<Register> Chosen;
  /// The same in the order of the program, with some that were taken back.
  SmallVector<Register, 32> Candidates;
  /// Where the threads get a value in a register of their own: in front of its
  /// first user in a block, or, with 1, at the end of a block, for PHIs behind
  /// it.
  using CopyPlace = PointerIntPair<MachineBasicBlock *, 1>;
  DenseMap<std::pair<Register, CopyPlace>, Register> Copies;

  /// Whether the threads have few registers of their own.
  const bool HasFewRegisters;
  MachineDominatorTree DT; ///< made when it is needed
  std::optional<MachineLoopInfo> Loops;
  /// The most uniform registers that may be live at once; the rest is left to
  /// the allocator's copies.
  const unsigned MaxRegisters;
  static constexpr unsigned MaxPredicates = 4;

public:
  UniformPath(MachineFunction &MF, const HeddleConvergence &Convergence,
              const HeddleUniformity &UI, Forms &F,
              MachineOptimizationRemarkEmitter &Remarks)
      : MF(MF), MRI(MF.getRegInfo()),
        TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()),
        Convergence(Convergence), UI(UI), F(F), Remarks(Remarks),
        HasFewRegisters(MF.getInfo<HeddleMachineFunctionInfo>()
                            ->Registers.recomputesValues()),
        MaxRegisters(static_cast<unsigned>(heddle::tuning::knobOf(
            MF.getFunction(), heddle::tuning::Knob::UniformRegisters))) {}

  bool run() {
    bool Hoisted = hoistAll();
    choose();
    settle();
    limitPressure();
    if (Chosen.empty())
      return Hoisted;
    report();
    rewrite();
    foldAddresses();
    eraseDead();
    // Uses have changed places, and addresses have more of them.
    for (unsigned N = 0; N < MRI.getNumVirtRegs(); ++N)
      MRI.clearKillFlags(Register::index2VirtReg(N));
    return true;
  }

private:
  auto chosen() const {
    return make_filter_range(Candidates,
                             [this](Register R) { return Chosen.contains(R); });
  }

  void report() {
    // The values of one line share a remark. Values without a line count to the
    // first line of the function.
    const DILocation *First = nullptr;
    if (DISubprogram *SP = MF.getFunction().getSubprogram())
      First = DILocation::get(SP->getContext(), SP->getLine(), 0, SP);
    MapVector<const DILocation *, unsigned> Values;
    for (Register R : chosen())
      if (const MachineInstr *Def = MRI.getUniqueVRegDef(R)) {
        const DILocation *Loc = Def->getDebugLoc().get();
        ++Values[Loc ? Loc : First];
      }
    for (const auto &[Loc, Count] : Values)
      Remarks.emit([&] {
        return MachineOptimizationRemark(DEBUG_TYPE, "Uniform", DebugLoc(Loc),
                                         &MF.front())
               << "values computed once for the warp: "
               << DiagnosticInfoOptimizationBase::Argument("Values", Count);
      });
  }

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// Whether R is several constants from memory, on either path.
  bool isConstantGroup(Register R) const {
    const MachineInstr *Def = MRI.getUniqueVRegDef(R);
    switch (Def ? Def->getOpcode() : 0) {
    case Heddle::LDC64_r:
    case Heddle::LDC128_r:
    case Heddle::ULDC64:
    case Heddle::ULDC128:
      return true;
    default:
      return false;
    }
  }

  /// The class of the uniform path for the value of R; null if it has none.
  /// Values that are read in parts go there only if they are constants from
  /// memory, or where registers are few: otherwise the scheduler starts fewer
  /// loads before the first wait for one, and attention takes 1.5 times the
  /// cycles.
  const TargetRegisterClass *uniformClass(Register R) const {
    const TargetRegisterClass *RC = MRI.getRegClass(R);
    bool MayBeRead = HasFewRegisters || isConstantGroup(R);
    static constexpr std::pair<const TargetRegisterClass *,
                               const TargetRegisterClass *>
        Pairs[] = {{&Heddle::GPR32RegClass, &Heddle::UGPR32RegClass},
                   {&Heddle::GPR64RegClass, &Heddle::UGPR64RegClass},
                   {&Heddle::GPR128RegClass, &Heddle::UGPR128RegClass},
                   {&Heddle::PRRegClass, &Heddle::UPRRegClass}};
    for (auto [Threads, Uniform] : Pairs)
      if (RC == Threads)
        return Uniform;
      else if (MayBeRead && Threads->hasSubClass(RC))
        return MRI.getTargetRegisterInfo()->getSubClassWithSubReg(Uniform,
                                                                  Heddle::sub0);
    return nullptr;
  }

  /// The uniform path's counterpart of a constant register, or none.
  static Register uniformConstant(Register R) {
    switch (R.id()) {
    case Heddle::RZ:
    case Heddle::URZ:
      return Heddle::URZ;
    case Heddle::RZ64:
    case Heddle::URZ64:
      return Heddle::URZ64;
    case Heddle::PT:
    case Heddle::UPT:
      return Heddle::UPT;
    default:
      return Register();
    }
  }

  bool isChosen(const MachineOperand &MO) const {
    return MO.isReg() && MO.getReg().isVirtual() &&
           Chosen.contains(MO.getReg());
  }

  static bool isGeneric(const MachineInstr &MI) {
    return MI.isPHI() || MI.isCopy() || MI.isRegSequence() ||
           MI.isImplicitDef();
  }

  /// Whether the branch is one of the warp if its guard is chosen.
  bool mayBeUniformBranch(const MachineInstr &MI) const {
    return MI.getOpcode() == Heddle::BRA &&
           Convergence.isConverged(*MI.getParent());
  }

  /// Whether MI is or becomes an instruction of the uniform path.
  bool isUniformUser(const MachineInstr &MI) const {
    return mayBeUniformBranch(MI) ||
           (MI.getNumExplicitDefs() && isChosen(MI.getOperand(0)));
  }

  //===--------------------------------------------------------------------===//
  // Bases of addresses in diverged blocks
  //===--------------------------------------------------------------------===//

  /// Whether MI reads a parameter or the address of a variable that is the base
  /// of an address, and may run where the program does not ask for it.
  bool isSpeculatableBase(const MachineInstr &MI) const {
    constexpr int64_t Parameters = 0; // the constant bank
    auto Operand = [&](Heddle::OpName Name) {
      return MI.getOperand(Heddle::getNamedOperandIdx(MI.getOpcode(), Name));
    };
    if (TII.isPredicated(MI))
      return false;
    if (MI.getOpcode() != Heddle::MOV64W &&
        (MI.getOpcode() != Heddle::LDC64_r || MI.hasOrderedMemoryRef() ||
         Operand(Heddle::OpName::a).getReg() != Heddle::RZ ||
         Operand(Heddle::OpName::bank).getImm() != Parameters))
      return false;
    return any_of(MRI.use_nodbg_instructions(MI.getOperand(0).getReg()),
                  [](const MachineInstr &Use) {
                    return Use.getOpcode() == Heddle::LEA64_r ||
                           (Use.mayLoadOrStore() && !Use.isCall());
                  });
  }

  /// Whether MI computes a uniform value from such values of converged blocks
  /// alone, and may run where the program does not ask for it.
  bool isSpeculatableUniform(const MachineInstr &MI) const {
    if (MI.isPHI() || MI.mayLoadOrStore() || !mayBeUniform(MI))
      return false;
    return all_of(MI.explicit_uses(), [&](const MachineOperand &MO) {
      if (!MO.isReg() || uniformConstant(MO.getReg()))
        return true;
      return MO.getReg().isVirtual() && !UI.isDivergent(MO.getReg()) &&
             Convergence.isConverged(*MRI.getVRegDef(MO.getReg())->getParent());
    });
  }

  MachineDominatorTree &dominators() {
    if (!DT.root_size())
      DT.recalculate(MF);
    return DT;
  }

  /// Moves MI to the converged block that is nearest above it.
  bool hoist(MachineInstr &MI) {
    MachineDomTreeNode *Node = dominators().getNode(MI.getParent());
    while (Node && !Convergence.isConverged(*Node->getBlock()))
      Node = Node->getIDom();
    if (!Node)
      return false;
    MachineBasicBlock &To = *Node->getBlock();
    for (const MachineOperand &MO : MI.all_uses())
      if (MO.getReg().isVirtual())
        MRI.clearKillFlags(MO.getReg());
    To.splice(To.getFirstTerminator(), MI.getParent(), MI.getIterator());
    return true;
  }

  /// Moves bases of addresses to converged blocks, where they can be read on
  /// the uniform path, and where registers are few all that the path can
  /// compute.
  bool hoistAll() {
    bool Changed = false;
    for (MachineBasicBlock *MBB : depth_first(&MF)) {
      if (Convergence.isConverged(*MBB))
        continue;
      for (MachineInstr &MI : make_early_inc_range(*MBB)) {
        if (!isSpeculatableBase(MI) &&
            !(HasFewRegisters && isSpeculatableUniform(MI)))
          continue;
        Changed |= hoist(MI);
      }
    }
    return Changed;
  }

  //===--------------------------------------------------------------------===//
  // Choosing values
  //===--------------------------------------------------------------------===//

  /// Whether MI, as far as it is concerned itself, can be on the uniform path
  /// of a converged block.
  bool mayBeUniform(const MachineInstr &MI) const {
    if (MI.getNumDefs() != 1)
      return false;
    if (!F.uniformForm(MI.getOpcode()) && !isGeneric(MI))
      return false;
    if (TII.isPredicated(MI))
      return false;
    const MachineOperand &Def = MI.getOperand(0);
    if (!Def.getReg().isVirtual() || Def.getSubReg() ||
        !uniformClass(Def.getReg()) || UI.isDivergent(Def.getReg()))
      return false;
    return none_of(MI.operands(), [](const MachineOperand &MO) {
      return MO.isFI() || (MO.isReg() && MO.isImplicit());
    });
  }

  bool isCandidate(const MachineInstr &MI) const {
    if (!Convergence.isConverged(*MI.getParent()) || !mayBeUniform(MI))
      return false;
    if (MI.isPHI())
      for (unsigned I = 2; I < MI.getNumOperands(); I += 2)
        if (!Convergence.isConverged(*MI.getOperand(I).getMBB()))
          return false;
    return true;
  }

  bool hasUniformInputs(const MachineInstr &MI) const {
    return all_of(MI.explicit_uses(), [&](const MachineOperand &MO) {
      return !MO.isReg() || isChosen(MO) || uniformConstant(MO.getReg());
    });
  }

  void choose() {
    for (MachineBasicBlock &MBB : MF)
      for (MachineInstr &MI : MBB)
        if (isCandidate(MI))
          Candidates.push_back(MI.getOperand(0).getReg());
    Chosen.insert(Candidates.begin(), Candidates.end());
    // Cycles of PHIs may stay if all that enters them does.
    SmallVector<Register, 32> Work(Candidates);
    while (!Work.empty()) {
      Register R = Work.pop_back_val();
      if (!Chosen.contains(R) || hasUniformInputs(*MRI.getVRegDef(R)))
        continue;
      Chosen.erase(R);
      for (const MachineInstr &MI : MRI.use_nodbg_instructions(R))
        if (MI.getNumExplicitDefs() && isChosen(MI.getOperand(0)))
          Work.push_back(MI.getOperand(0).getReg());
    }
  }

  /// The form of MI that reads operand N from a uniform register, or 0. a and b
  /// must change places for that as Kind says.
  unsigned formFor(const MachineInstr &MI, unsigned N, Swap &Kind) const {
    Kind = Swap::No;
    if (unsigned Opcode = F.use(MI, N))
      return Opcode;
    const isa::InstInfo *Info = HeddleInstrInfo::getISAInfo(MI.getOpcode());
    if (!Info || Info->F != isa::Form::R)
      return 0;
    Swap K = isa::opInfo(Info->Operation).Sources;
    int A = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::a);
    int B = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::b);
    if (K == Swap::No || int(N) != A || B < 0)
      return 0;
    Kind = K;
    return F.use(MI, B);
  }

  /// The operand of a per-thread instruction that will read a uniform register;
  /// others must be moved to the threads first. -1 if none can.
  int uniformOperand(const MachineInstr &MI) const {
    if (isGeneric(MI))
      return -1;
    Swap Kind;
    int Best = -1;
    for (unsigned N = MI.getNumExplicitDefs(); N < MI.getNumExplicitOperands();
         ++N)
      if (isChosen(MI.getOperand(N)) && formFor(MI, N, Kind)) {
        // Wide values first: they are bases of addresses.
        if (Best < 0 || width(MI.getOperand(N)) > width(MI.getOperand(Best)))
          Best = N;
      }
    return Best;
  }

  unsigned width(const MachineOperand &MO) const {
    return MRI.getTargetRegisterInfo()->getRegSizeInBits(
        *MRI.getRegClass(MO.getReg()));
  }

  /// Whether MI reads Use, a chosen value, without a move.
  bool readsUniform(const MachineInstr &MI, unsigned N) const {
    if (MI.isDebugInstr() || isUniformUser(MI))
      return true;
    if (MI.isCopy() || MI.isRegSequence())
      return true; // a move anyway
    return uniformOperand(MI) == int(N);
  }

  /// Whether R is an immediate, which either path can have for itself.
  bool isImmediate(Register R) const {
    switch (MRI.getVRegDef(R)->getOpcode()) {
    case Heddle::MOV_i:
    case Heddle::MOV64_i:
    case Heddle::MOV64W:
      return true;
    default:
      return false;
    }
  }

  bool needsMove(Register R) const {
    return !isImmediate(R) &&
           any_of(MRI.use_nodbg_operands(R), [&](const MachineOperand &MO) {
             return !readsUniform(*MO.getParent(), MO.getOperandNo());
           });
  }

  /// Whether R lives in more blocks than one, so that it pays to move it to the
  /// threads in front of its users where registers are few.
  bool savesRegisters(Register R) const {
    if (!HasFewRegisters || isPredicate(R))
      return false;
    const MachineBasicBlock *Block = MRI.getVRegDef(R)->getParent();
    return any_of(MRI.use_nodbg_instructions(R), [&](const MachineInstr &MI) {
      return MI.getParent() != Block;
    });
  }

  /// The operand of MI that is a uniform address or the base of one, where it
  /// saves instructions; -1 if none is.
  int savedOperand(const MachineInstr &MI) const {
    bool IsAddressing =
        MI.mayLoadOrStore() || MI.getOpcode() == Heddle::LEA64_r;
    return IsAddressing && !isUniformUser(MI) ? uniformOperand(MI) : -1;
  }

  bool savesAddress(Register R) const {
    return any_of(MRI.use_nodbg_operands(R), [&](const MachineOperand &MO) {
      return savedOperand(*MO.getParent()) == int(MO.getOperandNo());
    });
  }

  /// R and all values computed from R on the uniform path.
  SmallSetVector<Register, 8> closure(Register R) const {
    SmallSetVector<Register, 8> Set;
    Set.insert(R);
    for (unsigned I = 0; I < Set.size(); ++I)
      for (const MachineInstr &MI : MRI.use_nodbg_instructions(Set[I]))
        if (MI.getNumExplicitDefs() && isChosen(MI.getOperand(0)))
          Set.insert(MI.getOperand(0).getReg());
    return Set;
  }

  void takeBack(const SmallSetVector<Register, 8> &Set) {
    for (Register R : Set)
      Chosen.erase(R);
  }

  /// Adds R, which saves an address, and the values that R is computed from to
  /// Saving, the set of values with a saving in their closure.
  void addSaving(Register R, DenseSet<Register> &Saving) const {
    SmallVector<Register, 8> Work(1, R);
    while (!Work.empty()) {
      Register Of = Work.pop_back_val();
      if (!Saving.insert(Of).second)
        continue;
      for (const MachineOperand &MO : MRI.getVRegDef(Of)->uses())
        if (isChosen(MO))
          Work.push_back(MO.getReg());
    }
  }

  /// Adds the values that save an address now that the values of Set are taken
  /// back: operands of these values, and other operands of their users.
  void addSavingAround(const SmallSetVector<Register, 8> &Set,
                       DenseSet<Register> &Saving) const {
    auto Look = [&](const MachineInstr &MI) {
      if (int N = savedOperand(MI); N >= 0)
        addSaving(MI.getOperand(N).getReg(), Saving);
    };
    for (Register R : Set) {
      Look(*MRI.getVRegDef(R));
      for (const MachineInstr &MI : MRI.use_nodbg_instructions(R))
        Look(MI);
    }
  }

  /// Takes values back that would need a move and save nothing.
  void settle() {
    DenseSet<Register> Saving;
    for (Register R : chosen())
      if (savesAddress(R))
        addSaving(R, Saving);
    for (bool Again = true; Again;) {
      Again = false;
      // Users come before their operands, which needs fewer rounds.
      for (Register R : reverse(Candidates)) {
        if (!Chosen.contains(R) || Saving.contains(R) || !needsMove(R) ||
            savesRegisters(R))
          continue;
        SmallSetVector<Register, 8> Set = closure(R);
        takeBack(Set);
        addSavingAround(Set, Saving);
        Again = true;
      }
    }
    erase_if(Candidates, [&](Register R) { return !Chosen.contains(R); });
  }

  //===--------------------------------------------------------------------===//
  // Register pressure
  //===--------------------------------------------------------------------===//

  unsigned weight(Register R) const {
    constexpr unsigned BitsOfRegister = 32;
    return divideCeil(MRI.getTargetRegisterInfo()
                          ->getRegSizeInBits(*MRI.getRegClass(R))
                          .getFixedValue(),
                      BitsOfRegister);
  }
  bool isPredicate(Register R) const {
    return MRI.getRegClass(R) == &Heddle::PRRegClass;
  }

  using LiveValues = std::vector<SmallVector<Register, 0>>;

  /// Chosen values live at the end of each block, by block number.
  LiveValues liveAtEnds() const {
    LiveValues Live(MF.getNumBlockIDs());
    for (Register R : chosen()) {
      const MachineBasicBlock *Def = MRI.getVRegDef(R)->getParent();
      SmallVector<const MachineBasicBlock *, 8> Work;
      BitVector LiveIn(MF.getNumBlockIDs());
      auto Out = [&](const MachineBasicBlock *MBB) {
        SmallVectorImpl<Register> &There = Live[MBB->getNumber()];
        if (!There.empty() && There.back() == R)
          return;
        There.push_back(R);
        if (MBB != Def)
          Work.push_back(MBB);
      };
      for (const MachineOperand &MO : MRI.use_nodbg_operands(R)) {
        const MachineInstr &MI = *MO.getParent();
        if (MI.isPHI())
          Out(MI.getOperand(MO.getOperandNo() + 1).getMBB());
        else if (MI.getParent() != Def)
          Work.push_back(MI.getParent());
      }
      while (!Work.empty()) {
        const MachineBasicBlock *MBB = Work.pop_back_val();
        if (LiveIn.test(MBB->getNumber()))
          continue;
        LiveIn.set(MBB->getNumber());
        for (const MachineBasicBlock *P : MBB->predecessors())
          Out(P);
      }
    }
    return Live;
  }

  bool isExcess(const SmallSetVector<Register, 8> &Live) const {
    unsigned Registers = 0, Predicates = 0;
    for (Register R : Live)
      (isPredicate(R) ? Predicates : Registers) += weight(R);
    return Registers > MaxRegisters || Predicates > MaxPredicates;
  }

  /// A place of MBB where too much is live, as the set of values, or an empty
  /// one. Of the values at its end some may have been taken back.
  SmallSetVector<Register, 8> findExcess(const MachineBasicBlock &MBB,
                                         ArrayRef<Register> AtEnd) const {
    SmallSetVector<Register, 8> Live;
    for (Register R : AtEnd)
      if (Chosen.contains(R))
        Live.insert(R);
    if (isExcess(Live))
      return Live;
    for (const MachineInstr &MI : reverse(MBB)) {
      if (MI.isPHI())
        break;
      for (const MachineOperand &MO : MI.defs())
        if (MO.getReg().isVirtual())
          Live.remove(MO.getReg());
      bool Grew = false;
      for (const MachineOperand &MO : MI.uses())
        if (isChosen(MO))
          Grew |= Live.insert(MO.getReg());
      if (Grew && isExcess(Live))
        return Live;
    }
    return {};
  }

  /// The value with the fewest dependents; among equals, the one computed last.
  Register findVictim(const SmallSetVector<Register, 8> &Live) const {
    Register Victim;
    size_t Fewest = ~size_t(0);
    for (Register R : Live) {
      size_t N = closure(R).size() * 2 + savesAddress(R);
      if (N <= Fewest) {
        Fewest = N;
        Victim = R;
      }
    }
    return Victim;
  }

  void remarkGivenUp(unsigned Rounds) const {
    Remarks.emit([&] {
      return MachineOptimizationRemarkMissed(DEBUG_TYPE, "TooManyValues",
                                             DebugLoc(), &MF.front())
             << "no value is computed once for the warp: too many are live "
                "after "
             << DiagnosticInfoOptimizationBase::Argument("Rounds", Rounds)
             << " were taken back";
    });
  }

  void limitPressure() {
    // Every round takes back at least one value.
    constexpr unsigned MaxRounds = 64;
    unsigned Round = 0;
    // Values become fewer: where there were not too many, there will not be.
    LiveValues Ends = liveAtEnds();
    for (const MachineBasicBlock &MBB : MF)
      for (;; ++Round) {
        SmallSetVector<Register, 8> Live =
            findExcess(MBB, Ends[MBB.getNumber()]);
        if (Live.empty())
          break;
        if (Round == MaxRounds) {
          if (MaxRegisters) // else none is asked for
            remarkGivenUp(MaxRounds);
          Chosen.clear();
          return;
        }
        takeBack(closure(findVictim(Live)));
        settle();
      }
  }

  //===--------------------------------------------------------------------===//
  // Rewriting
  //===--------------------------------------------------------------------===//

  void rewrite() {
    if (HasFewRegisters)
      Loops.emplace(dominators());
    // Plans depend on classes and on the chosen values, so they come first.
    struct Plan {
      MachineInstr *MI;
      int Operand;
    };
    std::vector<Plan> Plans;
    SmallSetVector<MachineInstr *, 32> Users;
    SmallVector<MachineInstr *, 32> Defs;
    for (Register R : chosen()) {
      Defs.push_back(MRI.getVRegDef(R));
      for (MachineInstr &MI : MRI.use_nodbg_instructions(R))
        if (!isUniformUser(MI))
          Users.insert(&MI);
        else if (mayBeUniformBranch(MI))
          Users.insert(&MI);
    }
    for (MachineInstr *MI : Users)
      Plans.push_back({MI, mayBeUniformBranch(*MI) ? -1 : uniformOperand(*MI)});
    for (const Plan &P : Plans)
      if (mayBeUniformBranch(*P.MI))
        P.MI->setDesc(TII.get(Heddle::UBRA));
      else
        rewriteUser(*P.MI, P.Operand);
    for (MachineInstr *MI : Defs)
      rewriteDef(*MI);
    for (Register R : chosen())
      MRI.setRegClass(R, uniformClass(R));
  }

  void rewriteDef(MachineInstr &MI) {
    if (unsigned UniformOpcode = F.uniformForm(MI.getOpcode()))
      MI.setDesc(TII.get(UniformOpcode));
    for (MachineOperand &MO : MI.explicit_uses())
      if (MO.isReg() && MO.getReg().isPhysical())
        MO.setReg(uniformConstant(MO.getReg()));
  }

  void rewriteUser(MachineInstr &MI, int Uniform) {
    if (MI.isCopy() || MI.isRegSequence()) {
      // Moves anyway, but immediates need none from the uniform path.
      for (MachineOperand &MO : MI.explicit_uses())
        if (isChosen(MO) && !MO.getSubReg() && isImmediate(MO.getReg()))
          MO.setReg(threadCopy(MO));
      return;
    }
    for (unsigned N = MI.getNumExplicitDefs(); N < MI.getNumOperands(); ++N)
      if (int(N) != Uniform && isChosen(MI.getOperand(N)))
        MI.getOperand(N).setReg(threadCopy(MI.getOperand(N)));
    if (Uniform < 0)
      return;
    Swap Kind;
    unsigned Opcode = formFor(MI, Uniform, Kind);
    int Scale = Forms::scaleIndex(MI);
    if (Kind != Swap::No)
      swapSources(MI, Kind);
    MI.setDesc(TII.get(Opcode));
    if (Scale >= 0 && Forms::scaleIndex(MI) < 0)
      MI.removeOperand(Scale);
  }

  /// Where the threads get the value of Use for themselves: behind its
  /// definition, for all users, or near this one, which takes no register in
  /// between.
  CopyPlace placeOfCopy(const MachineOperand &Use) const {
    MachineInstr &Def = *MRI.getVRegDef(Use.getReg());
    MachineInstr &MI = *const_cast<MachineInstr *>(Use.getParent());
    if (!HasFewRegisters)
      return {Def.getParent(), false};
    MachineBasicBlock *Block =
        MI.isPHI() ? MI.getOperand(Use.getOperandNo() + 1).getMBB()
                   : MI.getParent();
    // An innermost loop is not to move the same value again and again.
    if (const MachineLoop *L = Loops->getLoopFor(Block);
        L && L->isInnermost() && !L->contains(Def.getParent()))
      if (MachineBasicBlock *Before = L->getLoopPredecessor())
        return {Before, true};
    return {Block, MI.isPHI()};
  }

  MachineBasicBlock::iterator positionOf(CopyPlace Place, Register R) const {
    MachineBasicBlock &MBB = *Place.getPointer();
    if (Place.getInt())
      return MBB.getFirstTerminator();
    MachineInstr &Def = *MRI.getVRegDef(R);
    if (!HasFewRegisters)
      return Def.isPHI()
                 ? MBB.SkipPHIsLabelsAndDebug(std::next(Def.getIterator()))
                 : std::next(Def.getIterator());
    return find_if(MBB, [&](const MachineInstr &MI) {
      return !MI.isPHI() && !MI.isDebugInstr() && MI.readsVirtualRegister(R);
    });
  }

  /// The value of Use in a register of the threads.
  Register threadCopy(const MachineOperand &Use) {
    Register R = Use.getReg();
    CopyPlace Place = placeOfCopy(Use);
    Register &Copy = Copies[{R, Place}];
    if (Copy)
      return Copy;
    Copy = MRI.createVirtualRegister(MRI.getRegClass(R));
    MachineInstr &Def = *MRI.getVRegDef(R);
    MachineBasicBlock &MBB = *Place.getPointer();
    MachineBasicBlock::iterator I = positionOf(Place, R);
    if (isImmediate(R)) {
      MachineInstr *Clone = MF.CloneMachineInstr(&Def);
      Clone->getOperand(0).setReg(Copy);
      MBB.insert(I, Clone);
      return Copy;
    }
    BuildMI(MBB, I, Def.getDebugLoc(), TII.get(TargetOpcode::COPY), Copy)
        .addReg(R);
    return Copy;
  }

  //===--------------------------------------------------------------------===//
  // Addresses
  //===--------------------------------------------------------------------===//

  /// Whether MI computes an address that memory instructions can compute.
  bool isIndexedAddress(MachineInstr &MI) const {
    constexpr int64_t MaxScale = 4; // X16
    return MI.getOpcode() == Heddle::LEA64_u && !TII.isPredicated(MI) &&
           named(MI, Heddle::OpName::sh).getImm() <= MaxScale &&
           named(MI, Heddle::OpName::a).getReg().isVirtual() &&
           MI.getOperand(0).getReg().isVirtual();
  }

  bool isFoldable(const MachineOperand &MO) const {
    const MachineInstr &MI = *MO.getParent();
    return F.indexed(MI.getOpcode()) && !MO.getSubReg() &&
           Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::a) ==
               int(MO.getOperandNo());
  }

  void foldInto(MachineInstr &Mem, MachineInstr &Lea) {
    auto MIB = BuildMI(*Mem.getParent(), Mem, Mem.getDebugLoc(),
                       TII.get(F.indexed(Mem.getOpcode())));
    int Address =
        Heddle::getNamedOperandIdx(Mem.getOpcode(), Heddle::OpName::a);
    auto Source = [&](Heddle::OpName Name) {
      MachineOperand MO = named(Lea, Name);
      MO.setIsKill(false);
      return MO;
    };
    for (auto [N, MO] : enumerate(Mem.operands()))
      if (int(N) != Address)
        MIB.add(MO);
      else
        MIB.add(Source(Heddle::OpName::b))
            .add(Source(Heddle::OpName::a))
            .add(Source(Heddle::OpName::ext))
            .add(Source(Heddle::OpName::sh));
    MIB.cloneMemRefs(Mem);
    Mem.eraseFromParent();
  }

  void foldAddresses() {
    SmallVector<MachineInstr *, 16> Addresses;
    for (MachineBasicBlock &MBB : MF)
      for (MachineInstr &MI : MBB)
        if (isIndexedAddress(MI))
          Addresses.push_back(&MI);
    for (MachineInstr *Lea : Addresses)
      foldAddress(*Lea);
  }

  void foldAddress(MachineInstr &Lea) {
    Register R = Lea.getOperand(0).getReg();
    if (!all_of(MRI.use_nodbg_operands(R),
                [&](MachineOperand &MO) { return isFoldable(MO); }))
      return;
    SmallVector<MachineInstr *, 4> Users;
    for (MachineInstr &MI : MRI.use_nodbg_instructions(R))
      Users.push_back(&MI);
    for (MachineInstr *MI : Users)
      foldInto(*MI, Lea);
    MRI.markUsesInDebugValueAsUndef(R);
    Lea.eraseFromParent();
  }

  void eraseDead() {
    for (MachineBasicBlock &MBB : MF)
      for (MachineInstr &MI : make_early_inc_range(reverse(MBB)))
        if (MI.getNumExplicitDefs() && MI.isDead(MRI)) {
          MRI.markUsesInDebugValueAsUndef(MI.getOperand(0).getReg());
          MI.eraseFromParent();
        }
  }
};

class HeddleUniformPath : public MachineFunctionPass {
  /// The same for all functions.
  Forms TheForms;

public:
  static char ID;
  HeddleUniformPath() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Heddle uniform path"; }

  bool runOnMachineFunction(MachineFunction &MF) override {
    if (skipFunction(MF.getFunction()) ||
        !heddle::ir::isKernel(MF.getFunction()))
      return false;
    return UniformPath(
               MF, getAnalysis<HeddleConvergence>(),
               getAnalysis<HeddleUniformity>(), TheForms,
               getAnalysis<MachineOptimizationRemarkEmitterPass>().getORE())
        .run();
  }

  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<HeddleConvergence>();
    AU.addRequired<HeddleUniformity>();
    AU.addRequired<MachineOptimizationRemarkEmitterPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
};

} // namespace

char HeddleUniformPath::ID = 0;

INITIALIZE_PASS_BEGIN(HeddleUniformPath, DEBUG_TYPE, "Heddle uniform path",
                      false, false)
INITIALIZE_PASS_DEPENDENCY(HeddleConvergence)
INITIALIZE_PASS_DEPENDENCY(HeddleUniformity)
INITIALIZE_PASS_DEPENDENCY(MachineOptimizationRemarkEmitterPass)
INITIALIZE_PASS_END(HeddleUniformPath, DEBUG_TYPE, "Heddle uniform path", false,
                    false)

FunctionPass *llvm::createHeddleUniformPathPass() {
  return new HeddleUniformPath();
}
