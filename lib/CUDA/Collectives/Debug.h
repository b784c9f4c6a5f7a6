//===- Debug.h - What NCCL_DEBUG asks for -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines as NCCL writes them: the host's name, process, thread and device, and
// what there is to say. To stdout, or to the file that NCCL_DEBUG_FILE names.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_DEBUG_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_DEBUG_H

#include "llvm/ADT/Twine.h"

namespace heddle::cuda::collectives {

enum class DebugLevel { None, Version, Warn, Info, Trace };

/// Whether NCCL_DEBUG asks for lines of a level.
bool isTold(DebugLevel Level);
/// Whether it asks for each collective, by its level or by NCCL_DEBUG_SUBSYS.
bool areCallsTold();

/// Writes a line if it is asked for. Any thread may call it at any time.
void tell(DebugLevel Level, const llvm::Twine &Text);

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_DEBUG_H
