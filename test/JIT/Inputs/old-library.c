//===- old-library.c - A library that says it is what it is not ---*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States API version 1 and has nothing else of it.
//
//===----------------------------------------------------------------------===//

void heddleGetAPIVersions(unsigned *OutOldest, unsigned *OutNewest) {
  *OutOldest = *OutNewest = 1;
}
