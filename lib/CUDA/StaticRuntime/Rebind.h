//===- Rebind.h - Functions that others find in their place -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever binds a function of an object finds one of ours, since the object's
// table of symbols says so. The original stays as it is, for ours to call.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_REBIND_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_REBIND_H

#include "StaticRuntime/LoadedObject.h"
#include "StaticRuntime/Redirect.h"

#include <sys/mman.h>

namespace heddle::cuda {

/// The protection of the memory at an address of an object; -1 if there is no
/// such segment.
int protectionAt(const link_map &Map, uint64_t Address);

/// Runs what writes to [Address, Address + Size) of an object.
template <typename Writer>
bool writeTo(const link_map &Map, uint64_t Address, uint64_t Size,
             Writer Write) {
  int Protection = protectionAt(Map, Address);
  if (Protection < 0 ||
      !protect(Address, Address + Size, PROT_READ | PROT_WRITE))
    return false;
  bool Written = Write();
  return protect(Address, Address + Size, Protection) && Written;
}

/// Has the object's table of symbols say that the function \p Name is at
/// \p Replacement. Nothing may be bound to it yet. Returns whether it does now.
bool rebind(const link_map &Map, const LoadedObject &Object, const char *Name,
            const void *Replacement);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_REBIND_H
