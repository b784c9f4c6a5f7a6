//===- DriverSparseArrays.cpp - cuMemMapArrayAsync --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts memory under tiles of sparse arrays, in the order of a stream. All that
// a call asks for is checked first, so that it happens as a whole or not at
// all. Tiles stand in memory as a box's texels do in rows: along x, then y,
// then z.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "PerThread.h"
#include "Runtime/Arrays.h"
#include "Runtime/VirtualMemory.h"

#include <utility>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// CUresourcetype, CUarraySparseSubresourceType, CUmemOperationType and
/// CUmemHandleType.
enum class ResourceType : int { Array, Mipmap };
enum class PartType : int { Level, Tail };
enum class Operation : int { Map = 1, Unmap };
enum class HandleType : int { Generic };

/// CUarrayMapInfo.
struct ArrayMapInfo {
  ResourceType Type;
  union {
    cudaMipmappedArray_t Mipmap;
    cudaArray_t Array;
  };
  PartType Part;
  union {
    struct {
      unsigned Number, Layer, At[3], Extent[3];
    } Level;
    struct {
      unsigned Layer;
      unsigned long long Offset, Size;
    } Tail;
  };
  Operation What;
  HandleType MemoryType;
  MemHandle Memory;
  unsigned long long Offset;
  unsigned DeviceMask, Flags, Reserved[2];
};
static_assert(sizeof(ArrayMapInfo) == 96);

/// A tile of an array, and the memory that comes under it; none: it loses what
/// it has. The array may be gone when it is time.
struct TileChange {
  std::weak_ptr<SparseMemory> Of;
  uint64_t Tile;
  std::shared_ptr<const MemoryFile> File;
  uint64_t Offset;
};

constexpr uint64_t TileBytes = SparseMemory::TileBytes;

/// Tiles of an array along each axis.
struct TileBox {
  uint64_t First[3], Count[3];
};

/// What a call asks for, tile by tile.
class ChangeList {
public:
  explicit ChangeList(unsigned Device) : Device(Device) {}

  CUresult add(const ArrayMapInfo &Info);
  std::vector<TileChange> take() { return std::move(Changes); }

private:
  template <typename Handle>
  CUresult addLevel(const Handle &Array, const ArrayMapInfo &Info);
  template <typename Handle>
  CUresult addTail(const Handle &Array, const ArrayMapInfo &Info);
  CUresult addTile(const std::shared_ptr<SparseMemory> &Of, uint64_t Tile,
                   const ArrayMapInfo &Info);

  const unsigned Device;
  std::vector<TileChange> Changes;
  uint64_t Done = 0; ///< Tiles of one entry.
};

} // namespace

/// The tiles that a box of texels consists of. A box ends with a tile or with
/// the array.
static bool tilesOf(const unsigned (&At)[3], const unsigned (&Extent)[3],
                    const uint64_t (&Size)[3], const uint64_t (&Tile)[3],
                    TileBox &Box) {
  for (unsigned I = 0; I != 3; ++I) {
    uint64_t End = uint64_t(At[I]) + Extent[I];
    if (Extent[I] == 0 || End > Size[I] || At[I] % Tile[I] ||
        (End % Tile[I] && End != Size[I]))
      return false;
    Box.First[I] = At[I] / Tile[I];
    Box.Count[I] = (End + Tile[I] - 1) / Tile[I] - Box.First[I];
  }
  return true;
}

CUresult ChangeList::addTile(const std::shared_ptr<SparseMemory> &Of,
                             uint64_t Tile, const ArrayMapInfo &Info) {
  uint64_t Offset = Info.Offset + TileBytes * Done++;
  std::shared_ptr<const MemoryFile> File;
  if (Info.What == Operation::Map) {
    File = Process::get().Virtual.part(Info.Memory, Device, Offset, TileBytes);
    if (!File)
      return cudaErrorInvalidValue;
  }
  Changes.push_back({Of, Tile, std::move(File), Offset});
  return cudaSuccess;
}

/// Slices of arrays with layers are named by the layer, others by z.
template <typename Handle>
CUresult ChangeList::addLevel(const Handle &Array, const ArrayMapInfo &Info) {
  const rt::ImageDesc &I = Array.Image;
  const auto &L = Info.Level;
  TileShape Shape = tileOf(I.RowPitch, ArrayHandle::texelBytesOf(Array.Format));
  bool IsVolume = I.Geometry == texture::Geometry::D3;
  TileBox Box;
  if (L.Number || L.Layer >= (IsVolume ? 1 : I.Depth) ||
      !tilesOf(L.At, L.Extent, {I.Width, I.Height, IsVolume ? I.Depth : 1},
               {Shape.Width, Shape.Height, 1}, Box))
    return cudaErrorInvalidValue;
  uint64_t InRow = (I.RowPitch + TileBytes - 1) / TileBytes;
  uint64_t InSlice = I.SlicePitch / TileBytes;
  for (uint64_t Z = 0; Z != Box.Count[2]; ++Z)
    for (uint64_t Y = 0; Y != Box.Count[1]; ++Y)
      for (uint64_t X = 0; X != Box.Count[0]; ++X) {
        uint64_t Tile = (L.Layer + Box.First[2] + Z) * InSlice +
                        (Box.First[1] + Y) * InRow + Box.First[0] + X;
        if (CUresult Code = addTile(Array.Sparse, Tile, Info);
            Code != cudaSuccess)
          return Code;
      }
  return cudaSuccess;
}

/// The levels behind the first one, of all layers together.
template <typename Handle>
CUresult ChangeList::addTail(const Handle &Array, const ArrayMapInfo &Info) {
  uint64_t Begin = Array.Image.SlicePitch * Array.Image.Depth;
  uint64_t Bytes = Array.Sparse->bytes() - Begin;
  const auto &T = Info.Tail;
  if (T.Layer || T.Offset % TileBytes || T.Size % TileBytes || T.Size == 0 ||
      T.Offset > Bytes || T.Size > Bytes - T.Offset)
    return cudaErrorInvalidValue;
  for (uint64_t I = 0; I != T.Size / TileBytes; ++I)
    if (CUresult Code =
            addTile(Array.Sparse, (Begin + T.Offset) / TileBytes + I, Info);
        Code != cudaSuccess)
      return Code;
  return cudaSuccess;
}

CUresult ChangeList::add(const ArrayMapInfo &Info) {
  bool Maps = Info.What == Operation::Map;
  if ((!Maps && Info.What != Operation::Unmap) ||
      Info.MemoryType != HandleType::Generic || Info.Offset % TileBytes ||
      (!Maps && Info.Memory) || Info.DeviceMask != 1u << Device || Info.Flags ||
      (Info.Part != PartType::Level && Info.Part != PartType::Tail))
    return cudaErrorInvalidValue;
  Done = 0;
  auto Add = [&](const auto *Array) {
    if (!Process::get().Arrays.contains(Array))
      return CUresult(cudaErrorInvalidResourceHandle);
    if (!Array->Sparse || Array->Device != Device)
      return CUresult(cudaErrorInvalidValue);
    return Info.Part == PartType::Level ? addLevel(*Array, Info)
                                        : addTail(*Array, Info);
  };
  switch (Info.Type) {
  case ResourceType::Array:
    return Add(Info.Array);
  case ResourceType::Mipmap:
    return Add(Info.Mipmap);
  }
  return cudaErrorInvalidValue;
}

/// What the stream does when it comes to it.
static void apply(const std::vector<TileChange> &Changes) {
  for (const TileChange &C : Changes) {
    std::shared_ptr<SparseMemory> Of = C.Of.lock();
    if (Of && !(C.File ? Of->map(C.Tile, C.File, C.Offset) : Of->unmap(C.Tile)))
      explainFirst("the host maps no more memory to tiles of sparse arrays");
  }
}

extern "C" CUresult cuMemMapArrayAsync(const ArrayMapInfo *Entries,
                                       unsigned Count, cudaStream_t Stream) {
  return inContext([=]() -> CUresult {
    rt::Stream *S = Process::get().stream(Stream);
    if (!S)
      return cudaErrorInvalidResourceHandle;
    if (!Entries && Count)
      return cudaErrorInvalidValue;
    if (S->capture())
      return cudaErrorStreamCaptureUnsupported;
    ChangeList List(Process::get().deviceOf(S->context()).Ordinal);
    for (unsigned I = 0; I != Count; ++I)
      if (CUresult Code = List.add(Entries[I]); Code != cudaSuccess)
        return Code;
    // The stream keeps what it has done for a while, but shall keep no memory.
    auto Changes = std::make_shared<std::vector<TileChange>>(List.take());
    return enqueue(Stream,
                   rt::HostOp{[=] { apply(std::exchange(*Changes, {})); }});
  });
}

HEDDLE_PER_THREAD(cuMemMapArrayAsync, _ptsz)
