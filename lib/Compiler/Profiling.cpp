//===- Profiling.cpp - Profiles on the way to code --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where profiles meet modules: behind the frontend, before anything depends on
// options. What was linked from bitcode may have met its profile before.
//
//===----------------------------------------------------------------------===//

#include "PrepareModule.h"

using namespace llvm;

namespace heddle::compiler {

static bool counts(const Module &M) {
  return any_of(M.globals(), [](const GlobalVariable &G) {
    return G.getSection() == pgo::ShapeSectionName;
  });
}

void profile(Module &M, StringRef File, const Settings &S, Reporter &Report) {
  if (S.Counting && !counts(M))
    passes::instrument(M, *S.Counting);
  if (!S.Profile)
    return;
  for (const std::string &Name : passes::applyProfile(M, *S.Profile).Stale)
    Report.warning(WarningId::StaleProfile, File,
                   "the profile of function '" + Name +
                       "' is of another control flow, and is not used");
}

} // namespace heddle::compiler
