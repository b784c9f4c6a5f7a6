//===- Runner.h - Compiles, runs and checks forms ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms go through the whole compiler and run on the emulator with strict
// hazards, at both ends of the optimisation levels and on both chips.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_RUNNER_H
#define HEDDLE_TEST_FORMS_RUNNER_H

#include "Kernel.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::forms {

struct RunOptions {
  SampleOptions Samples;
  /// All samples in all configurations; else all in the first, and the leading
  /// FewSamples in the others.
  bool Full = false;
  size_t FewSamples = 4096;
  /// Samples that are tried as constants, too.
  size_t ConstantSamples = 8;
  /// Failures that are shown for each form.
  unsigned MaxShown = 3;
  /// A folder to write the kernels and samples to (Record.h), instead of
  /// running them.
  std::string RecordTo;
  /// A folder with the results of a GPU, to be compared with the references
  /// instead of the emulator's.
  std::string Recorded;
};

struct Summary {
  unsigned Forms = 0;       ///< That were tried.
  unsigned Failed = 0;      ///< Of them, with a wrong result.
  unsigned NotCompiled = 0; ///< Of them, that the compiler rejected.
  uint64_t Results = 0;     ///< That were compared.
  unsigned Exhaustive = 0;  ///< Forms that were tried with all values.

  bool passed() const { return Failed == 0 && NotCompiled == 0; }
};

/// Tests \p Forms and reports what is wrong to \p Log. An error is a fault of
/// the test itself or of the device.
llvm::Expected<Summary> runForms(const std::vector<const Form *> &Forms,
                                 const RunOptions &Options,
                                 llvm::raw_ostream &Log);

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_RUNNER_H
