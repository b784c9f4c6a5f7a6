//===- cuda_fp16.h - Stands in for CUDA's header ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Empty: HostCUDA.h has what the kernels use of it.
//
//===----------------------------------------------------------------------===//
