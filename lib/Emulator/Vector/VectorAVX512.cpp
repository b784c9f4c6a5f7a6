//===- VectorAVX512.cpp - Vector code for AVX-512 ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorKernels.inc.
//
//===----------------------------------------------------------------------===//

#include "../CTA.h"
#include "Execute/AtomicArithmetic.h"
#include "Execute/ExecuteMemory.h"
#include "Execute/MathTables.h"
#include "Execute/MathUnit.h"
#include "Execute/SpecialRegisters.h"
#include "Vector.h"

#if defined(__clang__) && defined(__x86_64__)
// Only what follows: the functions of headers must run on every host.
#pragma clang attribute push(                                                          \
    __attribute__((target(                                                             \
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,prfchw"))), \
    apply_to = function)
#define HEDDLE_VECTOR_NAMESPACE avx512
#include "VectorKernels.inc"
#pragma clang attribute pop
#endif
