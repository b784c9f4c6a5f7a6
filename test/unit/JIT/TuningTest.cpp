//===- TuningTest.cpp - Searches that a program starts ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddleCompilerTune: a search in another process leaves a record in the
// compiler's cache, and what is wrong with a request is said.
//
//===----------------------------------------------------------------------===//

#include "JITFixture.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

using namespace heddle::jit;

namespace {

constexpr const char *Manifest = R"({
  "module": "twice.ptx", "entry": "twice", "grid": [2], "block": [32],
  "args": [ {"buffer": "data", "type": "u32", "count": 64, "init": {"iota": [0, 1]}},
            {"type": "u32", "value": 64} ] })";

class Tuning : public JIT {
protected:
  void SetUp() override {
    JIT::SetUp();
    useCache();
    std::ofstream(Directory + "/twice.ptx") << Twice;
    std::ofstream(Directory + "/twice.json") << Manifest;
    heddleTuningInit(&T);
    File = Directory + "/twice.json";
    Name = File.c_str();
    T.Manifests = &Name;
    T.NumManifests = 1;
    T.Evaluations = 2;
  }

  /// What ptx-cache prints of the cache.
  std::string listCache() const {
    std::string Command =
        std::string(HEDDLE_PTX_CACHE) + " --dir=" + Directory + " list";
    std::string Text;
    if (FILE *Output = popen(Command.c_str(), "r")) {
      for (int C; (C = std::fgetc(Output)) != EOF;)
        Text += static_cast<char>(C);
      pclose(Output);
    }
    return Text;
  }

  HeddleTuning T;
  std::string File;
  const char *Name = nullptr;
};

TEST_F(Tuning, LeavesARecord) {
  expectSuccess(heddleCompilerTune(compiler(), &T));
  auto End = std::chrono::steady_clock::now() + std::chrono::minutes(3);
  while (listCache().find("tuning-record") == std::string::npos &&
         std::chrono::steady_clock::now() < End)
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_NE(listCache().find("tuning-record"), std::string::npos)
      << listCache();
}

TEST_F(Tuning, SaysWhatIsWrong) {
  EXPECT_EQ(taken(heddleCompilerTune(nullptr, &T)).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
  T.Chip = "hd1";
  auto [Code, Text] = taken(heddleCompilerTune(compiler(), &T));
  EXPECT_EQ(Code, HEDDLE_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(Text.find("there is no chip 'hd1'"), std::string::npos) << Text;
  T.Chip = nullptr;
  Name = "--seconds=1"; // no option for who names files
  EXPECT_EQ(taken(heddleCompilerTune(compiler(), &T)).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
  T.NumManifests = 0;
  EXPECT_EQ(taken(heddleCompilerTune(compiler(), &T)).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
}

TEST_F(Tuning, NeedsACacheThatIsWritten) {
  Config.CacheMode = HEDDLE_CACHE_OFF;
  EXPECT_EQ(taken(heddleCompilerTune(compiler(), &T)).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
}

} // namespace
