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

#include "Trace/EventText.h"
#include "Trace/Timeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

using namespace llvm;

namespace heddle::cuda::trace {

namespace {

constexpr unsigned HostProcess = 0, CompilerProcess = 1, FirstDevice = 2;

class EventFile final : public FileSink {
public:
  EventFile(std::unique_ptr<raw_pwrite_stream> Out, uint64_t Start)
      : Out(std::move(Out)), Start(Start) {
    *this->Out << "{\"traceEvents\":[";
  }

  void add(const Span &S) override;
  void add(const Call &C) override;
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
  /// Room for an event that has so many bytes at most.
  char *makeRoom(size_t Most);
  void endEvent(const char *End) { InPiece = End - Piece.data(); }
  /// Writes what waits.
  void print() {
    Out->write(Piece.data(), InPiece);
    InPiece = 0;
  }
  void print(EventText &Event);
  void name(StringRef What, unsigned Process, uint64_t Thread, StringRef Name);
  void nameOnce(unsigned Process, StringRef Name) {
    if (Named.insert(Process).second)
      name("process_name", Process, 0, Name);
  }
  /// The label of a series.
  struct LabelInFile final : SeriesInFile {
    SpanLabel Text;

    LabelInFile(SpanLabel Text) : Text(std::move(Text)) {}
  };
  LabelInFile labelOf(const Call &C);
  LabelInFile labelOf(const Work &W);
  LabelInFile labelOf(const PlainRange &R);
  void span(StringRef Name, StringRef Category, unsigned Process,
            uint64_t Thread, uint64_t Begin, uint64_t End,
            ArrayRef<TraceWriter::Argument> Arguments);
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
  LatestNumbers Latest;
};

char *EventFile::makeRoom(size_t Most) {
  constexpr size_t PieceBytes = 1 << 18;
  if (InPiece + Most > Piece.size()) {
    print();
    Piece.resize_for_overwrite(std::max(Most, PieceBytes));
  }
  return Piece.data() + InPiece;
}

void EventFile::print(EventText &Event) {
  StringRef Text = Event.end();
  char *At = makeRoom(EventSeparator.size() + Text.size());
  for (StringRef Part : {EventSeparator.drop_front(!HasEvents), Text})
    At = std::copy(Part.begin(), Part.end(), At);
  HasEvents = true;
  endEvent(At);
}

void EventFile::name(StringRef What, unsigned Process, uint64_t Thread,
                     StringRef Name) {
  EventText Event;
  Event.text("name", What).text("ph", "M").place(Process, Thread);
  print(Event.arguments({{"name", Name}}));
}

void EventFile::span(StringRef Name, StringRef Category, unsigned Process,
                     uint64_t Thread, uint64_t Begin, uint64_t End,
                     ArrayRef<TraceWriter::Argument> Arguments) {
  EventText Event;
  Event.text("name", Name).text("cat", Category).text("ph", "X");
  Event.time("ts", since(Begin)).time("dur", since(End) - since(Begin));
  print(Event.place(Process, Thread).arguments(Arguments));
}

/// Some event is in front of it, which names its process.
void EventFile::add(const Span &S) {
  const SpanLabel &Label = inFile<LabelInFile>(*S.Of, [this](const auto &E) {
                             return labelOf(E);
                           }).Text;
  char *At = makeRoom(Label.mostBytes());
  uint64_t Begin = since(S.Begin);
  endEvent(Label.put(At, Latest, Begin, since(S.End) - Begin, S.Correlation));
}

void EventFile::arrow(StringRef Phase, unsigned Process, uint64_t Thread,
                      uint64_t Time, uint32_t Correlation) {
  EventText Event;
  Event.text("name", "work").text("cat", "work").text("ph", Phase);
  Event.place(Process, Thread).time("ts", since(Time));
  print(Event.number("id", Correlation));
}

void EventFile::add(const Call &C) {
  nameOnce(HostProcess, "host");
  span(C.Called->Name, "call", HostProcess, C.Thread, C.Begin, C.End,
       Details(C).all());
  arrow("s", HostProcess, C.Thread, C.Begin, C.Correlation);
}

EventFile::LabelInFile EventFile::labelOf(const Call &C) {
  nameOnce(HostProcess, "host");
  return SpanLabel(C.Called->Name, "call", {HostProcess, C.Thread}, {}, "s");
}

EventFile::LabelInFile EventFile::labelOf(const Work &W) {
  nameOnce(FirstDevice + W.Device, "device " + std::to_string(W.Device));
  Work Plain = W;
  Plain.Correlation = 0;
  EventPlace At = {FirstDevice + W.Device, W.Stream};
  return SpanLabel(nameOf(W), W.Launched ? "kernel" : "memory", At,
                   Details(Plain).all(), W.Correlation ? "f" : "");
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

/// Its name, as a category of events.
static std::string categoryOf(const Domain *Of) {
  return Of->Name.empty() ? "NVTX" : "NVTX," + Of->Name;
}

void EventFile::mark(const Annotation &A) {
  nameOnce(HostProcess, "host");
  EventText Event;
  Event.text("name", A.Text).text("cat", categoryOf(A.Of)).text("ph", "i");
  Event.text("s", "t").time("ts", since(A.Begin)).place(HostProcess, A.Thread);
  print(Event.arguments(Details(A).all()));
}

EventFile::LabelInFile EventFile::labelOf(const PlainRange &R) {
  nameOnce(HostProcess, "host");
  return SpanLabel(R.Name->Text, categoryOf(R.Name->Of),
                   {HostProcess, R.Thread});
}

/// A range of one thread is a span; another one may cross those.
void EventFile::end(const Annotation &A, uint64_t) {
  nameOnce(HostProcess, "host");
  if (!A.Id)
    return span(A.Text, categoryOf(A.Of), HostProcess, A.Thread, A.Begin, A.End,
                Details(A).all());
  for (bool IsBegin : {true, false}) {
    EventText Event;
    Event.text("name", A.Text).text("cat", categoryOf(A.Of));
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
