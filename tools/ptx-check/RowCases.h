//===- RowCases.h - Instructions made from the table ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each row of the instruction table, instructions that it accepts. They
// use the declarations of test/PTX/Inputs/prelude.ptx.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTXCHECK_ROWCASES_H
#define HEDDLE_TOOLS_PTXCHECK_ROWCASES_H

#include "heddle/PTX/Tables.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::ptx {

/// An instruction that fits a row, and the least .version and .target for it.
struct RowCase {
  const FormRow *Row;
  unsigned Version; ///< Major * 10 + minor.
  Target GPU;
  std::string Types; ///< The type suffixes: `.f32.s32`.
  std::string Text;  ///< With operands and `;`.
};

/// Which instructions are made of a row.
enum class RowVariants {
  Base,  ///< One: no optional part, the first of all choices.
  Types, ///< One for each combination of types.
  All,   ///< Also each choice of each modifier and each optional operand.
};

/// Calls \p Use with the instructions of all rows in the order of the table.
void makeRowCases(RowVariants Variants,
                  llvm::function_ref<void(const RowCase &)> Use);

} // namespace heddle::ptx

#endif // HEDDLE_TOOLS_PTXCHECK_ROWCASES_H
