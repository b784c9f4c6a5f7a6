//===- EventFile.cpp - Events in the trace event format ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The array of events that chrome://tracing and Perfetto read. Process 0 is the
// host, process 1 the compiler, and 2 the first device.
//
//===----------------------------------------------------------------------===//

#include "Trace/Timeline.h"
#include "llvm/Support/JSON.h"

#include <set>

using namespace llvm;

namespace heddle::cuda::trace {

namespace {

constexpr unsigned HostProcess = 0, CompilerProcess = 1, FirstDevice = 2;

class EventFile final : public Sink {
public:
  EventFile(std::unique_ptr<raw_pwrite_stream> Out, uint64_t Start)
      : Out(std::move(Out)), Start(Start), Events(*this->Out) {
    Events.objectBegin();
    Events.attributeBegin("traceEvents");
    Events.arrayBegin();
  }

  void add(const Call &C) override;
  void add(const Work &W) override;
  void add(const Stage &S) override;
  void add(const Value &V) override;
  void mark(const Annotation &A) override;
  void end(const Annotation &A) override;
  void nameThread(uint32_t Thread, StringRef Name) override {
    name("thread_name", HostProcess, Thread, Name);
  }
  void nameStream(uint64_t Stream, StringRef Name) override {
    name("thread_name", FirstDevice, Stream, Name);
  }
  void finish() override;

private:
  using Argument = std::pair<StringRef, std::string>;

  double since(uint64_t Time) const {
    return (Time > Start ? Time - Start : 0) / 1e3;
  }
  void name(StringRef What, unsigned Process, uint64_t Thread, StringRef Name);
  void nameOnce(unsigned Process, StringRef Name) {
    if (Named.insert(Process).second)
      name("process_name", Process, 0, Name);
  }
  void span(StringRef Name, StringRef Category, unsigned Process,
            uint64_t Thread, uint64_t Begin, uint64_t End,
            ArrayRef<Argument> Arguments);
  void arguments(ArrayRef<Argument> Arguments) {
    Events.attributeObject("args", [&] {
      for (const auto &[Key, Value] : Arguments)
        Events.attribute(Key, Value);
    });
  }
  /// An arrow from a call to its work.
  void arrow(StringRef Phase, unsigned Process, uint64_t Thread, uint64_t Time,
             uint32_t Correlation);

  std::unique_ptr<raw_pwrite_stream> Out;
  const uint64_t Start;
  json::OStream Events;
  std::set<unsigned> Named;
};

void EventFile::name(StringRef What, unsigned Process, uint64_t Thread,
                     StringRef Name) {
  Events.object([&] {
    Events.attribute("name", What);
    Events.attribute("ph", "M");
    Events.attribute("pid", Process);
    Events.attribute("tid", Thread);
    arguments({{"name", Name.str()}});
  });
}

void EventFile::span(StringRef Name, StringRef Category, unsigned Process,
                     uint64_t Thread, uint64_t Begin, uint64_t End,
                     ArrayRef<Argument> Arguments) {
  Events.object([&] {
    Events.attribute("name", json::fixUTF8(Name));
    Events.attribute("cat", Category);
    Events.attribute("ph", "X");
    Events.attribute("ts", since(Begin));
    Events.attribute("dur", since(End) - since(Begin));
    Events.attribute("pid", Process);
    Events.attribute("tid", Thread);
    arguments(Arguments);
  });
}

void EventFile::arrow(StringRef Phase, unsigned Process, uint64_t Thread,
                      uint64_t Time, uint32_t Correlation) {
  Events.object([&] {
    Events.attribute("name", "work");
    Events.attribute("cat", "work");
    Events.attribute("ph", Phase);
    if (Phase == "f")
      Events.attribute("bp", "e");
    Events.attribute("id", Correlation);
    Events.attribute("ts", since(Time));
    Events.attribute("pid", Process);
    Events.attribute("tid", Thread);
  });
}

void EventFile::add(const Call &C) {
  nameOnce(HostProcess, "host");
  std::vector<Argument> Arguments = {
      {"correlation", std::to_string(C.Correlation)}};
  if (C.Result)
    Arguments.emplace_back("result", std::to_string(C.Result));
  span(C.Called->Name, "call", HostProcess, C.Thread, C.Begin, C.End,
       Arguments);
  arrow("s", HostProcess, C.Thread, C.Begin, C.Correlation);
}

void EventFile::add(const Work &W) {
  unsigned Process = FirstDevice + W.Device;
  nameOnce(Process, "device " + std::to_string(W.Device));
  span(nameOf(W), W.What.Kernel ? "kernel" : "memory", Process, W.What.Stream,
       W.Begin, W.End, detailsOf(W));
  if (W.Correlation)
    arrow("f", Process, W.What.Stream, W.Begin, W.Correlation);
}

void EventFile::add(const Stage &S) {
  nameOnce(CompilerProcess, "compiler");
  span(S.Name, "compiler", CompilerProcess, currentThread(), S.Begin, S.End,
       {{"input", S.Input.str()}, {"origin", S.Detail.str()}});
}

void EventFile::add(const Value &V) {
  Events.object([&] {
    Events.attribute("name", (V.Name + " (" + V.Unit + ")").str());
    Events.attribute("ph", "C");
    Events.attribute("ts", since(V.Time));
    Events.attribute("pid", FirstDevice + V.Device);
    Events.attributeObject("args",
                           [&] { Events.attribute("value", V.Number); });
  });
}

/// The name of its domain, as a category of events.
static std::string categoryOf(const Annotation &A) {
  return A.Of->Name.empty() ? "NVTX" : "NVTX," + A.Of->Name;
}

void EventFile::mark(const Annotation &A) {
  nameOnce(HostProcess, "host");
  Events.object([&] {
    Events.attribute("name", json::fixUTF8(A.Text));
    Events.attribute("cat", json::fixUTF8(categoryOf(A)));
    Events.attribute("ph", "i");
    Events.attribute("s", "t");
    Events.attribute("ts", since(A.Begin));
    Events.attribute("pid", HostProcess);
    Events.attribute("tid", A.Thread);
    arguments(detailsOf(A));
  });
}

/// A range of one thread is a span; another one may cross those.
void EventFile::end(const Annotation &A) {
  nameOnce(HostProcess, "host");
  if (!A.Id)
    return span(A.Text, json::fixUTF8(categoryOf(A)), HostProcess, A.Thread,
                A.Begin, A.End, detailsOf(A));
  for (bool IsBegin : {true, false})
    Events.object([&] {
      Events.attribute("name", json::fixUTF8(A.Text));
      Events.attribute("cat", json::fixUTF8(categoryOf(A)));
      Events.attribute("ph", IsBegin ? "b" : "e");
      Events.attribute("id", A.Id);
      Events.attribute("ts", since(IsBegin ? A.Begin : A.End));
      Events.attribute("pid", HostProcess);
      Events.attribute("tid", A.Thread);
      arguments(detailsOf(A));
    });
}

void EventFile::finish() {
  Events.arrayEnd();
  Events.attributeEnd();
  Events.objectEnd();
  Out->flush();
}

} // namespace

std::shared_ptr<Sink> createEventFile(std::unique_ptr<raw_pwrite_stream> File,
                                      uint64_t Start) {
  return std::make_shared<EventFile>(std::move(File), Start);
}

} // namespace heddle::cuda::trace
