//===- PrintPipelines.cpp - Writes pipelines down ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of passes print themselves in LLVM's notation, on one line. Here each
// pass gets a line, indented by what it stands in.
//
//===----------------------------------------------------------------------===//

#include "passes/pipeline/Pipelines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// A pass as code names it, and as pipelines do.
struct PassName {
  StringLiteral Class, Name;
};

} // namespace

static constexpr PassName LLVMNames[] = {
#define HEDDLE_LLVM_PASS(Class, Name) {Class, Name},
#include "passes/pipeline/LLVMPasses.def"
};

/// Of Heddle's own passes, with the expressions that make them for classes.
static constexpr PassName OwnNames[] = {
#define HEDDLE_MODULE_PASS(Name, Make, Summary) {#Make, Name},
#define HEDDLE_FUNCTION_PASS(Name, Make, Summary) {#Make, Name},
#define HEDDLE_LOOP_PASS(Name, Make, Summary) {#Make, Name},
#define HEDDLE_FUNCTION_PASS_WITH_NUMBER(Name, Class, Parameter, Default,      \
                                         Summary)                              \
  {#Class, Name},
#include "passes/Passes.def"
};

/// The name of a class in pipelines: the name of the class where no table has
/// it.
static StringRef nameOfClass(StringRef Class) {
  if (Class.consume_front("heddle::passes::")) {
    for (const PassName &P : OwnNames)
      if (P.Class.take_until([](char C) { return C == '('; }) == Class)
        return P.Name;
    return Class;
  }
  for (const PassName &P : LLVMNames)
    if (P.Class == Class)
      return P.Name;
  return Class;
}

/// Writes a list of passes in LLVM's notation, a line each. Commas inside of
/// <...> are of a pass's parameters.
static void printIndented(raw_ostream &OS, StringRef Passes) {
  unsigned Depth = 1, Parameters = 0;
  auto StartLine = [&] { OS.indent(2 * Depth); };
  StartLine();
  for (char C : Passes) {
    Parameters += (C == '<') - (C == '>');
    Depth += (C == '(') - (C == ')');
    if (C == ')') {
      OS << '\n';
      StartLine();
    }
    OS << C;
    if (C == '(' || (C == ',' && !Parameters)) {
      OS << '\n';
      StartLine();
    }
  }
  OS << '\n';
}

static void print(raw_ostream &OS, StringRef Title, ModulePassManager MPM) {
  if (MPM.isEmpty())
    return;
  std::string Passes;
  raw_string_ostream Text(Passes);
  MPM.printPipeline(Text, nameOfClass);
  OS << Title << ":\n";
  printIndented(OS, Passes);
}

void printPipelines(raw_ostream &OS, const PipelineOptions &Options) {
  if (Options.LTO)
    print(OS, "a linked program", buildProgramPipeline(Options, nullptr));
  print(OS, "functions with a profile or a tuning document",
        buildLoopPipeline(Options, nullptr));
  print(OS, "every module", buildModulePipeline(Options, nullptr, {}));
}

} // namespace heddle::passes
