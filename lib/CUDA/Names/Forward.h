//===- Forward.h - The way into libheddle-cuda ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The libraries with NVIDIA's names are preloaded into programs that have
// nothing to do with CUDA: compilers, shells, a program's children. So they
// depend on the C library only, run nothing when they are loaded, and load
// libheddle-cuda, which has LLVM in it, at the first call.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FORWARD_H
#define HEDDLE_LIB_CUDA_FORWARD_H

namespace heddle::cuda {

/// What every call returns where libheddle-cuda cannot be loaded:
/// cudaErrorSharedObjectInitFailed, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED.
constexpr int LibraryUnavailable = 303;

/// libheddle-cuda, loaded from beside this library at the first call and never
/// unloaded; null if it cannot be, which the first call says on stderr. No lock
/// of ours is held while the dynamic loader works: another thread may have the
/// loader's own lock, be in a constructor, and call us.
void *libheddleCuda();

/// The function of that name in libheddle-cuda; null if there is none.
void *findFunction(void *Library, const char *Name);

/// Gives libheddle-cuda what the program registered before it was loaded.
/// Libraries other than the runtime have nothing to give.
void handOverRegistrations(void *Library);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_FORWARD_H
