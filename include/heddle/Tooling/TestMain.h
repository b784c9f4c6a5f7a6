//===- TestMain.h - main of what runs tests of kernels ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main function of a program that runs kernels and says whether what it
// looked at was as it should be: its exit status, its help, its errors.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLING_TESTMAIN_H
#define HEDDLE_TOOLING_TESTMAIN_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// The exit status of the program \p Name: 0 if \p Run returns true, 1 after
/// false and after an error, which is printed.
template <typename Options>
int testMain(llvm::StringRef Name, llvm::Expected<Options> O,
             llvm::function_ref<void(llvm::raw_ostream &)> PrintHelp,
             llvm::function_ref<llvm::Expected<bool>(const Options &)> Run) {
  if (O && O->Help) {
    PrintHelp(llvm::outs());
    return 0;
  }
  llvm::Expected<bool> Passed = O ? Run(*O) : O.takeError();
  if (Passed)
    return *Passed ? 0 : 1;
  llvm::errs() << Name << ": " << llvm::toString(Passed.takeError()) << "\n";
  return 1;
}

} // namespace heddle

#endif // HEDDLE_TOOLING_TESTMAIN_H
