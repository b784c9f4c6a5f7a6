//===- Result.h - A value or what went wrong --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache reports failures as values. A Fault has a reason, which is also the
// counter that it is counted under, and a text for people.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_RESULT_H
#define HEDDLE_CACHE_RESULT_H

#include "heddle-cache/Counters.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace heddle::cache {

/// Why something could not be had.
struct Fault {
  Counter Reason;
  std::string Text;
};

/// A T, or the Fault that stands in its way.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T Value) : State(std::in_place_index<0>, std::move(Value)) {}
  Result(Fault F) : State(std::in_place_index<1>, std::move(F)) {}

  explicit operator bool() const { return State.index() == 0; }
  T &operator*() { return *std::get_if<0>(&State); }
  const T &operator*() const { return *std::get_if<0>(&State); }
  T *operator->() { return std::get_if<0>(&State); }
  const T *operator->() const { return std::get_if<0>(&State); }
  const Fault &fault() const { return *std::get_if<1>(&State); }

private:
  std::variant<T, Fault> State;
};

/// Success, or a Fault.
using Status = std::optional<Fault>;

} // namespace heddle::cache

#endif // HEDDLE_CACHE_RESULT_H
