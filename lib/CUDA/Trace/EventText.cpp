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

void TimeText::putAll(uint64_t Nanoseconds) {
  Milliseconds = Nanoseconds / 1'000'000;
  std::memset(Text, ' ', Bytes);
  putTimeBefore(Text + Bytes, Nanoseconds);
}

/// Of the same millisecond.
void TimeText::putRest(uint32_t Nanoseconds) {
  uint32_t Microseconds = Nanoseconds / 1000;
  std::memcpy(Text + Bytes - 7, &Triples[4 * size_t(Microseconds) + 1], 3);
  std::memcpy(Text + Bytes - 3,
              &Triples[4 * size_t(Nanoseconds - Microseconds * 1000) + 1], 3);
}

//===----------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------===//

/// Bytes of a duration below the limit, and of 32 bits: with a blank in front,
/// and digits by threes.
static constexpr size_t DurationBytes = 1 + 9 + 4, NumberBytes = 1 + 12;

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
  TimeAt = AddBlanks(TimeText::Bytes);
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
  NumberAt = AddBlanks(NumberBytes);
  Text += All[First] == '}' ? "\"" : "\",";
  Text += (All.drop_front(First) + "}" + EventSeparator +
           headOfArrow(ArrowPhase, At))
              .str();
  ArrowTimeAt = AddBlanks(TimeText::Bytes);
  Text += ",\"id\":";
  ArrowNumberAt = AddBlanks(NumberBytes);
  Text += '}';
}

void SpanLabel::putDuration(char *At, uint64_t Nanoseconds) const {
  putTimeBefore(At + DurationAt + DurationBytes, Nanoseconds);
}

void SpanLabel::putNumber(char *At, uint32_t Correlation) const {
  char *Number = At + NumberAt;
  char *First = putBefore(Number + NumberBytes, Correlation);
  std::memcpy(At + ArrowNumberAt, Number, NumberBytes);
  while (*First == ' ')
    ++First;
  First[-1] = '"';
}

/// With times that have no place of their own.
char *SpanLabel::putLong(char *At, uint64_t Begin, uint64_t Duration,
                         uint32_t Correlation) const {
  std::string Long = Text;
  if (NumberAt)
    putNumber(Long.data(), Correlation);
  auto TextOf = [](uint64_t Nanoseconds) {
    return EventText().time("", Nanoseconds).bytes().drop_front(4).str();
  };
  // From the last one on: places in front stay what they are.
  if (NumberAt)
    Long.replace(ArrowTimeAt, TimeText::Bytes, TextOf(Begin));
  Long.replace(DurationAt, DurationBytes, TextOf(Duration));
  Long.replace(TimeAt, TimeText::Bytes, TextOf(Begin));
  return std::copy(Long.begin(), Long.end(), At);
}

} // namespace heddle::cuda::trace
