//===- AssemblerFuzzer.cpp - Fuzzes the assembler ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembles any text; what it refuses must be refused with a message.
//
//===----------------------------------------------------------------------===//

#include "heddle/Target/Assembler.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Source(reinterpret_cast<const char *>(Data), Size);
  SmallVector<char, 0> Object;
  std::string Messages;
  raw_string_ostream OS(Messages);
  // Directives that read files would leave the fuzzer's input.
  for (StringRef Reader : {".incbin", ".include"})
    if (StringRef(Source).contains_insensitive(Reader))
      return 0;
  if (!heddle::assemble(MemoryBufferRef(Source, "fuzz.s"), "", Object, OS) &&
      Messages.empty())
    std::abort();
  return 0;
}
