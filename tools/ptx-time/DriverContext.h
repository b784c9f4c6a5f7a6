//===- DriverContext.h - A device of a driver library -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of libcuda.so.1, or of another library of that kind, and the
// device on which they are called.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TIME_DRIVERCONTEXT_H
#define HEDDLE_TOOLS_PTX_TIME_DRIVERCONTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::timing {

/// The functions of a driver library.
struct DriverAPI {
#define HEDDLE_DRIVER(Name, Symbol, Parameters) int(*Name) Parameters = nullptr;
#include "DriverAPI.def"
  /// The error that a function returned, as the driver names it, or success.
  llvm::Error check(int Result, llvm::StringRef What) const;
};

/// Loads the library at \p Path; one that lacks a function is an error.
llvm::Expected<DriverAPI> loadDriver(const std::string &Path);

/// The primary context of a driver's first device, and two events in it.
class DriverContext {
public:
  explicit DriverContext(const DriverAPI &API) : API(API) {}
  ~DriverContext();
  DriverContext(const DriverContext &) = delete;
  DriverContext &operator=(const DriverContext &) = delete;

  /// Retains the context, and makes it this thread's.
  llvm::Error open();

  int ordinal() const { return Ordinal; }
  llvm::StringRef device() const { return Name; }
  void *start() const { return Start; }
  void *end() const { return End; }

private:
  DriverAPI API;
  int Ordinal = 0;
  bool IsRetained = false;
  std::string Name;
  void *Start = nullptr, *End = nullptr;
};

} // namespace heddle::timing

#endif // HEDDLE_TOOLS_PTX_TIME_DRIVERCONTEXT_H
