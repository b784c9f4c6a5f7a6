//===- Disassembly.cpp - The instructions of an object as text --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes every section of code.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compiler/Disassembly.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/Target/Assembler.h"

using namespace llvm;

namespace heddle {

Expected<Disassembly> disassemble(ArrayRef<uint8_t> CodeObject,
                                  StringRef Chip) {
  Expected<ObjectFile> Object = ObjectFile::create(CodeObject);
  if (!Object)
    return Object.takeError();
  Disassembler D(Chip);
  Disassembly Result;
  for (const Section &S : Object->sections()) {
    if (S.Kind != LoadKind::Text)
      continue;
    for (uint64_t At = 0; At < S.Contents.size();
         At += isa::instructionBytes(S.Contents[At]))
      if (auto Inst = D.decode(S.Contents.drop_front(At)))
        Result[{S.Name.str(), At}] = D.print(*Inst);
  }
  return Result;
}

} // namespace heddle
