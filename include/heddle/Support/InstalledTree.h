//===- InstalledTree.h - Where programs and libraries are -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs find the libraries with NVIDIA's names from where they are
// themselves.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_INSTALLEDTREE_H
#define HEDDLE_SUPPORT_INSTALLEDTREE_H

#include "llvm/Support/Error.h"
#include <string>

namespace heddle {

/// The folder of the program that runs.
llvm::Expected<std::string> programFolder();

/// Where the libraries are: in an installed tree in a folder of their own, else
/// beside the folder of the program.
llvm::Expected<std::string> cudaLibraryFolder();

} // namespace heddle

#endif // HEDDLE_SUPPORT_INSTALLEDTREE_H
