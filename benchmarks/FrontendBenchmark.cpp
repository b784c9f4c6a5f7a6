//===- FrontendBenchmark.cpp - Speed of the PTX frontend --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of PTX a second through the lexer, the parser with its checks, and both
// with the import into the ptx dialect. The input is what nvcc made of the
// kernels in test/kernels, repeated under new names up to the given size.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/PTX/Parser.h"
#include "heddle/Support/Check.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <map>

using namespace llvm;
using namespace heddle;

namespace {

constexpr StringLiteral Header =
    ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A file without its header, and the names that it gives to the module.
struct Piece {
  std::string Text;
  llvm::StringSet<> Names;
};

Piece readPiece(StringRef Path) {
  auto Buffer = cantFail(errorOrToExpected(MemoryBuffer::getFile(Path)));
  ptx::DiagnosticEngine Diags;
  auto Module = ptx::parseModule(*Buffer, Diags);
  HEDDLE_CHECK(Module, "a kernel of the tests does not parse");
  Piece Result;
  for (const ptx::Function *F : Module->Functions)
    Result.Names.insert(F->getName());
  for (const ptx::Variable *V : Module->Globals)
    Result.Names.insert(V->getName());
  Result.Text = Buffer->getBuffer().split(".address_size 64").second.str();
  return Result;
}

std::vector<Piece> readPieces() {
  std::vector<std::string> Paths;
  std::error_code Code;
  for (sys::fs::recursive_directory_iterator I(HEDDLE_KERNELS_DIR, Code), E;
       I != E && !Code; I.increment(Code))
    if (StringRef(I->path()).ends_with(".nvcc.sm_90.ptx"))
      Paths.push_back(I->path());
  llvm::sort(Paths);
  std::vector<Piece> Pieces;
  for (const std::string &Path : Paths)
    Pieces.push_back(readPiece(Path));
  HEDDLE_CHECK(!Pieces.empty(), "no kernels");
  return Pieces;
}

bool isNamePart(char C) { return isAlnum(C) || C == '_' || C == '$'; }

/// Appends a piece, its names followed by a number.
void append(const Piece &P, unsigned Number, std::string &Out) {
  StringRef Rest = P.Text;
  while (!Rest.empty()) {
    StringRef Word = Rest.take_while(isNamePart);
    Rest = Rest.drop_front(Word.size());
    Out += Word;
    if (P.Names.contains(Word))
      Out += "_" + std::to_string(Number);
    StringRef Other = Rest.take_until(isNamePart);
    Rest = Rest.drop_front(Other.size());
    Out += Other;
  }
}

/// A module of at least so many MB (of 10^6 bytes), made once.
StringRef getInput(size_t Megabytes) {
  static const std::vector<Piece> Pieces = readPieces();
  static std::map<size_t, std::string> Made;
  std::string &Text = Made[Megabytes];
  if (Text.empty())
    Text = Header.str();
  for (unsigned Number = 0; Text.size() < Megabytes * 1'000'000; ++Number)
    append(Pieces[Number % Pieces.size()], Number, Text);
  return Text;
}

/// Bytes on the heap.
size_t getHeapSize() {
  struct mallinfo2 Info = mallinfo2();
  return Info.uordblks + Info.hblkhd;
}

void finish(benchmark::State &State, StringRef Text, size_t HeapBytes) {
  State.SetBytesProcessed(int64_t(State.iterations()) * int64_t(Text.size()));
  State.counters["heap/input"] = double(HeapBytes) / double(Text.size());
}

void lexPTX(benchmark::State &State) {
  StringRef Text = getInput(size_t(State.range(0)));
  for (auto _ : State) {
    ptx::DiagnosticEngine Diags;
    ptx::Lexer Lex(Text, Diags);
    while (!Lex.lex().is(ptx::TokenKind::Eof)) {
    }
    HEDDLE_CHECK(!Diags.hasErrors(), "the input has errors");
  }
  finish(State, Text, 0);
}

void parsePTX(benchmark::State &State) {
  StringRef Text = getInput(size_t(State.range(0)));
  size_t Heap = 0;
  for (auto _ : State) {
    State.PauseTiming();
    size_t Before = getHeapSize();
    State.ResumeTiming();
    ptx::DiagnosticEngine Diags;
    auto Module = ptx::parseModule({Text, "input.ptx"}, Diags);
    HEDDLE_CHECK(Module, "the input has errors");
    State.PauseTiming();
    Heap = getHeapSize() - Before;
    Module.reset();
    State.ResumeTiming();
  }
  finish(State, Text, Heap);
}

/// Building alone is timed, and not what takes it down.
void importPTX(benchmark::State &State) {
  StringRef Text = getInput(size_t(State.range(0)));
  size_t Heap = 0;
  for (auto _ : State) {
    State.PauseTiming();
    size_t Before = getHeapSize();
    State.ResumeTiming();
    MemoryBufferRef Source(Text, "input.ptx");
    ptx::DiagnosticEngine Diags;
    auto Module = ptx::parseModule(Source, Diags);
    HEDDLE_CHECK(Module, "the input has errors");
    auto Context = std::make_unique<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
    auto Imported = heddle::importPTX(*Module, Source, *Context);
    HEDDLE_CHECK(Imported, "the input cannot be imported");
    State.PauseTiming();
    Heap = getHeapSize() - Before;
    Imported = nullptr;
    Context.reset();
    Module.reset();
    State.ResumeTiming();
  }
  finish(State, Text, Heap);
}

} // namespace

BENCHMARK(lexPTX)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(parsePTX)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(importPTX)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
