//===- Base.h - Versions, errors and memory of the C API ----------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of libheddle-jit.so. It is plain C99, throws nothing, keeps no
// global state, and changes only by addition:
//
// - Handles are opaque pointers. What a function hands out through a parameter
//   called Out... is the caller's and is given back with the function that its
//   description names. NULL is accepted there.
// - Structures that may grow begin with their size. Fill one with its
//   ...Init function (or set StructSize and zero the rest), then set what you
//   want; a library that knows more fields than you takes their defaults. The
//   functions are inline, since how large a structure is, the caller decides.
// - Functions that can fail return a HeddleError; NULL is success. Strings are
//   UTF-8 and end in a zero byte; strings that belong to an object live as long
//   as the object does.
// - "Thread-safe" in a description means that any threads may call the function
//   on one object at once. Without it, calls on one object must not overlap.
//   Calls on different objects may always overlap.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_BASE_H
#define HEDDLE_C_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(HEDDLE_C_BUILDING)
#define HEDDLE_C_API __attribute__((visibility("default")))
#else
#define HEDDLE_C_API
#endif

// C++ takes an enumeration for no wider than its values unless its type is
// said; a library that is handed other values would not see them.
#if defined(__cplusplus) && __cplusplus >= 201103L
#define HEDDLE_ENUM_BASE : int
#else
#define HEDDLE_ENUM_BASE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this API. It grows when something is added; a library takes
/// callers of every version that heddleGetAPIVersions names.
#define HEDDLE_C_API_VERSION 4

/// The API versions that the library serves, both inclusive. Thread-safe.
HEDDLE_C_API void heddleGetAPIVersions(uint32_t *OutOldest,
                                       uint32_t *OutNewest);

/// The version of the library and what it was built on, for people.
/// Thread-safe.
HEDDLE_C_API const char *heddleGetVersionString(void);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

typedef enum HeddleErrorCode HEDDLE_ENUM_BASE {
  HEDDLE_SUCCESS = 0,
  /// A parameter is wrong: a null pointer, an unknown name, a bad option.
  HEDDLE_ERROR_INVALID_ARGUMENT = 1,
  /// The caller's API version or a structure's size is none of ours.
  HEDDLE_ERROR_VERSION = 2,
  /// The input is no valid PTX; the diagnostics say where.
  HEDDLE_ERROR_INVALID_INPUT = 3,
  /// Valid, but something that Heddle cannot compile or do yet.
  HEDDLE_ERROR_NOT_SUPPORTED = 4,
  /// heddleJobCancel was called, or the object was destroyed.
  HEDDLE_ERROR_CANCELLED = 5,
  /// The deadline passed.
  HEDDLE_ERROR_TIMEOUT = 6,
  /// A limit on the size of the input, or on memory, was reached.
  HEDDLE_ERROR_LIMIT = 7,
  HEDDLE_ERROR_OUT_OF_MEMORY = 8,
  /// A file is missing or unreadable, the compiler's library among them.
  HEDDLE_ERROR_IO = 9,
  /// The device refused: a bad launch configuration, no memory, a bad address.
  HEDDLE_ERROR_DEVICE = 10,
  /// A kernel faulted. The context refuses everything from then on.
  HEDDLE_ERROR_KERNEL_FAULT = 11,
  /// A defect of Heddle. The message says how to report it.
  HEDDLE_ERROR_INTERNAL = 12,
  /// What was asked for is not there, such as code that is not in the cache.
  HEDDLE_ERROR_NOT_FOUND = 13
} HeddleErrorCode;

typedef struct HeddleErrorImpl *HeddleError;

typedef enum HeddleSeverity HEDDLE_ENUM_BASE {
  HEDDLE_SEVERITY_NOTE = 0,
  HEDDLE_SEVERITY_INFO = 1,
  HEDDLE_SEVERITY_WARNING = 2,
  HEDDLE_SEVERITY_ERROR = 3
} HeddleSeverity;

/// A message about an input.
typedef struct HeddleDiagnostic {
  size_t StructSize;
  HeddleSeverity Severity;
  const char *File; ///< as the input was named
  uint32_t Line;    ///< from 1; 0: unknown
  uint32_t Column;  ///< from 1; 0: unknown
  const char *Message;
  const char *Rendered; ///< as a terminal shows it, with the source line
} HeddleDiagnostic;

/// HEDDLE_SUCCESS for NULL.
HEDDLE_C_API HeddleErrorCode heddleErrorGetCode(HeddleError Error);
/// One line; the empty string for NULL.
HEDDLE_C_API const char *heddleErrorGetMessage(HeddleError Error);
/// How many diagnostics of the input belong to the error.
HEDDLE_C_API size_t heddleErrorGetNumDiagnostics(HeddleError Error);
/// Fills in OutDiagnostic, whose StructSize has to be set. Returns 0 if there
/// is no diagnostic Index.
HEDDLE_C_API int heddleErrorGetDiagnostic(HeddleError Error, size_t Index,
                                          HeddleDiagnostic *OutDiagnostic);
HEDDLE_C_API void heddleErrorDestroy(HeddleError Error);

/// The name of a code, such as "invalid input". Thread-safe.
HEDDLE_C_API const char *heddleErrorCodeName(HeddleErrorCode Code);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where the bytes of results come from. Called from any thread.
typedef struct HeddleAllocator {
  size_t StructSize;
  /// Size bytes at a multiple of Align (a power of two), or NULL.
  void *(*Allocate)(void *Context, size_t Size, size_t Align);
  void (*Release)(void *Context, void *Memory);
  void *Context;
} HeddleAllocator;

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_BASE_H
