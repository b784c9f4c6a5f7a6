//===- Replay.cpp - Runs a fuzz target over files ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main function of a fuzz target built without libFuzzer: it runs the
// target once for each file named, and for each file in the folders named; with
// --random=N also on N strings of random bytes, the same in every run. Tests
// run the corpora with it.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size);

/// The files that a command line names, folders replaced by what is in them.
static std::vector<std::string> inputs(ArrayRef<char *> Args) {
  std::vector<std::string> Files;
  for (const char *Arg : Args) {
    if (!sys::fs::is_directory(Arg)) {
      Files.push_back(Arg);
      continue;
    }
    std::error_code Code;
    for (sys::fs::directory_iterator I(Arg, Code), E; I != E && !Code;
         I.increment(Code))
      Files.push_back(I->path());
  }
  std::sort(Files.begin(), Files.end());
  return Files;
}

/// Runs the target on \p Count random strings.
static void runRandom(unsigned Count) {
  std::minstd_rand Random(1);
  std::vector<uint8_t> Bytes;
  for (unsigned I = 0; I != Count; ++I) {
    Bytes.resize(Random() % 1024);
    for (uint8_t &B : Bytes)
      B = static_cast<uint8_t>(Random() >> 8);
    LLVMFuzzerTestOneInput(Bytes.data(), Bytes.size());
  }
}

int main(int Argc, char **Argv) {
  ArrayRef<char *> Args(Argv + 1, static_cast<size_t>(Argc - 1));
  unsigned NumRandom = 0;
  StringRef First = Args.empty() ? "" : Args.front();
  if (First.consume_front("--random=")) {
    if (First.getAsInteger(10, NumRandom)) {
      errs() << "'" << First << "' is not a number\n";
      return 1;
    }
    Args = Args.drop_front();
  }
  runRandom(NumRandom);
  std::vector<std::string> Files = inputs(Args);
  for (const std::string &File : Files) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
        MemoryBuffer::getFile(File, /*IsText=*/false,
                              /*RequiresNullTerminator=*/false);
    if (!Buffer) {
      errs() << File << ": " << Buffer.getError().message() << "\n";
      return 1;
    }
    StringRef Bytes = (*Buffer)->getBuffer();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(Bytes.data()),
                           Bytes.size());
  }
  outs() << Files.size() << " inputs\n";
  return Files.empty();
}
