//===- VectorPortable.cpp - Vector code for any host ------------*- C++ -*-===//
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

#define HEDDLE_VECTOR_NAMESPACE portable
#if defined(__clang__)
#include "VectorKernels.inc"
#else
#include "VectorLanes.inc"
#endif
