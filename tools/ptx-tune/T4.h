//===- T4.h - Kernel Tuner's T4 format --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of a search in the form that Kernel Tuner and its benchmark hub
// share (T4, results schema 1.0.0: https://github.com/odgaard/TuningSchema).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_T4_H
#define HEDDLE_TOOLS_PTX_TUNE_T4_H

#include "Records.h"

namespace heddle::tune {

/// A record's history as a T4 document; an error if it has none.
llvm::Expected<llvm::json::Value> toT4(const tuning::Record &R);

/// The best configuration of a T4 document: of those that are correct, the one
/// with the least objective, without what the compiler decides by itself. An
/// error says what is no decision of ours or of the kernel's \p NumLoops loops.
llvm::Expected<tuning::Configuration> bestOfT4(llvm::StringRef JSON,
                                               size_t NumLoops);

/// ptx-tune export: writes the record of a kernel.
llvm::Error exportRecord(const Options &O);
/// ptx-tune import: keeps the best configuration of a file as a record.
llvm::Error importRecord(const Options &O);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_T4_H
