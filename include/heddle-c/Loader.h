//===- Loader.h - Loading the library at run time -----------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that shall start without libheddle-jit.so: a table of its
// functions, filled by dlopen. Everything is inline; link with -ldl where the C
// library asks for it.
//
//   HeddleLibrary Heddle;
//   const char *Why = heddleLibraryOpen(NULL, &Heddle);
//   if (!Why)
//     Error = Heddle.CompilerCreate(NULL, &Compiler);
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_LOADER_H
#define HEDDLE_C_LOADER_H

#include "heddle-c/heddle.h"

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The functions of a loaded library, without their prefix: Compile is
/// heddleCompile.
typedef struct HeddleLibrary {
  void *Handle; ///< of dlopen
  /// The API versions that it serves, both inclusive. A function that came with
  /// a later one is NULL.
  uint32_t OldestAPIVersion, NewestAPIVersion;
#define HEDDLE_C_FUNCTION(Version, Name) __typeof__(&heddle##Name) Name;
#include "heddle-c/Functions.def"
} HeddleLibrary;

/// What one entry of the table is filled from.
static inline void *heddleLibraryFind(void *Handle, const char *Name,
                                      uint32_t Version, uint32_t Newest,
                                      const char **Why) {
  void *Symbol = Version <= Newest ? dlsym(Handle, Name) : NULL;
  if (!Symbol && Version <= Newest)
    *Why = "the library lacks a function of its API version";
  return Symbol;
}

/// Loads the library at Path, or the one that the dynamic linker finds if Path
/// is NULL. Returns NULL, or what went wrong: a text of dlerror's or of ours.
/// Calls of different threads may overlap.
static inline const char *heddleLibraryOpen(const char *Path,
                                            HeddleLibrary *Library) {
  const char *Why = NULL;
  void *Symbol;
  memset(Library, 0, sizeof(*Library));
  Library->Handle =
      dlopen(Path ? Path : "libheddle-jit.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!Library->Handle)
    return dlerror();
  Symbol = dlsym(Library->Handle, "heddleGetAPIVersions");
  if (Symbol) {
    memcpy(&Library->GetAPIVersions, &Symbol, sizeof(Symbol));
    Library->GetAPIVersions(&Library->OldestAPIVersion,
                            &Library->NewestAPIVersion);
  } else {
    Why = "the library is not Heddle's";
  }
  if (!Why && Library->NewestAPIVersion < 1)
    Why = "the library states no API version";
  // Functions and objects have pointers of one size wherever there is dlsym.
#define HEDDLE_C_FUNCTION(Version, Name)                                       \
  if (!Why) {                                                                  \
    Symbol = heddleLibraryFind(Library->Handle, "heddle" #Name, Version,       \
                               Library->NewestAPIVersion, &Why);               \
    memcpy(&Library->Name, &Symbol, sizeof(Symbol));                           \
  }
#include "heddle-c/Functions.def"
  if (Why) {
    dlclose(Library->Handle);
    memset(Library, 0, sizeof(*Library));
  }
  return Why;
}

/// Everything that came from the library has to be given back before.
static inline void heddleLibraryClose(HeddleLibrary *Library) {
  if (Library->Handle)
    dlclose(Library->Handle);
  memset(Library, 0, sizeof(*Library));
}

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_LOADER_H
