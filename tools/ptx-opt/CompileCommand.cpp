//===- CompileCommand.cpp - ptx-opt compile ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of ptx-compile, and three more, which its users have no use for.
//
//===----------------------------------------------------------------------===//

#include "CompileCommand.h"

#include "heddle/Compiler/CompileForm.h"
#include "heddle/Support/Version.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle {

static constexpr StringLiteral Help =
    R"(usage: ptx-opt compile [--from=FORM] [--register-plan=FILE] [--emit-plan] OPTION... FILE

Compiles from any form that a compilation has in between. OPTIONs are those of
ptx-compile; nothing is looked up in the cache or stored.

  --from=ptx|ptx-dialect|llvm-dialect|llvm|mir
        What FILE is: PTX, what --emit wrote, or with mir what LLVM's
        -stop-before and -stop-after wrote; then -start-before and -start-after
        say where to begin. Default: ptx
  --register-plan=FILE
        What is decided of registers, as --emit-plan wrote it; without it
        attempts show what is best, and of llvm and mir nothing is decided
  --emit-plan
        Write what was decided in place of the code

example: the code generator over what another build's passes made
  ptx-opt compile --emit-plan -O3 k.ptx -o k.plan
  ptx-opt compile --register-plan=k.plan --emit=llvm -O3 k.ptx -o k.ll
  ptx-opt compile --from=llvm --register-plan=k.plan -O3 k.ll -o k.hdo
  ptx-opt compile --emit=asm --mllvm=-stop-before=machine-scheduler k.ptx -o k.mir
  ptx-opt compile --from=mir --mllvm=-start-before=machine-scheduler k.mir -o k.hdo
)";

namespace {

struct Command {
  FormOptions Form;
  CompileOptions Options;
  std::string Input;
};

} // namespace

static Expected<std::unique_ptr<MemoryBuffer>> readInput(const Twine &Name) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Read = MemoryBuffer::getFile(Name);
  if (!Read)
    return createStringError(Name + ": " + Read.getError().message());
  return std::move(*Read);
}

/// Takes the word if it is one of ours. Whether it was.
static Expected<bool> takeWord(StringRef Word, FormOptions &Form) {
  if (Word == "--emit-plan")
    return Form.EmitsPlan = true;
  if (Word.consume_front("--from=")) {
    std::optional<CodeForm> From = parseCodeForm(Word);
    if (!From)
      return createStringError("--from: there is no form '" + Word + "'");
    Form.From = *From;
    return true;
  }
  if (!Word.consume_front("--register-plan="))
    return false;
  Expected<std::unique_ptr<MemoryBuffer>> Plan = readInput(Word);
  if (!Plan)
    return Plan.takeError();
  Form.Plan = (*Plan)->getBuffer().str();
  return true;
}

static Error parseCommand(ArrayRef<const char *> Words, Command &C) {
  std::vector<std::string> Others;
  for (StringRef Word : Words) {
    Expected<bool> IsTaken = takeWord(Word, C.Form);
    if (!IsTaken)
      return IsTaken.takeError();
    if (!*IsTaken)
      Others.push_back(Word.str());
  }
  if (std::optional<std::string> Fault = C.Options.parse(Others))
    return createStringError(*Fault);
  if (C.Options.inputs().size() != 1)
    return createStringError("compile takes one file");
  C.Input = C.Options.inputs().front();
  return Error::success();
}

static Error run(ArrayRef<const char *> Words) {
  Command C;
  if (Error E = parseCommand(Words, C))
    return E;
  Expected<std::unique_ptr<MemoryBuffer>> Input = readInput(C.Input);
  if (!Input)
    return Input.takeError();
  DiagnosticWriter Writer(errs(), DiagnosticFormat::Text, "ptx-opt",
                          HEDDLE_VERSION);
  Expected<CompileOutput> Made =
      compileForm(**Input, C.Form, C.Options,
                  [&](const Diagnostic &D) { Writer.write(D); });
  if (!Made)
    return Made.takeError();
  std::error_code Fault;
  std::string Name(C.Options.text(OptionId::Output));
  ToolOutputFile Output(Name, Fault, sys::fs::OF_None);
  if (Fault)
    return createStringError(Name + ": " + Fault.message());
  Output.os() << StringRef(Made->Bytes.data(), Made->Bytes.size());
  Output.keep();
  return Error::success();
}

int runCompileCommand(ArrayRef<const char *> Words) {
  if (Words.empty() || StringRef(Words.front()) == "--help") {
    outs() << Help;
    return Words.empty();
  }
  if (Error E = run(Words)) {
    errs() << "ptx-opt: error: " << toString(std::move(E)) << '\n';
    return 1;
  }
  return 0;
}

} // namespace heddle
