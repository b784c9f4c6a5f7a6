//===- Exports.cpp - The names of one of NVIDIA's libraries -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built once for each library that we stand in for, with HEDDLE_EXPORTS naming
// its table. The functions are in libheddle-cuda; here are only their names, as
// jumps, so that programs, the runtime and the driver API of one process work
// on the same device.
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
#define HEDDLE_JUMP "jmp "
#define HEDDLE_JUMP_END "@PLT"
#elif defined(__aarch64__)
#define HEDDLE_JUMP "b "
#define HEDDLE_JUMP_END ""
#endif

// The version keeps the name that is asked for apart from the one defined here.
#define HEDDLE_EXPORT(Name, Target)                                            \
  asm(".symver heddle_import_" #Name ", " #Target "@HEDDLE_CUDA_1\n"           \
      ".text\n.globl " #Name "\n.type " #Name ", %function\n" #Name            \
      ":\n" HEDDLE_JUMP "heddle_import_" #Name HEDDLE_JUMP_END "\n");

#include HEDDLE_EXPORTS
