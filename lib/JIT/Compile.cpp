//===- Compile.cpp - One compilation of the C API ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the caller's bytes and options to a code object or an error: takes the
// PTX out of a fat binary, decodes the options, asks the compile service, and
// turns what it says into the terms of the C API.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "heddle/Object/FatBinary.h"
#include "heddle/Object/ObjectFile.h"

using namespace heddle;
using namespace heddle::jit;

namespace {

CompilationResult failed(HeddleErrorCode Code, std::string Message,
                         std::vector<Diagnostic> Diagnostics = {}) {
  CompilationResult Result;
  Result.Error = std::make_unique<HeddleErrorImpl>(Code, std::move(Message),
                                                   std::move(Diagnostics));
  return Result;
}

CompilationResult tooLarge(size_t Size, uint64_t Limit) {
  return failed(HEDDLE_ERROR_LIMIT, "the input has " + std::to_string(Size) +
                                        " bytes, the limit is " +
                                        std::to_string(Limit));
}

/// What ends a compilation early, as the compiler asks for it.
class Control final : public CompileControl {
public:
  Control(const Compilation &C, const HeddleCompilerImpl &Compiler)
      : C(C), Deadline(C.Deadline), MemoryLimit(Compiler.MaxMemoryBytes),
        Pool(*Compiler.Pool) {
    if (!Deadline && Compiler.TimeoutNanoseconds)
      Deadline = deadlineAfter(Compiler.TimeoutNanoseconds);
  }

  bool shouldStop() override {
    if (C.Cancelled && C.Cancelled->load(std::memory_order_relaxed))
      return true;
    return isLate();
  }
  void progress(unsigned Done, unsigned Total) override {
    if (C.Progress)
      C.Progress(C.ProgressContext, Done, Total);
  }

  uint64_t memoryLimit() override { return MemoryLimit; }

  bool requestHelp(unsigned Threads,
                   const std::function<void()> &Help) override {
    for (; Threads; --Threads)
      Pool.submit(Help);
    return true;
  }

  bool isLate() const { return Deadline && Clock::now() >= *Deadline; }
  CompilationResult error() const {
    if (C.Cancelled && C.Cancelled->load())
      return failed(HEDDLE_ERROR_CANCELLED, "the compilation was cancelled");
    return failed(HEDDLE_ERROR_TIMEOUT,
                  "the compilation took longer than it was allowed to");
  }

private:
  const Compilation &C;
  std::optional<Clock::time_point> Deadline;
  const uint64_t MemoryLimit;
  TaskPool &Pool;
};

/// Options that say what a command line is to read, write or print.
std::optional<std::string> checkOptions(const CompileOptions &Options) {
  if (!Options.inputs().empty())
    return "'" + Options.inputs().front() + "' is no option";
  for (const OptionInfo &Info : compileOptionTable()) {
    bool IsDriver = Info.Effect == OptionEffect::Driver;
    // They are variables of LLVM's, for all threads.
    bool IsGlobal = Info.Id == OptionId::MLLVM;
    if ((IsDriver || IsGlobal) && Options.given(Info.Id) &&
        Info.Id != OptionId::Machine)
      return "option '-" + std::string(Info.Long) +
             "' is only for the command line";
  }
  if (Options.text(OptionId::Emit) != "obj")
    return "option '-emit' is only for the command line";
  return std::nullopt;
}

/// The PTX of an input, which may be a fat binary.
llvm::Expected<fatbin::BuiltPTX> extractPTX(const std::string &Input) {
  llvm::ArrayRef Bytes(reinterpret_cast<const uint8_t *>(Input.data()),
                       Input.size());
  if (!fatbin::isFatBinary(Bytes))
    return fatbin::BuiltPTX{Input, ""};
  return fatbin::extractPTX(Bytes);
}

/// The code of a failed compilation, from what was said about it.
HeddleErrorCode codeOf(const CompileResult &Result) {
  if (Result.Failure.starts_with("internal error"))
    return HEDDLE_ERROR_INTERNAL;
  bool HasErrors = false, AllUnsupported = true;
  for (const Diagnostic &D : Result.Messages) {
    if (D.Level != Severity::Error)
      continue;
    HasErrors = true;
    AllUnsupported &= D.Message.find("not supported") != std::string::npos;
  }
  if (!HasErrors)
    return HEDDLE_ERROR_IO; // nothing about the input
  return AllUnsupported ? HEDDLE_ERROR_NOT_SUPPORTED
                        : HEDDLE_ERROR_INVALID_INPUT;
}

/// The first error, which is mostly the one to show; else the failure's text.
std::string messageOf(const CompileResult &Result) {
  for (const Diagnostic &D : Result.Messages)
    if (D.Level == Severity::Error)
      return (D.File.empty()
                  ? ""
                  : D.File + ":" + std::to_string(D.Where.Line) + ":" +
                        std::to_string(D.Where.Column) + ": ") +
             D.Message;
  return Result.Failure;
}

} // namespace

/// A code object of a successful compilation.
static CompilationResult makeCode(ServedResult Served,
                                  const HeddleAllocator *Allocator) {
  CompilationResult Result;
  auto Code = std::make_unique<HeddleCodeObjectImpl>();
  Code->Origin = cache::originName(Served.From);
  Code->Diagnostics = std::move(Served.Result.Messages);
  const std::string &Bytes = Served.Result.Bytes;
  Code->Bytes = ResultBytes(Bytes, Allocator);
  if (!Code->Bytes.data())
    return failed(HEDDLE_ERROR_OUT_OF_MEMORY,
                  "there is no memory for a code object of " +
                      std::to_string(Bytes.size()) + " bytes");
  if (!Served.Result.CheckedOnly) {
    auto Object = ObjectFile::create(llvm::ArrayRef(
        reinterpret_cast<const uint8_t *>(Bytes.data()), Bytes.size()));
    if (!Object)
      return failed(HEDDLE_ERROR_INTERNAL,
                    "internal error: " + toString(Object.takeError()));
    Code->Metadata = Object->metadata();
  }
  Result.Code = std::move(Code);
  return Result;
}

HeddleError HeddleCompilerImpl::prepare(const Compilation &C, std::string &PTX,
                                        CompileOptions &Decoded) const {
  if (C.Input.size() > MaxInputBytes)
    return tooLarge(C.Input.size(), MaxInputBytes).Error.release();
  llvm::Expected<fatbin::BuiltPTX> Extracted = extractPTX(C.Input);
  if (!Extracted)
    return makeError(HEDDLE_ERROR_INVALID_INPUT,
                     toString(Extracted.takeError()));
  PTX = std::move(Extracted->Text);
  std::vector<std::string> Arguments = {"--split-compile=" +
                                        std::to_string(ThreadsPerInput)};
  // What the program's build asked for; who compiles it may ask for another.
  std::string Limit = recordedRegisterLimit(Extracted->Options);
  if (!Limit.empty())
    Arguments.push_back("-maxrregcount=" + Limit);
  Arguments.insert(Arguments.end(), Options.begin(), Options.end());
  Arguments.insert(Arguments.end(), C.Options.begin(), C.Options.end());
  std::optional<std::string> Wrong = Decoded.parse(Arguments);
  if (!Wrong)
    Wrong = checkOptions(Decoded);
  if (Wrong)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, *Wrong);
  return nullptr;
}

CompilationResult HeddleCompilerImpl::run(const Compilation &C) {
  Control TheControl(C, *this);
  if (TheControl.shouldStop())
    return TheControl.error();
  std::string PTX;
  CompileOptions Decoded(C.IsLink ? OptionTool::Link : OptionTool::Compile);
  CompilationResult Result;
  Result.Error.reset(prepare(C, PTX, Decoded));
  if (Result.Error)
    return Result;

  CompileRequest Request{PTX, C.Name};
  Request.Control = &TheControl;
  std::optional<ServedResult> Found;
  if (C.OnlyCached)
    Found = Service.find(Request, Decoded);
  if (C.OnlyCached && !Found)
    return failed(HEDDLE_ERROR_NOT_FOUND,
                  "the cache has no code for " + C.Name);
  ServedResult Served =
      Found ? std::move(*Found) : Service.compile(Request, Decoded);
  std::string Outcome = Served.Result.Succeeded
                            ? std::string(cache::originName(Served.From))
                            : "failed";
  log(HEDDLE_SEVERITY_INFO, C.Name + ": " + Outcome + ", " +
                                std::to_string(Served.Result.Milliseconds) +
                                " ms");
  if (Served.Result.Succeeded)
    return makeCode(std::move(Served), &Allocator);
  if (Served.Result.Stopped)
    return TheControl.error();
  if (Served.Result.MemoryExceeded)
    return failed(HEDDLE_ERROR_LIMIT,
                  "the compilation needs more memory than the limit, " +
                      std::to_string(MaxMemoryBytes) + " bytes");
  return failed(codeOf(Served.Result), messageOf(Served.Result),
                Served.Result.Messages);
}

CompilationResult HeddleCompilerImpl::outline(const Compilation &C,
                                              ModuleOutline &Outline) {
  if (C.Input.size() > MaxInputBytes)
    return tooLarge(C.Input.size(), MaxInputBytes);
  llvm::Expected<fatbin::BuiltPTX> PTX = extractPTX(C.Input);
  if (!PTX)
    return failed(HEDDLE_ERROR_INVALID_INPUT, toString(PTX.takeError()));
  CompileResult Result;
  const CompilerInterface *Interface = Service.compiler(Result.Failure);
  if (!Interface)
    return failed(HEDDLE_ERROR_IO, Result.Failure);
  if (!Interface->Outline(PTX->Text, C.Name, Outline, Result.Messages))
    return failed(codeOf(Result), messageOf(Result), Result.Messages);
  return {};
}
