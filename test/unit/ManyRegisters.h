//===- ManyRegisters.h - PTX that needs many registers ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes a kernel need more registers than a block of 1,024 threads leaves
// it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_MANYREGISTERS_H
#define HEDDLE_TEST_UNIT_MANYREGISTERS_H

#include <string>

namespace heddle {

/// PTX that reads the word at %a a hundred times, keeps all that it has read in
/// registers, and leaves the sum in %s. Accesses are volatile, so that no value
/// can be read a second time instead.
inline std::string sumOfManyValues() {
  std::string Loads = "  .reg .b32 %v<100>;\n  mov.b32 %s, 0;\n", Sum;
  for (int I = 0; I != 100; ++I) {
    std::string V = "%v" + std::to_string(I);
    Loads += "  ld.volatile.global.b32 " + V + ", [%a];\n";
    Sum += "  add.u32 %s, %s, " + V + ";\n";
    Sum += "  st.volatile.global.b32 [%a], " + V + ";\n";
  }
  return Loads + Sum;
}

} // namespace heddle

#endif // HEDDLE_TEST_UNIT_MANYREGISTERS_H
