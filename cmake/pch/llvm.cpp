//===- llvm.cpp - Holder of the LLVM header ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries the precompiled header of llvm.h.
//
//===----------------------------------------------------------------------===//
