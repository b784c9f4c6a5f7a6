//===- Packet.h - What a queue is told to do --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The task-launch protocol (docs/launch-protocol.md): the host writes packets
// of 64 bytes into a queue, the device carries them out in order. The layout is
// fixed, all numbers are little-endian, so that a command processor in silicon
// could read the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_PACKET_H
#define HEDDLE_RUNTIME_PACKET_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle::rt {

enum class PacketKind : uint8_t {
  Dispatch = 1, ///< run a kernel
  Copy = 2,
  Fill = 3,
  Wait = 4,     ///< until a signal has reached a value
  Raise = 5,    ///< a signal to a value
  HostCall = 6, ///< call a function of the host
  Store = 7,    ///< a number into memory
  Await = 8,    ///< until a number in memory is as it shall be
  Branch = 9,   ///< carry out other packets, by a number in memory
};

/// Bits of a packet's Flags.
enum PacketFlag : uint8_t {
  DestinationIsHost = 1, ///< Copy: Destination is an address of the host
  SourceIsHost = 2,      ///< Copy: Source is an address of the host
  IsCooperative = 4,     ///< Dispatch: see LaunchConfig::Cooperative
};

struct DispatchPacket {
  PacketKind Kind = PacketKind::Dispatch;
  uint8_t Flags = 0;
  uint16_t Reserved = 0;
  uint32_t DynamicSharedBytes = 0;
  uint32_t Grid[3] = {1, 1, 1};    ///< in CTAs
  uint16_t Block[3] = {1, 1, 1};   ///< in threads
  uint16_t Cluster[3] = {0, 0, 0}; ///< in CTAs; zeros: see LaunchConfig
  uint64_t Kernel = 0;             ///< address of a KernelObject
  uint64_t Params = 0;             ///< address of the parameter block
  uint32_t ParamBytes = 0;
  uint32_t Number = 0;   ///< LaunchConfig::Number
  uint64_t Observer = 0; ///< address of a LaunchObserver, or 0
};

/// Rows of RowBytes bytes, whose starts are a pitch apart.
struct CopyPacket {
  PacketKind Kind = PacketKind::Copy;
  uint8_t Flags = 0; ///< PacketFlag
  uint16_t Reserved = 0;
  uint32_t Reserved2 = 0;
  uint64_t Destination = 0, Source = 0;
  uint64_t RowBytes = 0;
  uint64_t Rows = 1;
  uint64_t DestinationPitch = 0, SourcePitch = 0; ///< in bytes
  uint64_t Reserved3 = 0;
};

/// Writes a pattern Count times a row, one after the other.
struct FillPacket {
  PacketKind Kind = PacketKind::Fill;
  uint8_t Flags = 0;
  uint16_t Reserved = 0;
  uint32_t PatternBytes = 1; ///< 1, 2, 4 or 8
  uint64_t Destination = 0;
  uint64_t Pattern = 0; ///< the low PatternBytes
  uint64_t Count = 0;   ///< patterns in a row
  uint64_t Rows = 1;
  uint64_t Pitch = 0; ///< in bytes
  uint64_t Reserved2[2] = {};
};

struct WaitPacket {
  PacketKind Kind = PacketKind::Wait;
  uint8_t Flags = 0;
  uint16_t Reserved = 0;
  uint32_t Reserved2 = 0;
  uint64_t Signal = 0; ///< address of a rt::Signal
  uint64_t Value = 0;
  /// Where the time stands at which the signal got the value, once it has it;
  /// or 0.
  uint64_t Timestamp = 0;
  uint64_t Reserved3[4] = {};
};

struct RaisePacket {
  PacketKind Kind = PacketKind::Raise;
  uint8_t Flags = 0;
  uint16_t Reserved = 0;
  uint32_t Reserved2 = 0;
  uint64_t Signal = 0; ///< address of a rt::Signal
  uint64_t Value = 0;
  uint64_t Timestamp = 0; ///< where to write the time in nanoseconds, or 0
  uint64_t Reserved3[4] = {};
};

struct HostCallPacket {
  PacketKind Kind = PacketKind::HostCall;
  uint8_t Flags = 0;
  uint16_t Reserved = 0;
  uint32_t Reserved2 = 0;
  uint64_t Function = 0; ///< address of a void (*)(void *)
  uint64_t Argument = 0;
  uint64_t Reserved3[5] = {};
};

/// How Await compares the number in memory with the packet's Value.
enum class Comparison : uint8_t {
  AtLeast = 0, ///< their difference, as a signed number, is not negative
  Equal = 1,
  AnyBit = 2,       ///< some bit is 1 in both
  AnyBitInNone = 3, ///< some bit is 0 in both
};

struct StorePacket {
  PacketKind Kind = PacketKind::Store;
  uint8_t Flags = 0;
  uint16_t Reserved = 0;
  uint32_t NumberBytes = 4; ///< 4 or 8
  uint64_t Address = 0;     ///< on the device, a multiple of NumberBytes
  uint64_t Value = 0;
  uint64_t Reserved2[5] = {};
};

struct AwaitPacket {
  PacketKind Kind = PacketKind::Await;
  rt::Comparison Comparison = rt::Comparison::AtLeast;
  uint16_t Reserved = 0;
  uint32_t NumberBytes = 4; ///< 4 or 8
  uint64_t Address = 0;     ///< on the device, a multiple of NumberBytes
  uint64_t Value = 0;
  uint64_t Reserved2[5] = {};
};

/// Which of its bodies a Branch carries out.
enum class BranchKind : uint8_t {
  If = 0,     ///< the first unless the number is 0; else the second, if any
  While = 1,  ///< the first, again and again until the number is 0
  Switch = 2, ///< the one with that number, if any
};

/// Packets that a Branch carries out.
struct PacketRange {
  uint64_t Packets = 0; ///< address of the first
  uint64_t Count = 0;
};

struct BranchPacket {
  PacketKind Kind = PacketKind::Branch;
  BranchKind Branch = BranchKind::If;
  uint16_t Reserved = 0;
  uint32_t NumBodies = 0;
  uint64_t Address = 0; ///< on the device, of a number of 4 bytes
  uint64_t Bodies = 0;  ///< address of NumBodies PacketRanges
  uint64_t Reserved2[5] = {};
};

/// Any of them; the first byte says which.
union Packet {
  PacketKind Kind;
  DispatchPacket Dispatch;
  CopyPacket Copy;
  FillPacket Fill;
  WaitPacket Wait;
  RaisePacket Raise;
  HostCallPacket HostCall;
  StorePacket Store;
  AwaitPacket Await;
  BranchPacket Branch;

  Packet() : Wait() {}
  Packet(const DispatchPacket &P) : Dispatch(P) {}
  Packet(const CopyPacket &P) : Copy(P) {}
  Packet(const FillPacket &P) : Fill(P) {}
  Packet(const WaitPacket &P) : Wait(P) {}
  Packet(const RaisePacket &P) : Raise(P) {}
  Packet(const HostCallPacket &P) : HostCall(P) {}
  Packet(const StorePacket &P) : Store(P) {}
  Packet(const AwaitPacket &P) : Await(P) {}
  Packet(const BranchPacket &P) : Branch(P) {}
};

constexpr size_t PacketBytes = 64;
static_assert(sizeof(Packet) == PacketBytes);
static_assert(sizeof(DispatchPacket) == PacketBytes &&
              offsetof(DispatchPacket, Grid) == 8 &&
              offsetof(DispatchPacket, Kernel) == 32 &&
              offsetof(DispatchPacket, Observer) == 56);
static_assert(sizeof(CopyPacket) == PacketBytes);
static_assert(sizeof(FillPacket) == PacketBytes);
static_assert(sizeof(WaitPacket) == PacketBytes);
static_assert(sizeof(RaisePacket) == PacketBytes);
static_assert(sizeof(HostCallPacket) == PacketBytes);
static_assert(sizeof(StorePacket) == PacketBytes);
static_assert(sizeof(AwaitPacket) == PacketBytes &&
              offsetof(AwaitPacket, NumberBytes) == 4);
static_assert(sizeof(BranchPacket) == PacketBytes);
static_assert(std::is_trivially_copyable_v<Packet>);

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_PACKET_H
