//===- main.cpp - Generators over the ISA and the PTX table -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-tblgen reads TableGen records and writes C++ tables and manuals. Each
// generator stands in a file of its own and registers its -gen-* option.
//
//===----------------------------------------------------------------------===//

#include "llvm/TableGen/Main.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  llvm::cl::ParseCommandLineOptions(Argc, Argv, "Heddle's table generator\n");
  return llvm::TableGenMain(Argv[0], llvm::TableGenMainFn(nullptr));
}
