//===- PacketCoding.cpp - Launches, copies and fills as packets -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kind of packet, encoding and decoding stand next to each other.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/PacketCoding.h"
#include "heddle/Runtime/LaunchShape.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace llvm;

namespace heddle::rt {

namespace {

template <typename Field> bool fits(uint64_t Value) {
  return Value <= std::numeric_limits<Field>::max();
}

/// False if a field of \p To is too narrow.
template <typename Field> bool encodeExtents(Field (&To)[3], const Dim3 &D) {
  To[0] = D.X;
  To[1] = D.Y;
  To[2] = D.Z;
  return fits<Field>(D.X) && fits<Field>(D.Y) && fits<Field>(D.Z);
}

template <typename Field> Dim3 decodeExtents(const Field (&From)[3]) {
  return {From[0], From[1], From[2]};
}

Error tooLarge(const Twine &What) {
  return createStringError(What + " cannot be launched");
}

} // namespace

Expected<DispatchPacket> encode(const KernelOp &Op,
                                const LaunchObserver *Observer) {
  const LaunchShape &Shape = Op.Config;
  DispatchPacket P;
  P.Flags = (Shape.Cooperative ? IsCooperative : 0) |
            (Op.Config.IsUntimed ? IsUntimedLaunch : 0) |
            (Op.Config.MultiGrid ? HasMultiGrid : 0);
  if (!fits<uint32_t>(Shape.DynamicSharedBytes))
    return tooLarge("a CTA with " + Twine(Shape.DynamicSharedBytes) +
                    " bytes of dynamic shared memory");
  P.DynamicSharedBytes = Shape.DynamicSharedBytes;
  encodeExtents(P.Grid, Shape.Grid);
  if (!encodeExtents(P.Block, Shape.Block))
    return tooLarge("a block of " + toString(Shape.Block) + " threads");
  // Zeros stand for no cluster.
  if (Shape.Cluster &&
      (!encodeExtents(P.Cluster, *Shape.Cluster) || !Shape.Cluster->X))
    return tooLarge("a cluster of " + toString(*Shape.Cluster) + " CTAs");
  P.Kernel = packetAddress(&Op.Kernel);
  P.Params = packetAddress(Op.Params.data());
  P.ParamBytes =
      Op.Config.MultiGrid ? Op.Kernel.info().ParamBytes : Op.Params.size();
  P.Number = Op.Config.Number;
  P.Observer = packetAddress(Observer);
  return P;
}

LaunchConfig decode(const DispatchPacket &P) {
  LaunchConfig C;
  C.Cooperative = P.Flags & IsCooperative;
  C.IsUntimed = P.Flags & IsUntimedLaunch;
  C.DynamicSharedBytes = P.DynamicSharedBytes;
  C.Grid = decodeExtents(P.Grid);
  C.Block = decodeExtents(P.Block);
  if (P.Cluster[0])
    C.Cluster = decodeExtents(P.Cluster);
  C.Params = ArrayRef(packetPointer<const uint8_t>(P.Params), P.ParamBytes);
  if (P.Flags & HasMultiGrid)
    C.MultiGrid =
        *packetPointer<const uint64_t>(P.Params + alignTo(P.ParamBytes, 8));
  C.Number = P.Number;
  return C;
}

CopyPacket encode(const CopyOp &Op, uint64_t Slice) {
  CopyPacket P;
  P.Flags = (Op.Destination.IsHost ? DestinationIsHost : 0) |
            (Op.Source.IsHost ? SourceIsHost : 0);
  P.Destination = Op.Destination.Address + Slice * Op.Destination.SlicePitch;
  P.Source = Op.Source.Address + Slice * Op.Source.SlicePitch;
  P.RowBytes = Op.RowBytes;
  P.Rows = Op.Rows;
  P.DestinationPitch = Op.Destination.Pitch;
  P.SourcePitch = Op.Source.Pitch;
  return P;
}

RowCopy decode(const CopyPacket &P) {
  bool ToHost = P.Flags & DestinationIsHost, FromHost = P.Flags & SourceIsHost;
  return {{P.Destination, ToHost, P.DestinationPitch},
          {P.Source, FromHost, P.SourcePitch},
          P.RowBytes,
          P.Rows};
}

FillPacket encode(const FillOp &Op) {
  FillPacket P;
  P.Destination = Op.Destination;
  P.Pattern = Op.Pattern;
  P.PatternBytes = Op.PatternBytes;
  P.Count = Op.Count;
  P.Rows = Op.Rows;
  P.Pitch = Op.Pitch;
  return P;
}

RowFill decode(const FillPacket &P) {
  ArrayRef Pattern(reinterpret_cast<const uint8_t *>(&P.Pattern),
                   P.PatternBytes);
  return {P.Destination, Pattern, P.Count, P.Rows, P.Pitch};
}

HostCallPacket encode(const HostOp &Op) {
  HostCallPacket P;
  void (*Call)(void *) = [](void *Argument) {
    static_cast<const HostOp *>(Argument)->Function();
  };
  P.Function = reinterpret_cast<uintptr_t>(Call);
  P.Argument = packetAddress(&Op);
  return P;
}

Packet encode(const MemoryOp::Step &S) {
  if (!S.Awaited) {
    StorePacket P;
    P.NumberBytes = S.NumberBytes;
    P.Address = S.Address;
    P.Value = S.Value;
    return P;
  }
  AwaitPacket P;
  P.Comparison = *S.Awaited;
  P.NumberBytes = S.NumberBytes;
  P.Address = S.Address;
  P.Value = S.Value;
  return P;
}

} // namespace heddle::rt
