//===- mlir.cpp - Holder of the MLIR header ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries the precompiled header of mlir.h.
//
//===----------------------------------------------------------------------===//
