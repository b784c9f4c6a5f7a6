//===- heddle.h - The whole C API ---------------------------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes every header of the C API.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_HEDDLE_H
#define HEDDLE_C_HEDDLE_H

#include "heddle-c/Base.h"
#include "heddle-c/Compiler.h"
#include "heddle-c/JITOptions.h"
#include "heddle-c/Linker.h"
#include "heddle-c/PTXCompiler.h"
#include "heddle-c/Runtime.h"
#include "heddle-c/TensorMap.h"

#endif // HEDDLE_C_HEDDLE_H
