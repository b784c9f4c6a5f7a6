//===- PerfettoFile.cpp - Events in Perfetto's own format -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host has tracks for the calls of each thread and for the ranges of each
// domain; a device has tracks of its streams and of numbers.
//
//===----------------------------------------------------------------------===//

#include "Trace/Timeline.h"
#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace llvm;

namespace heddle::cuda::trace {

namespace {

class PerfettoFile final : public FileSink {
public:
  PerfettoFile(std::unique_ptr<raw_pwrite_stream> File, uint64_t Start)
      : File(std::move(File)), Start(Start), Trace(*this->File) {
    Host = Trace.addGroup("host");
  }

  void add(const Span &S) override;
  void add(const Call &C) override;
  void add(const Stage &S) override;
  void add(const Value &V) override;
  void add(const Sample &S) override;
  void add(const SystemCall &C) override;
  void mark(const Annotation &A) override {
    Trace.addInstant(rangesOf(A.Thread, A.Of), since(A.Begin), titleOf(A.Text),
                     Details(A).all());
  }
  uint64_t begin(const Annotation &A) override;
  void end(const Annotation &A, uint64_t RangeTrack) override;
  uint64_t begin(const Span &S) override;
  void end(const Span &S, uint64_t RangeTrack) override {
    Trace.endSlice(RangeTrack, since(S.End));
  }
  void nameThread(uint32_t Thread, StringRef Name) override {
    ThreadNames[Thread] = Name.str();
  }
  void nameStream(uint64_t Stream, StringRef Name) override {
    StreamNames[Stream] = Name.str();
  }
  void flush() override {
    Trace.flush();
    File->flush();
  }
  void finish() override { flush(); }

private:
  using Track = TraceWriter::Track;
  using Label = TraceWriter::Label;
  /// The label of a series, and of work the tracks that its spans are on.
  struct SpanLabel final : SeriesInFile {
    Label Bytes;
    TraceLanes *Stream;

    SpanLabel(Label Bytes, TraceLanes *Stream = nullptr)
        : Bytes(std::move(Bytes)), Stream(Stream) {}
  };
  SpanLabel &labelOf(Series &S) {
    return inFile<SpanLabel>(S, [this](const auto &E) { return labelOf(E); });
  }
  SpanLabel labelOf(const Call &C);
  SpanLabel labelOf(const Work &W);
  SpanLabel labelOf(const PlainRange &R) {
    return Trace.prepare(rangesOf(R.Thread, R.Name->Of), titleOf(R.Name->Text),
                         {});
  }
  TraceLanes &streamOf(const Work &W);
  Track callsOf(uint32_t Thread) {
    return find(Threads, Thread, [&] {
      return Trace.addTrack(threadName(Thread) + ": calls", Host);
    });
  }
  /// A track, made when it is first needed.
  template <typename Map, typename Key, typename Make>
  static Track find(Map &Tracks, const Key &K, Make New) {
    auto It = Tracks.find(K);
    return It != Tracks.end() ? It->second : Tracks[K] = New();
  }
  Track deviceOf(unsigned Device) {
    return find(Devices, Device, [&] {
      return Trace.addGroup("device " + std::to_string(Device));
    });
  }
  /// A number, and the name that the program has given what has it.
  template <typename Number>
  static std::string numbered(StringRef Kind, Number Which,
                              const std::map<Number, std::string> &Names) {
    std::string Name = (Kind + " " + Twine(Which)).str();
    auto It = Names.find(Which);
    return It == Names.end() ? Name : Name + " (" + It->second + ")";
  }
  std::string threadName(uint32_t Thread) {
    return numbered("thread", Thread, ThreadNames);
  }
  Track rangesOf(uint32_t Thread, const Domain *Of) {
    return find(Ranges, std::pair(Thread, Of), [&] {
      return Trace.addTrack(threadName(Thread) + ": " + domainName(Of), Host);
    });
  }
  static std::string domainName(const Domain *Of) {
    return Of->Name.empty() ? "NVTX" : Of->Name;
  }
  static StringRef titleOf(StringRef Text) {
    return Text.empty() ? "range" : Text;
  }
  /// What began before the file is shown from its begin on.
  uint64_t since(uint64_t Time) const {
    return Time > Start ? Time - Start : 0;
  }

  std::unique_ptr<raw_pwrite_stream> File;
  const uint64_t Start;
  TraceWriter Trace;
  Track Host = 0, Compiler = 0;
  std::map<unsigned, Track> Devices;
  std::map<uint32_t, Track> Threads, SystemThreads;
  std::map<uint32_t, std::string> ThreadNames;
  std::map<uint64_t, std::string> StreamNames;
  std::map<std::pair<uint32_t, const Domain *>, Track> Ranges;
  std::map<const Domain *, TraceLanes> FreeRanges;
  std::map<std::pair<unsigned, uint64_t>, TraceLanes> Streams;
  DenseMap<std::pair<const char *, uint32_t>, Label> SystemCalls;
  std::map<std::pair<unsigned, StringRef>, Track> Counters;
  std::map<bool, TraceLanes> Stages;   ///< Whether of whole compilations.
  std::map<unsigned, uint64_t> Frames; ///< By CodePlace::Number.
};

void PerfettoFile::add(const Call &C) {
  Trace.addSlice(callsOf(C.Thread), since(C.Begin), since(C.End),
                 C.Called->Name, Details(C).all(), C.Correlation);
}

PerfettoFile::SpanLabel PerfettoFile::labelOf(const Call &C) {
  return Trace.prepare(callsOf(C.Thread), C.Called->Name, {}, "correlation");
}

TraceLanes &PerfettoFile::streamOf(const Work &W) {
  std::pair<unsigned, uint64_t> Place(W.Device, W.Stream);
  auto It = Streams.find(Place);
  if (It != Streams.end())
    return It->second;
  return Streams
      .try_emplace(Place, Trace, "stream " + std::to_string(W.Stream),
                   deviceOf(W.Device))
      .first->second;
}

/// Each span says which of the stream's tracks it is on.
PerfettoFile::SpanLabel PerfettoFile::labelOf(const Work &W) {
  Work Plain = W;
  Plain.Correlation = 0;
  return {Trace.prepare(/*On=*/0, nameOf(W), Details(Plain).all(),
                        W.Correlation ? "correlation" : StringRef()),
          &streamOf(W)};
}

void PerfettoFile::add(const Span &S) {
  SpanLabel &Own = labelOf(*S.Of);
  uint64_t Begin = since(S.Begin), End = since(S.End);
  if (Own.Stream) {
    Track On = Own.Stream->take(Begin, End);
    if (TraceWriter::trackOf(Own.Bytes) != On)
      TraceWriter::setTrack(Own.Bytes, On);
  }
  Trace.addSlice(Begin, End, Own.Bytes, S.Correlation);
}

/// Returns the track that it is on.
uint64_t PerfettoFile::begin(const Annotation &A) {
  if (A.Id)
    return 0;
  Track On = rangesOf(A.Thread, A.Of);
  Trace.beginSlice(On, since(A.Begin), titleOf(A.Text), Details(A).all());
  return On;
}

uint64_t PerfettoFile::begin(const Span &S) {
  const Label &Own = labelOf(*S.Of).Bytes;
  Trace.beginSlice(since(S.Begin), Own);
  return TraceWriter::trackOf(Own);
}

void PerfettoFile::add(const Stage &S) {
  if (!Compiler)
    Compiler = Trace.addGroup("compiler");
  bool IsWhole = !S.Detail.empty();
  TraceLanes &Lanes =
      Stages
          .try_emplace(IsWhole, Trace, IsWhole ? "compilations" : "stages",
                       Compiler)
          .first->second;
  SmallVector<TraceWriter::Argument> Arguments;
  Arguments.emplace_back("input", S.Input);
  if (!S.Detail.empty())
    Arguments.emplace_back("origin", S.Detail);
  uint64_t Begin = since(S.Begin), End = since(S.End);
  Trace.addSlice(Lanes.take(Begin, End), Begin, End, S.Name, Arguments);
}

void PerfettoFile::add(const Value &V) {
  Track Counter = find(Counters, std::pair(V.Device, V.Name), [&] {
    return Trace.addCounter(V.Name, V.Unit, deviceOf(V.Device));
  });
  Trace.addValue(Counter, since(V.Time), V.Number);
}

void PerfettoFile::add(const Sample &S) {
  SmallVector<uint64_t, 64> Stack;
  for (const CodePlace *Place : reverse(S.Places)) {
    uint64_t &Frame = Frames[Place->Number];
    if (!Frame)
      Frame = Trace.addFrame(Place->Function, Place->Module, Place->Address);
    Stack.push_back(Frame);
  }
  Trace.addSample(Host, S.Thread, S.CPU, since(S.Time), Stack);
}

void PerfettoFile::add(const SystemCall &C) {
  auto [It, IsNew] = SystemCalls.try_emplace({C.Name, C.Thread});
  if (IsNew) {
    Track On = find(SystemThreads, C.Thread, [&] {
      return Trace.addTrack(threadName(C.Thread) + ": C library", Host);
    });
    It->second = Trace.prepare(On, C.Name, {});
  }
  Trace.addSlice(since(C.Begin), since(C.End), It->second);
}

void PerfettoFile::end(const Annotation &A, uint64_t RangeTrack) {
  if (!A.Id)
    return Trace.endSlice(RangeTrack, since(A.End));
  auto It =
      FreeRanges.try_emplace(A.Of, Trace, domainName(A.Of) + ": ranges", Host)
          .first;
  uint64_t Begin = since(A.Begin), End = since(A.End);
  Trace.addSlice(It->second.take(Begin, End), Begin, End, titleOf(A.Text),
                 Details(A).all());
}

} // namespace

std::shared_ptr<FileSink>
createPerfettoFile(std::unique_ptr<raw_pwrite_stream> File, uint64_t Start) {
  return std::make_shared<PerfettoFile>(std::move(File), Start);
}

} // namespace heddle::cuda::trace
