//===- EventText.cpp - Events as objects of JSON ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are put from their last digits on, three at a time.
//
//===----------------------------------------------------------------------===//

#include "Trace/EventText.h"
#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace llvm;

namespace heddle::cuda::trace {

void EventText::quote(StringRef Value) {
  auto IsPlain = [](unsigned char C) {
    return C >= 0x20 && C < 0x7F && C != '"' && C != '\\';
  };
  if (all_of(Value, IsPlain)) {
    Text += '"';
    Text += Value;
    Text += '"';
  } else {
    raw_svector_ostream(Text) << json::Value(json::fixUTF8(Value));
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// For each number below 1,000 a blank and three digits, or blanks for the
/// zeros in front.
static constexpr std::array<char, 4000> makeTriples(bool HasZeros) {
  std::array<char, 4000> All = {};
  for (size_t I = 0; I != 1000; ++I) {
    char *At = &All[4 * I];
    At[0] = ' ';
    At[1] = static_cast<char>(I >= 100 || HasZeros ? '0' + I / 100 : ' ');
    At[2] = static_cast<char>(I >= 10 || HasZeros ? '0' + I / 10 % 10 : ' ');
    At[3] = static_cast<char>('0' + I % 10);
  }
  return All;
}
static constexpr std::array<char, 4000> Triples = makeTriples(true),
                                        FirstTriples = makeTriples(false);

/// Puts a number in front of \p End, and a blank in front of that. Returns
/// where its three first digits, or blanks, begin.
static char *putBefore(char *End, uint64_t Number) {
  while (Number >= 1000) {
    uint64_t Thousands = Number / 1000;
    std::memcpy(End - 4, &Triples[4 * (Number - Thousands * 1000)], 4);
    End -= 3;
    Number = Thousands;
  }
  std::memcpy(End - 4, &FirstTriples[4 * Number], 4);
  return End - 3;
}

/// Nanoseconds as microseconds.
static void putTimeBefore(char *End, uint64_t Nanoseconds) {
  uint64_t Microseconds = Nanoseconds / 1000;
  std::memcpy(End - 4, &Triples[4 * (Nanoseconds - Microseconds * 1000)], 4);
  putBefore(End - 4, Microseconds);
  End[-4] = '.';
}

/// Puts all three digits of a number below 1,000.
static void putTriple(char *At, uint32_t Number) {
  std::memcpy(At, &Triples[4 * size_t(Number) + 1], 3);
}

inline const char *LatestNumbers::time(uint64_t Nanoseconds) {
  constexpr uint64_t PerSecond = 1'000'000'000;
  char *End = Time + TimeBytes;
  if (Nanoseconds - From >= SameDigits) {
    Second = Nanoseconds / PerSecond * PerSecond;
    std::memset(Time, ' ', TimeBytes);
    putTimeBefore(End, Nanoseconds);
    // In its first tenth the first second has fewer digits.
    From = Second ? Second : PerSecond / 10;
    SameDigits = Nanoseconds < From ? 0 : Second + PerSecond - From;
    return Time;
  }
  auto Rest = static_cast<uint32_t>(Nanoseconds - Second);
  uint32_t Microseconds = Rest / 1000, Milliseconds = Rest / 1'000'000;
  putTriple(End - 10, Milliseconds);
  putTriple(End - 7, Microseconds - Milliseconds * 1000);
  putTriple(End - 3, Rest - Microseconds * 1000);
  return Time;
}

inline const char *LatestNumbers::correlation(uint32_t Number) {
  char *End = Correlation + CorrelationBytes;
  if (Thousand && Number - Thousand < 1000) {
    putTriple(End - 3, Number - Thousand);
    return Correlation;
  }
  Thousand = Number / 1000 * 1000;
  std::memset(Correlation, ' ', CorrelationBytes);
  const char *First = putBefore(End, Number);
  while (*First == ' ')
    ++First;
  FirstDigit = static_cast<size_t>(First - Correlation);
  return Correlation;
}

//===----------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------===//

/// Bytes of a duration below the limit: with a blank in front, and digits by
/// threes.
static constexpr size_t DurationBytes = 1 + 9 + 4;
static constexpr uint64_t DurationLimit = 1'000'000'000'000;

/// An arrow between a call and its work, up to its time.
static std::string headOfArrow(StringRef Phase, EventPlace At) {
  EventText Event;
  Event.text("name", "work").text("cat", "work").text("ph", Phase);
  if (Phase == "f")
    Event.text("bp", "e");
  return (Event.place(At.Process, At.Thread).bytes() + ",\"ts\":").str();
}

SpanLabel::SpanLabel(StringRef Name, StringRef Category, EventPlace At,
                     ArrayRef<TraceWriter::Argument> Arguments,
                     StringRef ArrowPhase) {
  auto AddBlanks = [this](size_t Bytes) {
    size_t Begin = Text.size();
    Text.append(Bytes, ' ');
    return Begin;
  };
  EventText Event, Object;
  Event.text("name", Name).text("cat", Category).text("ph", "X");
  Text =
      (EventSeparator + Event.place(At.Process, At.Thread).bytes() + ",\"ts\":")
          .str();
  TimeAt = AddBlanks(LatestNumbers::TimeBytes);
  Text += ",\"dur\":";
  DurationAt = AddBlanks(DurationBytes);
  StringRef All = Object.arguments(Arguments).bytes().drop_front();
  if (ArrowPhase.empty()) {
    Text += ("," + All + "}").str();
    return;
  }
  size_t First = All.find('{') + 1;
  Text += ("," + All.take_front(First) + "\"correlation\":").str();
  // The first quote is where the digits begin.
  NumberAt = AddBlanks(LatestNumbers::CorrelationBytes);
  Text += All[First] == '}' ? "\"" : "\",";
  Text += (All.drop_front(First) + "}" + EventSeparator +
           headOfArrow(ArrowPhase, At))
              .str();
  ArrowTimeAt = AddBlanks(LatestNumbers::TimeBytes);
  Text += ",\"id\":";
  ArrowNumberAt = AddBlanks(LatestNumbers::CorrelationBytes);
  Text += '}';
}

inline void SpanLabel::putCorrelation(char *At, LatestNumbers &Latest,
                                      uint32_t Correlation) const {
  const char *Number = Latest.correlation(Correlation);
  std::memcpy(At + NumberAt, Number, LatestNumbers::CorrelationBytes);
  std::memcpy(At + ArrowNumberAt, Number, LatestNumbers::CorrelationBytes);
  At[NumberAt + Latest.correlationBegin() - 1] = '"';
}

char *SpanLabel::put(char *At, LatestNumbers &Latest, uint64_t Begin,
                     uint64_t Duration, uint32_t Correlation) const {
  if (Begin >= LatestNumbers::TimeLimit || Duration >= DurationLimit)
    return putLong(At, Latest, Begin, Duration, Correlation);
  std::memcpy(At, Text.data(), Text.size());
  const char *Time = Latest.time(Begin);
  std::memcpy(At + TimeAt, Time, LatestNumbers::TimeBytes);
  putTimeBefore(At + DurationAt + DurationBytes, Duration);
  if (NumberAt) {
    putCorrelation(At, Latest, Correlation);
    std::memcpy(At + ArrowTimeAt, Time, LatestNumbers::TimeBytes);
  }
  return At + Text.size();
}

/// With times that have no place of their own.
char *SpanLabel::putLong(char *At, LatestNumbers &Latest, uint64_t Begin,
                         uint64_t Duration, uint32_t Correlation) const {
  std::string Long = Text;
  if (NumberAt)
    putCorrelation(Long.data(), Latest, Correlation);
  auto TextOf = [](uint64_t Nanoseconds) {
    return EventText().time("", Nanoseconds).bytes().drop_front(4).str();
  };
  // From the last one on: places in front stay what they are.
  if (NumberAt)
    Long.replace(ArrowTimeAt, LatestNumbers::TimeBytes, TextOf(Begin));
  Long.replace(DurationAt, DurationBytes, TextOf(Duration));
  Long.replace(TimeAt, LatestNumbers::TimeBytes, TextOf(Begin));
  return std::copy(Long.begin(), Long.end(), At);
}

} // namespace heddle::cuda::trace
