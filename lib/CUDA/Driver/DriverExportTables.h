//===- DriverExportTables.h - Tables without a header -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cuGetExportTable hands out: tables of functions that NVIDIA's tools and
// libraries find by identifiers of 16 bytes, with no header for them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DRIVEREXPORTTABLES_H
#define HEDDLE_LIB_CUDA_DRIVEREXPORTTABLES_H

namespace heddle::cuda {

/// The table of an identifier; null if there is none.
const void *findExportTable(const void *Identifier);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DRIVEREXPORTTABLES_H
