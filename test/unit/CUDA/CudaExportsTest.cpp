//===- CudaExportsTest.cpp - The names of NVIDIA's libraries --------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The libraries with NVIDIA's names look functions of libheddle-cuda up when
// they are called, so that the linker does not see one that is missing.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <dlfcn.h>

namespace {

constexpr const char *Targets[] = {
#define HEDDLE_EXPORT(Name, Target) #Target,
#include "Exports12.def"
#include "Exports13.def"
#include "ExportsDriver.def"
#include "ExportsJitLink.def"
#undef HEDDLE_EXPORT
// What Registrations.cpp calls.
#define HEDDLE_CUDART(Name)
#define HEDDLE_CUDART_12(Name, Function)
#define HEDDLE_CUDART_13(Name)
#define HEDDLE_CUDART_RECORDED(Name) #Name,
#include "Runtime.def"
};

TEST(CudaExports, AreInTheLibrary) {
  void *Library = dlopen(HEDDLE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(Library, nullptr) << dlerror();
  unsigned Found = 0;
  for (const char *Target : Targets) {
    EXPECT_NE(dlsym(Library, Target), nullptr) << Target;
    ++Found;
  }
  EXPECT_GT(Found, 1000u);
  EXPECT_EQ(dlsym(Library, "cudaNoSuchFunction"), nullptr);
}

} // namespace
