//===- StaticRuntime.cpp - A library with a runtime in it -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands for a library of NVIDIA's that has the CUDA runtime linked in.
//
//===----------------------------------------------------------------------===//

extern "C" int cuGetExportTable(const void **, const void *);

extern "C" int askForTable(const void **Table, const void *Id) {
  int Code = cuGetExportTable(Table, Id);
  return Code ? Code : -1; // so that the call comes back here
}
