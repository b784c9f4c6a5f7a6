//===- Coverage.h - Scalar mnemonics without a form -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the forms with the rows of the PTX table.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_COVERAGE_H
#define HEDDLE_TEST_FORMS_COVERAGE_H

#include "Form.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle::forms {

/// Prints every mnemonic that the rows of scalar instructions allow and that no
/// form has.
void printUncovered(const std::vector<const Form *> &Forms,
                    llvm::raw_ostream &OS);

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_COVERAGE_H
