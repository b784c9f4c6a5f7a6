//===- KernelNeeds.cpp - What kernels need with what they call --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The call graph comes from relocations: what is called directly is named
// relative to the place of the call, all other names of functions are addresses
// that calls through pointers may reach.
//
//===----------------------------------------------------------------------===//

#include "KernelNeeds.h"
#include "SharedOwners.h"

#include "heddle/ISA/ISA.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::link {

KernelNeeds::KernelNeeds(ObjectResolver &Resolver, StringRef Chip,
                         std::function<bool(SectionPlace)> IsKept)
    : Resolver(Resolver), Chip(Chip), IsKept(std::move(IsKept)) {
  for (InputObject *O : Resolver.taken())
    for (uint32_t I = 1; I < O->Object.sections().size(); ++I)
      if (this->IsKept({O, I}))
        addNode(*O, I);
}

/// The function that a section holds: the one that its symbol names.
static const FunctionMetadata *functionIn(const InputObject &O,
                                          uint32_t Section) {
  for (const Symbol &S : O.Object.symbols())
    if (S.Section == Section && S.Type == Symbol::TypeKind::Function)
      if (const FunctionMetadata *F = O.Functions.lookup(S.Name))
        return F;
  return nullptr;
}

void KernelNeeds::addNode(InputObject &O, uint32_t Section) {
  bool IsText = O.Object.sections()[Section].Kind == LoadKind::Text;
  Node N;
  if (IsText)
    N.Function = functionIn(O, Section);
  for (const Relocation &R : O.Object.relocations(Section)) {
    SymbolPlace P = Resolver.resolve({&O, R.Symbol});
    const Symbol &S = P.symbol();
    N.UsesDynamicShared |=
        R.Type == RelocationType::R_HEDDLE_SHARED32 && S.isUndefined();
    if (!S.Section ||
        P.Input->Object.sections()[*S.Section].Kind != LoadKind::Text)
      continue;
    SectionPlace Target{P.Input, *S.Section};
    if (R.Type != RelocationType::R_HEDDLE_PCREL32)
      Targets.insert(Target);
    else if (Target != SectionPlace(&O, Section) ||
             S.Type == Symbol::TypeKind::Function)
      N.Callees.insert(Target);
  }
  if (IsText)
    Nodes.try_emplace({&O, Section}, std::move(N));
}

/// The deepest stack from a function on. What is on the path already is
/// recursion, of which one level is counted.
uint64_t KernelNeeds::visit(SectionPlace P, Reach &R) const {
  if (auto Known = R.Depths.find(P); Known != R.Depths.end())
    return Known->second;
  if (!R.Path.insert(P)) {
    R.IsDynamic = true;
    return 0;
  }
  const Node &N = Nodes.find(P)->second;
  // Code that nothing is known of may do anything.
  R.IsDynamic |=
      !N.Function || N.Function->CallsPointers || N.Function->VariableStack;
  uint64_t Deepest = 0;
  for (SectionPlace Callee : N.Callees)
    Deepest = std::max(Deepest, visit(Callee, R));
  if (!N.Function || N.Function->CallsPointers)
    for (SectionPlace Callee : Targets)
      Deepest = std::max(Deepest, visit(Callee, R));
  R.Path.remove(P);
  return R.Depths[P] = Deepest + (N.Function ? N.Function->StackBytes : 0);
}

/// As a loader lays shared memory out: what is common, then the kernel's own.
uint64_t KernelNeeds::sharedBytes(StringRef Kernel,
                                  const SharedOwners &Owners) const {
  uint64_t End = 0;
  std::string Own = (SharedSectionPrefix + Twine(".") + Kernel).str();
  for (StringRef Wanted : {StringRef(SharedSectionPrefix), StringRef(Own)})
    for (const InputObject *O : Resolver.taken())
      for (uint32_t I = 0; I != O->Object.sections().size(); ++I) {
        const Section &S = Owners.sectionAt({O, I});
        if (S.Kind == LoadKind::Shared && S.Name == Wanted && IsKept({O, I}))
          End = alignTo(End, S.Align) + S.Size;
      }
  return End;
}

/// A callee of another object was compiled without knowing the kernel's limits.
void KernelNeeds::checkRegisters(const InputObject &O, const KernelMetadata &K,
                                 const Reach &R) {
  std::optional<uint32_t> Limit = K.MaxRegisters;
  std::string Reason = ".maxnreg";
  const std::optional<Extents> &Block =
      K.RequiredBlock ? K.RequiredBlock : K.MaxBlock;
  const isa::ChipInfo *Info = isa::findChip({Chip.data(), Chip.size()});
  if (!Limit && Block && Info) {
    uint64_t Threads = uint64_t(Block->X) * Block->Y * Block->Z;
    Limit = Info->RegistersPerCore / std::max<uint64_t>(Threads, 1);
    Reason = "CTAs of " + std::to_string(Threads) + " threads";
  }
  for (const auto &[P, Depth] : R.Depths) {
    const FunctionMetadata *F = Nodes.find(P)->second.Function;
    if (Limit && F && F->Registers > *Limit)
      Resolver.error(O, "kernel '" + K.Name + "' may use " + Twine(*Limit) +
                            " registers (" + Reason + "), and '" + F->Name +
                            "' in " + P.first->From.Name + " needs " +
                            Twine(F->Registers));
  }
}

KernelMetadata KernelNeeds::describe(const InputObject &O, const Kernel &K,
                                     const SharedOwners &Owners) {
  KernelMetadata Result = *K.Metadata;
  Reach R;
  Result.LocalBytes = visit({&O, K.Section}, R);
  Result.DynamicStack = R.IsDynamic;
  Result.DynamicShared = false;
  Result.SpillStoreBytes = Result.SpillLoadBytes = 0;
  for (const auto &[P, Depth] : R.Depths) {
    const Node &N = Nodes.find(P)->second;
    Result.DynamicShared |= N.UsesDynamicShared;
    if (!N.Function)
      continue;
    Result.Registers = std::max(Result.Registers, N.Function->Registers);
    Result.Barriers = std::max(Result.Barriers, N.Function->Barriers);
    Result.SpillStoreBytes += N.Function->SpillStoreBytes;
    Result.SpillLoadBytes += N.Function->SpillLoadBytes;
  }
  Result.SharedBytes = sharedBytes(Result.Name, Owners);
  if (Result.DynamicShared)
    Result.SharedBytes = alignTo(Result.SharedBytes, LinkedDynamicAlignment);
  checkRegisters(O, Result, R);
  return Result;
}

} // namespace heddle::link
