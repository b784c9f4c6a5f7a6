//===- TraceWriter.h - Traces for Perfetto ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Perfetto's protocol buffers that timelines need: tracks, slices
// on them, counters. A trace can be read however soon its writing ends. Names
// are written once each, and by their numbers from then on.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_TRACEWRITER_H
#define HEDDLE_SUPPORT_TRACEWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// Writes a trace as it comes, in pieces of 256 KiB. Times are in nanoseconds.
class TraceWriter {
public:
  /// A track; 0 is none.
  using Track = uint64_t;
  /// A name with a text or number, which Perfetto shows beside a slice.
  struct Argument {
    llvm::StringRef Name, Text;
    uint64_t Number = 0;
    bool IsNumber = false;

    Argument(llvm::StringRef Name, llvm::StringRef Text)
        : Name(Name), Text(Text) {}
    Argument(llvm::StringRef Name, uint64_t Number)
        : Name(Name), Number(Number), IsNumber(true) {}
  };

  /// Track, name and arguments of slices of which there are many, put into
  /// bytes once.
  class Label {
    friend class TraceWriter;
    Track On = 0;
    std::string Bytes;     ///< The packets of a slice's begin and end.
    size_t BeginBytes = 0; ///< Those of the first.
    /// Where the flow is, as an argument and for the arrow; 0: there is none.
    size_t ArgumentAt = 0, FlowAt = 0;
  };

  explicit TraceWriter(llvm::raw_ostream &OS) : OS(OS) {}
  TraceWriter(const TraceWriter &) = delete;
  TraceWriter &operator=(const TraceWriter &) = delete;
  /// Writes the rest.
  ~TraceWriter() { flush(); }

  /// Writes what has come.
  void flush();

  /// A group of tracks, which Perfetto shows as a process.
  Track addGroup(llvm::StringRef Name);
  Track addTrack(llvm::StringRef Name, Track Group);
  /// A track of numbers; \p Unit may be empty.
  Track addCounter(llvm::StringRef Name, llvm::StringRef Unit, Track Group);

  /// Slices of a track are either one in the other or apart. If \p Flow is not
  /// 0, an arrow leads from each slice with this number to the next.
  void addSlice(Track On, uint64_t Begin, uint64_t End, llvm::StringRef Name,
                llvm::ArrayRef<Argument> Arguments = {}, uint64_t Flow = 0);
  /// \p FlowName is the name of an argument that says a slice's flow, the first
  /// of all; empty: slices have no flow.
  Label prepare(Track On, llvm::StringRef Name,
                llvm::ArrayRef<Argument> Arguments,
                llvm::StringRef FlowName = {});
  static Track trackOf(const Label &L) { return L.On; }
  static void setTrack(Label &L, Track On);
  void addSlice(uint64_t Begin, uint64_t End, const Label &L,
                uint32_t Flow = 0);
  void beginSlice(uint64_t Begin, const Label &L);
  /// The same in parts, of which those of a track come in order.
  void beginSlice(Track On, uint64_t Begin, llvm::StringRef Name,
                  llvm::ArrayRef<Argument> Arguments = {}, uint64_t Flow = 0);
  void endSlice(Track On, uint64_t End);
  void addInstant(Track On, uint64_t Time, llvm::StringRef Name,
                  llvm::ArrayRef<Argument> Arguments = {});
  void addValue(Track Counter, uint64_t Time, double Value);

  /// A function in a call stack, of which each is added once. What is not known
  /// is empty. Returns its number.
  uint64_t addFrame(llvm::StringRef Function, llvm::StringRef Module,
                    uint64_t Address);
  /// \p Group is a process in which a thread has a number. Perfetto shows where
  /// the thread was in a track of its own. \p Frames begin with the outermost.
  void addSample(Track Group, uint32_t Thread, uint32_t CPU, uint64_t Time,
                 llvm::ArrayRef<uint64_t> Frames);

private:
  /// Kinds of texts that have numbers of their own.
  enum class Interned {
    EventName,
    ArgumentName,
    ArgumentText,
    FunctionName,
    ModulePath
  };
  static constexpr unsigned NumInterned = 5;

  size_t open(unsigned Field);
  void close(size_t Start);
  void key(unsigned Field, unsigned WireType);
  void varint(uint64_t Value);
  void number(unsigned Field, uint64_t Value);
  void eightBytes(unsigned Field, uint64_t Value);
  void text(unsigned Field, llvm::StringRef Value);

  Track beginTrack(llvm::StringRef Name, Track Group);
  void endTrack();
  void addThread(Track Group, uint32_t Thread);
  /// The number of a text, which is written if it is new; 0: the text is to be
  /// written where it stands.
  uint64_t intern(Interned Kind, llvm::StringRef Text);
  /// Begins and ends a packet of its own with an entry that has a number,
  /// before the packet that is being written.
  void beginEntry(unsigned Field, uint64_t Number);
  void endEntry();
  void beginNumbers();
  uint64_t numberOfModule(llvm::StringRef Path);
  uint64_t numberOfStack(llvm::ArrayRef<uint64_t> Frames);
  void beginEvent(uint64_t Time, unsigned Type, Track On);
  void nameEvent(llvm::StringRef Name, llvm::ArrayRef<Argument> Arguments);
  void addArgument(const Argument &A);
  void endEvent();
  void print();
  /// Room for packets of that size, which are complete then.
  char *makeRoom(size_t Size);
  char *copy(llvm::StringRef Label);
  void putTime(char *Packet, uint64_t Time);

  llvm::raw_ostream &OS;
  llvm::SmallVector<char, 0> Piece; ///< What waits for being written, and room.
  size_t InPiece = 0;               ///< Bytes of the former.
  llvm::SmallString<512> Bytes;     ///< Of the packet that is being written.
  size_t Packet = 0, Event = 0;     ///< Where they begin in Bytes.
  /// Of what waits while an entry is written; where that begins.
  llvm::SmallString<512> Waiting;
  size_t EntryPacket = 0, EntryData = 0, Entry = 0;
  llvm::StringMap<uint64_t> Numbers[NumInterned];
  std::map<uint64_t, uint64_t> Modules; ///< By the number of their path.
  std::map<std::vector<uint64_t>, uint64_t> Stacks;
  std::set<std::pair<Track, uint32_t>> Threads;
  uint64_t NumFrames = 0;
  std::string LatestEnd; ///< The packet of the latest slice's end.
  Track TrackOfLatestEnd = 0;
  /// Of the latest time in a label: all but the lowest bits, and their bytes.
  uint64_t UpperBits = ~uint64_t(0), UpperBytes = 0;
  char TopByte = 0;
  bool HasEvents = false;
  uint64_t NumTracks = 0;
};

/// Tracks of one name, for slices that may overlap: each goes to the first
/// track that is free.
class TraceLanes {
public:
  TraceLanes(TraceWriter &Writer, llvm::StringRef Name,
             TraceWriter::Track Group)
      : Writer(Writer), Name(Name), Group(Group) {}

  /// The track of a slice. Slices come in the order in which they begin, or of
  /// each track in the order in which they end.
  TraceWriter::Track take(uint64_t Begin, uint64_t End);

private:
  struct Lane {
    TraceWriter::Track On = 0;
    uint64_t FreeFrom = 0;
  };
  TraceWriter &Writer;
  const std::string Name;
  const TraceWriter::Track Group;
  std::vector<Lane> Lanes;
};

/// Whether the name of a file asks for such a trace: it ends in .pftrace or
/// .perfetto-trace.
bool isPerfettoName(llvm::StringRef Path);

} // namespace heddle

#endif // HEDDLE_SUPPORT_TRACEWRITER_H
