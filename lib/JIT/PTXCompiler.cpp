//===- PTXCompiler.cpp - The shape of nvPTXCompiler -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-c/PTXCompiler.h over heddle-c/Compiler.h.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/PTXCompiler.h"
#include "heddle-c/Compiler.h"
#include "heddle/Driver/PTXHeader.h"
#include "heddle/Support/CUDAVersion.h"

#include <cstring>
#include <string>
#include <vector>

using namespace heddle;

struct HeddlePTXCompilerImpl {
  std::string PTX;
  HeddleCompiler Compiler = nullptr;
  HeddleCodeObject Code = nullptr;
  bool IsCompiled = false;
  std::string ErrorLog, InfoLog;

  ~HeddlePTXCompilerImpl() {
    heddleCodeObjectDestroy(Code);
    heddleCompilerDestroy(Compiler);
  }
};

static heddlePTXCompileResult resultOf(HeddleErrorCode Code) {
  switch (Code) {
  case HEDDLE_SUCCESS:
    return HEDDLE_PTXCOMPILE_SUCCESS;
  case HEDDLE_ERROR_INVALID_ARGUMENT:
  case HEDDLE_ERROR_VERSION:
  case HEDDLE_ERROR_LIMIT:
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  case HEDDLE_ERROR_OUT_OF_MEMORY:
    return HEDDLE_PTXCOMPILE_ERROR_OUT_OF_MEMORY;
  case HEDDLE_ERROR_INVALID_INPUT:
  case HEDDLE_ERROR_NOT_SUPPORTED:
    return HEDDLE_PTXCOMPILE_ERROR_COMPILATION_FAILURE;
  default:
    return HEDDLE_PTXCOMPILE_ERROR_INTERNAL;
  }
}

/// Appends every diagnostic as a terminal shows it, or else the message.
static std::string textOf(HeddleError Error) {
  std::string Text;
  for (size_t I = 0; I != heddleErrorGetNumDiagnostics(Error); ++I) {
    HeddleDiagnostic D = {};
    D.StructSize = sizeof(D);
    heddleErrorGetDiagnostic(Error, I, &D);
    Text += D.Rendered;
  }
  if (Text.empty())
    Text = std::string(heddleErrorGetMessage(Error)) + "\n";
  return Text;
}

heddlePTXCompileResult heddlePTXCompilerGetVersion(unsigned *OutMajor,
                                                   unsigned *OutMinor) {
  if (!OutMajor || !OutMinor)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  *OutMajor = CUDAMajor;
  *OutMinor = CUDAMinor;
  return HEDDLE_PTXCOMPILE_SUCCESS;
}

heddlePTXCompileResult
heddlePTXCompilerCreate(heddlePTXCompilerHandle *OutCompiler, size_t Size,
                        const char *PTX) {
  if (!OutCompiler || !PTX || Size == 0)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  *OutCompiler = nullptr;
  auto *Result = new HeddlePTXCompilerImpl;
  Result->PTX.assign(PTX, Size);
  if (HeddleError Error = heddleCompilerCreate(nullptr, &Result->Compiler)) {
    heddlePTXCompileResult Code = resultOf(heddleErrorGetCode(Error));
    heddleErrorDestroy(Error);
    delete Result;
    return Code;
  }
  *OutCompiler = Result;
  return HEDDLE_PTXCOMPILE_SUCCESS;
}

heddlePTXCompileResult
heddlePTXCompilerDestroy(heddlePTXCompilerHandle *Compiler) {
  if (!Compiler || !*Compiler)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
  delete *Compiler;
  *Compiler = nullptr;
  return HEDDLE_PTXCOMPILE_SUCCESS;
}

/// Fills in the info log: warnings and notes.
static std::string infoOf(HeddleCodeObject Code) {
  std::string Text;
  for (size_t I = 0; I != heddleCodeObjectGetNumDiagnostics(Code); ++I) {
    HeddleDiagnostic D = {};
    D.StructSize = sizeof(D);
    heddleCodeObjectGetDiagnostic(Code, I, &D);
    Text += D.Rendered;
  }
  return Text;
}

heddlePTXCompileResult
heddlePTXCompilerCompile(heddlePTXCompilerHandle Compiler, int NumOptions,
                         const char *const *Options) {
  if (!Compiler)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
  if (NumOptions < 0 || (NumOptions && !Options))
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  heddleCodeObjectDestroy(Compiler->Code);
  Compiler->Code = nullptr;
  HeddleInput Input = {sizeof(Input), Compiler->PTX.data(),
                       Compiler->PTX.size(), "<ptx>"};
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.Options = Options;
  O.NumOptions = NumOptions;
  HeddleError Error =
      heddleCompile(Compiler->Compiler, &Input, &O, &Compiler->Code);
  Compiler->IsCompiled = true;
  Compiler->ErrorLog = Error ? textOf(Error) : "";
  Compiler->InfoLog = infoOf(Compiler->Code);
  heddlePTXCompileResult Result = resultOf(heddleErrorGetCode(Error));
  heddleErrorDestroy(Error);
  return Result == HEDDLE_PTXCOMPILE_ERROR_COMPILATION_FAILURE &&
                 isNewerPTX(Compiler->PTX)
             ? HEDDLE_PTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION
             : Result;
}

heddlePTXCompileResult
heddlePTXCompilerGetCompiledProgramSize(heddlePTXCompilerHandle Compiler,
                                        size_t *OutSize) {
  if (!Compiler)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
  if (!OutSize)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  if (!Compiler->Code)
    return HEDDLE_PTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE;
  *OutSize = heddleCodeObjectGetSize(Compiler->Code);
  return HEDDLE_PTXCOMPILE_SUCCESS;
}

heddlePTXCompileResult
heddlePTXCompilerGetCompiledProgram(heddlePTXCompilerHandle Compiler,
                                    void *OutBytes) {
  size_t Size = 0;
  heddlePTXCompileResult Result =
      heddlePTXCompilerGetCompiledProgramSize(Compiler, &Size);
  if (Result != HEDDLE_PTXCOMPILE_SUCCESS)
    return Result;
  if (!OutBytes)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  std::memcpy(OutBytes, heddleCodeObjectGetData(Compiler->Code), Size);
  return HEDDLE_PTXCOMPILE_SUCCESS;
}

static heddlePTXCompileResult copySize(heddlePTXCompilerHandle Compiler,
                                       std::string HeddlePTXCompilerImpl::*Log,
                                       size_t *OutSize) {
  if (!Compiler)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
  if (!OutSize)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  if (!Compiler->IsCompiled)
    return HEDDLE_PTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE;
  *OutSize = (Compiler->*Log).size();
  return HEDDLE_PTXCOMPILE_SUCCESS;
}

static heddlePTXCompileResult copyLog(heddlePTXCompilerHandle Compiler,
                                      std::string HeddlePTXCompilerImpl::*Log,
                                      char *OutLog) {
  size_t Size = 0;
  heddlePTXCompileResult Result = copySize(Compiler, Log, &Size);
  if (Result != HEDDLE_PTXCOMPILE_SUCCESS)
    return Result;
  if (!OutLog)
    return HEDDLE_PTXCOMPILE_ERROR_INVALID_INPUT;
  std::memcpy(OutLog, (Compiler->*Log).c_str(), Size + 1);
  return HEDDLE_PTXCOMPILE_SUCCESS;
}

heddlePTXCompileResult
heddlePTXCompilerGetErrorLogSize(heddlePTXCompilerHandle Compiler,
                                 size_t *OutSize) {
  return copySize(Compiler, &HeddlePTXCompilerImpl::ErrorLog, OutSize);
}

heddlePTXCompileResult
heddlePTXCompilerGetErrorLog(heddlePTXCompilerHandle Compiler, char *OutLog) {
  return copyLog(Compiler, &HeddlePTXCompilerImpl::ErrorLog, OutLog);
}

heddlePTXCompileResult
heddlePTXCompilerGetInfoLogSize(heddlePTXCompilerHandle Compiler,
                                size_t *OutSize) {
  return copySize(Compiler, &HeddlePTXCompilerImpl::InfoLog, OutSize);
}

heddlePTXCompileResult
heddlePTXCompilerGetInfoLog(heddlePTXCompilerHandle Compiler, char *OutLog) {
  return copyLog(Compiler, &HeddlePTXCompilerImpl::InfoLog, OutLog);
}
