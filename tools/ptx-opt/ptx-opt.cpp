//===- ptx-opt.cpp - mlir-opt for Heddle's dialects -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs Heddle's and MLIR's passes over MLIR text, and over PTX text with
// --ptx-input.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dialect/PTX/PTX.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int Argc, char **Argv) {
  mlir::DialectRegistry Registry;
  Registry.insert<heddle::ptxir::PTXDialect, mlir::LLVM::LLVMDialect>();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(Argc, Argv, "Heddle's pass driver\n", Registry));
}
