//===- DeviceWork.h - What kernels ask the device for -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands of the system calls __heddle_device_query and
// __heddle_device_enqueue (isa-defs/HeddleABI.td), which the device library
// makes CUDA's device runtime of. It is compiled for the device, too, so that
// nothing is included here.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_DEVICEWORK_H
#define HEDDLE_ISA_DEVICEWORK_H

namespace heddle::isa {

/// What a query asks for; F is the address of a kernel.
enum class DeviceQuery : unsigned {
  ParamBytes,    ///< Of F; all ones if F is the address of no kernel.
  Registers,     ///< Of a thread of F.
  SharedBytes,   ///< Static, of a CTA of F.
  LocalBytes,    ///< Of a thread of F.
  ConstantBytes, ///< Of the module of F.
  BlockLimit,    ///< The most threads that a CTA of F can have.
  ResidentCTAs,  ///< Of F on a core, with A threads and B dynamic shared bytes.
  Cores,
  ThreadsPerCTA,
  ThreadsPerCore,
  SharedBytesPerCTA,
  SharedBytesPerCore,
  RegistersPerCore,
  ClockKHz,
  NewHandle, ///< A number that no other query of the launch has returned.
  SwapError, ///< The thread's last error, in whose place comes A.
  /// Carries out what threads of the CTA have enqueued, and returns when all of
  /// that is done; 0.
  Synchronize,
  /// Where the MultiGrid of the launch is; 0 if it is one device's alone.
  MultiGridRecord,
  /// How many members have memory at the multimem address A; 1 for an address
  /// of memory itself.
  MulticastMembers,
  /// The address at which member number B has what is at the multimem address
  /// A.
  MulticastMember,
};

/// What the grid of a device knows of a grid that several devices run together.
struct MultiGrid {
  unsigned Rank, Grids;       ///< This one's number, and how many there are.
  unsigned long long Barrier; ///< Address of a word, 0 at first.
};
static_assert(sizeof(MultiGrid) == 16);

/// When work that is enqueued runs: when the grid that enqueued it is done, and
/// what that grid has enqueued before. Work at the end comes after all other
/// work of the grid.
enum class DeviceStream : unsigned { Ordered, End };

/// Kinds of work.
enum class DeviceWorkKind : unsigned { Grid, Copy, Fill };

/// A block of memory that __heddle_device_enqueue takes and frees, which malloc
/// has to have returned. Behind it are the parameters of a grid.
struct DeviceWork {
  DeviceWorkKind Kind;
  DeviceStream Stream;
  unsigned Grid[3];
  unsigned Block[3];
  unsigned DynamicSharedBytes;
  unsigned Value;              ///< Of each byte of a fill.
  unsigned long long Function; ///< Address of a kernel.
  unsigned long long To, ToPitch;
  unsigned long long From, FromPitch;
  unsigned long long RowBytes, Rows;
  unsigned long long Reserved[4];
};
static_assert(sizeof(DeviceWork) == 128);

/// What __heddle_device_enqueue returns; the numbers are cudaError_t's.
enum class DeviceError : unsigned {
  None = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  InvalidConfiguration = 9,
  InvalidFunction = 98,
  InvalidHandle = 400,
  TooManyResources = 701,
  NotSupported = 801,
};

} // namespace heddle::isa

#endif // HEDDLE_ISA_DEVICEWORK_H
