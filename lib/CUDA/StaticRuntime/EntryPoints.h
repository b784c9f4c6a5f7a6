//===- EntryPoints.h - The functions of a static runtime --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises NVIDIA's runtime in an ELF file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_ENTRYPOINTS_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_ENTRYPOINTS_H

#include <cstdint>

namespace heddle::cuda {

struct EntryPoint {
  const char *Name; ///< In the file.
  uint64_t Address; ///< Relative to where the file is loaded.
  uint64_t Room;    ///< How many bytes may be written there.
};

struct EntryPoints {
  static constexpr unsigned Most = 1024; ///< CUDA 13.5 has 458.
  EntryPoint List[Most];
  unsigned Count = 0;
  /// Of which version this is; null where names told.
  const char *Version = nullptr;

  bool has(const char *Name) const;
};

/// The functions of the runtime's interface, if the file has NVIDIA's runtime
/// in it: by the names in a symbol table, beside many of its private ones,
/// since a program may have a function of such a name of its own; else by the
/// lengths of its functions. A file that is damaged has none.
EntryPoints findEntryPoints(const unsigned char *File, uint64_t Size);

/// 11 (or one before), 12 or 13.
unsigned majorVersion(const EntryPoints &Found);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_ENTRYPOINTS_H
