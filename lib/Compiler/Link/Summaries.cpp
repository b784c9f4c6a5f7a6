//===- Summaries.cpp - What modules tell of themselves ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's own form of summaries, which llvm-bcanalyzer and llvm-dis show.
//
//===----------------------------------------------------------------------===//

#include "Link/Summaries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ModuleSummaryAnalysis.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::compiler {

std::unique_ptr<ModuleSummaryIndex> summarize(const Module &M) {
  ProfileSummaryInfo Profile(M);
  return std::make_unique<ModuleSummaryIndex>(
      buildModuleSummaryIndex(M, /*GetBFICallback=*/nullptr, &Profile));
}

void writeWithSummary(Module &M, SmallVectorImpl<char> &Bitcode) {
  for (GlobalObject &G : make_early_inc_range(M.global_objects()))
    if (G.isDeclaration() && G.use_empty())
      G.eraseFromParent();
  // LLVM's reader of summaries takes no module for one without such a name.
  if (M.getSourceFileName().empty())
    M.setSourceFileName("-");
  std::unique_ptr<ModuleSummaryIndex> Summary = summarize(M);
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(M, OS, /*ShouldPreserveUseListOrder=*/false,
                     Summary.get());
}

bool hasSummary(StringRef Bitcode) {
  Expected<BitcodeLTOInfo> Info =
      getBitcodeLTOInfo(MemoryBufferRef(Bitcode, ""));
  if (!Info) {
    consumeError(Info.takeError()); // a reader of it all says what is wrong
    return false;
  }
  return Info->HasSummary;
}

std::string contentHash(StringRef Bytes) {
  return toHex(BLAKE3::hash(arrayRefFromStringRef(Bytes)));
}

} // namespace heddle::compiler
