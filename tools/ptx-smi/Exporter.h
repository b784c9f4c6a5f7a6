//===- Exporter.h - Devices as metrics --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `ptx-smi metrics` does.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_EXPORTER_H
#define HEDDLE_TOOLS_PTX_SMI_EXPORTER_H

#include "Snapshot.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::smi {

/// Prints metrics as text that Prometheus reads, version 0.0.4.
void printMetrics(const Snapshot &S, llvm::raw_ostream &OS);

/// Answers requests for /metrics at a port of the loopback until the process is
/// ended. Port 0 takes one that is free; OS is told which.
llvm::Error serveMetrics(const NVML &Library, uint16_t Port,
                         llvm::raw_ostream &OS);

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_EXPORTER_H
