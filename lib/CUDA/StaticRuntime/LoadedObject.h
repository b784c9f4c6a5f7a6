//===- LoadedObject.h - Objects that ld.so has mapped -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is needed of an object that may not be relocated yet.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_LOADEDOBJECT_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_LOADEDOBJECT_H

#include <cstdint>
#include <link.h>

namespace heddle::cuda {

/// The dynamic symbols of an object.
class LoadedObject {
public:
  explicit LoadedObject(const link_map &Map);

  /// Whether the object wants the program's dlopen and dlsym. NVIDIA's runtime
  /// does, so that most objects need not be looked at any further.
  bool importsLoader() const;
  /// The address of a function or variable that the object exports, or null.
  void *find(const char *Name) const;
  /// Where the object's table of symbols says how far from the object's start
  /// that is, or null. The table cannot be written to.
  const Elf64_Addr *valueOf(const char *Name) const;
  /// How many bytes it has; 0 if it is not exported.
  uint64_t sizeOf(const char *Name) const;

private:
  /// Whether the hash table has any symbol. An empty one does not say where the
  /// imported ones end.
  bool exportsAny() const;
  const Elf64_Sym *symbolOf(const char *Name) const;
  const char *nameOf(const Elf64_Sym &Symbol) const {
    return Strings + Symbol.st_name;
  }
  uint64_t Address;
  const Elf64_Sym *Symbols = nullptr;
  const char *Strings = nullptr;
  /// DT_GNU_HASH: counts, a filter, buckets and chains.
  const uint32_t *Hash = nullptr;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_LOADEDOBJECT_H
