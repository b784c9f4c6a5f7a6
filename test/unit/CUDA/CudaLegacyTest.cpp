//===- CudaLegacyTest.cpp - Launches and references before CUDA 4 ---------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that have the parameters and the block of their next launch, and
// textures and surfaces that modules name.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuFuncSetBlockShape(Handle, int, int, int);
int cuFuncSetSharedSize(Handle, unsigned);
int cuParamSetSize(Handle, unsigned);
int cuParamSeti(Handle, int, unsigned);
int cuParamSetf(Handle, int, float);
int cuParamSetv(Handle, int, const void *, unsigned);
int cuLaunch(Handle);
int cuLaunchGrid(Handle, int, int);
int cuLaunchGridAsync(Handle, int, int, Handle);
int cuParamSetTexRef(Handle, int, Handle);
int cuModuleGetTexRef(Handle *, Handle, const char *);
int cuModuleGetSurfRef(Handle *, Handle, const char *);
int cuTexRefCreate(Handle *);
int cuTexRefDestroy(Handle);
int cuTexRefSetArray(Handle, Handle, unsigned);
int cuTexRefGetArray(Handle *, Handle);
int cuTexRefSetMipmappedArray(Handle, Handle, unsigned);
int cuTexRefGetMipmappedArray(Handle *, Handle);
int cuTexRefSetAddress_v2(size_t *, Handle, Address, size_t);
int cuTexRefGetAddress_v2(Address *, Handle);
int cuTexRefSetAddress2D_v2(Handle, const void *, Address, size_t);
int cuTexRefSetAddress2D_v3(Handle, const void *, Address, size_t);
int cuTexRefSetFormat(Handle, unsigned, int);
int cuTexRefGetFormat(unsigned *, int *, Handle);
int cuTexRefSetAddressMode(Handle, int, int);
int cuTexRefGetAddressMode(int *, Handle, int);
int cuTexRefSetFilterMode(Handle, int);
int cuTexRefGetFilterMode(int *, Handle);
int cuTexRefSetMipmapFilterMode(Handle, int);
int cuTexRefGetMipmapFilterMode(int *, Handle);
int cuTexRefSetMipmapLevelBias(Handle, float);
int cuTexRefGetMipmapLevelBias(float *, Handle);
int cuTexRefSetMipmapLevelClamp(Handle, float, float);
int cuTexRefGetMipmapLevelClamp(float *, float *, Handle);
int cuTexRefSetMaxAnisotropy(Handle, unsigned);
int cuTexRefGetMaxAnisotropy(int *, Handle);
int cuTexRefSetBorderColor(Handle, const float *);
int cuTexRefGetBorderColor(float *, Handle);
int cuTexRefSetFlags(Handle, unsigned);
int cuTexRefGetFlags(unsigned *, Handle);
int cuSurfRefSetArray(Handle, Handle, unsigned);
int cuSurfRefGetArray(Handle *, Handle);
int cuArrayCreate_v2(Handle *, const void *);
int cuArray3DCreate_v2(Handle *, const void *);
int cuArrayDestroy(Handle);
int cuMipmappedArrayCreate(Handle *, const void *, unsigned);
int cuMemcpyHtoA_v2(Handle, size_t, const void *, size_t);
int cuMemcpyAtoH_v2(void *, Handle, size_t, size_t);
}

using namespace heddle::test;

namespace {

class CudaLegacyLaunches : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    Memory = words(16);
    // Adds up the threads' numbers, and stores a float and the bytes of
    // dynamic shared memory.
    Kernel = kernel(R"(
.visible .entry old(.param .u64 place, .param .u32 base, .param .f32 value) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<1>;
  .reg .f32 %f<1>;
  ld.param.u64 %rd0, [place];
  ld.param.u32 %r0, [base];
  ld.param.f32 %f0, [value];
  mov.u32 %r1, %tid.x;
  add.u32 %r0, %r0, %r1;
  mov.u32 %r1, %tid.y;
  mad.lo.u32 %r0, %r1, 10, %r0;
  red.global.add.u32 [%rd0], %r0;
  st.global.f32 [%rd0+4], %f0;
  mov.u32 %r2, %dynamic_smem_size;
  st.global.u32 [%rd0+8], %r2;
  red.global.add.u32 [%rd0+12], 1;
  ret;
})",
                    "old");
  }
  void setParams(unsigned Base, float Value) {
    ASSERT_EQ(cuParamSetSize(Kernel, 16), Success);
    ASSERT_EQ(cuParamSetv(Kernel, 0, &Memory, sizeof(Memory)), Success);
    ASSERT_EQ(cuParamSeti(Kernel, 8, Base), Success);
    ASSERT_EQ(cuParamSetf(Kernel, 12, Value), Success);
  }

  Address Memory = 0;
  Handle Kernel = nullptr;
};

TEST_F(CudaLegacyLaunches, TakeWhatTheKernelHas) {
  setParams(100, 1.0f);
  ASSERT_EQ(cuFuncSetBlockShape(Kernel, 3, 2, 1), Success);
  ASSERT_EQ(cuFuncSetSharedSize(Kernel, 256), Success);
  ASSERT_EQ(cuLaunch(Kernel), Success);
  ASSERT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(word(Memory), 600u + 6 + 30);
  EXPECT_EQ(word(Memory + 4), 0x3F800000u);
  EXPECT_EQ(word(Memory + 8), 256u);
  EXPECT_EQ(word(Memory + 12), 6u);
  // What is not set again stays.
  ASSERT_EQ(cuParamSetf(Kernel, 12, 2.0f), Success);
  ASSERT_EQ(cuLaunchGrid(Kernel, 2, 2), Success);
  ASSERT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(word(Memory + 4), 0x40000000u);
  EXPECT_EQ(word(Memory + 12), 30u);
  Handle Stream = stream();
  ASSERT_EQ(cuFuncSetBlockShape(Kernel, 1, 1, 1), Success);
  ASSERT_EQ(cuLaunchGridAsync(Kernel, 5, 1, Stream), Success);
  ASSERT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(word(Memory + 12), 35u);
}

TEST_F(CudaLegacyLaunches, RefuseWrongArguments) {
  EXPECT_EQ(cuLaunch(Kernel), InvalidValue); // without parameters
  setParams(1, 1.0f);
  ASSERT_EQ(cuParamSetSize(Kernel, 12), Success);
  EXPECT_EQ(cuLaunch(Kernel), InvalidValue); // one is missing
  setParams(1, 1.0f);
  EXPECT_EQ(cuLaunchGrid(Kernel, 0, 1), InvalidValue);
  EXPECT_EQ(cuLaunchGrid(Kernel, 1, -1), InvalidValue);
  EXPECT_EQ(cuFuncSetBlockShape(Kernel, 0, 1, 1), InvalidValue);
  EXPECT_EQ(cuParamSetSize(Kernel, 32765), InvalidValue);
  EXPECT_EQ(cuParamSetv(Kernel, -4, &Memory, 4), InvalidValue);
  EXPECT_EQ(cuParamSetv(Kernel, 0, nullptr, 4), InvalidValue);
  EXPECT_EQ(cuParamSeti(Kernel, 32762, 1), InvalidValue);
  for (Handle Wrong : {Handle(&Memory), Handle(nullptr)}) {
    EXPECT_EQ(cuFuncSetBlockShape(Wrong, 1, 1, 1), InvalidHandle);
    EXPECT_EQ(cuFuncSetSharedSize(Wrong, 1), InvalidHandle);
    EXPECT_EQ(cuParamSetSize(Wrong, 4), InvalidHandle);
    EXPECT_EQ(cuParamSeti(Wrong, 0, 1), InvalidHandle);
    EXPECT_EQ(cuParamSetf(Wrong, 0, 1), InvalidHandle);
    EXPECT_EQ(cuLaunch(Wrong), InvalidHandle);
    EXPECT_EQ(cuLaunchGrid(Wrong, 1, 1), InvalidHandle);
    EXPECT_EQ(cuLaunchGridAsync(Wrong, 1, 1, nullptr), InvalidHandle);
  }
}

/// One texel of a texture, and one of a surface, which it writes.
constexpr char Lookups[] = R"(
.version 8.0
.target sm_90
.address_size 64
.global .texref image;
.global .surfref drawing;
.global .u64 number;
.global .u32 word;
.visible .entry look(.param .u64 place, .param .f32 x) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<1>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd0, [place];
  ld.param.f32 %f0, [x];
  mov.f32 %f1, 0f00000000;
  tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [image, {%f0, %f1}];
  st.global.u32 [%rd0], %r0;
  ret;
}
.visible .entry fetch(.param .u64 place, .param .u32 x) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<1>;
  ld.param.u64 %rd0, [place];
  ld.param.u32 %r4, [x];
  tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [image, {%r4}];
  st.global.u32 [%rd0], %r0;
  ret;
}
.visible .entry draw() {
  .reg .b32 %r<2>;
  mov.u32 %r0, 8;
  mov.u32 %r1, 123;
  sust.b.1d.b32.trap [drawing, {%r0}], %r1;
  ret;
}
)";

class CudaReferences : public DriverProgram {
protected:
  enum : unsigned { Integer32 = 3, OverrideFormat = 1 };
  enum Mode : int { Wrap, Clamp, Mirror, Border };
  struct Descriptor {
    size_t Width, Height;
    unsigned Format = Integer32, Channels = 1;
  };

  void SetUp() override {
    DriverProgram::SetUp();
    ASSERT_EQ(cuModuleLoadData(&Module, Lookups), Success);
    ASSERT_EQ(cuModuleGetTexRef(&Texture, Module, "image"), Success);
    ASSERT_EQ(cuModuleGetSurfRef(&Surface, Module, "drawing"), Success);
    Memory = words(64);
    for (unsigned I = 0; I != 64; ++I)
      ASSERT_EQ(cuMemsetD32_v2(Memory + 4 * I, 100 + I, 1), Success);
    Result = words(1);
  }
  static Handle array(size_t Width, size_t Height, uint32_t First) {
    Descriptor D = {Width, Height};
    Handle Array = nullptr;
    EXPECT_EQ(cuArrayCreate_v2(&Array, &D), Success);
    for (uint32_t I = 0; I != Width; ++I) {
      uint32_t Value = First + I;
      EXPECT_EQ(cuMemcpyHtoA_v2(Array, 4 * I, &Value, 4), Success);
    }
    return Array;
  }
  Handle function(const char *Name) {
    Handle Kernel = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&Kernel, Module, Name), Success);
    return Kernel;
  }
  template <typename T> unsigned launch(const char *Name, T X) {
    void *Arguments[] = {&Result, &X};
    EXPECT_EQ(cuLaunchKernel(function(Name), 1, 1, 1, 1, 1, 1, 0, nullptr,
                             Arguments, nullptr),
              Success);
    EXPECT_EQ(cuCtxSynchronize(), Success);
    return word(Result);
  }
  unsigned look(float X) { return launch("look", X); }
  unsigned fetch(int X) { return launch("fetch", X); }

  Handle Module = nullptr, Texture = nullptr, Surface = nullptr;
  Address Memory = 0, Result = 0;
};

TEST_F(CudaReferences, ReadArrays) {
  Handle A = array(4, 1, 10), B = array(4, 1, 20), Got = nullptr;
  ASSERT_EQ(cuTexRefSetArray(Texture, A, OverrideFormat), Success);
  ASSERT_EQ(cuTexRefSetFlags(Texture, 1), Success);
  EXPECT_EQ(look(2.5f), 12u);
  EXPECT_EQ(look(9), 13u); // clamped
  // Another array, and other modes, from the next launch on.
  ASSERT_EQ(cuTexRefSetArray(Texture, B, OverrideFormat), Success);
  EXPECT_EQ(look(0.5f), 20u);
  EXPECT_EQ(cuTexRefGetArray(&Got, Texture), Success);
  EXPECT_EQ(Got, B);
  constexpr unsigned Normalized = 2;
  ASSERT_EQ(cuTexRefSetFlags(Texture, 1 | Normalized), Success);
  ASSERT_EQ(cuTexRefSetAddressMode(Texture, 0, Wrap), Success);
  EXPECT_EQ(look(1.3f), 21u);
  EXPECT_EQ(cuArrayDestroy(A), Success);
}

/// What cannot be bound keeps its module from launching, and no other.
TEST_F(CudaReferences, FailUntilTheyCanBeBound) {
  Handle Array = array(4, 1, 10);
  ASSERT_EQ(cuTexRefSetArray(Texture, Array, OverrideFormat), Success);
  ASSERT_EQ(cuTexRefSetFlags(Texture, 1), Success);
  EXPECT_EQ(cuArrayDestroy(Array), Success);
  float X = 0;
  void *Arguments[] = {&Result, &X};
  for (unsigned Try = 0; Try != 2; ++Try)
    EXPECT_EQ(cuLaunchKernel(function("look"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                             Arguments, nullptr),
              InvalidValue);
  Handle Other = kernel(".visible .entry other() { ret; }", "other");
  EXPECT_EQ(
      cuLaunchKernel(Other, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      Success);
  ASSERT_EQ(cuTexRefSetArray(Texture, array(4, 1, 50), OverrideFormat),
            Success);
  EXPECT_EQ(look(1), 51u);
}

TEST_F(CudaReferences, ReadMemory) {
  size_t Offset = 99;
  Address Got = 0;
  ASSERT_EQ(cuTexRefSetFormat(Texture, Integer32, 1), Success);
  ASSERT_EQ(cuTexRefSetAddress_v2(&Offset, Texture, Memory, 256), Success);
  EXPECT_EQ(Offset, 0u);
  EXPECT_EQ(fetch(7), 107u);
  EXPECT_EQ(cuTexRefGetAddress_v2(&Got, Texture), Success);
  EXPECT_EQ(Got, Memory);
  Descriptor D = {8, 2};
  ASSERT_EQ(cuTexRefSetAddress2D_v3(Texture, &D, Memory, 128), Success);
  EXPECT_EQ(look(3), 103u);
  ASSERT_EQ(cuTexRefSetAddress2D_v2(Texture, &D, Memory + 128, 128), Success);
  EXPECT_EQ(look(3), 135u);
}

TEST_F(CudaReferences, WriteArrays) {
  struct {
    size_t Width = 4, Height = 0, Depth = 0;
    unsigned Format = Integer32, Channels = 1, Flags = 2;
  } D;
  Handle Array = nullptr, Got = nullptr;
  uint32_t Value = 0;
  ASSERT_EQ(cuArray3DCreate_v2(&Array, &D), Success);
  EXPECT_EQ(cuSurfRefGetArray(&Got, Surface), InvalidValue);
  ASSERT_EQ(cuSurfRefSetArray(Surface, Array, 0), Success);
  EXPECT_EQ(cuSurfRefGetArray(&Got, Surface), Success);
  EXPECT_EQ(Got, Array);
  ASSERT_EQ(cuLaunchKernel(function("draw"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                           nullptr, nullptr),
            Success);
  ASSERT_EQ(cuMemcpyAtoH_v2(&Value, Array, 8, 4), Success);
  EXPECT_EQ(Value, 123u);
  EXPECT_EQ(cuSurfRefSetArray(Surface, Array, 1), InvalidValue);
  EXPECT_EQ(cuSurfRefSetArray(Surface, array(4, 1, 0), 0), InvalidValue);
  EXPECT_EQ(cuSurfRefSetArray(Texture, Array, 0), InvalidHandle);
  EXPECT_EQ(cuSurfRefGetArray(&Got, Texture), InvalidHandle);
}

TEST_F(CudaReferences, AreOfModules) {
  Handle Same = nullptr, Made = nullptr;
  ASSERT_EQ(cuModuleGetTexRef(&Same, Module, "image"), Success);
  EXPECT_EQ(Same, Texture);
  EXPECT_EQ(cuModuleGetTexRef(&Same, Module, "nothing"), NotFound);
  EXPECT_EQ(cuModuleGetTexRef(&Same, Module, "word"), NotFound);
  EXPECT_EQ(cuModuleGetTexRef(&Same, Module, nullptr), InvalidValue);
  EXPECT_EQ(cuModuleGetTexRef(nullptr, Module, "image"), InvalidValue);
  EXPECT_EQ(cuModuleGetTexRef(&Same, &Same, "image"), InvalidHandle);
  EXPECT_EQ(cuModuleGetSurfRef(&Same, Module, "nothing"), NotFound);
  Handle Kernel = function("look");
  EXPECT_EQ(cuParamSetTexRef(Kernel, -1, Texture), Success);
  EXPECT_EQ(cuParamSetTexRef(Kernel, 0, Texture), InvalidValue);
  EXPECT_EQ(cuParamSetTexRef(nullptr, -1, Texture), InvalidHandle);
  EXPECT_EQ(cuParamSetTexRef(Kernel, -1, Surface), InvalidHandle);
  ASSERT_EQ(cuTexRefCreate(&Made), Success);
  EXPECT_EQ(cuParamSetTexRef(Kernel, -1, Made), InvalidValue);
  EXPECT_EQ(cuTexRefCreate(nullptr), InvalidValue);
  EXPECT_EQ(cuTexRefDestroy(Texture), InvalidValue);
  EXPECT_EQ(cuTexRefDestroy(Made), Success);
  EXPECT_EQ(cuTexRefDestroy(Made), InvalidHandle);
  // One whose module is gone does no harm.
  Handle Array = array(4, 1, 10);
  ASSERT_EQ(cuTexRefSetArray(Texture, Array, OverrideFormat), Success);
  ASSERT_EQ(cuModuleUnload(Module), Success);
  ASSERT_EQ(cuModuleLoadData(&Module, Lookups), Success);
  ASSERT_EQ(cuModuleGetTexRef(&Texture, Module, "image"), Success);
  ASSERT_EQ(cuTexRefSetArray(Texture, array(4, 1, 30), OverrideFormat),
            Success);
  ASSERT_EQ(cuTexRefSetFlags(Texture, 1), Success);
  EXPECT_EQ(look(0), 30u);
}

TEST_F(CudaReferences, KeepWhatIsSet) {
  int Mode = 0, Count = 0;
  unsigned Number = 0;
  float A = 0, B = 0, Color[4] = {}, Blue[4] = {0, 0, 1, 0.5f};
  EXPECT_EQ(cuTexRefSetAddressMode(Texture, 2, Mirror), Success);
  EXPECT_EQ(cuTexRefGetAddressMode(&Mode, Texture, 2), Success);
  EXPECT_EQ(Mode, Mirror);
  EXPECT_EQ(cuTexRefGetAddressMode(&Mode, Texture, 1), Success);
  EXPECT_EQ(Mode, Clamp);
  EXPECT_EQ(cuTexRefSetFilterMode(Texture, 1), Success);
  EXPECT_EQ(cuTexRefGetFilterMode(&Mode, Texture), Success);
  EXPECT_EQ(Mode, 1);
  EXPECT_EQ(cuTexRefGetMipmapFilterMode(&Mode, Texture), Success);
  EXPECT_EQ(Mode, 0);
  EXPECT_EQ(cuTexRefSetMipmapFilterMode(Texture, 1), Success);
  EXPECT_EQ(cuTexRefGetMipmapFilterMode(&Mode, Texture), Success);
  EXPECT_EQ(Mode, 1);
  EXPECT_EQ(cuTexRefSetMipmapLevelBias(Texture, 0.5f), Success);
  EXPECT_EQ(cuTexRefGetMipmapLevelBias(&A, Texture), Success);
  EXPECT_EQ(A, 0.5f);
  EXPECT_EQ(cuTexRefSetMipmapLevelClamp(Texture, 1, 3), Success);
  EXPECT_EQ(cuTexRefGetMipmapLevelClamp(&A, &B, Texture), Success);
  EXPECT_EQ(A, 1);
  EXPECT_EQ(B, 3);
  EXPECT_EQ(cuTexRefSetMaxAnisotropy(Texture, 8), Success);
  EXPECT_EQ(cuTexRefGetMaxAnisotropy(&Count, Texture), Success);
  EXPECT_EQ(Count, 8);
  EXPECT_EQ(cuTexRefSetBorderColor(Texture, Blue), Success);
  EXPECT_EQ(cuTexRefGetBorderColor(Color, Texture), Success);
  EXPECT_EQ(Color[3], 0.5f);
  EXPECT_EQ(cuTexRefSetFlags(Texture, 0x22), Success);
  EXPECT_EQ(cuTexRefGetFlags(&Number, Texture), Success);
  EXPECT_EQ(Number, 0x22u);
  EXPECT_EQ(cuTexRefSetFormat(Texture, 0x10, 4), Success);
  EXPECT_EQ(cuTexRefGetFormat(&Number, &Count, Texture), Success);
  EXPECT_EQ(Number, 0x10u);
  EXPECT_EQ(Count, 4);
  // The format of an array replaces it.
  Handle Array = array(4, 1, 0), Got = nullptr;
  EXPECT_EQ(cuTexRefSetArray(Texture, Array, OverrideFormat), Success);
  EXPECT_EQ(cuTexRefGetFormat(&Number, &Count, Texture), Success);
  EXPECT_EQ(Number, unsigned(Integer32));
  EXPECT_EQ(Count, 1);
  struct {
    size_t Width = 8, Height = 8, Depth = 0;
    unsigned Format = Integer32, Channels = 1, Flags = 0;
  } D;
  ASSERT_EQ(cuMipmappedArrayCreate(&Array, &D, 2), Success);
  EXPECT_EQ(cuTexRefSetMipmappedArray(Texture, Array, OverrideFormat), Success);
  EXPECT_EQ(cuTexRefGetMipmappedArray(&Got, Texture), Success);
  EXPECT_EQ(Got, Array);
  EXPECT_EQ(cuTexRefGetArray(&Got, Texture), InvalidValue);
}

TEST_F(CudaReferences, RefuseWrongArguments) {
  Handle Got = nullptr, Array = array(4, 1, 0);
  Address Place = 0;
  Descriptor D = {8, 2};
  EXPECT_EQ(cuTexRefGetArray(&Got, Texture), InvalidValue);
  EXPECT_EQ(cuTexRefGetMipmappedArray(&Got, Texture), InvalidValue);
  EXPECT_EQ(cuTexRefGetAddress_v2(&Place, Texture), InvalidValue);
  EXPECT_EQ(cuTexRefSetArray(Texture, Array, 0), InvalidValue);
  EXPECT_EQ(cuTexRefSetArray(Texture, &Got, OverrideFormat), InvalidValue);
  EXPECT_EQ(cuTexRefSetMipmappedArray(Texture, Array, OverrideFormat),
            InvalidValue);
  EXPECT_EQ(cuTexRefSetAddress2D_v3(Texture, nullptr, Memory, 64),
            InvalidValue);
  EXPECT_EQ(cuTexRefSetAddress2D_v3(Texture, &D, 0, 64), InvalidValue);
  EXPECT_EQ(cuTexRefSetFormat(Texture, 99, 1), InvalidValue);
  EXPECT_EQ(cuTexRefSetFormat(Texture, Integer32, 5), InvalidValue);
  EXPECT_EQ(cuTexRefSetAddressMode(Texture, 3, Clamp), InvalidValue);
  EXPECT_EQ(cuTexRefSetAddressMode(Texture, 0, 4), InvalidValue);
  EXPECT_EQ(cuTexRefSetFilterMode(Texture, 2), InvalidValue);
  EXPECT_EQ(cuTexRefSetMipmapFilterMode(Texture, -1), InvalidValue);
  EXPECT_EQ(cuTexRefSetBorderColor(Texture, nullptr), InvalidValue);
  EXPECT_EQ(cuTexRefSetFlags(Texture, 0x100), InvalidValue);
  EXPECT_EQ(cuTexRefGetFilterMode(nullptr, Texture), InvalidValue);
  for (Handle Wrong : {Surface, Handle(&Got), Handle(nullptr)}) {
    EXPECT_EQ(cuTexRefSetArray(Wrong, Array, OverrideFormat), InvalidHandle);
    EXPECT_EQ(cuTexRefSetFlags(Wrong, 0), InvalidHandle);
    EXPECT_EQ(cuTexRefGetArray(&Got, Wrong), InvalidHandle);
  }
}

} // namespace
