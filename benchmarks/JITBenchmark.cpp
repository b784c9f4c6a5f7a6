//===- JITBenchmark.cpp - Time to code through the C API --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: heddle-jit-benchmark [FILE.ptx]
//
// Compiles in this process, without a cache: the first time, which loads the
// compiler, and then warm at each level; and serves from memory. Without a file
// it takes saxpy as nvcc wrote it.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/heddle.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

static void check(HeddleError E) {
  if (!E)
    return;
  std::fprintf(stderr, "heddle-jit-benchmark: %s\n", heddleErrorGetMessage(E));
  std::exit(1);
}

/// Milliseconds of one compilation.
static double compile(HeddleCompiler Compiler, const std::string &PTX,
                      const char *Level) {
  auto Begin = std::chrono::steady_clock::now();
  HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), "input.ptx"};
  HeddleCompileOptions Options;
  heddleCompileOptionsInit(&Options);
  Options.Options = &Level;
  Options.NumOptions = 1;
  HeddleCodeObject Code = nullptr;
  check(heddleCompile(Compiler, &Input, &Options, &Code));
  std::chrono::duration<double, std::milli> Time =
      std::chrono::steady_clock::now() - Begin;
  heddleCodeObjectDestroy(Code);
  return Time.count();
}

static HeddleCompiler create(HeddleCacheMode Mode) {
  HeddleCompilerConfig Config;
  heddleCompilerConfigInit(&Config);
  Config.CacheMode = Mode;
  HeddleCompiler Compiler = nullptr;
  check(heddleCompilerCreate(&Config, &Compiler));
  return Compiler;
}

/// Prints the median and the least of many compilations.
static void measure(HeddleCompiler Compiler, const std::string &PTX,
                    const char *Level, const char *What) {
  std::vector<double> Times;
  for (int Round = 0; Round != 41; ++Round)
    Times.push_back(compile(Compiler, PTX, Level));
  std::sort(Times.begin(), Times.end());
  std::printf("%-22s %9.3f ms median %9.3f ms least\n", What,
              Times[Times.size() / 2], Times.front());
}

int main(int Argc, char **Argv) {
  const char *File = Argc > 1 ? Argv[1] : HEDDLE_SAXPY;
  std::stringstream PTX;
  PTX << std::ifstream(File).rdbuf();
  HeddleCompiler Compiler = create(HEDDLE_CACHE_OFF);
  std::printf("%-22s %9.3f ms\n", "first, -O0",
              compile(Compiler, PTX.str(), "-O0"));
  measure(Compiler, PTX.str(), "-O0", "warm, -O0");
  measure(Compiler, PTX.str(), "-O1", "warm, -O1");
  measure(Compiler, PTX.str(), "-O3", "warm, -O3");
  heddleCompilerDestroy(Compiler);
  Compiler = create(HEDDLE_CACHE_READ_WRITE);
  measure(Compiler, PTX.str(), "-O3", "found in memory");
  heddleCompilerDestroy(Compiler);
  return 0;
}
