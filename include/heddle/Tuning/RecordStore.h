//===- RecordStore.h - What searches found, in the cache --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tuning records are entries of the cache (kind tuning-record), and so atomic,
// checked, evicted, exported in packs and shared through remotes like all
// others. A record is found by the text of its kernel, the chip, the class of
// the launches that it was measured with, and the compiler's build; another
// compiler does not see it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TUNING_RECORDSTORE_H
#define HEDDLE_TUNING_RECORDSTORE_H

#include "heddle-cache/Cache.h"
#include "heddle/Tuning/KernelText.h"

#include <cstdint>

namespace heddle::tuning {

/// Launches for which the same decisions are expected to serve: threads of a
/// CTA up to the next power of two, CTAs by orders of magnitude. The value that
/// is made by default stands for all launches.
class LaunchClass {
public:
  LaunchClass() = default;
  /// None of the numbers may be 0.
  LaunchClass(uint64_t ThreadsPerCTA, uint64_t CTAs);

  bool isAny() const { return Threads == 0; }
  /// "any", or such as "t256-c64": at most so many threads, at least so many
  /// CTAs.
  std::string str() const;
  auto operator<=>(const LaunchClass &) const = default;

private:
  uint64_t Threads = 0; ///< At most; 0: any.
  uint64_t CTAs = 0;    ///< At least.
};

struct Record {
  /// The decisions as JSON: what stands for the kernel in a tuning document.
  std::string Configuration;
  /// How it was found, as JSON, for people and for exports.
  std::string History;
};

class RecordStore {
public:
  /// \p Build is the identity of the compiler whose code was measured; \p C
  /// must outlive the store.
  RecordStore(cache::Cache &C, std::string_view Build) : C(C), Build(Build) {}

  /// The record for exactly that class; none if there is none. Remotes are
  /// asked only if \p AskRemotes.
  std::optional<Record> find(const KernelText &Kernel, std::string_view Chip,
                             const LaunchClass &Launch,
                             bool AskRemotes = false) const;
  void insert(const KernelText &Kernel, std::string_view Chip,
              const LaunchClass &Launch, const Record &R) const;

  /// A tuning document with what is recorded for the kernels, for the class
  /// wanted or else for any; empty if nothing is.
  std::string document(const std::vector<KernelText> &Kernels,
                       std::string_view Chip, const LaunchClass &Launch,
                       bool AskRemotes) const;

private:
  cache::Key keyOf(const KernelText &Kernel, std::string_view Chip,
                   const LaunchClass &Launch) const;

  cache::Cache &C;
  std::string Build;
};

} // namespace heddle::tuning

#endif // HEDDLE_TUNING_RECORDSTORE_H
