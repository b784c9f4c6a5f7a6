//===- HeddleResourceUsage.cpp - What a kernel asks of a core ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are counted up to the highest one that a function touches; a
// kernel needs the most that it or anything it calls needs. Its stack is the
// deepest chain of frames; with recursion or calls through pointers that depth
// is not known, and the device adds its limit.
//
//===----------------------------------------------------------------------===//

#include "HeddleResourceUsage.h"

#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/Relocatable.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;
using heddle::KernelMetadata;

/// The registers that MF names, and their subregisters.
static BitVector usedRegisters(const MachineFunction &MF) {
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  const TargetRegisterInfo &TRI = *MRI.getTargetRegisterInfo();
  BitVector Used(TRI.getNumRegs());
  for (MCPhysReg R = 1, E = TRI.getNumRegs(); R != E; ++R)
    if (!MRI.reg_nodbg_empty(R))
      for (MCPhysReg Part : TRI.subregs_inclusive(R))
        Used.set(Part);
  return Used;
}

/// One more than the highest register in use of a file whose first is First.
static unsigned countRegisters(const BitVector &Used, unsigned First,
                               unsigned Number) {
  int Last = Used.find_last_in(First, First + Number);
  return Last < 0 ? 0 : Last - First + 1;
}

void HeddleResourceUsage::add(const MachineFunction &MF) {
  FunctionUsage U;
  // The register enumerators of one file are consecutive.
  BitVector Used = usedRegisters(MF);
  U.Registers = countRegisters(Used, Heddle::R0, 255);
  U.UniformRegisters = countRegisters(Used, Heddle::UR0, 63);
  U.StackBytes = MF.getFrameInfo().getStackSize();
  U.VariableStack = MF.getFrameInfo().hasVarSizedObjects();
  // Pointers to kernels are for launches; nothing calls them.
  U.AddressTaken = MF.getFunction().hasAddressTaken() &&
                   !heddle::ir::isKernel(MF.getFunction());
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      addInstruction(MI, U);
  if (const auto &Code = MF.getInfo<HeddleMachineFunctionInfo>()->Generated) {
    U.Registers = Code->Registers;
    U.Barriers = Code->Barriers;
    U.StackBytes = Code->StackBytes;
    U.SpillStoreBytes = Code->SpillStoreBytes;
    U.SpillLoadBytes = Code->SpillLoadBytes;
    U.CallsUnknown = Code->CallsUnknown;
    U.CallsPointers = Code->CallsPointers;
    U.VariableStack = Code->VariableStack;
    U.Callees.insert(Code->Callees.begin(), Code->Callees.end());
  }
  Usage[&MF.getFunction()] = std::move(U);
}

static void reportSpills(const MachineFunction &MF, uint64_t StoreBytes,
                         uint64_t LoadBytes,
                         MachineOptimizationRemarkEmitter &Remarks) {
  Remarks.emit([&] {
    using Argument = DiagnosticInfoOptimizationBase::Argument;
    return MachineOptimizationRemarkMissed(
               "heddle-registers", "Spilled",
               DiagnosticLocation(MF.getFunction().getSubprogram()),
               &MF.front())
           << Argument("StoreBytes", StoreBytes) << " bytes stored and "
           << Argument("LoadBytes", LoadBytes)
           << " loaded in spills: more values are live at a time than the "
           << Argument("Limit", HeddleRegisterInfo::getRegisterLimit(MF))
           << " registers that there are";
  });
}

void HeddleResourceUsage::report(
    const MachineFunction &MF,
    MachineOptimizationRemarkEmitter &Remarks) const {
  const FunctionUsage &U = Usage.find(&MF.getFunction())->second;
  if (U.SpillStoreBytes || U.SpillLoadBytes)
    reportSpills(MF, U.SpillStoreBytes, U.SpillLoadBytes, Remarks);
  const heddle::isa::ChipInfo &Chip =
      MF.getSubtarget<HeddleSubtarget>().getChip();
  unsigned PerWarp =
      32 * alignTo(std::max(U.Registers, 1u), Chip.RegisterGranule);
  unsigned Warps = Chip.RegistersPerCore / PerWarp;
  if (Warps >= Chip.WarpsPerCore)
    return;
  Remarks.emit([&] {
    using Argument = DiagnosticInfoOptimizationBase::Argument;
    return MachineOptimizationRemarkMissed(
               "heddle-registers", "Occupancy",
               DiagnosticLocation(MF.getFunction().getSubprogram()),
               &MF.front())
           << Argument("Registers", U.Registers)
           << " registers limit a core to " << Argument("Warps", Warps)
           << " of " << Argument("MaxWarps", Chip.WarpsPerCore) << " warps";
  });
}

void HeddleResourceUsage::addInstruction(const MachineInstr &MI,
                                         FunctionUsage &U) {
  const MachineFrameInfo &MFI = MI.getMF()->getFrameInfo();
  for (const MachineMemOperand *MMO : MI.memoperands()) {
    const auto *Slot =
        dyn_cast_or_null<FixedStackPseudoSourceValue>(MMO->getPseudoValue());
    if (!Slot || !MFI.isSpillSlotObjectIndex(Slot->getFrameIndex()))
      continue;
    uint64_t Bytes = MMO->getSize().hasValue()
                         ? MMO->getSize().getValue().getKnownMinValue()
                         : 0;
    (MMO->isStore() ? U.SpillStoreBytes : U.SpillLoadBytes) += Bytes;
  }
  if (MI.getOpcode() == Heddle::BAR_i)
    U.Barriers = std::max<unsigned>(
        U.Barriers, MI.getOperand(Heddle::getNamedOperandIdx(Heddle::BAR_i,
                                                             Heddle::OpName::b))
                            .getImm() +
                        1);
  else if (MI.getOpcode() == Heddle::BAR_r)
    U.Barriers =
        MI.getMF()->getSubtarget<HeddleSubtarget>().getChip().BarriersPerCTA;
  if (!MI.isCall() || MI.getOpcode() == Heddle::SYSCALL)
    return;
  const Function *Callee = nullptr;
  bool IsNamed = false;
  for (const MachineOperand &MO : MI.operands())
    if (MO.isGlobal()) {
      Callee = dyn_cast<Function>(MO.getGlobal()->getAliaseeObject());
      IsNamed = true;
    }
  U.CallsPointers |= !IsNamed;
  if (Callee && !Callee->isDeclaration())
    U.Callees.insert(Callee);
  else
    U.CallsUnknown = true;
}

uint64_t HeddleResourceUsage::reach(const Function &F, Reach &R) const {
  if (auto Known = R.Depths.find(&F); Known != R.Depths.end())
    return Known->second;
  auto Found = Usage.find(&F);
  // Of recursion one level is counted.
  if (Found == Usage.end() || !R.OnPath.insert(&F).second) {
    R.IsDynamic = true;
    return 0;
  }
  const FunctionUsage &U = Found->second;
  R.IsDynamic |= U.CallsUnknown || U.VariableStack;
  uint64_t Deepest = 0;
  for (const Function *Callee : U.Callees)
    Deepest = std::max(Deepest, reach(*Callee, R));
  if (U.CallsUnknown) // any function whose address is taken
    for (const auto &[Callee, Other] : Usage)
      if (Other.AddressTaken)
        Deepest = std::max(Deepest, reach(*Callee, R));
  R.OnPath.erase(&F);
  return R.Depths[&F] = U.StackBytes + Deepest;
}

/// "x,y,z" of a function attribute.
static std::optional<heddle::Extents> extents(const Function &F,
                                              StringRef Name) {
  if (!F.hasFnAttribute(Name))
    return std::nullopt;
  uint32_t Values[3] = {1, 1, 1};
  SmallVector<StringRef, 3> Parts;
  F.getFnAttribute(Name).getValueAsString().split(Parts, ',');
  for (unsigned I = 0; I < 3 && I < Parts.size(); ++I)
    Parts[I].getAsInteger(10, Values[I]);
  return heddle::Extents{Values[0], Values[1], Values[2]};
}

static std::optional<uint32_t> number(const Function &F, StringRef Name) {
  if (!F.hasFnAttribute(Name))
    return std::nullopt;
  return F.getFnAttributeAsParsedInteger(Name);
}

/// The parameters of the attribute heddle-params; see docs/ir-contract.md.
static void describeParams(const Function &F, KernelMetadata &K) {
  SmallVector<StringRef, 8> Params;
  F.getFnAttribute(heddle::attr::Params)
      .getValueAsString()
      .split(Params, ';', -1, /*KeepEmpty=*/false);
  for (StringRef Text : Params) {
    SmallVector<StringRef, 5> Fields;
    Text.split(Fields, ':');
    if (Fields.size() != 5)
      continue;
    heddle::ParamMetadata P;
    P.Name = Fields[0].str();
    Fields[1].getAsInteger(10, P.Offset);
    Fields[2].getAsInteger(10, P.Size);
    Fields[3].getAsInteger(10, P.Align);
    P.Type = Fields[4].str();
    K.ParamBytes = std::max(K.ParamBytes, P.Offset + P.Size);
    K.Params.push_back(std::move(P));
  }
}

KernelMetadata HeddleResourceUsage::describe(const Function &Kernel,
                                             const FunctionUsage &Own) const {
  KernelMetadata K;
  K.Name = Kernel.getName().str();
  Reach R;
  K.LocalBytes = reach(Kernel, R);
  K.DynamicStack = R.IsDynamic;
  for (const auto &[F, Depth] : R.Depths) {
    const FunctionUsage &U = Usage.find(F)->second;
    K.Registers = std::max(K.Registers, U.Registers);
    K.Barriers = std::max(K.Barriers, U.Barriers);
    K.SpillStoreBytes += U.SpillStoreBytes;
    K.SpillLoadBytes += U.SpillLoadBytes;
  }
  K.UniformRegisters = Own.UniformRegisters;
  K.SharedBytes = number(Kernel, heddle::attr::SharedBytes).value_or(0);
  K.DynamicShared = Kernel.hasFnAttribute(heddle::attr::DynamicShared);
  K.MaxBlock = extents(Kernel, heddle::attr::MaxNTid);
  K.RequiredBlock = extents(Kernel, heddle::attr::ReqNTid);
  K.RequiredCluster = extents(Kernel, heddle::attr::ReqNCTAPerCluster);
  K.MaxClusterRank = number(Kernel, heddle::attr::MaxClusterRank);
  if (Kernel.hasFnAttribute(heddle::attr::ExplicitCluster))
    K.ExplicitCluster = true;
  K.MergedCTAs = number(Kernel, heddle::attr::MergedCTAs);
  K.MinCTAs = number(Kernel, heddle::attr::MinCTAs);
  K.MaxRegisters = number(Kernel, heddle::attr::MaxNReg);
  describeParams(Kernel, K);
  return K;
}

std::vector<KernelMetadata> HeddleResourceUsage::kernels() const {
  std::vector<KernelMetadata> Result;
  for (const auto &[F, U] : Usage)
    if (heddle::ir::isKernel(*F))
      Result.push_back(describe(*F, U));
  return Result;
}

std::vector<heddle::FunctionMetadata> HeddleResourceUsage::functions() const {
  std::vector<heddle::FunctionMetadata> Result;
  for (const auto &[F, U] : Usage) {
    heddle::FunctionMetadata &D = Result.emplace_back();
    D.Name = F->getName().str();
    D.Type = F->getFnAttribute(heddle::attr::LinkType).getValueAsString().str();
    D.Registers = U.Registers;
    D.Barriers = U.Barriers;
    D.StackBytes = U.StackBytes;
    D.SpillStoreBytes = U.SpillStoreBytes;
    D.SpillLoadBytes = U.SpillLoadBytes;
    D.CallsPointers = U.CallsPointers;
    // A call of itself may leave no relocation for the linker to see.
    D.VariableStack = U.VariableStack || U.Callees.contains(F);
  }
  return Result;
}
