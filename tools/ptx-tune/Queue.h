//===- Queue.h - Measurements on other machines -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Redis server hands measurements to workers and keeps what they found:
//
//   PREFIX:jobs          a stream that the consumer group `workers` reads
//   PREFIX:bundle:ID     what the measurements of a search depend on (Bundle.h)
//   PREFIX:results:ID    measurements by their jobs
//   PREFIX:queued:ID     jobs in the stream, so that none is there twice
//
// ID is the SHA-256 of the bundle; PREFIX names the compiler's build, so that
// only workers that make the same code take part. A job stays in the stream
// until its result is stored, which happens once, whoever finds it first: what
// a worker had that gave no sign of life for a while goes to another one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_QUEUE_H
#define HEDDLE_TOOLS_PTX_TUNE_QUEUE_H

#include "Objective.h"

namespace heddle::tune {

/// Measures on the workers of the queue that \p O names; Here knows the
/// kernels.
llvm::Expected<std::unique_ptr<Objective>>
createQueueObjective(const Options &O, std::unique_ptr<Objective> Here);

/// ptx-tune worker: measures what searches ask for, one at a time, until there
/// was nothing to do for O.Seconds; 0: for ever.
llvm::Error runWorker(const Options &O);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_QUEUE_H
