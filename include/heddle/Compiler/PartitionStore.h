//===- PartitionStore.h - Objects of partitions -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's view of the cache's second level. No LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_PARTITIONSTORE_H
#define HEDDLE_COMPILER_PARTITIONSTORE_H

#include <optional>
#include <string>
#include <string_view>

namespace heddle {

/// Where the compiler finds and leaves the machine code of an input's
/// partitions, by a text that says all that the code depends on besides the
/// options. Any thread may call any member.
class PartitionStore {
public:
  virtual ~PartitionStore() = default;
  virtual std::optional<std::string> find(std::string_view Text) = 0;
  virtual void insert(std::string_view Text, std::string Code) = 0;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PARTITIONSTORE_H
