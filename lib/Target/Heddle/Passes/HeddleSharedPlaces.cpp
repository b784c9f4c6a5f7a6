//===- HeddleSharedPlaces.cpp - Shared variables, for debuggers -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared variable has an offset of its own in each kernel, as a local one
// has. So it is described as one: its address is a constant from the start of
// the function on. The description that it has as a variable of the module
// names a symbol, and there is none once shared memory is laid out.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddleSharedRanks.h"

#include "heddle/Support/AddressSpace.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// The places in the source at which the code of a scope stands in a function:
/// its own, and those of copies that were inlined.
static SmallVector<const DILocation *> placesOf(const Function &F,
                                                DISubprogram *Scope) {
  SmallSetVector<DILocation *, 4> Copies;
  for (const Instruction &I : instructions(F))
    for (DILocation *At = I.getDebugLoc(); At; At = At->getInlinedAt())
      if (At->getInlinedAt() && At->getScope()->getSubprogram() == Scope)
        Copies.insert(At->getInlinedAt());
  SmallVector<const DILocation *> Result;
  if (Scope == F.getSubprogram())
    Result.push_back(DILocation::get(F.getContext(), 0, 0, Scope));
  for (DILocation *Copy : Copies)
    Result.push_back(DILocation::get(F.getContext(), 0, 0, Scope, Copy));
  return Result;
}

static void describe(const DIGlobalVariableExpression &E, Function &F,
                     uint64_t Offset) {
  LLVMContext &Context = F.getContext();
  const DIGlobalVariable &G = *E.getVariable();
  auto *Local = dyn_cast_or_null<DILocalScope>(G.getScope());
  DISubprogram *Scope = Local ? Local->getSubprogram() : F.getSubprogram();
  auto *V = DILocalVariable::get(Context, Scope, G.getName(), G.getFile(),
                                 G.getLine(), G.getType(), /*Arg=*/0,
                                 DINode::FlagZero, G.getAlignInBits(),
                                 /*Annotations=*/nullptr);
  SmallVector<uint64_t> Ops{dwarf::DW_OP_plus_uconst, Offset};
  Ops.append(E.getExpression()->elements_begin(),
             E.getExpression()->elements_end());
  // The place is in the expression, since of a variable that is true or false
  // LLVM takes any constant but 0 for 1.
  Value *Zero = ConstantInt::get(Type::getInt32Ty(Context), 0);
  BasicBlock &Entry = F.getEntryBlock();
  for (const DILocation *At : placesOf(F, Scope))
    Entry.insertDbgRecordBefore(
        DbgVariableRecord::createDbgVariableRecord(
            Zero, V, DIExpression::get(Context, Ops), At),
        Entry.getFirstNonPHIIt());
}

void llvm::describeSharedPlace(const GlobalVariable &G, Function &F,
                               uint64_t Offset) {
  SmallVector<DIGlobalVariableExpression *, 1> Described;
  if (F.getSubprogram())
    G.getDebugInfo(Described);
  for (const DIGlobalVariableExpression *E : Described)
    describe(*E, F, Offset);
}

bool llvm::dropSharedDescriptions(Module &M) {
  SmallPtrSet<const DIGlobalVariableExpression *, 8> OfShared;
  SmallVector<DIGlobalVariableExpression *, 1> Described;
  for (const GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == heddle::addrspace::Shared) {
      G.getDebugInfo(Described);
      OfShared.insert_range(Described);
    }
  if (OfShared.empty())
    return false;
  for (DICompileUnit *Unit : M.debug_compile_units()) {
    SmallVector<Metadata *> Kept;
    for (DIGlobalVariableExpression *E : Unit->getGlobalVariables())
      if (!OfShared.contains(E))
        Kept.push_back(E);
    Unit->replaceGlobalVariables(MDTuple::get(M.getContext(), Kept));
  }
  return true;
}
