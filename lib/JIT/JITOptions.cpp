//===- JITOptions.cpp - The shape of CUDA's cuModuleLoadDataEx --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-c/JITOptions.h over heddle-c/Compiler.h.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/JITOptions.h"
#include "Error.h"

#include <chrono>

using namespace heddle::jit;

namespace {

/// The options of a call, as ptxas spells them, and where results go.
class Decoder {
public:
  Decoder(unsigned Count, const HeddleJITOption *Options, void **Values)
      : Count(Count), Options(Options), Values(Values) {}

  HeddleError decode();
  const std::vector<std::string> &arguments() const { return Arguments; }
  void writeResults(HeddleError Error, HeddleCodeObject Code,
                    double Milliseconds);

private:
  HeddleError decodeOne(HeddleJITOption Option, void *Value);
  /// The value of an option; null if it is not given.
  void **find(HeddleJITOption Option);
  void writeLog(HeddleJITOption Buffer, HeddleJITOption Size,
                const std::string &Text);

  const unsigned Count;
  const HeddleJITOption *const Options;
  void **const Values;
  std::vector<std::string> Arguments;
};

} // namespace

static unsigned numberOf(void *Value) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(Value));
}

HeddleError Decoder::decodeOne(HeddleJITOption Option, void *Value) {
  std::string Number = std::to_string(numberOf(Value));
  switch (Option) {
  case HEDDLE_JIT_MAX_REGISTERS:
    Arguments.push_back("--maxrregcount=" + Number);
    return nullptr;
  case HEDDLE_JIT_THREADS_PER_BLOCK:
  case HEDDLE_JIT_MAX_THREADS_PER_BLOCK:
    Arguments.push_back("--maxntid=" + Number);
    return nullptr;
  case HEDDLE_JIT_MIN_CTA_PER_SM:
    Arguments.push_back("--minnctapersm=" + Number);
    return nullptr;
  case HEDDLE_JIT_OPTIMIZATION_LEVEL:
    if (numberOf(Value) > 4)
      return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                       "there is no optimization level " + Number);
    Arguments.push_back("-O" + std::to_string(std::min(3u, numberOf(Value))));
    return nullptr;
  case HEDDLE_JIT_TARGET:
    Arguments.push_back("--gpu-name=sm_" + Number);
    return nullptr;
  case HEDDLE_JIT_GENERATE_DEBUG_INFO:
    if (Value)
      Arguments.push_back("--device-debug");
    return nullptr;
  case HEDDLE_JIT_GENERATE_LINE_INFO:
    if (Value)
      Arguments.push_back("--generate-line-info");
    return nullptr;
  case HEDDLE_JIT_OVERRIDE_DIRECTIVE_VALUES:
    if (Value)
      Arguments.push_back("--override-directive-values");
    return nullptr;
  case HEDDLE_JIT_WALL_TIME:
  case HEDDLE_JIT_INFO_LOG_BUFFER:
  case HEDDLE_JIT_INFO_LOG_BUFFER_SIZE:
  case HEDDLE_JIT_ERROR_LOG_BUFFER:
  case HEDDLE_JIT_ERROR_LOG_BUFFER_SIZE:
  case HEDDLE_JIT_TARGET_FROM_CONTEXT:
  case HEDDLE_JIT_FALLBACK_STRATEGY:
  case HEDDLE_JIT_LOG_VERBOSE:
  case HEDDLE_JIT_CACHE_MODE:
  case HEDDLE_JIT_POSITION_INDEPENDENT_CODE:
    return nullptr;
  }
  return makeError(HEDDLE_ERROR_NOT_SUPPORTED,
                   "option " + std::to_string(static_cast<int>(Option)) +
                       " is not supported");
}

HeddleError Decoder::decode() {
  for (unsigned I = 0; I != Count; ++I)
    if (HeddleError E = decodeOne(Options[I], Values[I]))
      return E;
  return nullptr;
}

void **Decoder::find(HeddleJITOption Option) {
  for (unsigned I = 0; I != Count; ++I)
    if (Options[I] == Option)
      return &Values[I];
  return nullptr;
}

void Decoder::writeLog(HeddleJITOption Buffer, HeddleJITOption Size,
                       const std::string &Text) {
  void **Bytes = find(Buffer), **Room = find(Size);
  if (!Room)
    return;
  size_t Written = 0;
  if (Bytes && *Bytes && numberOf(*Room)) {
    Written = std::min<size_t>(Text.size(), numberOf(*Room) - 1);
    std::memcpy(*Bytes, Text.data(), Written);
    static_cast<char *>(*Bytes)[Written] = 0;
  }
  *Room = reinterpret_cast<void *>(Written);
}

void Decoder::writeResults(HeddleError Error, HeddleCodeObject Code,
                           double Milliseconds) {
  HeddleDiagnostic D = {};
  D.StructSize = sizeof(D);
  std::string Errors, Infos;
  for (size_t I = 0; heddleErrorGetDiagnostic(Error, I, &D); ++I)
    Errors += D.Rendered;
  if (Error && Errors.empty())
    Errors = std::string(heddleErrorGetMessage(Error)) + "\n";
  for (size_t I = 0; heddleCodeObjectGetDiagnostic(Code, I, &D); ++I)
    Infos += D.Rendered;
  writeLog(HEDDLE_JIT_ERROR_LOG_BUFFER, HEDDLE_JIT_ERROR_LOG_BUFFER_SIZE,
           Errors);
  writeLog(HEDDLE_JIT_INFO_LOG_BUFFER, HEDDLE_JIT_INFO_LOG_BUFFER_SIZE, Infos);
  if (void **Time = find(HEDDLE_JIT_WALL_TIME)) {
    float Value = static_cast<float>(Milliseconds);
    *Time = nullptr;
    std::memcpy(static_cast<void *>(Time), &Value, sizeof(Value));
  }
}

HeddleError heddleCompileJIT(HeddleCompiler Compiler, const HeddleInput *Input,
                             unsigned NumOptions,
                             const HeddleJITOption *Options, void **Values,
                             HeddleCodeObject *OutCode) {
  if (!OutCode)
    return nullArgument("OutCode");
  *OutCode = nullptr;
  if (NumOptions && (!Options || !Values))
    return nullArgument(Options ? "Values" : "Options");
  Decoder D(NumOptions, Options, Values);
  if (HeddleError E = D.decode())
    return E;
  std::vector<const char *> Arguments;
  for (const std::string &Argument : D.arguments())
    Arguments.push_back(Argument.c_str());
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.Options = Arguments.data();
  O.NumOptions = Arguments.size();
  auto Begin = std::chrono::steady_clock::now();
  HeddleError Error = heddleCompile(Compiler, Input, &O, OutCode);
  std::chrono::duration<double, std::milli> Time =
      std::chrono::steady_clock::now() - Begin;
  D.writeResults(Error, *OutCode, Time.count());
  return Error;
}
