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
#include <vector>

using namespace heddle::cuda::trace;

namespace {

/// What a file was told.
struct Told final : FileSink {
  std::map<uint32_t, std::vector<uint64_t>> Calls; ///< Ends, by thread.
  std::vector<uint64_t> Times;                     ///< Of calls and values.
  std::vector<std::string> Ranges;
  std::vector<uint64_t> OfBegins;
  uint64_t NumBegins = 0;

  void add(const Call &C) override {
    Calls[C.Thread].push_back(C.End);
    Times.push_back(C.End);
  }
  void add(const Work &) override {}
  void add(const Stage &) override {}
  void add(const Value &V) override { Times.push_back(V.Time); }
  void add(const Sample &) override {}
  void add(const SystemCall &) override {}
  void mark(const Annotation &) override {}
  uint64_t begin(const Annotation &) override { return ++NumBegins; }
  void end(const Annotation &A, uint64_t OfBegin) override {
    note(A.Text, A.Begin, A.End, OfBegin);
  }
  void add(const PlainRange &R) override {
    note(R.Name->Text, R.Begin, R.End, 0);
  }
  uint64_t begin(const PlainRange &) override { return ++NumBegins; }
  void end(const PlainRange &R, uint64_t OfBegin) override {
    note(R.Name->Text, R.Begin, R.End, OfBegin);
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
  EventLog::append(RecordKind::PlainRangeBegin, Time,
                   PlainRange{&Name, 1, Begin, Begin});
}

void pop(const Domain &Of, uint64_t Time) {
  EventLog::append(RecordKind::RangeEnd, Time, RangeEnd{&Of, 1, 0});
}

TEST(EventLog, AllComesInOrderOnce) {
  auto To = std::make_shared<Told>();
  EventLog::get().open(To);
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
  const RangeName Plain{&Of, "plain"};
  push(Plain, 40, 41);
  for (uint64_t Begin : {42, 44})
    EventLog::append(RecordKind::PlainRange, Begin + 1,
                     PlainRange{&Plain, 1, Begin, Begin + 1});
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
                            1'000'000'000,
                            10'000'000'007,
                            499'999'999'999,
                            500'000'000'000,
                            999'999'999'999'999,
                            1'000'000'000'000'000,
                            ~uint64_t(0) / 2};
  for (uint64_t Time : Times) {
    Call C;
    C.Called = &F;
    C.Begin = Time;
    C.End = 2 * Time;
    C.Correlation = static_cast<uint32_t>(Time % 1'000'000'007);
    File->add(C);
  }
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
