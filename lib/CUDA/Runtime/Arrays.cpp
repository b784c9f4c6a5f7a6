//===- Arrays.cpp - CUDA arrays ---------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts are the texture unit's (docs/isa/texture-objects.md).
//
//===----------------------------------------------------------------------===//

#include "Runtime/Arrays.h"
#include "PerThread.h"
#include "Process.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace heddle::cuda {

cudaError_t formatOf(const cudaChannelFormatDesc &Desc, bool Normalized,
                     rt::ImageDesc &Image) {
  using F = texture::TexelFormat;
  int Bits = Desc.x;
  for (int Other : {Desc.y, Desc.z, Desc.w})
    if (Other && Other != Bits)
      return cudaErrorInvalidChannelDescriptor;
  Image.Channels = Desc.w ? 4 : Desc.z ? 3 : Desc.y ? 2 : 1;
  if (Image.Channels == 3 || (Desc.w && !(Desc.y && Desc.z)))
    return cudaErrorInvalidChannelDescriptor;
  bool Signed = Desc.f == cudaChannelFormatKindSigned;
  if (Desc.f == cudaChannelFormatKindFloat && (Bits == 16 || Bits == 32)) {
    Image.Format = Bits == 16 ? F::F16 : F::F32;
    return cudaSuccess;
  }
  if (!Signed && Desc.f != cudaChannelFormatKindUnsigned)
    return cudaErrorInvalidChannelDescriptor;
  switch (Bits) {
  case 8:
    Image.Format = Normalized ? (Signed ? F::SNORM8 : F::UNORM8)
                              : (Signed ? F::S8 : F::U8);
    return cudaSuccess;
  case 16:
    Image.Format = Normalized ? (Signed ? F::SNORM16 : F::UNORM16)
                              : (Signed ? F::S16 : F::U16);
    return cudaSuccess;
  case 32: // cannot be read as fractions
    if (Normalized)
      return cudaErrorInvalidNormSetting;
    Image.Format = Signed ? F::S32 : F::U32;
    return cudaSuccess;
  default:
    return cudaErrorInvalidChannelDescriptor;
  }
}

/// What the extent and the flags of an array mean.
static cudaError_t shapeOf(const cudaExtent &Extent, unsigned Flags,
                           rt::ImageDesc &Image) {
  using G = texture::Geometry;
  bool Layered = Flags & cudaArrayLayered, Cube = Flags & cudaArrayCubemap;
  constexpr unsigned Known = cudaArrayLayered | cudaArraySurfaceLoadStore |
                             cudaArrayCubemap | cudaArrayTextureGather |
                             cudaArraySparse;
  if (Flags & ~Known)
    return cudaErrorNotSupported;
  if (Extent.width == 0 || (Layered && Extent.depth == 0) ||
      (Extent.depth && Extent.height == 0 && !Layered) ||
      std::max({Extent.width, Extent.height, Extent.depth}) > UINT32_MAX / 16)
    return cudaErrorInvalidValue;
  Image.Width = Extent.width;
  Image.Height = std::max<size_t>(Extent.height, 1);
  Image.Depth = std::max<size_t>(Extent.depth, 1);
  if (Cube) {
    if (Extent.width != Extent.height || Extent.depth % 6 ||
        (!Layered && Extent.depth != 6))
      return cudaErrorInvalidValue;
    Image.Geometry = Layered ? G::ACube : G::Cube;
  } else if (Layered) {
    Image.Geometry = Extent.height ? G::A2 : G::A1;
  } else {
    Image.Geometry = Extent.depth ? G::D3 : Extent.height ? G::D2 : G::D1;
  }
  // Those of one dimension have all their memory.
  if ((Flags & cudaArraySparse) && Extent.height == 0)
    return cudaErrorNotSupported;
  return cudaSuccess;
}

/// Level \p Level of a mipmap, without its place.
static rt::ImageDesc levelOf(const rt::ImageDesc &Image, unsigned Level,
                             size_t TexelBytes) {
  rt::ImageDesc L = Image;
  L.Levels = 0;
  if (Level == 0)
    return L;
  L.Width = std::max(1u, Image.Width >> Level);
  L.Height = std::max(1u, Image.Height >> Level);
  if (Image.Geometry == texture::Geometry::D3)
    L.Depth = std::max(1u, Image.Depth >> Level);
  L.RowPitch = alignTo(uint64_t(L.Width) * TexelBytes, texture::RowAlign);
  L.SlicePitch = uint64_t(L.RowPitch) * L.Height;
  return L;
}

/// Everything about an array but its place.
static cudaError_t describe(const cudaChannelFormatDesc &Desc,
                            const cudaExtent &Extent, unsigned Flags,
                            rt::ImageDesc &Image) {
  if (cudaError_t Code = formatOf(Desc, /*Normalized=*/false, Image);
      Code != cudaSuccess)
    return Code;
  if (cudaError_t Code = shapeOf(Extent, Flags, Image); Code != cudaSuccess)
    return Code;
  size_t Texel = ArrayHandle::texelBytesOf(Desc);
  uint64_t Row = Image.Width * Texel;
  if (Row > UINT32_MAX - SparseMemory::TileBytes)
    return cudaErrorInvalidValue;
  if (Flags & cudaArraySparse) {
    divideIntoTiles(Image, Texel);
    return cudaSuccess;
  }
  Image.RowPitch = alignTo(Row, texture::RowAlign);
  Image.SlicePitch = uint64_t(Image.RowPitch) * Image.Height;
  return cudaSuccess;
}

/// Device memory for the texels of an array; it is among the pointers so that
/// copies find it. A sparse one gets addresses only.
template <typename Handle>
static cudaError_t allocate(uint64_t Size, Handle &Array) {
  uint64_t &Address = Array.Image.Base;
  if (Array.Flags & cudaArraySparse) {
    cudaError_t Code = SparseMemory::create(
        alignTo(Size, SparseMemory::TileBytes), Array.Sparse);
    Address = Array.Sparse ? Array.Sparse->base() : 0;
    return Code;
  }
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  Expected<rt::DeviceAddress> Base = C->device().allocate(Size);
  if (!Base) {
    consumeError(Base.takeError());
    return cudaErrorMemoryAllocation;
  }
  Address = *Base;
  Process::get().Pointers.add({Address, Size, cudaMemoryTypeDevice});
  return cudaSuccess;
}

template <typename Handle> static cudaError_t release(Handle &Gone) {
  Expected<rt::Context &> C = Process::get().context(Gone.Device);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  if (Gone.Sparse) // Its addresses end with the handle.
    return convert(C->synchronize(), cudaErrorUnknown);
  Process::get().Pointers.remove(pointerOf(Gone.Image.Base));
  return convert(C->free(Gone.Image.Base), cudaErrorUnknown);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

cudaError_t ArrayTable::create(cudaArray_t &Array,
                               const cudaChannelFormatDesc &Desc,
                               cudaExtent Extent, unsigned Flags) {
  auto A = std::make_unique<ArrayHandle>();
  A->Format = Desc;
  A->Extent = Extent;
  A->Flags = Flags;
  if (cudaError_t Code = describe(Desc, Extent, Flags, A->Image);
      Code != cudaSuccess)
    return Code;
  if (cudaError_t Code = allocate(A->Image.SlicePitch * A->Image.Depth, *A);
      Code != cudaSuccess)
    return Code;
  Array = Arrays.add(std::move(A));
  return cudaSuccess;
}

cudaError_t ArrayTable::destroy(cudaArray_t Array) {
  if (!Array)
    return cudaSuccess;
  if (!Arrays.contains(Array) || Array->IsLevel)
    return cudaErrorInvalidResourceHandle;
  std::unique_ptr<ArrayHandle> Gone = Arrays.remove(Array);
  return release(*Gone);
}

cudaError_t ArrayTable::create(cudaMipmappedArray_t &Mipmap,
                               const cudaChannelFormatDesc &Desc,
                               cudaExtent Extent, unsigned NumLevels,
                               unsigned Flags) {
  auto M = std::make_unique<MipmapHandle>();
  M->Format = Desc;
  M->Extent = Extent;
  M->Flags = Flags;
  if (cudaError_t Code = describe(Desc, Extent, Flags, M->Image);
      Code != cudaSuccess)
    return Code;
  size_t Longest =
      std::max({Extent.width, Extent.height,
                Flags & (cudaArrayLayered | cudaArrayCubemap) ? size_t(1)
                                                              : Extent.depth});
  NumLevels = std::clamp<unsigned>(NumLevels, 1, Log2_64(Longest) + 1);
  M->Image.Levels = NumLevels;
  size_t Texel = ArrayHandle::texelBytesOf(Desc);
  std::vector<std::unique_ptr<ArrayHandle>> Levels;
  uint64_t Size = 0;
  for (unsigned L = 0; L != NumLevels; ++L) {
    auto A = std::make_unique<ArrayHandle>();
    A->Image = levelOf(M->Image, L, Texel);
    A->Format = Desc;
    A->Extent = {A->Image.Width, Extent.height ? A->Image.Height : 0,
                 Extent.depth ? A->Image.Depth : 0};
    A->Flags = Flags;
    A->IsLevel = true;
    Size = alignTo(Size, texture::LevelAlign);
    A->Image.Base = Size;
    Size += A->Image.SlicePitch * A->Image.Depth;
    Levels.push_back(std::move(A));
  }
  if (cudaError_t Code = allocate(Size, *M); Code != cudaSuccess)
    return Code;
  for (std::unique_ptr<ArrayHandle> &A : Levels) {
    A->Image.Base += M->Image.Base;
    M->Levels.push_back(Arrays.add(std::move(A)));
  }
  Mipmap = Mipmaps.add(std::move(M));
  return cudaSuccess;
}

cudaError_t ArrayTable::destroy(cudaMipmappedArray_t Mipmap) {
  if (!Mipmap)
    return cudaSuccess;
  std::unique_ptr<MipmapHandle> M = Mipmaps.remove(Mipmap);
  if (!M)
    return cudaErrorInvalidResourceHandle;
  for (cudaArray_t Level : M->Levels)
    Arrays.remove(Level);
  return release(*M);
}

cudaError_t ArrayTable::place(const ArrayHandle *Array, cudaPos At,
                              cudaExtent Extent, Place &P) const {
  if (!contains(Array))
    return cudaErrorInvalidResourceHandle;
  const rt::ImageDesc &I = Array->Image;
  auto Fits = [](size_t Begin, size_t Count, size_t Size) {
    return Begin <= Size && Count <= Size - Begin;
  };
  if (!Fits(At.x, Extent.width, I.Width) ||
      !Fits(At.y, Extent.height, I.Height) ||
      !Fits(At.z, Extent.depth, I.Depth))
    return cudaErrorInvalidValue;
  P = {pointerOf(I.Base + At.z * I.SlicePitch + At.y * I.RowPitch +
                 At.x * Array->texelBytes()),
       I.RowPitch, I.SlicePitch};
  return cudaSuccess;
}

void ArrayTable::clear(unsigned Device) {
  auto IsGone = [=](const auto &A) { return A.Device == Device; };
  Arrays.removeIf(IsGone);
  Mipmaps.removeIf(IsGone);
}

} // namespace heddle::cuda

//===----------------------------------------------------------------------===//
// The runtime API
//===----------------------------------------------------------------------===//

extern "C" cudaError_t cudaMallocArray(cudaArray_t *Array,
                                       const cudaChannelFormatDesc *Desc,
                                       size_t Width, size_t Height,
                                       unsigned Flags) {
  if (!Array || !Desc)
    return finish(cudaErrorInvalidValue);
  return finish(
      Process::get().Arrays.create(*Array, *Desc, {Width, Height, 0}, Flags));
}

extern "C" cudaError_t cudaMalloc3DArray(cudaArray_t *Array,
                                         const cudaChannelFormatDesc *Desc,
                                         cudaExtent Extent, unsigned Flags) {
  if (!Array || !Desc)
    return finish(cudaErrorInvalidValue);
  return finish(Process::get().Arrays.create(*Array, *Desc, Extent, Flags));
}

extern "C" cudaError_t cudaFreeArray(cudaArray_t Array) {
  return finish(Process::get().Arrays.destroy(Array));
}

extern "C" cudaError_t
cudaMallocMipmappedArray(cudaMipmappedArray_t *Mipmap,
                         const cudaChannelFormatDesc *Desc, cudaExtent Extent,
                         unsigned NumLevels, unsigned Flags) {
  if (!Mipmap || !Desc)
    return finish(cudaErrorInvalidValue);
  return finish(
      Process::get().Arrays.create(*Mipmap, *Desc, Extent, NumLevels, Flags));
}

extern "C" cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t Mipmap) {
  return finish(Process::get().Arrays.destroy(Mipmap));
}

extern "C" cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *Array,
                                                  cudaMipmappedArray_t Mipmap,
                                                  unsigned Level) {
  if (!Array || !Process::get().Arrays.contains(Mipmap) ||
      Level >= Mipmap->Levels.size())
    return finish(cudaErrorInvalidValue);
  *Array = Mipmap->Levels[Level];
  return cudaSuccess;
}

extern "C" cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *Desc,
                                        cudaExtent *Extent, unsigned *Flags,
                                        cudaArray_t Array) {
  if (!Process::get().Arrays.contains(Array))
    return finish(cudaErrorInvalidResourceHandle);
  if (Desc)
    *Desc = Array->Format;
  if (Extent)
    *Extent = Array->Extent;
  if (Flags)
    *Flags = Array->Flags;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Sparse arrays
//===----------------------------------------------------------------------===//

namespace {
/// cudaArraySparseProperties.
struct SparseProperties {
  unsigned TileWidth, TileHeight, TileDepth, TailLevel;
  unsigned long long TailBytes;
  unsigned Flags, Reserved[4];
};
static_assert(sizeof(SparseProperties) == 48);
} // namespace

/// Properties of an array whose smaller levels, if there are any, are one piece
/// behind the level that has tiles.
template <typename Handle>
static cudaError_t describeSparse(void *Properties, const Handle *Array,
                                  unsigned TailLevel) {
  if (!Process::get().Arrays.contains(Array))
    return finish(cudaErrorInvalidResourceHandle);
  if (!Properties || !Array->Sparse)
    return finish(cudaErrorInvalidValue);
  constexpr unsigned SingleTail = 1;
  const rt::ImageDesc &I = Array->Image;
  TileShape Tile = tileOf(I.RowPitch, ArrayHandle::texelBytesOf(Array->Format));
  uint64_t Tail = Array->Sparse->bytes() - I.SlicePitch * I.Depth;
  SparseProperties P = {Tile.Width, Tile.Height,           1, TailLevel,
                        Tail,       Tail ? SingleTail : 0, {}};
  std::memcpy(Properties, &P, sizeof(P));
  return cudaSuccess;
}

extern "C" cudaError_t cudaArrayGetSparseProperties(void *P,
                                                    cudaArray_t Array) {
  return describeSparse(P, Array, 0);
}

extern "C" cudaError_t
cudaMipmappedArrayGetSparseProperties(void *P, cudaMipmappedArray_t Mipmap) {
  return describeSparse(P, Mipmap, 1);
}

//===----------------------------------------------------------------------===//
// What no array is
//===----------------------------------------------------------------------===//

/// The answer about an array that is not without memory of its own or of
/// several planes, which none is: such arrays cannot be made.
template <typename Handle> static cudaError_t refuse(const Handle *Array) {
  if (!Process::get().Arrays.contains(Array))
    return finish(cudaErrorInvalidResourceHandle);
  return finish(cudaErrorInvalidValue);
}

extern "C" cudaError_t cudaArrayGetMemoryRequirements(void *, cudaArray_t Array,
                                                      int) {
  return refuse(Array);
}

extern "C" cudaError_t
cudaMipmappedArrayGetMemoryRequirements(void *, cudaMipmappedArray_t Mipmap,
                                        int) {
  return refuse(Mipmap);
}

extern "C" cudaError_t cudaArrayGetPlane(cudaArray_t *, cudaArray_t Array,
                                         unsigned) {
  return refuse(Array);
}

extern "C" cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *Desc,
                                          cudaArray_t Array) {
  return cudaArrayGetInfo(Desc, nullptr, nullptr, Array);
}

extern "C" cudaChannelFormatDesc
cudaCreateChannelDesc(int X, int Y, int Z, int W, cudaChannelFormatKind F) {
  return {X, Y, Z, W, F};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Where bytes from Offset of row Y of a two-dimensional array are.
static cudaError_t bytesIn(cudaArray_t Array, size_t Offset, size_t Y,
                           size_t Width, size_t Height, Place &P) {
  if (cudaError_t Code =
          Process::get().Arrays.place(Array, {0, Y, 0}, {0, Height, 1}, P);
      Code != cudaSuccess)
    return Code;
  size_t Row = Array->Image.Width * Array->texelBytes();
  if (Offset > Row || Width > Row - Offset)
    return cudaErrorInvalidValue;
  P.Pointer = static_cast<const char *>(P.Pointer) + Offset;
  return cudaSuccess;
}

static cudaError_t toArray(cudaArray_t To, size_t X, size_t Y, const void *From,
                           size_t Pitch, size_t Width, size_t Height,
                           cudaMemcpyKind Kind, Copy &C) {
  C = {{}, {From, Pitch}, Width, Height, 1, Kind};
  return bytesIn(To, X, Y, Width, Height, C.To);
}

static cudaError_t fromArray(void *To, size_t Pitch, cudaArray_t From, size_t X,
                             size_t Y, size_t Width, size_t Height,
                             cudaMemcpyKind Kind, Copy &C) {
  C = {{To, Pitch}, {}, Width, Height, 1, Kind};
  return bytesIn(From, X, Y, Width, Height, C.From);
}

extern "C" cudaError_t cudaMemcpy2DToArray(cudaArray_t To, size_t X, size_t Y,
                                           const void *From, size_t Pitch,
                                           size_t Width, size_t Height,
                                           cudaMemcpyKind Kind) {
  Copy C;
  cudaError_t Code = toArray(To, X, Y, From, Pitch, Width, Height, Kind, C);
  return finish(Code == cudaSuccess ? copyNow(C) : Code);
}

extern "C" cudaError_t
cudaMemcpy2DToArrayAsync(cudaArray_t To, size_t X, size_t Y, const void *From,
                         size_t Pitch, size_t Width, size_t Height,
                         cudaMemcpyKind Kind, cudaStream_t Stream) {
  Copy C;
  cudaError_t Code = toArray(To, X, Y, From, Pitch, Width, Height, Kind, C);
  return finish(Code == cudaSuccess ? copyAsync(C, Stream) : Code);
}

extern "C" cudaError_t cudaMemcpy2DFromArray(void *To, size_t Pitch,
                                             cudaArray_t From, size_t X,
                                             size_t Y, size_t Width,
                                             size_t Height,
                                             cudaMemcpyKind Kind) {
  Copy C;
  cudaError_t Code = fromArray(To, Pitch, From, X, Y, Width, Height, Kind, C);
  return finish(Code == cudaSuccess ? copyNow(C) : Code);
}

extern "C" cudaError_t
cudaMemcpy2DFromArrayAsync(void *To, size_t Pitch, cudaArray_t From, size_t X,
                           size_t Y, size_t Width, size_t Height,
                           cudaMemcpyKind Kind, cudaStream_t Stream) {
  Copy C;
  cudaError_t Code = fromArray(To, Pitch, From, X, Y, Width, Height, Kind, C);
  return finish(Code == cudaSuccess ? copyAsync(C, Stream) : Code);
}

extern "C" cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t To, size_t ToX,
                                                size_t ToY, cudaArray_t From,
                                                size_t FromX, size_t FromY,
                                                size_t Width, size_t Height,
                                                cudaMemcpyKind Kind) {
  Copy C = {{}, {}, Width, Height, 1, Kind};
  cudaError_t Code = bytesIn(To, ToX, ToY, Width, Height, C.To);
  if (Code == cudaSuccess)
    Code = bytesIn(From, FromX, FromY, Width, Height, C.From);
  return finish(Code == cudaSuccess ? copyNow(C) : Code);
}

/// A copy of Size bytes that begins at (X, Y) and goes on in the next rows: the
/// rest of a row, whole rows, and the begin of a last one.
template <typename RowsFn>
static cudaError_t splitIntoRows(cudaArray_t Array, size_t X, size_t Y,
                                 size_t Size, RowsFn Rows) {
  if (!Process::get().Arrays.contains(Array))
    return cudaErrorInvalidResourceHandle;
  size_t Row = Array->Image.Width * Array->texelBytes();
  // All or nothing.
  size_t NumRows = Array->Image.Height;
  if (X >= Row || Y >= NumRows || Size > (NumRows - Y) * Row - X)
    return cudaErrorInvalidValue;
  for (size_t Done = 0; Done != Size;) {
    size_t Width = std::min(Row - X, Size - Done);
    size_t Height = Width == Row ? (Size - Done) / Row : 1;
    if (cudaError_t Code = Rows(Done, X, Y, Width, Height); Code != cudaSuccess)
      return Code;
    Done += Width * Height;
    Y += Height;
    X = 0;
  }
  return cudaSuccess;
}

extern "C" cudaError_t cudaMemcpyToArrayAsync(cudaArray_t To, size_t X,
                                              size_t Y, const void *From,
                                              size_t Size, cudaMemcpyKind Kind,
                                              cudaStream_t Stream) {
  return finish(splitIntoRows(
      To, X, Y, Size,
      [&](size_t Done, size_t X, size_t Y, size_t Width, size_t Height) {
        return cudaMemcpy2DToArrayAsync(To, X, Y,
                                        static_cast<const char *>(From) + Done,
                                        Width, Width, Height, Kind, Stream);
      }));
}

extern "C" cudaError_t cudaMemcpyToArray(cudaArray_t To, size_t X, size_t Y,
                                         const void *From, size_t Size,
                                         cudaMemcpyKind Kind) {
  return finish(doNow([=] {
    return cudaMemcpyToArrayAsync(To, X, Y, From, Size, Kind, nullptr);
  }));
}

extern "C" cudaError_t cudaMemcpyFromArrayAsync(void *To, cudaArray_t From,
                                                size_t X, size_t Y, size_t Size,
                                                cudaMemcpyKind Kind,
                                                cudaStream_t Stream) {
  return finish(splitIntoRows(
      From, X, Y, Size,
      [&](size_t Done, size_t X, size_t Y, size_t Width, size_t Height) {
        return cudaMemcpy2DFromArrayAsync(static_cast<char *>(To) + Done, Width,
                                          From, X, Y, Width, Height, Kind,
                                          Stream);
      }));
}

extern "C" cudaError_t cudaMemcpyFromArray(void *To, cudaArray_t From, size_t X,
                                           size_t Y, size_t Size,
                                           cudaMemcpyKind Kind) {
  return finish(doNow([=] {
    return cudaMemcpyFromArrayAsync(To, From, X, Y, Size, Kind, nullptr);
  }));
}

/// Bytes of one array, row behind row, to those of another.
extern "C" cudaError_t cudaMemcpyArrayToArray(cudaArray_t To, size_t ToX,
                                              size_t ToY, cudaArray_t From,
                                              size_t FromX, size_t FromY,
                                              size_t Size,
                                              cudaMemcpyKind Kind) {
  if (!Process::get().Arrays.contains(From))
    return finish(cudaErrorInvalidResourceHandle);
  size_t FromRow = From->Extent.width * From->texelBytes();
  // A piece lies in one row of both.
  auto CopyPiece = [&](size_t Done, size_t X, size_t Y, size_t Width) {
    size_t Begin = FromY * FromRow + FromX + Done;
    return splitIntoRows(
        From, Begin % FromRow, Begin / FromRow, Width,
        [&](size_t Part, size_t InX, size_t InY, size_t Bytes, size_t Rows) {
          for (size_t Row = 0; Row != Rows; ++Row)
            if (cudaError_t Code = cudaMemcpy2DArrayToArray(
                    To, X + Part + Row * Bytes, Y, From, InX, InY + Row, Bytes,
                    1, Kind);
                Code != cudaSuccess)
              return Code;
          return cudaSuccess;
        });
  };
  return finish(splitIntoRows(
      To, ToX, ToY, Size,
      [&](size_t Done, size_t X, size_t Y, size_t Width, size_t Rows) {
        for (size_t Row = 0; Row != Rows; ++Row)
          if (cudaError_t Code =
                  CopyPiece(Done + Row * Width, X, Y + Row, Width);
              Code != cudaSuccess)
            return Code;
        return cudaSuccess;
      }));
}

//===----------------------------------------------------------------------===//
// With the thread's default stream
//===----------------------------------------------------------------------===//

HEDDLE_PER_THREAD(cudaMemcpy2DArrayToArray, _ptds)
HEDDLE_PER_THREAD(cudaMemcpyArrayToArray, _ptds)
HEDDLE_PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpy2DFromArray, _ptds)
HEDDLE_PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpy2DToArray, _ptds)
HEDDLE_PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpyFromArray, _ptds)
HEDDLE_PER_THREAD(cudaMemcpyToArrayAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpyToArray, _ptds)
