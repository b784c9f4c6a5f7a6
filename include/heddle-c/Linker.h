//===- Linker.h - Linking through the C API -----------------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts several inputs together to one code object, as ptx-link does
// (docs/linking.md), through the compiler's cache.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_LINKER_H
#define HEDDLE_C_LINKER_H

#include "heddle-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HeddleLinkerImpl *HeddleLinker;

/// Begins to link. Options may be NULL; they are copied, are those of ptx-link,
/// come behind the compiler's own, and limit and report the completion as they
/// do a compilation. Compiler has to outlive the linker. Give it back with
/// heddleLinkerDestroy. Thread-safe.
HEDDLE_C_API HeddleError heddleLinkerCreate(HeddleCompiler Compiler,
                                            const HeddleCompileOptions *Options,
                                            HeddleLinker *OutLinker);

/// Adds PTX, a fat binary, LLVM bitcode, a relocatable code object (of -c or
/// -dlto), or an archive of these, of which the members are taken that define
/// what is missing. The bytes are copied; what is wrong with them, completing
/// says. Thread-safe; the order of the calls is that of the inputs.
HEDDLE_C_API HeddleError heddleLinkerAdd(HeddleLinker Linker,
                                         const HeddleInput *Input);

/// Links what was added so far. May be called again, also after more was added.
/// Give the code object back with heddleCodeObjectDestroy. Thread-safe.
HEDDLE_C_API HeddleError heddleLinkerComplete(HeddleLinker Linker,
                                              HeddleCodeObject *OutCode);

HEDDLE_C_API void heddleLinkerDestroy(HeddleLinker Linker);

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_LINKER_H
