//===- PTXCompiler.h - The shape of nvPTXCompiler -----------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs written for NVIDIA's static PTX compiler library: the same
// functions under the prefix heddle, with the same order of calls, the same
// values of results and options in ptxas's spelling. heddle-c/Compiler.h can
// do more.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_PTXCOMPILER_H
#define HEDDLE_C_PTXCOMPILER_H

#include "heddle-c/Base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HeddlePTXCompilerImpl *heddlePTXCompilerHandle;

/// The values are nvPTXCompileResult's.
typedef enum heddlePTXCompileResult HEDDLE_ENUM_BASE {
  HEDDLE_PTXCOMPILE_SUCCESS = 0,
  HEDDLE_PTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE = 1,
  HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT = 2,
  HEDDLE_PTXCOMPILE_ERROR_COMPILATION_FAILURE = 3,
  HEDDLE_PTXCOMPILE_ERROR_INTERNAL = 4,
  HEDDLE_PTXCOMPILE_ERROR_OUT_OF_MEMORY = 5,
  HEDDLE_PTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE = 6,
  HEDDLE_PTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION = 7
} heddlePTXCompileResult;

/// The version of nvPTXCompiler whose interface this is. Thread-safe.
HEDDLE_C_API heddlePTXCompileResult
heddlePTXCompilerGetVersion(unsigned *OutMajor, unsigned *OutMinor);

/// Makes a compiler for a PTX text of Size characters (a final zero byte not
/// counted), which is copied. Thread-safe.
HEDDLE_C_API heddlePTXCompileResult heddlePTXCompilerCreate(
    heddlePTXCompilerHandle *OutCompiler, size_t Size, const char *PTX);

/// Gives a compiler back and sets *Compiler to NULL.
HEDDLE_C_API heddlePTXCompileResult
heddlePTXCompilerDestroy(heddlePTXCompilerHandle *Compiler);

/// Compiles with options such as "-O2" or "--gpu-name=sm_90". Whatever comes of
/// it, the logs can be asked for afterwards.
HEDDLE_C_API heddlePTXCompileResult
heddlePTXCompilerCompile(heddlePTXCompilerHandle Compiler, int NumOptions,
                         const char *const *Options);

/// The size and the bytes of the code object; after a compilation that
/// succeeded.
HEDDLE_C_API heddlePTXCompileResult heddlePTXCompilerGetCompiledProgramSize(
    heddlePTXCompilerHandle Compiler, size_t *OutSize);
HEDDLE_C_API heddlePTXCompileResult heddlePTXCompilerGetCompiledProgram(
    heddlePTXCompilerHandle Compiler, void *OutBytes);

/// Errors, and what else there was to say. Sizes do not count the final zero
/// byte, which is written nevertheless.
HEDDLE_C_API heddlePTXCompileResult heddlePTXCompilerGetErrorLogSize(
    heddlePTXCompilerHandle Compiler, size_t *OutSize);
HEDDLE_C_API heddlePTXCompileResult
heddlePTXCompilerGetErrorLog(heddlePTXCompilerHandle Compiler, char *OutLog);
HEDDLE_C_API heddlePTXCompileResult heddlePTXCompilerGetInfoLogSize(
    heddlePTXCompilerHandle Compiler, size_t *OutSize);
HEDDLE_C_API heddlePTXCompileResult
heddlePTXCompilerGetInfoLog(heddlePTXCompilerHandle Compiler, char *OutLog);

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_PTXCOMPILER_H
