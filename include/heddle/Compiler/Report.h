//===- Report.h - What a compilation reports --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figures of a compilation, free of LLVM, so that the command line can show
// those of a cached one without loading the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_REPORT_H
#define HEDDLE_COMPILER_REPORT_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// What -v prints of a function. Sizes in bytes.
struct FunctionReport {
  std::string Name;
  bool IsEntry = false;
  unsigned Registers = 0;
  unsigned Barriers = 0;
  uint64_t StackBytes = 0;           ///< the function's own frame
  uint64_t CumulativeStackBytes = 0; ///< with everything it calls
  uint64_t SpillStoreBytes = 0;
  uint64_t SpillLoadBytes = 0;
  uint64_t SharedBytes = 0;
  uint64_t ParamBytes = 0;
  uint64_t CodeBytes = 0;
  double Milliseconds = 0; ///< wall time of its code generation
};

/// What a compilation tells besides its output.
struct CompileSummary {
  bool CheckedOnly = false; ///< compute_NN: nothing was generated
  std::string Chip;
  std::vector<FunctionReport> Functions;
  uint64_t GlobalBytes = 0;     ///< initialised and zero global memory
  uint64_t ConstantBytes = 0;   ///< constant bank of the module
  double Milliseconds = 0;      ///< wall time of the whole compilation
  unsigned PartitionsFound = 0; ///< of the input, in the partition store
  unsigned PartitionsMade = 0;  ///< of the input, compiled
  /// Functions that were compiled, where a single pass was asked for: those
  /// that it generated, and those that it could not.
  unsigned InOnePass = 0, NotInOnePass = 0;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_REPORT_H
