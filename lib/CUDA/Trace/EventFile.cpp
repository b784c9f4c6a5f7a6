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
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <charconv>
#include <map>
#include <set>

using namespace llvm;

namespace heddle::cuda::trace {

namespace {

constexpr unsigned HostProcess = 0, CompilerProcess = 1, FirstDevice = 2;

using Argument = TraceWriter::Argument;

/// An event as an object of JSON. Programs are traced while they run, so that
/// it is put together without values in between.
class EventText {
public:
  EventText() { Text += '{'; }
  /// What goes on behind another one's bytes.
  explicit EventText(StringRef Begin) : Text(Begin) {}

  EventText &text(StringRef Key, StringRef Value) {
    key(Key);
    quote(Value);
    return *this;
  }
  EventText &number(StringRef Key, uint64_t Value) {
    key(Key);
    append(Value);
    return *this;
  }
  /// Nanoseconds as microseconds.
  EventText &time(StringRef Key, uint64_t Nanoseconds) {
    number(Key, Nanoseconds / 1000);
    Text += '.';
    for (unsigned Digit : {100, 10, 1})
      Text += static_cast<char>('0' + Nanoseconds / Digit % 10);
    return *this;
  }
  EventText &place(unsigned Process, uint64_t Thread) {
    return number("pid", Process).number("tid", Thread);
  }
  EventText &arguments(ArrayRef<Argument> Arguments) {
    key("args");
    Text += '{';
    for (const Argument &A : Arguments) {
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
  /// Arguments that were put into bytes before, behind a number of their own
  /// unless that is 0.
  EventText &arguments(uint32_t Correlation, StringRef Others) {
    key("args");
    Text += '{';
    if (Correlation) {
      Text += "\"correlation\":\"";
      append(Correlation);
      Text += Others.empty() ? "\"" : "\",";
    }
    Text += Others;
    Text += '}';
    return *this;
  }
  EventText &value(double Value) {
    key("args");
    raw_svector_ostream(Text) << format("{\"value\":%.17g}", Value);
    return *this;
  }
  EventText &object(StringRef Key, json::Object Value) {
    key(Key);
    raw_svector_ostream(Text) << json::Value(std::move(Value));
    return *this;
  }
  StringRef end() {
    Text += '}';
    return Text;
  }
  /// As far as it has come.
  StringRef bytes() const { return Text; }

private:
  void key(StringRef Key) {
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
  void quote(StringRef Value);

  SmallString<512> Text;
};

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

/// What spans of which there are many have in common, put into bytes once.
struct SpanLabel {
  std::string Head, Arguments;

  SpanLabel() = default;
  SpanLabel(StringRef Name, StringRef Category, ArrayRef<Argument> All) {
    EventText Begin;
    Head =
        Begin.text("name", Name).text("cat", Category).text("ph", "X").bytes();
    EventText Object;
    StringRef Text = Object.arguments(All).bytes();
    Arguments = Text.drop_until([](char C) { return C == ':'; })
                    .drop_front(2)
                    .drop_back();
  }
};

/// What the latest launch of a kernel looks like.
struct LaunchLabel {
  rt::Dim3 Grid, Block;
  uint32_t DynamicSharedBytes = 0;
  SpanLabel Label;

  bool isOf(const Work &W) const {
    return Grid == W.Grid && Block == W.Block &&
           DynamicSharedBytes == W.DynamicSharedBytes;
  }
};

class EventFile final : public FileSink {
public:
  EventFile(std::unique_ptr<raw_pwrite_stream> Out, uint64_t Start)
      : Out(std::move(Out)), Start(Start) {
    *this->Out << "{\"traceEvents\":[";
  }

  void add(const Call &C) override;
  void add(const Work &W) override;
  void add(const Stage &S) override;
  void add(const Value &V) override;
  void add(const Sample &S) override;
  void add(const SystemCall &C) override {
    nameOnce(HostProcess, "host");
    span(C.Name, "os", HostProcess, C.Thread, C.Begin, C.End, {});
  }
  void mark(const Annotation &A) override;
  void end(const Annotation &A) override;
  void nameThread(uint32_t Thread, StringRef Name) override {
    name("thread_name", HostProcess, Thread, Name);
  }
  void nameStream(uint64_t Stream, StringRef Name) override {
    name("thread_name", FirstDevice, Stream, Name);
  }
  void flush() override { Out->flush(); }
  void finish() override;

private:
  uint64_t since(uint64_t Time) const {
    return Time > Start ? Time - Start : 0;
  }
  void print(EventText &Event) {
    *Out << (HasEvents ? ",\n" : "\n") << Event.end();
    HasEvents = true;
  }
  void name(StringRef What, unsigned Process, uint64_t Thread, StringRef Name);
  void endOfThread(const Annotation &A);
  void nameOnce(unsigned Process, StringRef Name) {
    if (Named.insert(Process).second)
      name("process_name", Process, 0, Name);
  }
  void span(const SpanLabel &Label, unsigned Process, uint64_t Thread,
            uint64_t Begin, uint64_t End, uint32_t Correlation);
  const SpanLabel &labelOf(const Work &W);
  void span(StringRef Name, StringRef Category, unsigned Process,
            uint64_t Thread, uint64_t Begin, uint64_t End,
            ArrayRef<Argument> Arguments);
  /// An arrow from a call to its work.
  void arrow(StringRef Phase, unsigned Process, uint64_t Thread, uint64_t Time,
             uint32_t Correlation);

  /// A function below those that called it, in the tree of all call stacks.
  using Node = std::pair<unsigned, const CodePlace *>;
  /// What is told of a thread's samples.
  struct Sampled {
    std::map<Node, unsigned> Nodes;
    uint64_t Last = 0; ///< When the latest was taken, in microseconds.
  };
  EventText profileEvent(StringRef Name, uint32_t Thread, uint64_t Time);

  std::unique_ptr<raw_pwrite_stream> Out;
  const uint64_t Start;
  bool HasEvents = false;
  std::set<unsigned> Named;
  std::map<uint32_t, Sampled> Profiles; ///< By thread.
  DenseMap<const Function *, SpanLabel> Calls;
  DenseMap<const Kernel *, LaunchLabel> Launches;
  StringMap<SpanLabel> Texts; ///< Of ranges that have nothing else.
};

void EventFile::name(StringRef What, unsigned Process, uint64_t Thread,
                     StringRef Name) {
  EventText Event;
  Event.text("name", What).text("ph", "M").place(Process, Thread);
  print(Event.arguments({{"name", Name}}));
}

void EventFile::span(StringRef Name, StringRef Category, unsigned Process,
                     uint64_t Thread, uint64_t Begin, uint64_t End,
                     ArrayRef<Argument> Arguments) {
  EventText Event;
  Event.text("name", Name).text("cat", Category).text("ph", "X");
  Event.time("ts", since(Begin)).time("dur", since(End) - since(Begin));
  print(Event.place(Process, Thread).arguments(Arguments));
}

void EventFile::span(const SpanLabel &Label, unsigned Process, uint64_t Thread,
                     uint64_t Begin, uint64_t End, uint32_t Correlation) {
  EventText Event(Label.Head);
  Event.time("ts", since(Begin)).time("dur", since(End) - since(Begin));
  print(Event.place(Process, Thread).arguments(Correlation, Label.Arguments));
}

void EventFile::arrow(StringRef Phase, unsigned Process, uint64_t Thread,
                      uint64_t Time, uint32_t Correlation) {
  EventText Event(Phase == "s"
                      ? R"({"name":"work","cat":"work","ph":"s")"
                      : R"({"name":"work","cat":"work","ph":"f","bp":"e")");
  Event.number("id", Correlation).time("ts", since(Time));
  print(Event.place(Process, Thread));
}

void EventFile::add(const Call &C) {
  nameOnce(HostProcess, "host");
  auto [It, IsNew] = Calls.try_emplace(C.Called);
  if (IsNew)
    It->second = SpanLabel(C.Called->Name, "call", {});
  if (C.Result)
    span(C.Called->Name, "call", HostProcess, C.Thread, C.Begin, C.End,
         Details(C).all());
  else
    span(It->second, HostProcess, C.Thread, C.Begin, C.End, C.Correlation);
  arrow("s", HostProcess, C.Thread, C.Begin, C.Correlation);
}

const SpanLabel &EventFile::labelOf(const Work &W) {
  auto [It, IsNew] = Launches.try_emplace(W.Launched);
  LaunchLabel &Known = It->second;
  if (IsNew || !Known.isOf(W)) {
    Work Plain = W;
    Plain.Correlation = 0;
    Known = {W.Grid, W.Block, W.DynamicSharedBytes,
             SpanLabel(nameOf(W), "kernel", Details(Plain).all())};
  }
  return Known.Label;
}

void EventFile::add(const Work &W) {
  unsigned Process = FirstDevice + W.Device;
  if (!Named.count(Process))
    nameOnce(Process, "device " + std::to_string(W.Device));
  if (W.Launched)
    span(labelOf(W), Process, W.Stream, W.Begin, W.End, W.Correlation);
  else
    span(nameOf(W), "memory", Process, W.Stream, W.Begin, W.End,
         Details(W).all());
  if (W.Correlation)
    arrow("f", Process, W.Stream, W.Begin, W.Correlation);
}

void EventFile::add(const Stage &S) {
  nameOnce(CompilerProcess, "compiler");
  span(S.Name, "compiler", CompilerProcess, S.Thread, S.Begin, S.End,
       {{"input", S.Input}, {"origin", S.Detail}});
}

void EventFile::add(const Value &V) {
  EventText Event;
  Event.text("name", (V.Name + " (" + V.Unit + ")").str()).text("ph", "C");
  Event.time("ts", since(V.Time)).number("pid", FirstDevice + V.Device);
  print(Event.value(V.Number));
}

/// The name of its domain, as a category of events.
static std::string categoryOf(const Annotation &A) {
  return A.Of->Name.empty() ? "NVTX" : "NVTX," + A.Of->Name;
}

void EventFile::mark(const Annotation &A) {
  nameOnce(HostProcess, "host");
  EventText Event;
  Event.text("name", A.Text).text("cat", categoryOf(A)).text("ph", "i");
  Event.text("s", "t").time("ts", since(A.Begin)).place(HostProcess, A.Thread);
  print(Event.arguments(Details(A).all()));
}

/// Ranges that have a text and nothing else have a label, unless texts are
/// many.
void EventFile::endOfThread(const Annotation &A) {
  constexpr size_t MostTexts = 1 << 12;
  bool IsPlain = A.Category.empty() && !A.CategoryNumber && !A.Color &&
                 !A.Payload.index() && A.Of->Name.empty();
  auto It = IsPlain ? Texts.find(A.Text) : Texts.end();
  if (IsPlain && It == Texts.end() && Texts.size() < MostTexts)
    It = Texts.try_emplace(A.Text, A.Text, categoryOf(A), ArrayRef<Argument>())
             .first;
  if (It != Texts.end())
    span(It->second, HostProcess, A.Thread, A.Begin, A.End, 0);
  else
    span(A.Text, categoryOf(A), HostProcess, A.Thread, A.Begin, A.End,
         Details(A).all());
}

/// A range of one thread is a span; another one may cross those.
void EventFile::end(const Annotation &A) {
  nameOnce(HostProcess, "host");
  if (!A.Id)
    return endOfThread(A);
  for (bool IsBegin : {true, false}) {
    EventText Event;
    Event.text("name", A.Text).text("cat", categoryOf(A));
    Event.text("ph", IsBegin ? "b" : "e").number("id", A.Id);
    Event.time("ts", since(IsBegin ? A.Begin : A.End));
    print(Event.place(HostProcess, A.Thread).arguments(Details(A).all()));
  }
}

EventText EventFile::profileEvent(StringRef Name, uint32_t Thread,
                                  uint64_t Time) {
  EventText Event;
  Event.text("name", Name).text("ph", "P");
  Event.text("cat", "disabled-by-default-v8.cpu_profiler");
  Event.text("id", "0x" + utohexstr(Thread)).time("ts", since(Time));
  Event.place(HostProcess, Thread);
  return Event;
}

/// What a node of a profile is called: the function, or where it is.
static std::string nameOf(const CodePlace &Place) {
  return Place.Function.empty() ? "0x" + utohexstr(Place.Address)
                                : Place.Function;
}

/// The form of V8's profiles, which Perfetto and Chrome read: a tree of
/// functions grows from event to event.
void EventFile::add(const Sample &S) {
  nameOnce(HostProcess, "host");
  auto [It, IsNew] = Profiles.try_emplace(S.Thread);
  Sampled &Known = It->second;
  uint64_t Time = since(S.Time) / 1000;
  if (IsNew) {
    EventText Event = profileEvent("Profile", S.Thread, S.Time);
    json::Object Data{{"startTime", int64_t(Time)}};
    print(Event.object("args", json::Object{{"data", std::move(Data)}}));
    Known.Last = Time;
  }
  unsigned At = 0;
  json::Array Nodes;
  for (const CodePlace *Place : reverse(S.Places)) {
    auto [Found, IsNode] = Known.Nodes.try_emplace(
        Node{At, Place}, static_cast<unsigned>(Known.Nodes.size() + 1));
    if (IsNode) {
      json::Object New{
          {"id", Found->second},
          {"callFrame", json::Object{{"functionName", nameOf(*Place)},
                                     {"url", Place->Module},
                                     {"scriptId", 0}}}};
      if (At)
        New["parent"] = At;
      Nodes.push_back(std::move(New));
    }
    At = Found->second;
  }
  json::Object Profile{{"nodes", std::move(Nodes)},
                       {"samples", json::Array{At}}};
  json::Object Data{{"cpuProfile", std::move(Profile)},
                    {"timeDeltas", json::Array{int64_t(Time - Known.Last)}}};
  Known.Last = Time;
  EventText Event = profileEvent("ProfileChunk", S.Thread, S.Time);
  print(Event.object("args", json::Object{{"data", std::move(Data)}}));
}

void EventFile::finish() {
  *Out << "\n]}\n";
  Out->flush();
}

} // namespace

std::shared_ptr<FileSink>
createEventFile(std::unique_ptr<raw_pwrite_stream> File, uint64_t Start) {
  return std::make_shared<EventFile>(std::move(File), Start);
}

} // namespace heddle::cuda::trace
