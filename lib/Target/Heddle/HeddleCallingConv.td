//===- HeddleCallingConv.td - How arguments and results travel -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See isa-defs/HeddleABI.td for the registers.
//
//===----------------------------------------------------------------------===//
