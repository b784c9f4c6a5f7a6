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

#include <string_view>

namespace heddle::cuda {
void *findDriverFunction(std::string_view Wanted, bool PerThread);
}

// Their types do not matter here.
#define HEDDLE_CU(Name, Function) extern "C" void Function();
#define HEDDLE_CU_PER_THREAD(Name, Function) extern "C" void Function();
#include "DriverFunctions.def"

void *heddle::cuda::findDriverFunction(std::string_view Wanted,
                                       bool PerThread) {
  struct Entry {
    std::string_view Name, Symbol;
    void (*Function)();
    bool IsPerThread;
  };
  static constexpr Entry Entries[] = {
#define HEDDLE_CU(Name, Function) {#Name, #Function, Function, false},
#define HEDDLE_CU_PER_THREAD(Name, Function) {#Name, #Function, Function, true},
#include "DriverFunctions.def"
  };
  const Entry *Named = nullptr, *Exact = nullptr;
  for (const Entry &E : Entries) {
    if (E.Symbol == Wanted)
      Exact = &E;
    if (E.Name == Wanted && (!E.IsPerThread || PerThread) &&
        (!Named || E.IsPerThread))
      Named = &E;
  }
  const Entry *Found = Named ? Named : Exact;
  return Found ? reinterpret_cast<void *>(Found->Function) : nullptr;
}
