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

#include <cstdint>
#include <dlfcn.h>

namespace {

constexpr const char *Targets[] = {
#define HEDDLE_EXPORT(Name, Target) #Target,
#include "Names/Exports12.def"
#include "Names/Exports13.def"
#include "Names/ExportsCUPTI.def"
#include "Names/ExportsDriver.def"
#include "Names/ExportsFFT.def"
#include "Names/ExportsJitLink.def"
#include "Names/ExportsNVML.def"
#include "Names/ExportsNVTX.def"
#undef HEDDLE_EXPORT
// What Registrations.cpp calls.
#define HEDDLE_CUDART(Name)
#define HEDDLE_CUDART_11(Name, Function)
#define HEDDLE_CUDART_11_12(Name, Function)
#define HEDDLE_CUDART_12(Name, Function)
#define HEDDLE_CUDART_12_13(Name)
#define HEDDLE_CUDART_13(Name)
#define HEDDLE_CUDART_RECORDED(Name) #Name,
#include "Runtime/Runtime.def"
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

/// CUPTI 13 looks at the size, which is that of the size itself; CUPTI 12 calls
/// the function at byte 0x100 whatever the size.
TEST(CudaExports, GiveToolsATableWithoutFunctions) {
  void *Library = dlopen(HEDDLE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(Library, nullptr) << dlerror();
  auto *GetTable = reinterpret_cast<int (*)(const void **, const void *)>(
      dlsym(Library, "cuGetExportTable"));
  unsigned char Tools[] = {0x7C, 0xB6, 0x3F, 0x9B, 0x9C, 0xA4, 0x8E, 0x42,
                           0xA4, 0x84, 0xBE, 0xB6, 0x6E, 0x6A, 0xED, 0x7F};
  const void *Table = nullptr;
  ASSERT_EQ(GetTable(&Table, Tools), 0);
  EXPECT_EQ(*static_cast<const uint64_t *>(Table), sizeof(uint64_t));
  constexpr int NotSupported = 801;
  auto *Functions = static_cast<int (*const *)()>(Table);
  for (unsigned Byte = 8; Byte <= 0x1E0; Byte += 8)
    EXPECT_EQ(Functions[Byte / 8](), NotSupported);

  // Another table is refused, this one where there is no place for it.
  EXPECT_EQ(GetTable(nullptr, Tools), 1);
  Tools[15] = 0;
  EXPECT_EQ(GetTable(&Table, Tools), 1);
  EXPECT_EQ(Table, nullptr);
}

} // namespace
