//===- RegisterBanks.cpp - Reading sources from banks -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both counts are known when the code is: an instruction follows another one
// only where the code has them in this order.
//
//===----------------------------------------------------------------------===//

#include "RegisterBanks.h"
#include "heddle/Support/Check.h"
#include "llvm/ADT/STLExtras.h"

namespace heddle::emu {

RegisterReads::RegisterReads(const CodeImage &Image, unsigned Banks,
                             bool AreFree)
    : All(Image.Insts.size()), Following(Image.Insts.size()) {
  HEDDLE_CHECK(Banks >= 1 && Banks <= MaxRegisterBanks,
               "a chip has more register banks than the model");
  if (AreFree)
    return;
  for (uint32_t PC = 0; PC < Image.Insts.size(); ++PC) {
    const DecodedInst &I = Image.Insts[PC];
    // The operands that the one before it has read, and not overwritten.
    auto IsThere = [&](RegId R) {
      if (PC == 0)
        return false;
      const DecodedInst &Before = Image.Insts[PC - 1];
      return llvm::is_contained(Image.reads(Before), R) &&
             !llvm::is_contained(Image.writes(Before), R);
    };
    for (RegId R : Image.reads(I)) {
      if (R >= FirstPredicate)
        continue;
      ++All[PC][R % Banks];
      Following[PC][R % Banks] += !IsThere(R);
    }
  }
}

} // namespace heddle::emu
