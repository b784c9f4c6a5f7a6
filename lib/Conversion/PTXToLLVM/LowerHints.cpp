//===- LowerHints.cpp - Proxy fences and cache hints ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fences between proxies, and what tells caches about lines.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

/// fence.proxy and membar.proxy: one instruction of the ISA orders all paths to
/// memory. Without a scope it is that of the system. One that is restricted to
/// shared memory also orders the thread's own accesses.
static LogicalResult lowerProxyFence(Emitter &E, const InstView &I) {
  if (I.has<ptx::SyncRestrict>())
    LLVM::FenceOp::create(E.B, E.Loc, LLVM::AtomicOrdering::acq_rel, "cluster");
  Scope S = I.has<ptx::Scope>() ? scopeOf(I) : Scope::Sys;
  E.memoryBuiltin("fence_proxy", {},
                  {modifier(E, memScopeOf(MemSem::Relaxed, S))});
  return E.replace(I.getOp(), {});
}

/// discard and applypriority: a line that keeps its data and its priority is
/// what both allow.
static LogicalResult dropHint(Emitter &E, const InstView &I) {
  return E.replace(I.getOp(), {});
}

/// A policy is a number that only accesses take, which drop it. One converted
/// from an access property is that property.
static LogicalResult lowerPolicy(Emitter &E, const InstView &I) {
  auto Property = I.find("property");
  Value Policy = Property ? I.value(*Property) : E.constInt(64, 1);
  return E.replace(I.getOp(), I.resultsOf(Policy));
}

void lowering::addHintLowerings(LoweringTable &Table) {
  Table.addInst("fence.proxy", lowerProxyFence);
  Table.addInst("membar.proxy", lowerProxyFence);
  Table.addInst("discard", dropHint);
  Table.addInst("applypriority", dropHint);
  for (const char *Opcode : {"createpolicy.range", "createpolicy.range.fabric",
                             "createpolicy.fractional", "createpolicy.cvt"})
    Table.addInst(Opcode, lowerPolicy);
}
