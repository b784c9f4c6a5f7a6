//===- EmbedBitcode.cpp - LLVM IR in an object ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the LLVM IR of a module into the object that is made of it, with a hash
// by which thin LTO tells inputs apart (docs/linking.md).
//
//===----------------------------------------------------------------------===//

#include "Backend/Backend.h"
#include "Link/Summaries.h"

#include "heddle/Object/Format.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace heddle::compiler {

void embedBitcode(Module &M, const Settings &S,
                  const passes::PassContext &Context) {
  std::unique_ptr<Module> Copy = CloneModule(M);
  if (S.Remarks && !S.hasLinesInOutput())
    StripDebugInfo(*Copy);
  if (S.OptLevel >= 1) {
    ModulePassManager MPM;
    MPM.addPass(createModuleToFunctionPassAdaptor(passes::cleanUp()));
    MPM.addPass(GlobalDCEPass());
    passes::runPasses(*Copy, std::move(MPM), Context);
  }
  SmallVector<char, 0> Bitcode;
  writeWithSummary(*Copy, Bitcode);
  auto Embed = [&](StringRef Bytes, StringRef Section) {
    embedBufferInModule(M, MemoryBufferRef(Bytes, ""), Section);
  };
  StringRef Bytes(Bitcode.data(), Bitcode.size());
  char Hash[sizeof(uint64_t)];
  support::endian::write64le(Hash, xxh3_64bits(Bytes));
  Embed(Bytes, BitcodeSectionName);
  Embed(StringRef(Hash, sizeof(Hash)), BitcodeHashSectionName);
}

} // namespace heddle::compiler
