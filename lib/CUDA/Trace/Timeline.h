//===- Timeline.h - A program's events in a file ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_TIMELINE asks for. The end of the file's name says which format
// it has.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_TIMELINE_H
#define HEDDLE_LIB_CUDA_TRACE_TIMELINE_H

#include "Trace/Recorder.h"
#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <map>

namespace heddle::cuda::trace {

/// Opens the file, at the first call, if one is asked for. What is wrong is
/// said on stderr.
void openTimeline();

/// The formats. Times in files are from \p Start on.
std::shared_ptr<FileSink>
createPerfettoFile(std::unique_ptr<llvm::raw_pwrite_stream> File,
                   uint64_t Start);
std::shared_ptr<FileSink>
createEventFile(std::unique_ptr<llvm::raw_pwrite_stream> File, uint64_t Start);
/// The tables that `nsys export --type sqlite` writes. The file has no rows
/// before its end.
std::shared_ptr<FileSink>
createDatabaseFile(const std::string &Path,
                   std::unique_ptr<llvm::raw_fd_ostream> File, uint64_t Start);

/// What work is called: the kernel, or `copy to host` and so on.
llvm::StringRef nameOf(const Work &W);

/// What is worth knowing of an event besides its name.
class Details {
public:
  explicit Details(const Call &C);
  explicit Details(const Work &W);
  explicit Details(const Annotation &A);
  Details(const Details &) = delete;
  Details &operator=(const Details &) = delete;

  /// They are valid while these details and the event are.
  llvm::ArrayRef<TraceWriter::Argument> all() const { return All; }

private:
  llvm::StringRef keep(size_t Begin) const;
  void append(uint64_t Number);
  void addExtents(llvm::StringRef Name, const rt::Dim3 &D);

  llvm::SmallVector<TraceWriter::Argument, 8> All;
  /// Its memory stays where it is: what is appended fits.
  llvm::SmallString<512> Texts;
};

/// What formats put into bytes once for events that differ in their times and
/// numbers only, by what they have in common. Of many only the latest stay.
/// Most events are like one of the latest, which are found at once. A key is a
/// pointer and a number.
template <typename Key, typename Label> class LabelTable {
public:
  Label *find(const Key &K) {
    auto &[Last, Found] = Latest[placeOf(K)];
    if (Found && Last == K)
      return Found;
    auto It = Known.find(K);
    if (It == Known.end())
      return nullptr;
    Last = K;
    return Found = It->second.get();
  }
  /// Then those that were found are gone with the next one that is added.
  bool isFull() const { return Known.size() == 1 << 12; }
  Label &add(const Key &K) {
    if (isFull()) {
      Known.clear();
      Latest = {};
    }
    std::unique_ptr<Label> &New = Known[K];
    if (!New)
      New = std::make_unique<Label>();
    return *New;
  }

private:
  static constexpr size_t NumLatest = 64;
  static size_t placeOf(const Key &K) {
    auto First = reinterpret_cast<uintptr_t>(K.first);
    return (First / 32 + First / 2048 + K.second) % NumLatest;
  }

  llvm::DenseMap<Key, std::unique_ptr<Label>> Known;
  std::array<std::pair<Key, Label *>, NumLatest> Latest = {};
};

/// Of successful calls of a function by a thread.
template <typename Label> class CallLabels {
public:
  /// What was made for such calls; \p Make makes it for the first one.
  template <typename Maker> const Label &find(const Call &C, Maker Make) {
    std::pair Key(C.Called, C.Thread);
    Label *Known = Labels.find(Key);
    return Known ? *Known : Labels.add(Key) = Make();
  }

private:
  LabelTable<std::pair<const Function *, uint32_t>, Label> Labels;
};

/// Of work.
template <typename Label> class WorkLabels {
public:
  template <typename Maker> Label &find(const Work &W, Maker Make) {
    Entry *&Last = Latest[placeOf(W)];
    if (Last && isAlike(Last->First, W))
      return Last->Of;
    std::pair Key(W.Launched, shapeOf(W));
    if (Labels.isFull())
      Latest = {};
    Last = Labels.find(Key);
    if (!Last || !isAlike(Last->First, W))
      Last = &(Labels.add(Key) = {W, Make()});
    return Last->Of;
  }

private:
  struct Entry {
    Work First;
    Label Of;
  };
  static uint64_t shapeOf(const Work &W) {
    constexpr uint64_t Factor = 0x9E3779B97F4A7C15;
    auto Both = [](uint32_t A, uint32_t B) { return uint64_t(A) << 32 | B; };
    if (!W.Launched)
      return (W.Bytes * Factor ^ W.Pattern ^ W.Stream) * Factor ^
             unsigned(W.Copied);
    uint64_t Shape = W.Stream ^ Both(W.Grid.X, W.Block.X);
    Shape = Shape * Factor ^ Both(W.Grid.Y, W.Grid.Z);
    Shape = Shape * Factor ^ Both(W.Block.Y, W.Block.Z);
    return Shape * Factor ^ W.DynamicSharedBytes;
  }
  static bool isAlike(const Work &A, const Work &B) {
    return !A.Correlation == !B.Correlation && !A.Node == !B.Node &&
           A.isAlike(B);
  }

  static constexpr size_t NumLatest = 64;
  static size_t placeOf(const Work &W) {
    auto Of = reinterpret_cast<uintptr_t>(W.Launched) / alignof(Kernel);
    return (Of + W.Grid.X + W.Stream + W.Bytes) % NumLatest;
  }

  LabelTable<std::pair<const Kernel *, uint64_t>, Entry> Labels;
  std::array<Entry *, NumLatest> Latest = {};
};

/// Of ranges of a thread that have a text and nothing else.
template <typename Label> class RangeLabels {
public:
  template <typename Maker> const Label &find(const PlainRange &R, Maker Make) {
    std::pair Key(R.Name, R.Thread);
    Label *Known = Labels.find(Key);
    return Known ? *Known : Labels.add(Key) = Make();
  }

private:
  LabelTable<std::pair<const RangeName *, uint32_t>, Label> Labels;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_TIMELINE_H
