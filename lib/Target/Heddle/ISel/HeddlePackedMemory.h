//===- HeddlePackedMemory.h - Vectors of bytes and halves -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors in memory whose elements are less than a register and which are no
// type of the ISA. LLVM would access each element, or each pair; here a load or
// a store is one access of whole registers, so that other threads see all of
// the vector or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPACKEDMEMORY_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPACKEDMEMORY_H

#include "llvm/CodeGen/SelectionDAG.h"

namespace llvm {

ArrayRef<MVT> heddlePackedVectors();

/// Adds the vector and the chain to \p Results, unless the load is not aligned
/// for one access.
void lowerHeddlePackedLoad(LoadSDNode *L, SmallVectorImpl<SDValue> &Results,
                           SelectionDAG &DAG);
/// Null if the store is not aligned for one access.
SDValue lowerHeddlePackedStore(StoreSDNode *S, SelectionDAG &DAG);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPACKEDMEMORY_H
