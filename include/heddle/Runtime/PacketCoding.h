//===- PacketCoding.h - Launches, copies and fills as packets ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream encodes its operations as packets of the task-launch protocol. A
// command processor decodes packets into calls of the device interface. Fields
// are narrowed and widened here only.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_PACKETCODING_H
#define HEDDLE_RUNTIME_PACKETCODING_H

#include "heddle/Runtime/Operation.h"

namespace heddle::rt {

/// A dispatch's flag besides those of PacketFlag: LaunchConfig::IsUntimed.
constexpr uint8_t IsUntimedLaunch = 8;
/// The same: LaunchConfig::MultiGrid stands behind the parameters, at the next
/// multiple of 8 bytes.
constexpr uint8_t HasMultiGrid = 16;

/// The number by which a packet names an object of the host.
inline uint64_t packetAddress(const void *Object) {
  return reinterpret_cast<uintptr_t>(Object);
}
/// The object of the host that a packet names.
template <typename T> T *packetPointer(uint64_t Address) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(Address));
}

/// An extent that its field cannot hold is an error. The operation and \p
/// Observer, which may be null, have to stay until the queue is past the
/// packet.
llvm::Expected<DispatchPacket> encode(const KernelOp &Op,
                                      const LaunchObserver *Observer);
/// One slice of the box.
CopyPacket encode(const CopyOp &Op, uint64_t Slice);
FillPacket encode(const FillOp &Op);
HostCallPacket encode(const HostOp &Op);
/// A Store or an Await.
Packet encode(const MemoryOp::Step &Step);

/// The launch but for its kernel. It points to the packet's parameters.
LaunchConfig decode(const DispatchPacket &P);
RowCopy decode(const CopyPacket &P);
/// The result points to the pattern in the packet.
RowFill decode(const FillPacket &P);

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_PACKETCODING_H
