//===- Activities.h - Records on their way to a profiler --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records of the kinds that a profiler has asked for are kept until it asks for
// them, or until there are many.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_CUPTI_ACTIVITIES_H
#define HEDDLE_LIB_CUDA_CUPTI_ACTIVITIES_H

#include "CUPTI/Records.h"
#include "Trace/Recorder.h"

#include <bitset>
#include <map>
#include <set>

namespace heddle::cuda::cupti {

/// Any thread may call anything at any time.
class Activities final : public trace::Sink {
public:
  static Activities &get();

  void add(const trace::Call &C) override;
  void add(const trace::Work &W) override;
  void add(const trace::Stage &S) override;

  void enable(CUpti_ActivityKind Kind, bool Wants);
  /// Only calls of such functions are wanted, or no longer.
  void enableFunction(CUpti_ActivityKind Kind, uint32_t Id, bool Wants);
  void setBuffers(CUpti_BuffersCallbackRequestFunc Request,
                  CUpti_BuffersCallbackCompleteFunc Complete);
  /// Records have the times of that clock from now on.
  void setClock(CUpti_TimestampCallbackFunc Clock);
  /// Gives the profiler all records.
  void flush();
  /// The same, if there are many. Profilers know by their first buffer that
  /// there are records: it is asked for once there is one. Not in a sink.
  void serve();
  /// Forgets everything.
  void reset();

  /// A time of ours by the profiler's clock.
  uint64_t timestamp(uint64_t Time);

  static constexpr size_t NumKinds = 64;

private:
  static constexpr size_t FullBytes = 4 << 20;

  /// Of the profiler, for records.
  struct Buffer {
    uint8_t *Start = nullptr;
    size_t Size = 0, MostRecords = 0;
  };
  /// A moment by our clock and by the profiler's.
  struct Moment {
    uint64_t Ours = 0, Theirs = 0;
  };
  Moment moment() const;
  uint64_t convert(uint64_t Time) const;
  void addGraph(const trace::Work &W);
  void addObjects(const trace::Call &C);
  void addSynchronization(const trace::Call &C, uint32_t Stream);
  void addEvent(const trace::Call &C, uint32_t Stream);
  void addStream(const trace::Call &C);
  void addContexts();
  void addOverhead(CUpti_ActivityOverheadKind Kind, uint32_t Thread,
                   uint64_t Begin, uint64_t End);
  uint32_t numberOfEvent(uint64_t Handle);
  void addKernel(const trace::Work &W);
  void addCopy(const trace::Work &W);
  void addFill(const trace::Work &W);
  template <typename T> void append(std::vector<uint8_t> &To, const T &Record) {
    const auto *Bytes = reinterpret_cast<const uint8_t *>(&Record);
    To.insert(To.end(), Bytes, Bytes + sizeof(T));
  }
  /// Copies records into the profiler's buffers.
  void deliver(llvm::ArrayRef<uint8_t> Records);
  /// Takes the buffer that is at hand, or asks for one.
  Buffer takeBuffer();

  std::mutex Mutex; ///< Of everything below.
  std::bitset<NumKinds> Kinds;
  /// Functions of which calls are wanted, by kind; none: of all.
  std::set<uint32_t> Functions[2];
  CUpti_BuffersCallbackRequestFunc Request = nullptr;
  CUpti_BuffersCallbackCompleteFunc Complete = nullptr;
  CUpti_TimestampCallbackFunc Clock = nullptr;
  Buffer AtHand;
  Moment First, Last;
  /// Calls come before work, whose correlation they explain.
  std::vector<uint8_t> Calls, Work;
  int64_t NumKernels = 0;
  std::map<uint64_t, uint32_t> Events; ///< Numbers by handles.
  std::set<unsigned> Contexts;         ///< Devices whose contexts were told.
  /// Launches of graphs by their correlations, until the next flush.
  std::map<uint32_t, CUpti_ActivityGraphTrace> Graphs;
};

/// How many bytes a record has; 0: there is no such kind.
size_t sizeOf(CUpti_ActivityKind Kind);

/// The thread's number for its calls, of each kind that a profiler makes;
/// the latest that was pushed counts.
void pushExternal(uint32_t Kind, uint64_t Id);
/// False if there is none.
bool popExternal(uint32_t Kind, uint64_t &Id);

} // namespace heddle::cuda::cupti

#endif // HEDDLE_LIB_CUDA_CUPTI_ACTIVITIES_H
