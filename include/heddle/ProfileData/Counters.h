//===- Counters.h - What loaded code has counted ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the counters of -fprofile-generate where they are: in variables of a
// module in device memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PROFILEDATA_COUNTERS_H
#define HEDDLE_PROFILEDATA_COUNTERS_H

#include "heddle/ProfileData/ProfileData.h"
#include "heddle/Runtime/Device.h"

namespace heddle::pgo {

/// A variable with the addresses of functions that may be called through
/// pointers, and their names, as LLVM's profiles have them.
struct PointerTable {
  std::string Variable;
  std::vector<std::string> Functions;
};

/// What the functions of a code object count, and which of them may be called
/// through pointers; both are empty if they count nothing.
struct CountedCode {
  std::vector<FunctionShape> Functions;
  std::vector<PointerTable> Pointers;
};
/// Reads it from a code object, which is not trusted.
llvm::Expected<CountedCode> readCountedCode(llvm::ArrayRef<uint8_t> CodeObject);

/// What LLVM's profiles call the functions at the addresses that \p Tables of
/// \p M have.
llvm::Expected<std::map<uint64_t, uint64_t>>
resolvePointers(rt::Device &D, const rt::Module &M,
                llvm::ArrayRef<PointerTable> Tables);

/// What the functions of \p M, which \p D loaded, have counted in memory so
/// far. Launches that still run are counted in part.
llvm::Expected<ProfileData> readCounters(rt::Device &D, const rt::Module &M,
                                         const CountedCode &Code);

/// Called addresses as names of functions; addresses without a name are
/// dropped.
ValueCounts targetsOf(const std::map<uint64_t, uint64_t> &CallsOf,
                      const std::map<uint64_t, uint64_t> &Names);

/// Counts the scalar arguments of a launch for its kernel, if that has a shape.
void countArguments(llvm::ArrayRef<FunctionShape> Shapes,
                    const rt::KernelInfo &Kernel,
                    llvm::ArrayRef<uint8_t> Params, ProfileData &To);

} // namespace heddle::pgo

#endif // HEDDLE_PROFILEDATA_COUNTERS_H
