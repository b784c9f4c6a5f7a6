//===- Quotas.h - What users and processes may have -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of JSON, whose rows stand in Quotas.def:
//
//   { "default": { "memory": "1G", "share": 2 },
//     "users": { "1001": { "share": 1, "ms": 20, "period_ms": 100 } } }
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_QUOTAS_H
#define HEDDLE_DEVICESERVICE_QUOTAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle::deviced {

/// What each process of a user may have, unless the row says that it is of all
/// processes of the user.
struct Quota {
#define HEDDLE_QUOTA(Field, Name, Default, Least, Most, Meaning)               \
  uint64_t Field = Default;
#include "heddle/DeviceService/Quotas.def"
};

struct Quotas {
  Quota Default;
  std::map<uint32_t, Quota> Users; ///< By their numbers.

  /// An error names what is wrong.
  static llvm::Expected<Quotas> parse(llvm::StringRef Text);
  static llvm::Expected<Quotas> read(llvm::StringRef Path);
  const Quota &of(uint32_t User) const {
    auto It = Users.find(User);
    return It == Users.end() ? Default : It->second;
  }
};

/// A number of bytes, such as 512M or 2G.
std::optional<uint64_t> parseBytes(llvm::StringRef Text);

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_QUOTAS_H
