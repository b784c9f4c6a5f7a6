//===- MemoryAccess.h - What accesses to memory share -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders, scopes and addresses, as LLVM and as the ISA's modifiers have them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_MEMORYACCESS_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_MEMORYACCESS_H

#include "Emitter.h"
#include "InstView.h"
#include "heddle/ISA/ISA.h"

namespace heddle::lowering {

/// LLVM's name of a scope; .gpu where PTX wrote none.
llvm::StringRef syncScope(ptxir::Scope S);
mlir::LLVM::AtomicOrdering ordering(ptxir::MemSem Sem);

isa::MemScope memScopeOf(ptxir::MemSem Sem, ptxir::Scope S);
/// Of what is not weak.
isa::MemOrder memOrderOf(ptxir::MemSem Sem);

mlir::LogicalResult unsupportedSpace(Emitter &E, mlir::Operation *Op,
                                     ptxir::Space S);

// The same of an instruction without an operation of its own.
std::optional<unsigned> addressSpaceOf(const InstView &I);
ptxir::MemSem semanticsOf(const InstView &I, ptxir::MemSem Default);
ptxir::Scope scopeOf(const InstView &I);

/// A place in memory as a generic address, for builtins.
mlir::Value genericAddress(Emitter &E, mlir::Value Address, unsigned AS,
                           int64_t Offset);
/// Four registers, the form in which builtins take 128 bits.
mlir::Type wideTy(Emitter &E);

/// What a load or a store says besides its place and its elements.
struct AccessMode {
  unsigned AS = 0;
  ptxir::MemSem Sem = ptxir::MemSem::Weak;
  ptxir::Scope Where = ptxir::Scope::None;
  bool IsVolatile = false;
  bool IsInvariant = false; ///< Nothing is stored there.
  isa::CacheOp CacheHint = isa::CacheOp::All;
};

/// Loads \p Count elements that lie one behind the other. Up to 16 bytes are
/// one access of the ISA, as they are on NVIDIA's GPUs: programs keep a flag
/// and a value in such a vector. Longer vectors are one for each 16 bytes.
llvm::SmallVector<mlir::Value> loadElements(Emitter &E, const AccessMode &Mode,
                                            mlir::Value Address, int64_t Offset,
                                            mlir::Type Element, unsigned Count);
/// Stores elements, which have one type, in the same way.
void storeElements(Emitter &E, const AccessMode &Mode, mlir::Value Address,
                   int64_t Offset, llvm::ArrayRef<mlir::Value> Elements);

/// What all atomic operations have.
struct AtomicAccess {
  ptxir::AtomKind Kind;
  ptxir::ScalarType Ty;
  ptxir::MemSem Sem;
  ptxir::Scope Where;
  unsigned AS;
  bool Flushes; ///< Subnormal numbers: .f32 in global memory, without .noftz.
};

/// What an atomic instruction's modifiers say.
std::optional<AtomicAccess> atomicAccessOf(const InstView &I);
/// Updates elements that lie one behind the other, each in one step, and gives
/// the old ones.
llvm::SmallVector<mlir::Value>
updateElements(Emitter &E, AtomicAccess A,
               std::pair<mlir::Value, int64_t> Address,
               llvm::ArrayRef<mlir::Value> Elements);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_MEMORYACCESS_H
