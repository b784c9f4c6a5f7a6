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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
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

/// Where a span or arrow is.
struct EventPlace {
  unsigned Process;
  uint64_t Thread;
};

constexpr size_t MostDigits = 20, MostTimeBytes = 24;
constexpr StringRef Separator = ",\n", Duration = ",\"dur\":", Id = ",\"id\":";

/// What spans of which there are many have in common, put into bytes once: all
/// but their times and correlation.
class SpanLabel {
public:
  SpanLabel() = default;
  SpanLabel(StringRef Name, StringRef Category, EventPlace At,
            ArrayRef<Argument> Arguments = {});
  /// Its spans have a correlation, the first of their arguments, and an arrow
  /// that begins or ends at their begin.
  void addArrow(StringRef Phase, EventPlace At);

  size_t mostBytes() const;
  /// Writes a span, whose times are nanoseconds, to \p At. Returns what is
  /// behind it.
  char *put(char *At, uint64_t Begin, uint64_t End, uint32_t Correlation) const;

private:
  std::string Head;      ///< What is in front of the begin.
  std::string Arguments; ///< What is behind the end.
  /// What is between the correlation and the time of the arrow; empty: there is
  /// none.
  std::string Rest;
};

/// What is in front of the time of an arrow from a call to its work.
std::string headOfArrow(StringRef Phase, EventPlace At) {
  EventText Event;
  Event.text("name", "work").text("cat", "work").text("ph", Phase);
  if (Phase == "f")
    Event.text("bp", "e");
  return (Event.place(At.Process, At.Thread).bytes() + ",\"ts\":").str();
}

SpanLabel::SpanLabel(StringRef Name, StringRef Category, EventPlace At,
                     ArrayRef<Argument> All) {
  EventText Event;
  Event.text("name", Name).text("cat", Category).text("ph", "X");
  Head = (Event.place(At.Process, At.Thread).bytes() + ",\"ts\":").str();
  EventText Object;
  Arguments = ("," + Object.arguments(All).bytes().drop_front() + "}").str();
}

void SpanLabel::addArrow(StringRef Phase, EventPlace At) {
  size_t Begin = Arguments.find('{') + 1;
  Rest = Arguments[Begin] == '}' ? "\"" : "\",";
  Rest += Arguments.substr(Begin);
  Arguments.resize(Begin);
  Arguments += "\"correlation\":\"";
  Rest += Separator;
  Rest += headOfArrow(Phase, At);
}

size_t SpanLabel::mostBytes() const {
  return Head.size() + Arguments.size() + Rest.size() + Duration.size() +
         Id.size() + 4 * MostTimeBytes + 3 * MostDigits;
}

char *put(char *At, StringRef Text) {
  std::memcpy(At, Text.data(), Text.size());
  return At + Text.size();
}

/// Three digits for each number below 1,000, with a byte behind them.
constexpr std::array<char, 4000> makeTriples() {
  std::array<char, 4000> All = {};
  for (size_t I = 0; I != 1000; ++I) {
    All[4 * I] = static_cast<char>('0' + I / 100);
    All[4 * I + 1] = static_cast<char>('0' + I / 10 % 10);
    All[4 * I + 2] = static_cast<char>('0' + I % 10);
  }
  return All;
}
constexpr std::array<char, 4000> Triples = makeTriples();

/// Three digits of a number below 1,000. A byte behind them is written, too.
char *putTriple(char *At, uint32_t Number) {
  std::memcpy(At, &Triples[4 * size_t(Number)], 4);
  return At + 3;
}

/// Without zeros in front.
char *putSmall(char *At, uint32_t Number) {
  unsigned Zeros = (Number < 100) + (Number < 10);
  uint32_t Digits;
  std::memcpy(&Digits, &Triples[4 * size_t(Number)], 4);
  support::endian::write32le(At,
                             support::endian::read32le(&Digits) >> 8 * Zeros);
  return At + 3 - Zeros;
}

char *put(char *At, uint64_t Number) {
  if (Number < 1000)
    return putSmall(At, static_cast<uint32_t>(Number));
  uint64_t Thousands = Number / 1000;
  auto Rest = static_cast<uint32_t>(Number - Thousands * 1000);
  if (Thousands < 1000)
    return putTriple(putSmall(At, static_cast<uint32_t>(Thousands)), Rest);
  return putTriple(put(At, Thousands), Rest);
}

/// Nanoseconds as microseconds.
char *putTime(char *At, uint64_t Nanoseconds) {
  uint64_t Microseconds = Nanoseconds / 1000;
  auto Rest = static_cast<uint32_t>(Nanoseconds - Microseconds * 1000);
  At = put(At, Microseconds);
  *At = '.';
  return putTriple(At + 1, Rest);
}

char *SpanLabel::put(char *At, uint64_t Begin, uint64_t End,
                     uint32_t Correlation) const {
  char *Time = trace::put(At, Head);
  char *BehindTime = putTime(Time, Begin);
  At = putTime(trace::put(BehindTime, Duration), End - Begin);
  At = trace::put(At, Arguments);
  if (Rest.empty())
    return At;
  char *Number = At;
  At = trace::put(At, Correlation);
  size_t Digits = At - Number;
  At = trace::put(At, Rest);
  // The arrow has the same time and number.
  std::memcpy(At, Time, MostTimeBytes);
  At = trace::put(At + (BehindTime - Time), Id);
  std::memcpy(At, Number, MostDigits);
  At += Digits;
  *At++ = '}';
  return At;
}

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
  void end(const Annotation &A, uint64_t OfBegin) override;
  void nameThread(uint32_t Thread, StringRef Name) override {
    name("thread_name", HostProcess, Thread, Name);
  }
  void nameStream(uint64_t Stream, StringRef Name) override {
    name("thread_name", FirstDevice, Stream, Name);
  }
  void flush() override {
    print();
    Out->flush();
  }
  void finish() override;

private:
  uint64_t since(uint64_t Time) const {
    return Time > Start ? Time - Start : 0;
  }
  /// Begins an event that has so many bytes at most.
  char *beginEvent(size_t Most);
  void endEvent(const char *End) { InPiece = End - Piece.data(); }
  /// Writes what waits.
  void print() {
    Out->write(Piece.data(), InPiece);
    InPiece = 0;
  }
  void print(EventText &Event) {
    StringRef Text = Event.end();
    endEvent(put(beginEvent(Text.size()), Text));
  }
  void name(StringRef What, unsigned Process, uint64_t Thread, StringRef Name);
  void endOfThread(const Annotation &A);
  void nameOnce(unsigned Process, StringRef Name) {
    if (Named.insert(Process).second)
      name("process_name", Process, 0, Name);
  }
  void span(const SpanLabel &Label, uint64_t Begin, uint64_t End,
            uint32_t Correlation);
  SpanLabel labelOf(const Call &C);
  SpanLabel labelOf(const Work &W);
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
  SmallVector<char, 0> Piece; ///< What waits for being written, and room.
  size_t InPiece = 0;         ///< Bytes of the former.
  bool HasEvents = false;
  std::set<unsigned> Named;
  std::map<uint32_t, Sampled> Profiles; ///< By thread.
  CallLabels<SpanLabel> Calls;
  WorkLabels<SpanLabel> Works;
  RangeLabels<SpanLabel> Ranges;
};

char *EventFile::beginEvent(size_t Most) {
  constexpr size_t PieceBytes = 1 << 18;
  if (InPiece + Separator.size() + Most > Piece.size()) {
    print();
    Piece.resize_for_overwrite(std::max(Separator.size() + Most, PieceBytes));
  }
  char *At = Piece.data() + InPiece;
  if (HasEvents)
    return put(At, Separator);
  HasEvents = true;
  return put(At, Separator.drop_front());
}

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

void EventFile::span(const SpanLabel &Label, uint64_t Begin, uint64_t End,
                     uint32_t Correlation) {
  char *At = beginEvent(Label.mostBytes());
  endEvent(Label.put(At, since(Begin), since(End), Correlation));
}

void EventFile::arrow(StringRef Phase, unsigned Process, uint64_t Thread,
                      uint64_t Time, uint32_t Correlation) {
  std::string Head = headOfArrow(Phase, {Process, Thread});
  char *At =
      beginEvent(Head.size() + Id.size() + MostTimeBytes + 2 * MostDigits);
  At = putTime(put(At, Head), since(Time));
  At = put(put(At, Id), Correlation);
  *At++ = '}';
  endEvent(At);
}

SpanLabel EventFile::labelOf(const Call &C) {
  nameOnce(HostProcess, "host");
  SpanLabel Label(C.Called->Name, "call", {HostProcess, C.Thread});
  Label.addArrow("s", {HostProcess, C.Thread});
  return Label;
}

void EventFile::add(const Call &C) {
  if (C.Result) {
    nameOnce(HostProcess, "host");
    span(C.Called->Name, "call", HostProcess, C.Thread, C.Begin, C.End,
         Details(C).all());
    return arrow("s", HostProcess, C.Thread, C.Begin, C.Correlation);
  }
  span(Calls.find(C, [&] { return labelOf(C); }), C.Begin, C.End,
       C.Correlation);
}

SpanLabel EventFile::labelOf(const Work &W) {
  nameOnce(FirstDevice + W.Device, "device " + std::to_string(W.Device));
  Work Plain = W;
  Plain.Correlation = 0;
  EventPlace At = {FirstDevice + W.Device, W.Stream};
  SpanLabel Label(nameOf(W), W.Launched ? "kernel" : "memory", At,
                  Details(Plain).all());
  if (W.Correlation)
    Label.addArrow("f", At);
  return Label;
}

void EventFile::add(const Work &W) {
  span(Works.find(W, [&] { return labelOf(W); }), W.Begin, W.End,
       W.Correlation);
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

void EventFile::endOfThread(const Annotation &A) {
  const SpanLabel *Label = Ranges.find(A, [&] {
    nameOnce(HostProcess, "host");
    return SpanLabel(A.Text, categoryOf(A), {HostProcess, A.Thread});
  });
  if (Label)
    return span(*Label, A.Begin, A.End, 0);
  nameOnce(HostProcess, "host");
  span(A.Text, categoryOf(A), HostProcess, A.Thread, A.Begin, A.End,
       Details(A).all());
}

/// A range of one thread is a span; another one may cross those.
void EventFile::end(const Annotation &A, uint64_t) {
  if (!A.Id)
    return endOfThread(A);
  nameOnce(HostProcess, "host");
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
  print();
  *Out << "\n]}\n";
  Out->flush();
}

} // namespace

std::shared_ptr<FileSink>
createEventFile(std::unique_ptr<raw_pwrite_stream> File, uint64_t Start) {
  return std::make_shared<EventFile>(std::move(File), Start);
}

} // namespace heddle::cuda::trace
