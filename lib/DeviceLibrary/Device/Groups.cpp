//===- Groups.cpp - Cooperative groups of CUDA's device runtime -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cudaCG functions of cuda_device_runtime_api.h. The group of a cooperative
// grid has the address of the grid's workspace as its handle, and that of the
// grids of several devices the address of the grid's record, and one: both are
// even. In other grids there is none.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "heddle/ISA/DeviceWork.h"

using heddle::isa::DeviceError;
using heddle::isa::DeviceQuery;
using heddle::isa::MultiGrid;
using U32 = unsigned;
using U64 = unsigned long long;
using GlobalWord = __attribute__((address_space(1))) U32;

/// clang has no builtins for these.
extern "C" {
U32 upperHalfOfWorkspace() __asm__("llvm.nvvm.read.ptx.sreg.envreg1");
U32 lowerHalfOfWorkspace() __asm__("llvm.nvvm.read.ptx.sreg.envreg2");
U64 __heddle_device_query(U32 What, U64 A, U64 B, U64 C);
}

#define HEDDLE_INNER static inline __attribute__((always_inline))
#define HEDDLE_GROUP extern "C" __attribute__((always_inline, convergent))

struct Position {
  U32 X, Y, Z;
  bool isFirst() const { return (X | Y | Z) == 0; }
  U32 count() const { return X * Y * Z; }
};

HEDDLE_INNER Position thread() {
  return {static_cast<U32>(__nvvm_read_ptx_sreg_tid_x()),
          static_cast<U32>(__nvvm_read_ptx_sreg_tid_y()),
          static_cast<U32>(__nvvm_read_ptx_sreg_tid_z())};
}
HEDDLE_INNER Position threads() {
  return {static_cast<U32>(__nvvm_read_ptx_sreg_ntid_x()),
          static_cast<U32>(__nvvm_read_ptx_sreg_ntid_y()),
          static_cast<U32>(__nvvm_read_ptx_sreg_ntid_z())};
}
HEDDLE_INNER Position block() {
  return {static_cast<U32>(__nvvm_read_ptx_sreg_ctaid_x()),
          static_cast<U32>(__nvvm_read_ptx_sreg_ctaid_y()),
          static_cast<U32>(__nvvm_read_ptx_sreg_ctaid_z())};
}
HEDDLE_INNER Position blocks() {
  return {static_cast<U32>(__nvvm_read_ptx_sreg_nctaid_x()),
          static_cast<U32>(__nvvm_read_ptx_sreg_nctaid_y()),
          static_cast<U32>(__nvvm_read_ptx_sreg_nctaid_z())};
}

HEDDLE_INNER U32 rankIn(Position At, Position Size) {
  return (At.Z * Size.Y + At.Y) * Size.X + At.X;
}

/// Stores a number where the caller wants it, if anywhere.
HEDDLE_INNER void give(U64 Address, U32 Value) {
  if (Address)
    *reinterpret_cast<U32 *>(Address) = Value;
}

HEDDLE_INNER U32 code(DeviceError Error) { return static_cast<U32>(Error); }

HEDDLE_INNER U64 workspace() {
  return U64(upperHalfOfWorkspace()) << 32 | lowerHalfOfWorkspace();
}

/// Returns when all threads of the grid are here. Each CTA adds one to the
/// barrier, the first what lets the sum of all end in a change of bit 31. The
/// barrier is the word of the workspace that the grid group of CUDA's header
/// cooperative_groups.h uses in the same way, so that a kernel may use both.
HEDDLE_INNER __attribute__((convergent)) void meetGrid(U64 Workspace) {
  constexpr U32 Flip = 0x80000000;
  auto *Barrier = reinterpret_cast<GlobalWord *>(Workspace) + 1;
  __nvvm_barrier_sync(0);
  if (thread().isFirst()) {
    U32 Share = block().isFirst() ? Flip - (blocks().count() - 1) : 1;
    U32 Before = __scoped_atomic_fetch_add(Barrier, Share, __ATOMIC_RELEASE,
                                           __MEMORY_SCOPE_DEVICE);
    while (((__scoped_atomic_load_n(Barrier, __ATOMIC_ACQUIRE,
                                    __MEMORY_SCOPE_DEVICE) ^
             Before) &
            Flip) == 0) {
    }
  }
  __nvvm_barrier_sync(0);
}

/// The record of a group of several grids; null for one grid.
HEDDLE_INNER const MultiGrid *gridsOf(U64 Handle) {
  return Handle & 1 ? reinterpret_cast<const MultiGrid *>(Handle - 1) : nullptr;
}

/// Returns when all threads of all grids are here. One thread of each grid,
/// which meets before and after, waits for the others' in the same way.
HEDDLE_INNER __attribute__((convergent)) void meetGrids(const MultiGrid &All) {
  constexpr U32 Flip = 0x80000000;
  U64 Workspace = workspace();
  auto *Barrier = reinterpret_cast<GlobalWord *>(All.Barrier);
  meetGrid(Workspace);
  if (thread().isFirst() && block().isFirst()) {
    U32 Share = All.Rank == 0 ? Flip - (All.Grids - 1) : 1;
    U32 Before = __scoped_atomic_fetch_add(Barrier, Share, __ATOMIC_ACQ_REL,
                                           __MEMORY_SCOPE_SYSTEM);
    while (((__scoped_atomic_load_n(Barrier, __ATOMIC_ACQUIRE,
                                    __MEMORY_SCOPE_SYSTEM) ^
             Before) &
            Flip) == 0) {
    }
  }
  meetGrid(Workspace);
}

HEDDLE_GROUP U64 cudaCGGetIntrinsicHandle(U32 Scope) {
  constexpr U32 Grid = 1, Grids = 2;
  if (Scope == Grid)
    return workspace();
  if (Scope != Grids)
    return 0;
  U64 Record = __heddle_device_query(
      static_cast<U32>(DeviceQuery::MultiGridRecord), 0, 0, 0);
  return Record ? Record + 1 : 0;
}

HEDDLE_GROUP U32 cudaCGSynchronize(U64 Handle, U32 Flags) {
  if (!Handle || Flags)
    return code(DeviceError::InvalidValue);
  if (const MultiGrid *All = gridsOf(Handle))
    meetGrids(*All);
  else
    meetGrid(Handle);
  return code(DeviceError::None);
}

/// The grid of a group that may have several.
HEDDLE_GROUP U32 cudaCGSynchronizeGrid(U64 Handle, U32 Flags) {
  if (!Handle || Flags)
    return code(DeviceError::InvalidValue);
  meetGrid(gridsOf(Handle) ? workspace() : Handle);
  return code(DeviceError::None);
}

HEDDLE_GROUP U32 cudaCGGetSize(U64 Threads, U64 Grids, U64 Handle) {
  if (!Handle)
    return code(DeviceError::InvalidValue);
  const MultiGrid *All = gridsOf(Handle);
  U32 NumGrids = All ? All->Grids : 1;
  give(Threads, threads().count() * blocks().count() * NumGrids);
  give(Grids, NumGrids);
  return code(DeviceError::None);
}

/// All grids have the same size.
HEDDLE_GROUP U32 cudaCGGetRank(U64 Thread, U64 Grid, U64 Handle) {
  if (!Handle)
    return code(DeviceError::InvalidValue);
  const MultiGrid *All = gridsOf(Handle);
  U32 Rank = All ? All->Rank : 0;
  give(Thread, (Rank * blocks().count() + rankIn(block(), blocks())) *
                       threads().count() +
                   rankIn(thread(), threads()));
  give(Grid, Rank);
  return code(DeviceError::None);
}
