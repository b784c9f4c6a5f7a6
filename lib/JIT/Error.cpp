//===- Error.cpp - Errors of the C API --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-c/Base.h.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

using namespace heddle;
using namespace heddle::jit;

HeddleError heddle::jit::makeError(HeddleErrorCode Code, std::string Message,
                                   std::vector<Diagnostic> Diagnostics) {
  return new HeddleErrorImpl{Code, std::move(Message), std::move(Diagnostics)};
}

HeddleError heddle::jit::nullArgument(const char *Name) {
  return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                   std::string(Name) + " must not be NULL");
}

static HeddleSeverity severityOf(Severity Level) {
  switch (Level) {
  case Severity::Note:
    return HEDDLE_SEVERITY_NOTE;
  case Severity::Info:
  case Severity::Remark:
    return HEDDLE_SEVERITY_INFO;
  case Severity::Warning:
    return HEDDLE_SEVERITY_WARNING;
  case Severity::Error:
    break;
  }
  return HEDDLE_SEVERITY_ERROR;
}

int heddle::jit::copyDiagnostic(const std::vector<Diagnostic> &List,
                                size_t Index, HeddleDiagnostic *Out) {
  if (Index >= List.size())
    return 0;
  const Diagnostic &D = List[Index];
  return writeStruct(Out,
                     {0, severityOf(D.Level), D.File.c_str(), D.Where.Line,
                      D.Where.Column, D.Message.c_str(), D.Rendered.c_str()});
}

HeddleErrorCode heddleErrorGetCode(HeddleError Error) {
  return Error ? Error->Code : HEDDLE_SUCCESS;
}

const char *heddleErrorGetMessage(HeddleError Error) {
  return Error ? Error->Message.c_str() : "";
}

size_t heddleErrorGetNumDiagnostics(HeddleError Error) {
  return Error ? Error->Diagnostics.size() : 0;
}

int heddleErrorGetDiagnostic(HeddleError Error, size_t Index,
                             HeddleDiagnostic *OutDiagnostic) {
  return Error ? copyDiagnostic(Error->Diagnostics, Index, OutDiagnostic) : 0;
}

void heddleErrorDestroy(HeddleError Error) { delete Error; }

const char *heddleErrorCodeName(HeddleErrorCode Code) {
  switch (Code) {
  case HEDDLE_SUCCESS:
    return "success";
  case HEDDLE_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case HEDDLE_ERROR_VERSION:
    return "version mismatch";
  case HEDDLE_ERROR_INVALID_INPUT:
    return "invalid input";
  case HEDDLE_ERROR_NOT_SUPPORTED:
    return "not supported";
  case HEDDLE_ERROR_CANCELLED:
    return "cancelled";
  case HEDDLE_ERROR_TIMEOUT:
    return "timeout";
  case HEDDLE_ERROR_LIMIT:
    return "limit reached";
  case HEDDLE_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case HEDDLE_ERROR_IO:
    return "input or output failed";
  case HEDDLE_ERROR_DEVICE:
    return "device error";
  case HEDDLE_ERROR_KERNEL_FAULT:
    return "kernel fault";
  case HEDDLE_ERROR_NOT_FOUND:
    return "not found";
  case HEDDLE_ERROR_INTERNAL:
    return "internal error";
  }
  return "unknown error";
}

const char *heddleGetVersionString() { return HEDDLE_VERSION_STRING; }

void heddleGetAPIVersions(uint32_t *OutOldest, uint32_t *OutNewest) {
  if (OutOldest)
    *OutOldest = 1;
  if (OutNewest)
    *OutNewest = HEDDLE_C_API_VERSION;
}
