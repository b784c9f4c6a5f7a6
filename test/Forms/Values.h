//===- Values.h - The values that forms are tried with ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All values of one 16-bit or two 8-bit sources, else edge values combined with
// each other and random ones. The same sources get the same values in every
// run.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_VALUES_H
#define HEDDLE_TEST_FORMS_VALUES_H

#include "Form.h"

namespace heddle::forms {

/// Values for all sources of a form: Columns[S][I] is source S of sample I.
struct Samples {
  std::vector<std::vector<uint64_t>> Columns;
  size_t Count = 0;
  /// Every combination of values is there.
  bool Exhaustive = false;
};

struct SampleOptions {
  unsigned Random = 10'000; ///< Random samples beside the edges.
  /// Two 16-bit sources: every edge value with all values of the other one,
  /// instead of all values of one with some edge value of the other.
  bool Full = false;
  uint64_t Seed = 1;
};

/// In an order in which any leading part is a fair sample.
Samples makeSamples(const std::vector<Source> &Sources,
                    const SampleOptions &Options);

/// The values of a source at which something changes.
std::vector<uint64_t> edgeValues(const Source &S);

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_VALUES_H
