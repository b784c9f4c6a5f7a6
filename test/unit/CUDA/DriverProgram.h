//===- DriverProgram.h - A program of the driver API ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What most programs of the driver API begin and end with.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_CUDA_DRIVERPROGRAM_H
#define HEDDLE_TEST_UNIT_CUDA_DRIVERPROGRAM_H

#include "gtest/gtest.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuDevicePrimaryCtxReset_v2(int);
int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuCtxSynchronize();
int cuModuleLoadData(void **, const void *);
int cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, void *, void **, void **);
int cuMemAlloc_v2(unsigned long long *, size_t);
int cuMemFree_v2(unsigned long long);
int cuMemcpyHtoD_v2(unsigned long long, const void *, size_t);
int cuMemcpyDtoH_v2(void *, unsigned long long, size_t);
int cuMemsetD32_v2(unsigned long long, unsigned, size_t);
int cuMemsetD32Async(unsigned long long, unsigned, size_t, void *);
int cuStreamCreate(void **, unsigned);
int cuStreamDestroy_v2(void *);
int cuStreamSynchronize(void *);
int cuStreamQuery(void *);
}

namespace heddle::test {

using Address = unsigned long long;
using Handle = void *;

constexpr int Success = 0, InvalidValue = 1, OutOfMemory = 2,
              InvalidDevice = 101, InvalidContext = 201, InvalidHandle = 400,
              NotFound = 500, NotReady = 600, NotPermitted = 800,
              NotSupported = 801;

class DriverProgram : public testing::Test {
protected:
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    ASSERT_EQ(cuInit(0), Success);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
    ASSERT_EQ(cuCtxPushCurrent_v2(Context), Success);
  }
  void TearDown() override { cuCtxPopCurrent_v2(nullptr); }

  /// Device memory of some words, all of which are Value.
  static Address words(size_t Count, uint32_t Value = 0) {
    Address Memory = 0;
    EXPECT_EQ(cuMemAlloc_v2(&Memory, 4 * Count), Success);
    EXPECT_EQ(cuMemsetD32_v2(Memory, Value, Count), Success);
    EXPECT_EQ(cuCtxSynchronize(), Success); // Other streams do not wait for it.
    return Memory;
  }
  static uint32_t word(Address Place) {
    uint32_t Value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&Value, Place, sizeof(Value)), Success);
    return Value;
  }
  static Handle stream() {
    constexpr unsigned NonBlocking = 1;
    Handle Stream = nullptr;
    EXPECT_EQ(cuStreamCreate(&Stream, NonBlocking), Success);
    return Stream;
  }
  /// A kernel of PTX without its header.
  static Handle kernel(const std::string &Body, const char *Name) {
    Handle Module = nullptr, Kernel = nullptr;
    std::string Text = ".version 8.0\n.target sm_90\n.address_size 64\n" + Body;
    EXPECT_EQ(cuModuleLoadData(&Module, Text.c_str()), Success);
    EXPECT_EQ(cuModuleGetFunction(&Kernel, Module, Name), Success);
    return Kernel;
  }

  Handle Context = nullptr;
};

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_CUDA_DRIVERPROGRAM_H
