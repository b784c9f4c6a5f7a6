//===- TraceWriter.h - Traces for Perfetto ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Perfetto's protocol buffers that timelines need: tracks, slices
// on them, counters. A trace can be read however soon its writing ends.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_TRACEWRITER_H
#define HEDDLE_SUPPORT_TRACEWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Writes a trace as it comes. Times are in nanoseconds.
class TraceWriter {
public:
  /// A track; 0 is none.
  using Track = uint64_t;
  /// A name with a text, which Perfetto shows beside a slice.
  using Argument = std::pair<llvm::StringRef, std::string>;

  explicit TraceWriter(llvm::raw_ostream &OS) : OS(OS) {}

  /// A group of tracks, which Perfetto shows as a process.
  Track addGroup(llvm::StringRef Name);
  Track addTrack(llvm::StringRef Name, Track Group);
  /// A track of numbers; \p Unit may be empty.
  Track addCounter(llvm::StringRef Name, llvm::StringRef Unit, Track Group);

  /// Slices of a track are either one in the other or apart. If \p Flow is not
  /// 0, an arrow leads from each slice with this number to the next.
  void addSlice(Track On, uint64_t Begin, uint64_t End, llvm::StringRef Name,
                llvm::ArrayRef<Argument> Arguments = {}, uint64_t Flow = 0);
  /// The same in parts, of which those of a track come in order.
  void beginSlice(Track On, uint64_t Begin, llvm::StringRef Name,
                  llvm::ArrayRef<Argument> Arguments = {}, uint64_t Flow = 0);
  void endSlice(Track On, uint64_t End);
  void addInstant(Track On, uint64_t Time, llvm::StringRef Name,
                  llvm::ArrayRef<Argument> Arguments = {});
  void addValue(Track Counter, uint64_t Time, double Value);

private:
  void printPacket(llvm::StringRef Contents);

  llvm::raw_ostream &OS;
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
