//===- EventLogTest.cpp - Events on their way to a file -------------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever threads append comes to the file, once, by time, with the texts of
// ranges that last longer than the log's memory.
//
//===----------------------------------------------------------------------===//

#include "Trace/EventLog.h"
#include "Trace/Timeline.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace heddle::cuda::trace;

namespace {

struct SeriesNumber final : SeriesInFile {
  unsigned Number;
  SeriesNumber(unsigned Number) : Number(Number) {}
};

/// What a file was told.
struct Told final : FileSink {
  std::map<uint32_t, std::vector<uint64_t>> Calls; ///< Ends, by thread.
  std::vector<uint64_t> Times;                     ///< Of calls and values.
  std::vector<std::string> Ranges;
  std::vector<uint64_t> OfBegins;
  /// The series and the ends of calls that are spans, by thread.
  std::map<uint32_t, std::vector<std::pair<unsigned, uint64_t>>> Spans;
  std::map<unsigned, std::vector<uint64_t>> WorkBytes; ///< By device.
  unsigned NumSeries = 0;
  uint64_t NumBegins = 0;

  void add(const Call &C) override {
    Calls[C.Thread].push_back(C.End);
    Times.push_back(C.End);
  }
  void add(const Span &S) override {
    if (const auto *R = std::get_if<PlainRange>(&S.Of->First))
      return note(R->Name->Text, S.Begin, S.End, 0);
    if (const auto *W = std::get_if<Work>(&S.Of->First)) {
      WorkBytes[W->Device].push_back(W->Bytes);
      return;
    }
    // Of the file is what it has made of the first one.
    SeriesNumber &Own = inFile<SeriesNumber>(
        *S.Of, [this](const auto &) { return ++NumSeries; });
    Spans[std::get<Call>(S.Of->First).Thread].emplace_back(Own.Number, S.End);
  }
  void add(const Stage &) override {}
  void add(const Value &V) override { Times.push_back(V.Time); }
  void add(const Sample &) override {}
  void add(const SystemCall &) override {}
  void mark(const Annotation &) override {}
  uint64_t begin(const Annotation &) override { return ++NumBegins; }
  void end(const Annotation &A, uint64_t OfBegin) override {
    note(A.Text, A.Begin, A.End, OfBegin);
  }
  uint64_t begin(const Span &S) override {
    return nameOf(S) == "left" ? 0 : ++NumBegins;
  }
  void end(const Span &S, uint64_t OfBegin) override {
    note(nameOf(S), S.Begin, S.End, OfBegin);
  }
  static llvm::StringRef nameOf(const Span &S) {
    return std::get<PlainRange>(S.Of->First).Name->Text;
  }
  void note(llvm::StringRef Text, uint64_t Begin, uint64_t End,
            uint64_t OfBegin) {
    Ranges.push_back(Text.str() + " " + std::to_string(Begin) + " " +
                     std::to_string(End));
    OfBegins.push_back(OfBegin);
  }
  void finish() override {}
};

Call callAt(uint64_t End, uint32_t Thread) {
  Call C;
  C.Thread = Thread;
  C.Begin = C.End = End;
  return C;
}

void push(const Domain &Of, llvm::StringRef Text, uint64_t Time) {
  Annotation A;
  A.Of = &Of;
  A.Text = Text;
  A.Thread = 1;
  A.Begin = A.End = Time;
  EventLog::append(RecordKind::RangeBegin, Time, A, Text);
}

void push(const RangeName &Name, uint64_t Begin, uint64_t Time) {
  EventLog::append(
      RecordKind::SpanBegin, Time,
      Span{&EventLog::series().of(PlainRange{&Name, 1}), Begin, Begin});
}

void pop(const Domain &Of, uint64_t Time) {
  EventLog::append(RecordKind::RangeEnd, Time, RangeEnd{&Of, 1, 0});
}

/// Successful calls of two functions and copies of more and more sizes, more
/// than a thread keeps series of.
constexpr uint64_t NumSpans = 10'000;
const Domain LeftDomain;
void appendSpans(uint32_t Thread, uint32_t &Number) {
  static Function Functions[2];
  Functions[0].Number = 3;
  Functions[1].Number = 70;
  for (uint64_t I = 0; I != NumSpans; ++I) {
    Call C = callAt(10 * I, Thread);
    C.Called = &Functions[I % 2];
    EventLog::append(RecordKind::Span, C.End,
                     Span{&EventLog::series().of(C), C.Begin, C.End, 1});
    Work W;
    W.Kind = WorkKind::Copy;
    W.Bytes = I / 2;
    W.Device = static_cast<uint16_t>(Thread);
    Series &S = EventLog::series().ofWork(
        W.Bytes, [&](const Work &O) { return O.isAlike(W); },
        [&] { return W; });
    EventLog::append(RecordKind::Span, C.End + 1,
                     Span{&S, C.Begin, C.End + 1, 1});
  }
  // It ends in a range.
  static const RangeName Left{&LeftDomain, "left"};
  Number = static_cast<uint32_t>(gettid());
  EventLog::append(RecordKind::SpanBegin, 10 * NumSpans,
                   Span{&EventLog::series().of(PlainRange{&Left, Number})});
}

TEST(EventLog, AllComesInOrderOnce) {
  auto To = std::make_shared<Told>();
  EventLog::get().open(To);
  // Each thread has series of its own, which end with it.
  for (uint32_t T : {100, 101}) {
    uint32_t Number = 0;
    std::thread([&] { appendSpans(T, Number); }).join();
    // Of the range that it was in nobody hears.
    EventLog::append(RecordKind::RangeEnd, 10 * NumSpans + 1,
                     RangeEnd{&LeftDomain, Number, 0});
  }
  constexpr uint64_t NumThreads = 4, NumCalls = 5000;
  std::vector<std::thread> Threads;
  for (uint32_t T = 0; T != NumThreads; ++T)
    Threads.emplace_back([T] {
      // Values come behind later calls, as those of kernels do.
      for (uint64_t I = 0; I != NumCalls; ++I) {
        EventLog::append(RecordKind::Call, 10 * I + T, callAt(10 * I + T, T));
        if (I % 100 == 99) {
          Value V;
          V.Time = 10 * I - 500 + T;
          EventLog::append(RecordKind::Value, V.Time, V);
        }
      }
    });
  for (std::thread &T : Threads)
    T.join();

  // The texts of the outer ranges outlive several pieces of memory.
  Domain Of, Other;
  push(Of, "outer", 1);
  push(Other, "of another domain", 2);
  std::string Long(100'000, 'x');
  for (uint64_t I = 0; I != 10; ++I) {
    push(Of, Long, 10 + 2 * I);
    pop(Of, 11 + 2 * I);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  // Ranges of one name, of which two are recorded when they have ended.
  const RangeName Plain{&Of, "plain", 1};
  push(Plain, 40, 41);
  for (uint64_t Begin : {42, 44})
    EventLog::append(
        RecordKind::Span, Begin + 1,
        Span{&EventLog::series().of(PlainRange{&Plain, 1}), Begin, Begin + 1});
  pop(Of, 50);
  pop(Of, 100);
  pop(Other, 101);
  pop(Other, 102); // of nothing
  EventLog::get().close();

  EXPECT_EQ(To->Calls.size(), NumThreads);
  for (const auto &[Thread, Ends] : To->Calls) {
    ASSERT_EQ(Ends.size(), NumCalls);
    for (uint64_t I = 0; I != NumCalls; ++I)
      ASSERT_EQ(Ends[I], 10 * I + Thread);
  }
  EXPECT_EQ(To->NumSeries, 4U);
  for (uint32_t T : {100, 101}) {
    ASSERT_EQ(To->Spans[T].size(), NumSpans);
    ASSERT_EQ(To->WorkBytes[T].size(), NumSpans);
    for (uint64_t I = 0; I != NumSpans; ++I) {
      ASSERT_EQ(To->WorkBytes[T][I], I / 2);
      EXPECT_EQ(To->Spans[T][I].first, To->Spans[T][I % 2].first);
      ASSERT_EQ(To->Spans[T][I].second, 10 * I);
    }
  }
  ASSERT_EQ(To->Ranges.size(), 15U);
  EXPECT_EQ(To->Ranges[0], Long + " 10 11");
  EXPECT_EQ(To->Ranges[9], Long + " 28 29");
  EXPECT_EQ(To->Ranges[10], "plain 42 43");
  EXPECT_EQ(To->Ranges[11], "plain 44 45");
  EXPECT_EQ(To->Ranges[12], "plain 40 50");
  EXPECT_EQ(To->Ranges[13], "outer 1 100");
  EXPECT_EQ(To->Ranges[14], "of another domain 2 101");
  EXPECT_EQ(To->OfBegins[0], 3U);
  EXPECT_EQ(To->OfBegins[10], 0U);
  EXPECT_EQ(To->OfBegins[12], 13U);
  EXPECT_EQ(To->OfBegins[13], 1U);
  EXPECT_EQ(To->OfBegins[14], 2U);
}

TEST(EventFile, TimesAreMicroseconds) {
  llvm::SmallString<0> Text;
  auto File = createEventFile(std::make_unique<llvm::raw_svector_ostream>(Text),
                              /*Start=*/0);
  Function F;
  F.Name = "f";
  const uint64_t Times[] = {0,
                            1,
                            999,
                            1000,
                            99'999,
                            999'999,
                            1'000'000,
                            12'000'345,
                            999'999'999,
                            100'000'000,
                            123'045'006,
                            9,
                            1'000'000'000,
                            10'000'000'007,
                            499'999'999'999,
                            500'000'000'000,
                            500'000'000'001,
                            500'000'999'998,
                            500'999'999'999,
                            499'001'002'003,
                            999'999'999'999'999,
                            1'000'000'000'000'000,
                            ~uint64_t(0) / 2};
  Call C;
  C.Called = &F;
  Series Calls(C);
  for (uint64_t Time : Times)
    File->add(Span{&Calls, Time, 2 * Time,
                   static_cast<uint32_t>(Time % 1'000'000'007)});
  File->finish();
  // Numbers may have blanks in front.
  std::string All = Text.str().str();
  std::erase(All, ' ');
  for (uint64_t Time : Times) {
    char Digits[32];
    std::snprintf(Digits, sizeof(Digits), "%llu.%03u",
                  static_cast<unsigned long long>(Time / 1000),
                  unsigned(Time % 1000));
    std::string Number = std::to_string(Time % 1'000'000'007);
    EXPECT_TRUE(llvm::StringRef(All).contains(
        std::string(R"(,"ts":)") + Digits + R"(,"dur":)" + Digits +
        R"(,"args":{"correlation":")" + Number + "\"}}"))
        << Digits;
    EXPECT_TRUE(llvm::StringRef(All).contains(
        std::string(R"(,"ts":)") + Digits + R"(,"id":)" + Number + "}"))
        << Digits;
  }
}

} // namespace
