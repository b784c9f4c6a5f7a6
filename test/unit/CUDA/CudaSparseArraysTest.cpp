//===- CudaSparseArraysTest.cpp - cuMemMapArrayAsync ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels read and write arrays through the tiles that have memory, which is
// seen through every array that it is mapped to.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"
#include "VirtualMemory.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

using namespace heddle::test;

namespace {

/// CUDA_ARRAY3D_DESCRIPTOR.
struct Descriptor3D {
  size_t Width, Height, Depth;
  unsigned Format, Channels, Flags;
};
/// CUDA_RESOURCE_DESC of an array.
struct Resource {
  int Type;
  Handle Array;
  char Rest[120];
  unsigned Flags;
};
/// CUDA_TEXTURE_DESC.
struct Texture {
  int Address[3], Filter;
  unsigned Flags, MaxAnisotropy;
  int MipFilter;
  float Bias, MinLevel, MaxLevel, Border[4];
  int Reserved[12];
};
/// CUDA_ARRAY_SPARSE_PROPERTIES.
struct SparseProperties {
  unsigned Tile[3], TailLevel;
  unsigned long long TailBytes;
  unsigned Flags, Reserved[4];
};
/// CUarrayMapInfo.
struct MapInfo {
  int Type = 0, Pad = 0;
  Handle Array = nullptr;
  int Part = 0, Pad2 = 0;
  union {
    struct {
      unsigned Number, Layer, At[3], Extent[3];
    } Level = {};
    struct {
      unsigned Layer;
      unsigned long long Offset, Size;
    } Tail;
  };
  int What = 1, MemoryType = 0;
  MemHandle Memory = 0;
  unsigned long long Offset = 0;
  unsigned DeviceMask = 1, Flags = 0, Reserved[2] = {};
};
static_assert(sizeof(MapInfo) == 96);

constexpr unsigned UInt32 = 3, Layered = 1, ForStores = 2, Sparse = 0x40;
constexpr int Unmap = 2, OfMipmap = 1, Tail = 1;
constexpr int SparseSupported = 112, CaptureUnsupported = 900;
constexpr size_t TileBytes = 64 << 10;

} // namespace

extern "C" {
int cuArray3DCreate_v2(Handle *, const Descriptor3D *);
int cuArrayDestroy(Handle);
int cuMipmappedArrayCreate(Handle *, const Descriptor3D *, unsigned);
int cuMipmappedArrayGetLevel(Handle *, Handle, unsigned);
int cuMipmappedArrayDestroy(Handle);
int cuArrayGetSparseProperties(SparseProperties *, Handle);
int cuMipmappedArrayGetSparseProperties(SparseProperties *, Handle);
int cuMemMapArrayAsync(const MapInfo *, unsigned, Handle);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuTexObjectCreate(Address *, const Resource *, const Texture *,
                      const void *);
int cuTexObjectDestroy(Address);
int cuSurfObjectCreate(Address *, const Resource *);
int cuSurfObjectDestroy(Address);
int cuStreamBeginCapture_v2(Handle, int);
int cuStreamEndCapture(Handle, Handle *);
int cuGraphDestroy(Handle);
int cuLaunchHostFunc(Handle, void (*)(void *), void *);
}

/// Writes and reads the texel at a position, also of a volume, a layer or a
/// level.
static const char AccessPTX[] = R"(
.visible .entry write(.param .u64 s, .param .u32 x, .param .u32 y, .param .u32 v) {
  .reg .u64 %s; .reg .b32 %x, %y, %v;
  ld.param.u64 %s, [s]; ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; ld.param.u32 %v, [v];
  shl.b32 %x, %x, 2;
  sust.b.2d.b32.trap [%s, {%x, %y}], {%v};
  ret;
}
.visible .entry read(.param .u64 t, .param .u32 x, .param .u32 y, .param .u32 z, .param .u32 how, .param .u64 p) {
  .reg .u64 %t, %p; .reg .b32 %x, %y, %z, %h, %r<4>; .reg .pred %q;
  ld.param.u64 %t, [t]; ld.param.u64 %p, [p];
  ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; ld.param.u32 %z, [z]; ld.param.u32 %h, [how];
  setp.eq.u32 %q, %h, 1;
  @%q bra VOLUME;
  setp.eq.u32 %q, %h, 2;
  @%q bra LAYER;
  setp.eq.u32 %q, %h, 3;
  @%q bra LEVEL;
  tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];
  bra.uni END;
VOLUME:
  tex.3d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y, %z, %z}];
  bra.uni END;
LAYER:
  tex.a2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%z, %x, %y, %y}];
  bra.uni END;
LEVEL:
  tex.level.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}], %z;
END:
  st.global.u32 [%p], %r0;
  ret;
})";

namespace {

enum How : unsigned { Flat, InVolume, InLayer, InLevel };

class CudaSparseArrays : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
    Result = words(1);
    Write = kernel(AccessPTX, "write");
    Read = kernel(AccessPTX, "read");
    Pool = create(/*ForTiles=*/true);
  }
  static MemHandle create(bool ForTiles) {
    AllocationProp P = {Pinned, 0, {OnDevice, 0}, nullptr, {}};
    P.Flags[2] = ForTiles;
    MemHandle M = 0;
    EXPECT_EQ(cuMemCreate(&M, 2 << 20, &P, 0), Success);
    return M;
  }
  static Handle array(size_t Width, size_t Height, size_t Depth = 0,
                      unsigned Flags = 0) {
    Descriptor3D D = {Width,  Height, Depth,
                      UInt32, 1,      Sparse | ForStores | Flags};
    Handle A = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&A, &D), Success);
    return A;
  }
  static SparseProperties properties(Handle Array) {
    SparseProperties P = {};
    EXPECT_EQ(cuArrayGetSparseProperties(&P, Array), Success);
    return P;
  }
  /// A box of tiles of an array.
  MapInfo box(Handle Array, unsigned X, unsigned Y, unsigned Width,
              unsigned Height, size_t Tile) const {
    MapInfo M;
    M.Array = Array;
    M.Level.At[0] = X;
    M.Level.At[1] = Y;
    M.Level.Extent[0] = Width;
    M.Level.Extent[1] = Height;
    M.Level.Extent[2] = 1;
    M.Memory = Pool;
    M.Offset = Tile * TileBytes;
    return M;
  }
  static MapInfo without(MapInfo M) {
    M.What = Unmap;
    M.Memory = 0;
    return M;
  }
  static void map(const MapInfo &M) {
    EXPECT_EQ(cuMemMapArrayAsync(&M, 1, nullptr), Success);
    EXPECT_EQ(cuCtxSynchronize(), Success);
  }
  static Resource resource(Handle Array, int Type = 0) {
    Resource R = {};
    R.Type = Type;
    R.Array = Array;
    return R;
  }
  void write(Handle Array, unsigned X, unsigned Y, unsigned Value) {
    Resource R = resource(Array);
    Address Surface = 0;
    ASSERT_EQ(cuSurfObjectCreate(&Surface, &R), Success);
    void *Arguments[] = {&Surface, &X, &Y, &Value};
    EXPECT_EQ(
        cuLaunchKernel(Write, 1, 1, 1, 1, 1, 1, 0, nullptr, Arguments, nullptr),
        Success);
    EXPECT_EQ(cuCtxSynchronize(), Success);
    EXPECT_EQ(cuSurfObjectDestroy(Surface), Success);
  }
  unsigned read(Handle Array, unsigned X, unsigned Y, unsigned Z = 0,
                How Kind = Flat) {
    Resource R = resource(Array, Kind == InLevel ? OfMipmap : 0);
    Texture T = {};
    T.Flags = 1; // integers as they are
    T.MaxLevel = 16;
    Address Object = 0;
    EXPECT_EQ(cuTexObjectCreate(&Object, &R, &T, nullptr), Success);
    void *Arguments[] = {&Object, &X, &Y, &Z, &Kind, &Result};
    EXPECT_EQ(
        cuLaunchKernel(Read, 1, 1, 1, 1, 1, 1, 0, nullptr, Arguments, nullptr),
        Success);
    unsigned Value = word(Result);
    EXPECT_EQ(cuTexObjectDestroy(Object), Success);
    return Value;
  }
  static size_t inUse() {
    size_t Free = 0, Total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&Free, &Total), Success);
    return Total - Free;
  }

  Address Result = 0;
  Handle Write = nullptr, Read = nullptr;
  MemHandle Pool = 0;
};

} // namespace

TEST_F(CudaSparseArrays, SayHowTheyAreDivided) {
  int Supported = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&Supported, SparseSupported, 0), Success);
  EXPECT_EQ(Supported, 1);
  for (auto [Width, Height] :
       {std::pair<size_t, size_t>{300, 200}, {1, 1}, {40000, 3}}) {
    Handle A = array(Width, Height);
    SparseProperties P = properties(A);
    EXPECT_EQ(P.Tile[0] * P.Tile[1] * P.Tile[2] * 4, TileBytes);
    EXPECT_EQ(P.TailLevel, 0u);
    EXPECT_EQ(P.TailBytes, 0u);
    EXPECT_EQ(P.Flags, 0u);
    EXPECT_EQ(cuArrayGetSparseProperties(nullptr, A), InvalidValue);
    EXPECT_EQ(cuArrayDestroy(A), Success);
  }
  Descriptor3D D = {64, 0, 0, UInt32, 1, Sparse};
  Handle A = nullptr;
  EXPECT_EQ(cuArray3DCreate_v2(&A, &D), NotSupported);
}

TEST_F(CudaSparseArrays, HaveTheMemoryThatIsMapped) {
  Handle A = array(300, 200), B = array(300, 200);
  unsigned Rows = properties(A).Tile[1];
  ASSERT_LT(2 * Rows, 200u);
  EXPECT_EQ(read(A, 7, 5), 0u);
  map(box(A, 0, Rows, 300, Rows, 3));
  write(A, 299, Rows + 1, 77);
  EXPECT_EQ(read(A, 299, Rows + 1), 77u);
  EXPECT_EQ(read(A, 299, 1), 0u);
  // The same memory in another array, at another place.
  map(box(B, 0, 0, 300, Rows, 3));
  EXPECT_EQ(read(B, 299, 1), 77u);
  write(B, 0, 0, 78);
  EXPECT_EQ(read(A, 0, Rows), 78u);
  // It stays when another is mapped over it, and after it is mapped nowhere.
  map(box(A, 0, Rows, 300, Rows, 4));
  EXPECT_EQ(read(A, 299, Rows + 1), 0u);
  map(without(box(B, 0, 0, 300, Rows, 0)));
  EXPECT_EQ(read(B, 299, 1), 0u);
  map(box(A, 0, Rows, 300, Rows, 3));
  EXPECT_EQ(read(A, 299, Rows + 1), 77u);
  // What was written to no memory is lost.
  write(A, 2, 2, 5);
  map(box(A, 0, 0, 300, Rows, 5));
  EXPECT_EQ(read(A, 2, 2), 0u);
  EXPECT_EQ(cuArrayDestroy(A), Success);
  EXPECT_EQ(cuArrayDestroy(B), Success);
}

TEST_F(CudaSparseArrays, TakeTilesInTheOrderOfABox) {
  Handle A = array(40000, 3), B = array(40000, 3);
  unsigned Width = properties(A).Tile[0];
  ASSERT_EQ(properties(A).Tile[1], 1u);
  map(box(A, 0, 0, 40000, 2, 0)); // three tiles in each row
  unsigned Last = 2 * Width + 5;
  write(A, Last, 1, 6);
  write(A, 5, 1, 4);
  map(box(B, 0, 2, Width, 1, 5));
  EXPECT_EQ(read(B, 5, 2), 6u);
  map(box(B, Width, 2, Width, 1, 3));
  EXPECT_EQ(read(B, Width + 5, 2), 4u);
  EXPECT_EQ(cuArrayDestroy(A), Success);
  EXPECT_EQ(cuArrayDestroy(B), Success);
}

TEST_F(CudaSparseArrays, HaveSlicesAndLayers) {
  Handle Volume = array(200, 100, 5), Layers = array(200, 100, 5, Layered);
  Handle Plane = array(200, 100);
  unsigned Rows = properties(Volume).Tile[1];
  map(box(Plane, 0, 0, 200, Rows, 9));
  write(Plane, 3, 4, 90);
  MapInfo M = box(Volume, 0, 0, 200, Rows, 8);
  M.Level.At[2] = 2;
  M.Level.Extent[2] = 3;
  map(M);
  EXPECT_EQ(read(Volume, 3, 4, 3, InVolume), 90u);
  EXPECT_EQ(read(Volume, 3, 4, 2, InVolume), 0u);
  M = box(Layers, 0, 0, 200, Rows, 9);
  M.Level.Layer = 4;
  map(M);
  EXPECT_EQ(read(Layers, 3, 4, 4, InLayer), 90u);
  EXPECT_EQ(read(Layers, 3, 4, 3, InLayer), 0u);
  M.Level.Layer = 5;
  EXPECT_EQ(cuMemMapArrayAsync(&M, 1, nullptr), InvalidValue);
  for (Handle A : {Volume, Layers, Plane})
    EXPECT_EQ(cuArrayDestroy(A), Success);
}

TEST_F(CudaSparseArrays, HaveSmallLevelsInOnePiece) {
  Descriptor3D D = {256, 256, 0, UInt32, 1, Sparse | ForStores};
  Handle Mipmap = nullptr, Level = nullptr, Plane = array(128, 128);
  ASSERT_EQ(cuMipmappedArrayCreate(&Mipmap, &D, 4), Success);
  SparseProperties P = {};
  ASSERT_EQ(cuMipmappedArrayGetSparseProperties(&P, Mipmap), Success);
  EXPECT_EQ(P.TailLevel, 1u);
  EXPECT_GE(P.TailBytes, (128u * 128 + 64 * 64 + 32 * 32) * 4);
  EXPECT_EQ(P.TailBytes % TileBytes, 0u);
  EXPECT_EQ(P.Flags, 1u);
  MapInfo M;
  M.Type = OfMipmap;
  M.Array = Mipmap;
  M.Part = Tail;
  M.Tail.Size = P.TailBytes;
  M.Memory = Pool;
  map(M);
  ASSERT_EQ(cuMipmappedArrayGetLevel(&Level, Mipmap, 1), Success);
  write(Level, 9, 8, 11);
  ASSERT_EQ(cuMipmappedArrayGetLevel(&Level, Mipmap, 3), Success);
  write(Level, 1, 2, 33);
  EXPECT_EQ(cuArrayGetSparseProperties(&P, Level), InvalidValue);
  EXPECT_EQ(read(Mipmap, 9, 8, 1, InLevel), 11u);
  EXPECT_EQ(read(Mipmap, 1, 2, 3, InLevel), 33u);
  // The levels' memory is the program's.
  map(box(Plane, 0, 0, 128, 128, 0));
  EXPECT_EQ(read(Plane, 9, 8), 11u);
  map(without(M));
  EXPECT_EQ(read(Mipmap, 9, 8, 1, InLevel), 0u);
  M.Tail.Size += TileBytes;
  EXPECT_EQ(cuMemMapArrayAsync(&M, 1, nullptr), InvalidValue);
  EXPECT_EQ(cuMipmappedArrayDestroy(Mipmap), Success);
  EXPECT_EQ(cuArrayDestroy(Plane), Success);
}

TEST_F(CudaSparseArrays, ChangeInTheOrderOfTheStream) {
  Handle A = array(300, 200), Stream = stream(), Graph = nullptr;
  unsigned Rows = properties(A).Tile[1];
  Resource R = resource(A);
  Address Surface = 0;
  ASSERT_EQ(cuSurfObjectCreate(&Surface, &R), Success);
  auto Launch = [&](Handle In, unsigned At, unsigned Value) {
    void *Arguments[] = {&Surface, &At, &At, &Value};
    EXPECT_EQ(
        cuLaunchKernel(Write, 1, 1, 1, 1, 1, 1, 0, In, Arguments, nullptr),
        Success);
  };
  // The stream waits for what this thread does behind the calls.
  std::atomic<bool> Goes{false};
  auto Wait = [](void *Flag) {
    while (!*static_cast<std::atomic<bool> *>(Flag))
      std::this_thread::yield();
  };
  ASSERT_EQ(cuLaunchHostFunc(Stream, Wait, &Goes), Success);
  MapInfo M = box(A, 0, 0, 300, Rows, 0);
  EXPECT_EQ(cuMemMapArrayAsync(&M, 1, Stream), Success);
  Launch(Stream, 2, 13);
  Launch(nullptr, 1, 12); // Nothing is there yet.
  EXPECT_EQ(cuStreamSynchronize(nullptr), Success);
  Goes = true;
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(cuSurfObjectDestroy(Surface), Success);
  EXPECT_EQ(read(A, 1, 1), 0u);
  EXPECT_EQ(read(A, 2, 2), 13u);
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  EXPECT_EQ(cuMemMapArrayAsync(&M, 1, Stream), CaptureUnsupported);
  EXPECT_EQ(cuStreamEndCapture(Stream, &Graph), Success);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
  EXPECT_EQ(cuArrayDestroy(A), Success);
}

TEST_F(CudaSparseArrays, KeepMemoryWhileItIsMapped) {
  size_t Before = inUse();
  MemHandle Mine = create(/*ForTiles=*/true);
  Handle A = array(300, 200);
  unsigned Rows = properties(A).Tile[1];
  EXPECT_EQ(inUse(), Before + (2 << 20));
  MapInfo M = box(A, 0, 0, 300, Rows, 0);
  M.Memory = Mine;
  map(M);
  EXPECT_EQ(cuMemRelease(Mine), Success);
  EXPECT_EQ(inUse(), Before + (2 << 20));
  write(A, 3, 3, 9);
  EXPECT_EQ(read(A, 3, 3), 9u);
  EXPECT_EQ(cuArrayDestroy(A), Success);
  EXPECT_EQ(inUse(), Before);
  // A device that ends has no arrays.
  A = array(300, 200);
  map(box(A, 0, 0, 300, Rows, 0));
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  EXPECT_EQ(cuArrayDestroy(A), InvalidHandle);
}

TEST_F(CudaSparseArrays, RefuseWhatIsNoTile) {
  Handle A = array(300, 200), Dense = nullptr;
  Descriptor3D D = {300, 200, 0, UInt32, 1, 0};
  ASSERT_EQ(cuArray3DCreate_v2(&Dense, &D), Success);
  unsigned Rows = properties(A).Tile[1];
  const MapInfo Good = box(A, 0, 0, 300, Rows, 0);
  std::vector<MapInfo> Wrong(19, Good);
  Wrong[0].Level.At[1] = 1;
  Wrong[1].Level.Extent[1] = Rows - 1;
  Wrong[2].Level.Extent[0] = 299;
  Wrong[3].Level.Extent[1] = 8 * Rows;
  Wrong[4].Level.Extent[2] = 0;
  Wrong[5].Level.At[2] = 1;
  Wrong[6].Level.Layer = 1;
  Wrong[7].Level.Number = 1;
  Wrong[8].Array = Dense;
  Wrong[9].Type = 7;
  Wrong[10].Part = Tail;
  Wrong[11].What = 0;
  Wrong[12].Memory = create(/*ForTiles=*/false);
  Wrong[13].Memory = 12345;
  Wrong[14].Offset = 100;
  Wrong[15].Offset = 2 << 20;
  Wrong[16].DeviceMask = 2;
  Wrong[17].Flags = 1;
  Wrong[18].What = Unmap; // with memory
  for (const MapInfo &M : Wrong) {
    // Nothing of a call happens that has something wrong.
    MapInfo Both[] = {Good, M};
    EXPECT_EQ(cuMemMapArrayAsync(Both, 2, nullptr), InvalidValue)
        << &M - Wrong.data();
  }
  EXPECT_EQ(cuCtxSynchronize(), Success);
  write(A, 1, 1, 4);
  map(Good);
  EXPECT_EQ(read(A, 1, 1), 0u);
  MapInfo M = Good;
  M.Array = &M;
  EXPECT_EQ(cuMemMapArrayAsync(&M, 1, nullptr), InvalidHandle);
  EXPECT_EQ(cuMemMapArrayAsync(nullptr, 1, nullptr), InvalidValue);
  EXPECT_EQ(cuMemMapArrayAsync(nullptr, 0, nullptr), Success);
  EXPECT_EQ(cuMemMapArrayAsync(&Good, 1, &M), InvalidHandle);
  EXPECT_EQ(cuMemRelease(Wrong[12].Memory), Success);
  EXPECT_EQ(cuArrayDestroy(A), Success);
  EXPECT_EQ(cuArrayDestroy(Dense), Success);
}
