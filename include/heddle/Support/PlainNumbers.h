//===- PlainNumbers.h - Numbers with a point --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's locale may have commas in numbers, which printf, strtod and with
// them LLVM's JSON follow. What Heddle writes for machines and reads has
// points.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_PLAINNUMBERS_H
#define HEDDLE_SUPPORT_PLAINNUMBERS_H

#include <locale.h> // NOLINT(modernize-deprecated-headers): of POSIX.

namespace heddle {

/// While it lives, this thread writes and reads numbers as in the locale "C".
class PlainNumbers {
public:
  PlainNumbers() : Before(::uselocale(plain())) {}
  ~PlainNumbers() { ::uselocale(Before); }
  PlainNumbers(const PlainNumbers &) = delete;
  PlainNumbers &operator=(const PlainNumbers &) = delete;

private:
  static ::locale_t plain() {
    static const ::locale_t C = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return C;
  }
  ::locale_t Before;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_PLAINNUMBERS_H
