//===- Program.h - A loaded PTX module --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions, kernels and variables of a module, with their addresses.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_PROGRAM_H
#define HEDDLE_LIB_INTERPRETER_PROGRAM_H

#include "Instruction.h"
#include "Memory.h"
#include "heddle/Interpreter/Interpreter.h"
#include "heddle/Runtime/Device.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace heddle::interp {

struct Kernel {
  const Function *F = nullptr;
  bool ExplicitCluster = false;
};

/// Where a symbol stands: an address in its own state space.
struct SymbolPlace {
  ptxir::Space Space = ptxir::Space::Global;
  uint64_t Address = 0;
};

struct Program {
  std::unique_ptr<mlir::MLIRContext> Context;
  mlir::OwningOpRef<mlir::ModuleOp> Module;
  std::vector<std::unique_ptr<Function>> Functions;
  llvm::StringMap<Function *> FunctionsByName;
  std::vector<rt::KernelInfo> KernelInfos;
  std::vector<Kernel> Kernels;
  std::vector<rt::SymbolInfo> Symbols;
  /// Variables of the source, by their entries.
  struct SourceVariable {
    uint64_t Line = 0;  ///< Where it is declared.
    uint64_t Bytes = 0; ///< 0: not known.
  };
  llvm::DenseMap<uint64_t, SourceVariable> Variables;
  llvm::StringMap<SymbolPlace> Places;
  std::vector<uint64_t> Blocks; ///< Device memory of the variables.
  uint64_t ConstantBase = 0;    ///< Where the constants are in it.
  uint64_t ConstantBytes = 0;
  uint32_t StaticSharedBytes = 0;
  /// Where dynamic shared memory begins.
  uint32_t DynamicSharedOffset = 0;

  /// The function at a code address; null if there is none.
  const Function *functionAt(uint64_t Address) const;
};

/// The generic address of a place.
uint64_t genericAddress(const SymbolPlace &Place);

/// Parses and decodes PTX and places its variables in \p Memory.
llvm::Expected<std::unique_ptr<Program>>
loadProgram(llvm::StringRef Text, const InterpreterOptions &Options,
            DeviceMemory &Memory);
void unloadProgram(Program &P, DeviceMemory &Memory);

/// Translates the body of a function or an entry. An error names what is not
/// covered, and its place.
llvm::Error decodeFunction(Program &P, mlir::Operation *Op, Function &Result);

/// The function of the runtime with this name; null if there is none.
SystemCall findSystemCall(llvm::StringRef Name);

/// `file:line:column` of an operation in the PTX text.
std::string placeOf(mlir::Operation *Op);

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_PROGRAM_H
