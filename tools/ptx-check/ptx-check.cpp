//===- ptx-check.cpp - Verdicts on many PTX files ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses and checks PTX, and compiles nothing. Each input is a PTX file, or
// with --split a file of many, each after a line `//# name`; the verdicts go to
// the standard output, a line each:
//
//   name<TAB>ok
//   name<TAB>error<TAB>line:column<TAB>message of the first error
//
// With --list-rows it prints instructions made of the table instead, a line
// each: the number of the row, the opcode, the type suffixes, the least
// .version and .target, and the instruction.
//
// Exits with 1 when there was an error, unless --split is given: then verdicts
// are results and not failures.
//
//===----------------------------------------------------------------------===//

#include "RowCases.h"
#include "heddle/PTX/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace heddle;

/// Prints the verdict on one PTX text; true when it is right.
static bool check(MemoryBufferRef Source) {
  ptx::DiagnosticEngine Diags;
  bool Ok = ptx::parseModule(Source, Diags) != nullptr;
  outs() << Source.getBufferIdentifier() << '\t' << (Ok ? "ok" : "error");
  for (const ptx::Diagnostic &D : Diags.getDiagnostics()) {
    if (Ok || D.Level != ptx::Severity::Error)
      continue;
    ptx::LineColumn Place = Diags.getLineColumn(D.Range.Loc);
    outs() << '\t' << Place.Line << ':' << Place.Column << '\t' << D.Message;
    break;
  }
  outs() << '\n';
  return Ok;
}

/// Checks each text of a file for --split.
static void checkParts(MemoryBufferRef Source) {
  constexpr StringLiteral Mark = "//# ";
  StringRef Rest = Source.getBuffer();
  size_t Begin = Rest.starts_with(Mark) ? 0 : Rest.find("\n//# ");
  Rest = Rest.drop_front(std::min(Begin, Rest.size())).ltrim('\n');
  while (!Rest.empty()) {
    auto [Line, Text] = Rest.split('\n');
    StringRef Part = Text;
    // An empty text is followed by the next mark at once.
    size_t End = Text.starts_with(Mark) ? 0 : Text.find("\n//# ");
    if (End != StringRef::npos)
      Part = Text.take_front(End + (End != 0));
    check({Part, Line.drop_front(Mark.size())});
    Rest = Text.drop_front(Part.size());
  }
}

static void listRows(ptx::RowVariants Variants) {
  ptx::makeRowCases(Variants, [](const ptx::RowCase &Case) {
    outs() << Case.Row - ptx::getAllForms().data() << '\t'
           << ptx::getOpcodeName(Case.Row->Op) << '\t' << Case.Types << '\t'
           << Case.Version / 10 << '.' << Case.Version % 10 << '\t'
           << Case.GPU.str() << '\t' << Case.Text << '\n';
  });
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  cl::OptionCategory Category("ptx-check's options");
  cl::list<std::string> Inputs(cl::Positional, cl::ZeroOrMore,
                               cl::desc("<PTX files; - is standard input>"),
                               cl::cat(Category));
  cl::opt<bool> Split("split", cl::cat(Category),
                      cl::desc("Each input has many PTX texts, each after a "
                               "line '//# name'"));
  cl::opt<ptx::RowVariants> Rows(
      "list-rows", cl::cat(Category), cl::desc("Print instructions instead"),
      cl::values(clEnumValN(ptx::RowVariants::Base, "base", "one for each row"),
                 clEnumValN(ptx::RowVariants::Types, "types",
                            "one for each combination of types"),
                 clEnumValN(ptx::RowVariants::All, "all",
                            "also for each modifier and optional operand")));
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv, "Parses and checks PTX\n");
  if (Rows.getNumOccurrences())
    listRows(Rows);
  bool Ok = true;
  for (const std::string &Input : Inputs) {
    auto Buffer = MemoryBuffer::getFileOrSTDIN(Input, /*IsText=*/true);
    if (!Buffer) {
      errs() << "ptx-check: error: " << Input << ": "
             << Buffer.getError().message() << '\n';
      return 1;
    }
    if (Split)
      checkParts(**Buffer);
    else
      Ok &= check(**Buffer);
  }
  return Ok ? 0 : 1;
}
