//===- Linker.cpp - Linking through the C API -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs go to the compiler as one, a bundle.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/Linker.h"
#include "Handles.h"
#include "heddle/Link/Bundle.h"

using namespace heddle;
using namespace heddle::jit;

struct HeddleLinkerImpl {
  HeddleCompiler Compiler;
  Compilation Template; ///< without an input

  struct Input {
    std::string Name, Bytes;
  };
  std::mutex Mutex; ///< Of Inputs.
  std::vector<Input> Inputs;
};

HeddleError heddleLinkerCreate(HeddleCompiler Compiler,
                               const HeddleCompileOptions *Options,
                               HeddleLinker *OutLinker) {
  if (!Compiler || !OutLinker)
    return nullArgument(Compiler ? "OutLinker" : "Compiler");
  *OutLinker = nullptr;
  auto Linker = std::make_unique<HeddleLinkerImpl>();
  Linker->Compiler = Compiler;
  if (HeddleError E = readOptions(Options, Linker->Template))
    return E;
  Linker->Template.IsLink = true;
  *OutLinker = Linker.release();
  return nullptr;
}

HeddleError heddleLinkerAdd(HeddleLinker Linker, const HeddleInput *Input) {
  if (!Linker)
    return nullArgument("Linker");
  Compilation Read;
  if (HeddleError E = readInput(Input, Read))
    return E;
  std::lock_guard Lock(Linker->Mutex);
  Linker->Inputs.push_back({std::move(Read.Name), std::move(Read.Input)});
  return nullptr;
}

HeddleError heddleLinkerComplete(HeddleLinker Linker,
                                 HeddleCodeObject *OutCode) {
  if (!Linker || !OutCode)
    return nullArgument(Linker ? "OutCode" : "Linker");
  *OutCode = nullptr;
  Compilation C = Linker->Template;
  {
    std::lock_guard Lock(Linker->Mutex);
    if (Linker->Inputs.empty())
      return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                       "nothing was added to the linker");
    std::vector<LinkInput> Views;
    Views.reserve(Linker->Inputs.size());
    for (const HeddleLinkerImpl::Input &I : Linker->Inputs)
      Views.push_back({I.Name, I.Bytes});
    C.Name = Linker->Inputs.front().Name;
    C.Input = makeLinkBundle(Views);
  }
  C.startClock();
  CompilationResult Result = Linker->Compiler->run(C);
  *OutCode = Result.Code.release();
  return Result.Error.release();
}

void heddleLinkerDestroy(HeddleLinker Linker) { delete Linker; }
