//===- EventText.h - Events as objects of JSON ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are traced while they run, so that an event is put together without
// values in between, and what spans of a kind have in common once: numbers are
// put into a copy of it. They have blanks in front, as JSON may.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_EVENTTEXT_H
#define HEDDLE_LIB_CUDA_TRACE_EVENTTEXT_H

#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace heddle::cuda::trace {

/// An event as an object of JSON. Programs are traced while they run, so that
/// it is put together without values in between.
class EventText {
public:
  EventText() { Text += '{'; }

  EventText &text(llvm::StringRef Key, llvm::StringRef Value) {
    key(Key);
    quote(Value);
    return *this;
  }
  EventText &number(llvm::StringRef Key, uint64_t Value) {
    key(Key);
    append(Value);
    return *this;
  }
  /// Nanoseconds as microseconds.
  EventText &time(llvm::StringRef Key, uint64_t Nanoseconds) {
    number(Key, Nanoseconds / 1000);
    Text += '.';
    for (unsigned Digit : {100, 10, 1})
      Text += static_cast<char>('0' + Nanoseconds / Digit % 10);
    return *this;
  }
  EventText &place(unsigned Process, uint64_t Thread) {
    return number("pid", Process).number("tid", Thread);
  }
  EventText &arguments(llvm::ArrayRef<TraceWriter::Argument> Arguments) {
    key("args");
    Text += '{';
    for (const TraceWriter::Argument &A : Arguments) {
      key(A.Name);
      if (A.IsNumber) {
        Text += '"';
        append(A.Number);
        Text += '"';
      } else {
        quote(A.Text);
      }
    }
    Text += '}';
    return *this;
  }
  EventText &value(double Value) {
    key("args");
    llvm::raw_svector_ostream(Text) << llvm::format("{\"value\":%.17g}", Value);
    return *this;
  }
  EventText &object(llvm::StringRef Key, llvm::json::Object Value) {
    key(Key);
    llvm::raw_svector_ostream(Text) << llvm::json::Value(std::move(Value));
    return *this;
  }
  llvm::StringRef end() {
    Text += '}';
    return Text;
  }
  /// As far as it has come.
  llvm::StringRef bytes() const { return Text; }

private:
  void key(llvm::StringRef Key) {
    if (Text.back() != '{')
      Text += ',';
    Text += '"';
    Text += Key;
    Text += "\":";
  }
  void append(uint64_t Number) {
    char Digits[20];
    Text.append(
        std::begin(Digits),
        std::to_chars(std::begin(Digits), std::end(Digits), Number).ptr);
  }
  void quote(llvm::StringRef Value);

  llvm::SmallString<512> Text;
};

/// What is between events.
constexpr llvm::StringRef EventSeparator = ",\n";

/// Where a span or arrow is.
struct EventPlace {
  unsigned Process;
  uint64_t Thread;
};

/// The latest numbers of spans as text: of the next ones mostly the last digits
/// alone are others.
class LatestNumbers {
public:
  /// Bytes of a time: so many digits of microseconds, and a blank.
  static constexpr size_t TimeDigits = 12, TimeBytes = 1 + TimeDigits + 4;
  /// Times below have such a text.
  static constexpr uint64_t TimeLimit = 1'000'000'000'000'000;
  /// Bytes of a correlation: a blank, and digits by threes.
  static constexpr size_t CorrelationBytes = 1 + 12;

  /// Texts are valid until the next one of their kind is asked for.
  const char *time(uint64_t Nanoseconds);
  const char *correlation(uint32_t Number);
  /// Where the digits of the latest correlation begin.
  size_t correlationBegin() const { return FirstDigit; }

private:
  char Time[TimeBytes] = {};
  uint64_t Second = 0; ///< When that of Time begins.
  /// So long from there on times have the same first digits.
  uint64_t From = 0, SameDigits = 0;
  char Correlation[CorrelationBytes] = {};
  uint32_t Thousand = 0; ///< Of Correlation; 0: none.
  size_t FirstDigit = 0;
};

/// What spans of which there are many have in common: all but their times and
/// correlation.
class SpanLabel {
public:
  SpanLabel() = default;
  /// With a phase spans have a correlation, the first of their arguments, and
  /// an arrow that begins or ends at their begin.
  SpanLabel(llvm::StringRef Name, llvm::StringRef Category, EventPlace At,
            llvm::ArrayRef<TraceWriter::Argument> Arguments = {},
            llvm::StringRef ArrowPhase = {});

  /// How many bytes a span has at most, with the separator in front.
  size_t mostBytes() const {
    constexpr size_t MostTimeBytes = 24;
    return Text.size() + 3 * MostTimeBytes;
  }
  /// Writes a span, whose times are nanoseconds, to \p At, behind another
  /// event. Returns what is behind it.
  char *put(char *At, LatestNumbers &Latest, uint64_t Begin, uint64_t Duration,
            uint32_t Correlation) const;

private:
  void putCorrelation(char *At, LatestNumbers &Latest,
                      uint32_t Correlation) const;
  char *putLong(char *At, LatestNumbers &Latest, uint64_t Begin,
                uint64_t Duration, uint32_t Correlation) const;

  std::string Text; ///< With blanks where numbers will be.
  /// Where these begin; 0: there is no correlation and no arrow.
  size_t TimeAt = 0, DurationAt = 0, NumberAt = 0, ArrowTimeAt = 0,
         ArrowNumberAt = 0;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_EVENTTEXT_H
