//===- HeddlePseudos.td - Instructions that never reach the encoder -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expanded before or after register allocation.
//
//===----------------------------------------------------------------------===//
