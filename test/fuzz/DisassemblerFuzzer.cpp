//===- DisassemblerFuzzer.cpp - Fuzzes the disassembler ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes any bytes as instructions; what is one must assemble to the same
// bytes.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/ISA.h"
#include "heddle/Target/Assembler.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace heddle;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const Disassembler D;
  ArrayRef<uint8_t> Rest(Data, Size);
  std::string Source, Expected;
  while (!Rest.empty()) {
    size_t Bytes =
        std::min<size_t>(isa::instructionBytes(Rest[0]), Rest.size());
    if (std::optional<MCInst> Inst = D.decode(Rest)) {
      Source += D.print(*Inst) + "\n";
      if (Bytes == isa::CompactBytes) {
        // Of several compact forms the assembler takes the first.
        std::optional<uint64_t> First = isa::compress(*isa::readEncoding(Rest));
        if (!First)
          std::abort();
        Expected.append(reinterpret_cast<const char *>(&*First), Bytes);
      } else {
        Expected.append(reinterpret_cast<const char *>(Rest.data()), Bytes);
      }
    }
    Rest = Rest.drop_front(Bytes);
  }
  SmallVector<char, 0> Object;
  if (!assemble(MemoryBufferRef(Source, "fuzz.s"), "", Object, errs()))
    std::abort();
  // The code stands somewhere in the object.
  if (!StringRef(Object.data(), Object.size()).contains(Expected))
    std::abort();
  return 0;
}
