//===- ProfileData.h - What was counted of functions ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Profiles in memory and in files. A file is in LLVM's indexed format, so that
// llvm-profdata shows and merges it (docs/pgo.md): a record of the function's
// name has the counters of edges and the targets of indirect calls, as LLVM's
// own instrumentation has them, and side records have what LLVM knows nothing
// of. All counts are sums, so that profiles merge by addition.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PROFILEDATA_PROFILEDATA_H
#define HEDDLE_PROFILEDATA_PROFILEDATA_H

#include "heddle/ProfileData/Probes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::pgo {

/// The section of a code object that describes what its functions count: a
/// FunctionShape a line, in JSON.
constexpr char ShapeSectionName[] = ".heddle.profile";

/// How often the values at one place were seen.
using ValueCounts = std::map<uint64_t, uint64_t>;

/// What happened at a conditional branch.
struct BranchCounts {
  uint64_t Warps = 0;     ///< Times that threads of a warp came together.
  uint64_t Divergent = 0; ///< Warps that took both ways.
  uint64_t Lanes = 0;     ///< Threads in all of them.
  bool operator==(const BranchCounts &) const = default;
};
constexpr unsigned CountersOfBranch = 3;

/// How often a thread's stay in a loop had so many iterations, by
/// bucketOfTrips.
using TripCounts = std::array<uint64_t, TripBuckets>;

/// What a function of a code object counts, and where. Numbers of branches and
/// loops are those of the order of their blocks in the function.
struct FunctionShape {
  std::string Name;
  uint64_t Hash = 0; ///< Of its control flow.
  uint32_t Edges = 0, Branches = 0, Loops = 0;
  uint32_t Calls = 0;   ///< Calls through pointers.
  std::string Variable; ///< With the counters; empty: it has probes.
  /// Copies of the counters in the variable, whose sums are the counts.
  uint32_t Copies = 1;

  /// Cores that add to different copies touch different lines.
  static constexpr uint64_t CopyAlignment = 128;
  /// 64-bit counters of a copy: edges, branches, loops, calls.
  uint64_t counters() const;
  uint64_t bytesOfCopy() const;
};

/// The contents of ShapeSectionName, and back; an error says what is wrong.
std::string encodeShapes(llvm::ArrayRef<FunctionShape> Shapes);
llvm::Expected<std::vector<FunctionShape>> decodeShapes(llvm::StringRef Text);

/// Places of the values that one call through a pointer keeps in a shape's
/// variable: pairs of a value and its count. A value that finds no place is
/// not counted.
constexpr unsigned ValuesOfCall = 8;

/// The counts of one function.
struct FunctionCounts {
  std::vector<uint64_t> Edges;        ///< As LLVM numbers them.
  std::vector<BranchCounts> Branches; ///< Conditional branches.
  std::vector<TripCounts> Loops;
  std::vector<ValueCounts> Targets;   ///< MD5 of names, by indirect call.
  std::vector<ValueCounts> Arguments; ///< Of launches, by parameter.

  /// Sums stay at the greatest number once they reach it. What is of another
  /// size is of another function, and is refused.
  llvm::Error add(const FunctionCounts &Other);
};

/// A profile: counts by name and hash of functions.
class ProfileData {
public:
  using Key = std::pair<std::string, uint64_t>;
  std::map<Key, FunctionCounts> Functions;

  llvm::Error add(const ProfileData &Other);
  /// Reads a file's contents, which are not trusted; Name is for messages.
  static llvm::Expected<ProfileData> read(llvm::StringRef Bytes,
                                          llvm::StringRef Name);
  /// The contents of a file.
  std::string write() const;
  /// Adds this to a file, which need not exist, in one step: no reader
  /// sees half of it, and no other addition at the same time is lost.
  llvm::Error addToFile(llvm::StringRef Path) const;
};

/// Edge counters and indirect calls alone, in the form that LLVM's passes read.
std::string writeEdges(
    llvm::ArrayRef<std::pair<ProfileData::Key, const FunctionCounts *>> Of);

} // namespace heddle::pgo

#endif // HEDDLE_PROFILEDATA_PROFILEDATA_H
