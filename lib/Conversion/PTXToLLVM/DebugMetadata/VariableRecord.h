//===- VariableRecord.h - Variables on their way to LLVM IR -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the name of a debug record says which entry of .debug_info it is for.
// MLIR's attributes cannot describe all types, so that the records are made
// complete in LLVM IR.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_VARIABLERECORD_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_VARIABLERECORD_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace heddle::lowering {

struct VariableRecord {
  enum KindType : char {
    Value = 'v',   ///< The variable has this value from here on.
    Address = 'a', ///< The value plus Offset is where it is in memory.
  };
  uint64_t Entry = 0;
  KindType Kind = Value;
  int64_t Offset = 0;
  uint64_t PieceOffset = 0;
  uint64_t PieceBytes = 0; ///< 0: it is all of the variable.

  std::string spell() const {
    return std::string(1, Kind) + std::to_string(Entry) + ":" +
           std::to_string(Offset) + ":" + std::to_string(PieceOffset) + ":" +
           std::to_string(PieceBytes);
  }
  static std::optional<VariableRecord> parse(llvm::StringRef Name) {
    VariableRecord R;
    if (Name.empty() || !llvm::StringRef("va").contains(Name.front()))
      return std::nullopt;
    R.Kind = KindType(Name.front());
    Name = Name.drop_front();
    auto Next = [&](auto &Number) {
      llvm::StringRef Text;
      std::tie(Text, Name) = Name.split(':');
      return !Text.getAsInteger(10, Number);
    };
    bool Good = Next(R.Entry) && Next(R.Offset) && Next(R.PieceOffset) &&
                Next(R.PieceBytes);
    return Good ? std::optional(R) : std::nullopt;
  }
};

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_VARIABLERECORD_H
