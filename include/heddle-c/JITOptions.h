//===- JITOptions.h - The shape of CUDA's cuModuleLoadDataEx ------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that compile PTX with arrays of CUjit_option: the same numbers
// with the same meaning and the same types of values.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_JITOPTIONS_H
#define HEDDLE_C_JITOPTIONS_H

#include "heddle-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The values are CUjit_option's. What a value is stands behind each: numbers
/// are cast to void *, results are written over them in the array.
typedef enum HeddleJITOption HEDDLE_ENUM_BASE {
  HEDDLE_JIT_MAX_REGISTERS = 0, ///< unsigned: -maxrregcount
  /// unsigned: -maxntid. CUDA returns the number that the code is for, which
  /// here is the number given.
  HEDDLE_JIT_THREADS_PER_BLOCK = 1,
  HEDDLE_JIT_WALL_TIME = 2,             ///< float result: milliseconds
  HEDDLE_JIT_INFO_LOG_BUFFER = 3,       ///< char *: where warnings go
  HEDDLE_JIT_INFO_LOG_BUFFER_SIZE = 4,  ///< unsigned; becomes bytes written
  HEDDLE_JIT_ERROR_LOG_BUFFER = 5,      ///< char *: where errors go
  HEDDLE_JIT_ERROR_LOG_BUFFER_SIZE = 6, ///< unsigned; becomes bytes written
  HEDDLE_JIT_OPTIMIZATION_LEVEL = 7,    ///< unsigned, 0 to 4; 4 is -O3
  HEDDLE_JIT_TARGET_FROM_CONTEXT = 8,   ///< no value; what happens anyway
  HEDDLE_JIT_TARGET = 9,                ///< unsigned, 90 for sm_90: -arch
  HEDDLE_JIT_FALLBACK_STRATEGY = 10,    ///< any; PTX is what is compiled
  HEDDLE_JIT_GENERATE_DEBUG_INFO = 11,  ///< int: -g
  HEDDLE_JIT_LOG_VERBOSE = 12,          ///< int; logs have all there is
  HEDDLE_JIT_GENERATE_LINE_INFO = 13,   ///< int: -lineinfo
  HEDDLE_JIT_CACHE_MODE = 14,           ///< cache modifiers come from the PTX
  HEDDLE_JIT_POSITION_INDEPENDENT_CODE = 30, ///< int; code always is
  HEDDLE_JIT_MIN_CTA_PER_SM = 31,            ///< unsigned: -minnctapersm
  HEDDLE_JIT_MAX_THREADS_PER_BLOCK = 32,     ///< unsigned: -maxntid
  HEDDLE_JIT_OVERRIDE_DIRECTIVE_VALUES = 33  ///< int: override the directives
} HeddleJITOption;

/// Compiles as heddleCompile does, with options in CUDA's form. An option that
/// has no meaning here (global symbol tables, link-time optimisation) is
/// HEDDLE_ERROR_NOT_SUPPORTED. Logs end in a zero byte, are cut to their
/// buffers, and are written whatever comes of the compilation. Thread-safe.
HEDDLE_C_API HeddleError heddleCompileJIT(
    HeddleCompiler Compiler, const HeddleInput *Input, unsigned NumOptions,
    const HeddleJITOption *Options, void **Values, HeddleCodeObject *OutCode);

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_JITOPTIONS_H
