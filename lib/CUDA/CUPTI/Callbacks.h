//===- Callbacks.h - Callbacks at calls -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profiler subscribes, and is called at the begin and the end of calls of the
// functions that it has asked for.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_CUPTI_CALLBACKS_H
#define HEDDLE_LIB_CUDA_CUPTI_CALLBACKS_H

#include "CUPTI/Records.h"

namespace heddle::cuda::cupti {

/// There is at most one subscriber: 0 is none, and no subscriber has the number
/// of one that is gone.
using Subscriber = uint64_t;

/// False if there is one already.
bool subscribe(CUpti_CallbackFunc Function, void *UserData, Subscriber &S);
bool unsubscribe(Subscriber S);
bool isSubscribed(Subscriber S);

/// Calls end with a look at the records that there are, or no longer.
void watchForRecords(bool Wants);

/// Whether the subscriber wants calls of a function. Number 0 is all functions
/// of the domain. False if there is no such domain or subscriber.
bool enableCallback(Subscriber S, uint32_t Domain, uint32_t Number, bool Wants);
bool isEnabled(uint32_t Domain, uint32_t Number);

} // namespace heddle::cuda::cupti

#endif // HEDDLE_LIB_CUDA_CUPTI_CALLBACKS_H
