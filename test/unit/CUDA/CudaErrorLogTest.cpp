//===- CudaErrorLogTest.cpp - What went wrong, for the program ------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The log of errors: callbacks, and how much of it is kept.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <vector>

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuLogsRegisterCallback(void (*)(void *, int, char *, size_t), void *,
                           Handle *);
int cuLogsUnregisterCallback(Handle);
int cuLogsCurrent(unsigned *, unsigned);
int cuLogsDumpToFile(unsigned *, const char *, unsigned);
int cuLogsDumpToMemory(unsigned *, char *, size_t *, unsigned);
int cuLinkCreate_v2(unsigned, int *, void **, Handle *);
int cuImportExternalMemory();
int cuMemBatchDecompressAsync();
}

using namespace heddle::test;

namespace {

constexpr char First[] =
    "cuImportExternalMemory is not supported: no other driver "
    "shares anything\n",
               Second[] = "cuMemBatchDecompressAsync is not supported: the "
                          "device decompresses nothing\n",
               Head[] = "older messages are left out\n";

class CudaErrorLog : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    ASSERT_EQ(cuLogsCurrent(&Iterator, 0), Success);
  }
  /// What has been logged since the last time, in Size bytes with the null.
  std::string read(size_t Size = 4096) {
    std::vector<char> Buffer(Size, 'x');
    EXPECT_EQ(cuLogsDumpToMemory(&Iterator, Buffer.data(), &Size, 0), Success);
    EXPECT_EQ(Size, std::strlen(Buffer.data()));
    return Buffer.data();
  }

  unsigned Iterator = 0;
};

TEST_F(CudaErrorLog, HaveMessagesInOrder) {
  EXPECT_EQ(read(), "");
  EXPECT_EQ(cuImportExternalMemory(), NotSupported);
  EXPECT_EQ(cuMemBatchDecompressAsync(), NotSupported);
  EXPECT_EQ(read(), std::string(First) + Second);
  EXPECT_EQ(read(), "");
  EXPECT_EQ(cuMemBatchDecompressAsync(), NotSupported);
  EXPECT_EQ(read(), Second);
  // Messages of the compiler are among them.
  Handle Module = nullptr;
  EXPECT_NE(cuModuleLoadData(&Module, ".version 8.0\n.target sm_90\nwrong"),
            Success);
  EXPECT_NE(read().find("wrong"), std::string::npos);
}

TEST_F(CudaErrorLog, KeepTheLastThatFit) {
  EXPECT_EQ(cuImportExternalMemory(), NotSupported);
  EXPECT_EQ(cuMemBatchDecompressAsync(), NotSupported);
  unsigned Same = Iterator;
  // All but one byte: the first goes, and a line says so.
  EXPECT_EQ(read(sizeof(First) + sizeof(Second) - 2),
            std::string(Head) + Second);
  Iterator = Same;
  EXPECT_EQ(read(sizeof(First) + sizeof(Second) - 1),
            std::string(First) + Second);
  Iterator = Same;
  char Buffer[16];
  size_t Size = sizeof(Buffer);
  EXPECT_EQ(cuLogsDumpToMemory(&Iterator, Buffer, &Size, 0), InvalidValue);
  EXPECT_EQ(Size, 0u);
  EXPECT_EQ(Iterator, Same); // Nothing was read.
  // More than is kept.
  constexpr size_t Most = 25600;
  testing::internal::CaptureStderr();
  for (size_t I = 0; I != Most / sizeof(First) + 100; ++I)
    cuImportExternalMemory();
  testing::internal::GetCapturedStderr();
  std::string All = read(Most);
  EXPECT_EQ(All.rfind(Head, 0), 0u);
  EXPECT_GT(All.size(), Most - 200);
  EXPECT_LT(All.size(), Most);
}

TEST_F(CudaErrorLog, CallTheProgram) {
  std::vector<std::string> Got, Other;
  auto *Callback = +[](void *Data, int Level, char *Text, size_t Size) {
    EXPECT_EQ(Level, 0);
    EXPECT_EQ(Text[Size], 0);
    static_cast<std::vector<std::string> *>(Data)->push_back({Text, Size});
  };
  Handle A = nullptr;
  ASSERT_EQ(cuLogsRegisterCallback(Callback, &Got, &A), Success);
  cuMemBatchDecompressAsync();
  EXPECT_EQ(cuLogsUnregisterCallback(A), Success);
  cuMemBatchDecompressAsync();
  EXPECT_EQ(Got, (std::vector<std::string>{"cuMemBatchDecompressAsync is not "
                                           "supported: the device "
                                           "decompresses nothing"}));
  EXPECT_EQ(cuLogsUnregisterCallback(A), InvalidValue);
  EXPECT_EQ(cuLogsRegisterCallback(nullptr, nullptr, &A), InvalidValue);
}

TEST_F(CudaErrorLog, GoIntoFiles) {
  std::string Path =
      testing::TempDir() + "/log-" + std::to_string(getpid()) + ".txt";
  cuMemBatchDecompressAsync();
  ASSERT_EQ(cuLogsDumpToFile(&Iterator, Path.c_str(), 0), Success);
  std::ifstream File(Path);
  std::string Text(std::istreambuf_iterator<char>(File), {});
  EXPECT_EQ(Text, Second);
  EXPECT_EQ(read(), "");
  std::remove(Path.c_str());
  // Without an iterator all that is kept.
  cuMemBatchDecompressAsync();
  ASSERT_EQ(cuLogsDumpToFile(nullptr, Path.c_str(), 0), Success);
  std::ifstream Again(Path);
  Text.assign(std::istreambuf_iterator<char>(Again), {});
  EXPECT_GT(Text.size(), sizeof(Second));
  EXPECT_EQ(read(), Second);
  std::remove(Path.c_str());
}

TEST_F(CudaErrorLog, RefuseWrongArguments) {
  char Buffer[16];
  size_t Size = sizeof(Buffer), None = 0;
  EXPECT_EQ(cuLogsCurrent(nullptr, 0), InvalidValue);
  EXPECT_EQ(cuLogsCurrent(&Iterator, 1), InvalidValue);
  EXPECT_EQ(cuLogsDumpToMemory(&Iterator, nullptr, &Size, 0), InvalidValue);
  EXPECT_EQ(cuLogsDumpToMemory(&Iterator, Buffer, nullptr, 0), InvalidValue);
  EXPECT_EQ(cuLogsDumpToMemory(&Iterator, Buffer, &None, 0), InvalidValue);
  EXPECT_EQ(cuLogsDumpToMemory(&Iterator, Buffer, &Size, 1), InvalidValue);
  EXPECT_EQ(cuLogsDumpToFile(&Iterator, nullptr, 0), InvalidValue);
  EXPECT_EQ(cuLogsDumpToFile(&Iterator, "/nowhere/log.txt", 0), InvalidValue);
  EXPECT_EQ(cuLogsDumpToFile(&Iterator, "log.txt", 1), InvalidValue);
}

} // namespace
