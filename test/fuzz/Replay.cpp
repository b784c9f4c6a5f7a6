//===- Replay.cpp - Runs a fuzz target over files ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main function of a fuzz target built without libFuzzer: it runs the
// target once for each file named, and for each file in the folders named.
// Tests run the corpora with it.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
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

int main(int Argc, char **Argv) {
  std::vector<std::string> Files =
      inputs(ArrayRef(Argv, static_cast<size_t>(Argc)).drop_front());
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
