//===- Series.h - What events have in common --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most events differ from one before them in their times and numbers alone.
// What they have in common is a series: a thread looks it up when it notes an
// event, and the file puts it into bytes once. Threads have their own.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SERIES_H
#define HEDDLE_LIB_CUDA_TRACE_SERIES_H

#include "Trace/Events.h"

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <variant>
#include <vector>

namespace heddle::cuda::trace {

/// What a file has made of a series.
struct SeriesInFile {
  virtual ~SeriesInFile() = default;
};

/// Successful calls of a function, work that does the same in the same stream,
/// or ranges of a name, each of one thread.
struct Series {
  using Event = std::variant<Call, Work, PlainRange>;

  const Event First;                    ///< One of them.
  std::unique_ptr<SeriesInFile> InFile; ///< The writer's; null at first.

  explicit Series(const Event &E) : First(E) {}
};

/// An event of a series.
struct Span {
  Series *Of = nullptr;
  uint64_t Begin = 0, End = 0;
  uint32_t Correlation = 0;     ///< Of a call or of work.
  uint32_t Graph = 0, Node = 0; ///< Of work.
};

/// The series of a thread. But for takeOutdated, the thread alone uses it.
class ThreadSeries {
public:
  /// The series of an event stays as long as the thread's events are not all
  /// written; that of work, until it is outdated.
  Series &of(const Call &C) { return find(Calls, C.Called->Number, C); }
  Series &of(const PlainRange &R) { return find(Ranges, R.Name->Number, R); }
  /// \p Place is any number that much work of the series has; \p Is says
  /// whether a series is right, and else \p Make makes the work.
  template <typename Check, typename Maker>
  Series &ofWork(size_t Place, Check Is, Maker Make) {
    Series *&Last = Latest[(Place ^ Place >> 6 ^ Place >> 12) % NumLatest];
    if (!Last || !Is(*std::get_if<Work>(&Last->First)))
      Last = &findWork(Make());
    return *Last;
  }

  using List = std::vector<std::unique_ptr<Series>>;
  /// What no event has that is noted from now on.
  List takeOutdated() {
    std::lock_guard Lock(Mutex);
    return std::move(Outdated);
  }

private:
  template <typename Event>
  static Series &find(List &By, size_t Number, const Event &E) {
    if (Number < By.size() && By[Number])
      return *By[Number];
    return add(By, Number, E);
  }
  static Series &add(List &By, size_t Number, const Series::Event &E);
  Series &findWork(const Work &W);

  static constexpr size_t NumLatest = 64;

  List Calls, Ranges; ///< By the number of the function or name.
  /// Work, of which there may be more and more: when there is much, all of it
  /// is outdated. By its shape, and what was the last at each place.
  List Works;
  std::unordered_map<uint64_t, Series *> ByShape;
  std::array<Series *, NumLatest> Latest = {};

  std::mutex Mutex; ///< Of what follows.
  List Outdated;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SERIES_H
