//===- CudaProgram.h - A program that brings its own PTX --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host code of a program does that nvcc compiled, for PTX that a test
// has as text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_CUDA_CUDAPROGRAM_H
#define HEDDLE_TEST_UNIT_CUDA_CUDAPROGRAM_H

#include "ABI.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int,
                              size_t, int, int);
char __cudaInitModule(void **);
heddle::cuda::cudaError_t cudaGetLastError();
heddle::cuda::cudaError_t cudaDeviceReset();
const char *cudaGetErrorName(heddle::cuda::cudaError_t);
}

namespace heddle::cuda {

inline void expectSuccess(cudaError_t Code) {
  EXPECT_EQ(Code, cudaSuccess) << cudaGetErrorName(Code);
}

constexpr const char *PTXHeader =
    ".version 8.0\n.target sm_90\n.address_size 64\n";

/// A fat binary with one PTX image, not compressed, and with what its build
/// asked of ptxas.
inline std::vector<char> fatBinaryOf(const std::string &PTX,
                                     std::string Options = "") {
  Options.resize((Options.size() + 7) / 8 * 8, ' ');
  size_t Header = 64 + (Options.empty() ? 0 : 8 + Options.size());
  std::vector<char> Bytes(16 + Header);
  auto Put = [&](size_t At, auto Value) {
    std::memcpy(&Bytes[At], &Value, sizeof(Value));
  };
  std::string Text = PTX;
  Text.resize((Text.size() + 8) / 8 * 8); // ends with a zero
  Put(0, uint32_t(0xBA55ED50));
  Put(4, uint16_t(1));
  Put(6, uint16_t(16));
  Put(8, uint64_t(Header + Text.size()));
  Put(16, uint16_t(1)); // PTX
  Put(18, uint16_t(0x101));
  Put(20, uint32_t(Header));
  Put(24, uint64_t(Text.size()));
  Put(16 + 28, uint32_t(90)); // sm_90
  if (!Options.empty()) {
    Put(16 + 20, uint32_t(64));
    Put(16 + 64, uint32_t(72));
    Put(16 + 68, uint32_t(Options.size()));
    std::memcpy(&Bytes[16 + 72], Options.data(), Options.size());
  }
  Bytes.insert(Bytes.end(), Text.begin(), Text.end());
  return Bytes;
}

class CudaProgram : public testing::Test {
protected:
  void start(const std::string &Body, const std::string &Options = "") {
    startPTX(PTXHeader + Body, Options);
  }
  void startPTX(const std::string &PTX, const std::string &Options = "") {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    Bytes = fatBinaryOf(PTX, Options);
    Wrapper.Data = Bytes.data();
    Handle = __cudaRegisterFatBinary(&Wrapper);
  }
  /// As a program of nvcc -rdc=true without machine code: its own fat binary
  /// holds nothing, and names those that each file was compiled to.
  void startParts(const std::vector<std::string> &Bodies,
                  const std::string &Options = "") {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    for (const std::string &Body : Bodies)
      Parts.push_back(fatBinaryOf(PTXHeader + Body, Options));
    for (const std::vector<char> &Part : Parts)
      PartStarts.push_back(Part.data());
    PartStarts.push_back(nullptr);
    Bytes.assign(16, 0);
    std::memcpy(Bytes.data(), Parts.front().data(), 8); // no bytes follow
    Wrapper = {.Version = 2, .Data = Bytes.data(), .Names = PartStarts.data()};
    Handle = __cudaRegisterFatBinary(&Wrapper);
  }
  /// The host's address of a kernel.
  const void *kernel(const char *Name) {
    Stubs.push_back(std::make_unique<char>());
    const char *Stub = Stubs.back().get();
    __cudaRegisterFunction(Handle, Stub, nullptr, Name, -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
    return Stub;
  }
  void TearDown() override {
    cudaDeviceReset();
    if (Handle)
      __cudaUnregisterFatBinary(Handle);
    cudaGetLastError();
  }

  void **Handle = nullptr;

private:
  struct {
    uint32_t Magic = 0x466243B1, Version = 1;
    const void *Data = nullptr;
    const void *Names = nullptr;
  } Wrapper;
  std::vector<char> Bytes;
  std::vector<std::vector<char>> Parts;
  std::vector<const void *> PartStarts;
  std::vector<std::unique_ptr<char>> Stubs;
};

} // namespace heddle::cuda

#endif // HEDDLE_TEST_UNIT_CUDA_CUDAPROGRAM_H
