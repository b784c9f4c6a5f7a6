//===- ScopedDiagnosticSuppressor.h - Attempts that say nothing -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generator says while it compiles something that may be thrown
// away. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_SCOPEDDIAGNOSTICSUPPRESSOR_H
#define HEDDLE_LIB_COMPILER_SCOPEDDIAGNOSTICSUPPRESSOR_H

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include <memory>

namespace heddle::compiler {

/// Passes on what a discarded attempt must not hide, and nothing else.
class ErrorsOnly : public llvm::DiagnosticHandler {
public:
  explicit ErrorsOnly(llvm::DiagnosticHandler &Inner) : Inner(Inner) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &DI) override {
    return DI.getSeverity() != llvm::DS_Error || Inner.handleDiagnostics(DI);
  }
  bool isAnalysisRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isMissedOptRemarkEnabled(llvm::StringRef) const override {
    return false;
  }
  bool isPassedOptRemarkEnabled(llvm::StringRef) const override {
    return false;
  }
  bool isAnyRemarkEnabled() const override { return false; }

private:
  llvm::DiagnosticHandler &Inner;
};

/// While it lives, a context tells errors alone.
class ScopedDiagnosticSuppressor {
public:
  explicit ScopedDiagnosticSuppressor(llvm::LLVMContext &Context)
      : Context(Context), Inner(Context.getDiagnosticHandler()) {
    Context.setDiagnosticHandler(std::make_unique<ErrorsOnly>(*Inner));
  }
  ScopedDiagnosticSuppressor(const ScopedDiagnosticSuppressor &) = delete;
  ScopedDiagnosticSuppressor &
  operator=(const ScopedDiagnosticSuppressor &) = delete;
  ~ScopedDiagnosticSuppressor() {
    Context.setDiagnosticHandler(std::move(Inner));
  }

private:
  llvm::LLVMContext &Context;
  std::unique_ptr<llvm::DiagnosticHandler> Inner;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_SCOPEDDIAGNOSTICSUPPRESSOR_H
