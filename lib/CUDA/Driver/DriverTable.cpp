//===- DriverTable.cpp - The driver API by name -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DriverFunctions.def as a table. It stands alone, since it knows the functions
// by their names only.
//
//===----------------------------------------------------------------------===//

#include "Driver/DriverTable.h"

using namespace heddle::cuda;

// Their types do not matter here.
#define HEDDLE_CU(Name, Symbol, Since) extern "C" void Symbol();
#define HEDDLE_CU_AS(Name, Symbol, Function, Since)
#define HEDDLE_CU_PER_THREAD(Name, Symbol, Since) extern "C" void Symbol();
#include "Driver/DriverFunctions.def"
#define HEDDLE_CU_UNSUPPORTED(Name) extern "C" void Name();
#include "Driver/DriverUnsupported.def"

namespace {
struct Entry {
  std::string_view Name, Symbol;
  void (*Function)();
  int Since;
  bool IsPerThread;
};

/// A function that says that it is not supported.
struct FailingEntry {
  std::string_view Symbol;
  void (*Function)();
};
} // namespace

static constexpr Entry Entries[] = {
#define HEDDLE_CU(Name, Symbol, Since) {#Name, #Symbol, Symbol, Since, false},
#define HEDDLE_CU_AS(Name, Symbol, Function, Since)                            \
  {#Name, #Symbol, Function, Since, false},
#define HEDDLE_CU_PER_THREAD(Name, Symbol, Since)                              \
  {#Name, #Symbol, Symbol, Since, true},
#include "Driver/DriverFunctions.def"
};

static constexpr FailingEntry FailingEntries[] = {
#define HEDDLE_CU_UNSUPPORTED(Name) {#Name, Name},
#include "Driver/DriverUnsupported.def"
};

/// Takes the ending off a name if that is how it ends.
static bool consumeEnd(std::string_view &Name, std::string_view Ending) {
  if (!Name.ends_with(Ending))
    return false;
  Name.remove_suffix(Ending.size());
  return true;
}

/// What programs call a function that the driver has, be it only to fail; a
/// missing one ends some of them. The newest one of a name stands last.
static DriverFunction findFailingFunction(std::string_view Wanted,
                                          bool PerThread) {
  DriverFunction Found;
  for (const FailingEntry &E : FailingEntries) {
    std::string_view Name = E.Symbol;
    bool IsPerThread = consumeEnd(Name, "_ptsz") || consumeEnd(Name, "_ptds");
    consumeEnd(Name, "_v2");
    if (E.Symbol == Wanted || (Name == Wanted && IsPerThread <= PerThread))
      Found = {reinterpret_cast<void *>(E.Function), E.Symbol, true};
  }
  return Found;
}

DriverFunction heddle::cuda::findDriverFunction(std::string_view Wanted,
                                                int Version, bool PerThread) {
  const Entry *Best = nullptr;
  bool IsKnown = false;
  for (const Entry &E : Entries) {
    if (E.Symbol == Wanted && E.Name != Wanted)
      return {reinterpret_cast<void *>(E.Function), E.Symbol, true};
    if (E.Name != Wanted || (E.IsPerThread && !PerThread))
      continue;
    IsKnown = true;
    // The newest one; of two of that age the thread's own.
    if (E.Since <= Version && (!Best || E.Since > Best->Since ||
                               (E.Since == Best->Since && E.IsPerThread)))
      Best = &E;
  }
  if (!Best)
    return IsKnown ? DriverFunction{nullptr, {}, true}
                   : findFailingFunction(Wanted, PerThread);
  return {reinterpret_cast<void *>(Best->Function), Best->Symbol, IsKnown};
}
