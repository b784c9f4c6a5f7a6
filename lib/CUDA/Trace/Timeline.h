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
template <typename Key, typename Label> class LabelTable {
public:
  Label *find(const Key &K) {
    auto It = Known.find(K);
    return It == Known.end() ? nullptr : &It->second;
  }
  Label &add(const Key &K) {
    constexpr size_t Most = 1 << 12;
    if (Known.size() == Most)
      Known.clear();
    return Known[K];
  }

private:
  llvm::DenseMap<Key, Label> Known;
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

/// Of launches.
template <typename Label> class LaunchLabels {
public:
  template <typename Maker> const Label &find(const Work &W, Maker Make) {
    std::pair Key(W.Launched, shapeOf(W));
    Entry *Known = Labels.find(Key);
    if (!Known || !isAlike(Known->First, W))
      Known = &(Labels.add(Key) = {W, Make()});
    return Known->Of;
  }

private:
  struct Entry {
    Work First;
    Label Of;
  };
  static uint64_t shapeOf(const Work &W) {
    uint64_t Shape = W.Stream;
    for (uint32_t Extent : {W.Grid.X, W.Grid.Y, W.Grid.Z, W.Block.X, W.Block.Y,
                            W.Block.Z, W.DynamicSharedBytes})
      Shape = Shape * 0x9E3779B97F4A7C15 + Extent;
    return Shape;
  }
  static bool isAlike(const Work &A, const Work &B) {
    return A.Grid == B.Grid && A.Block == B.Block && A.Stream == B.Stream &&
           A.DynamicSharedBytes == B.DynamicSharedBytes &&
           A.Device == B.Device && A.IsCooperative == B.IsCooperative &&
           !A.Correlation == !B.Correlation && !A.Node == !B.Node;
  }

  LabelTable<std::pair<const Kernel *, uint64_t>, Entry> Labels;
};

/// Of ranges of a thread that have a text and nothing else.
template <typename Label> class RangeLabels {
public:
  /// Null: the range has more, or texts are many.
  template <typename Maker> const Label *find(const Annotation &A, Maker Make) {
    constexpr size_t MostTexts = 1 << 12, LongestText = 1 << 10;
    if (!A.Category.empty() || A.CategoryNumber || A.Color ||
        A.Payload.index() || A.Text.size() > LongestText)
      return nullptr;
    llvm::StringMap<Label> &Known = textsOf({A.Thread, A.Of});
    auto It = Known.find(A.Text);
    if (It == Known.end()) {
      if (Known.size() == MostTexts)
        return nullptr;
      It = Known.try_emplace(A.Text, Make()).first;
    }
    return &It->second;
  }

private:
  using Place = std::pair<uint32_t, const Domain *>;
  llvm::StringMap<Label> &textsOf(const Place &P) {
    if (Latest && P == PlaceOfLatest)
      return *Latest;
    PlaceOfLatest = P;
    Latest = Texts.find(P);
    return *(Latest ? Latest : Latest = &Texts.add(P));
  }

  LabelTable<Place, llvm::StringMap<Label>> Texts;
  llvm::StringMap<Label> *Latest = nullptr;
  Place PlaceOfLatest;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_TIMELINE_H
