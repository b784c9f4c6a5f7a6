//===- PTXLines.cpp - Which line of the PTX an instruction is ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is compiled once more with its `.loc` blanked out, so that the
// object has the lines of the text. They are those of the first object too, if
// both have the same instructions.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tooling/PTXLines.h"
#include "heddle/Object/LineTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle {

/// \p Text with blanks for each `.loc`; none if there is none.
static std::optional<std::string> withoutLoc(StringRef Text) {
  std::string Result = Text.str();
  bool Found = false;
  for (size_t Begin = 0; Begin < Text.size();) {
    size_t End = std::min(Text.find('\n', Begin), Text.size());
    StringRef Line = Text.slice(Begin, End).ltrim();
    if (Line.consume_front(".loc") && !Line.empty() && isSpace(Line.front())) {
      Found = true;
      std::fill(Result.begin() + Begin, Result.begin() + End, ' ');
    }
    Begin = End + 1;
  }
  return Found ? std::optional(std::move(Result)) : std::nullopt;
}

static bool hasSameCode(const ObjectFile &A, const ObjectFile &B) {
  for (const Section &S : A.sections()) {
    if (S.Kind != LoadKind::Text)
      continue;
    std::optional<uint32_t> Other = B.findSection(S.Name);
    if (!Other || B.sections()[*Other].Contents != S.Contents)
      return false;
  }
  return true;
}

static Expected<PlacedLines> linesOf(const ObjectFile &Object,
                                     const Disassembly &Text) {
  Expected<LineTable> Lines = LineTable::create(Object);
  if (!Lines)
    return Lines.takeError();
  PlacedLines Result;
  for (const auto &[Place, Instruction] : Text) {
    std::optional<uint32_t> Section = Object.findSection(Place.first);
    if (!Section)
      continue;
    if (auto Line = Lines->lookup(*Section, Place.second); Line && Line->Line)
      Result[Place] = Line->Line;
  }
  return Result;
}

Expected<PlacedLines> findPTXLines(const LoadedCompiler &Compiler,
                                   MemoryBufferRef PTX,
                                   const CompileOptions &Settings,
                                   ArrayRef<uint8_t> Object,
                                   const Disassembly &Text) {
  std::optional<std::string> Plain = withoutLoc(PTX.getBuffer());
  if (!Plain)
    return PlacedLines();
  CompileResult Again = Compiler.compile(
      MemoryBufferRef(*Plain, PTX.getBufferIdentifier()), Settings);
  if (!Again.Succeeded)
    return createStringError(Again.Failure);
  Expected<ObjectFile> First = ObjectFile::create(Object);
  if (!First)
    return First.takeError();
  Expected<ObjectFile> Second =
      ObjectFile::create({reinterpret_cast<const uint8_t *>(Again.Bytes.data()),
                          Again.Bytes.size()});
  if (!Second)
    return Second.takeError();
  if (!hasSameCode(*First, *Second))
    return PlacedLines();
  return linesOf(*Second, Text);
}

Expected<PlacedLines> findPTXLines(MemoryBufferRef PTX,
                                   const CompileOptions &Settings,
                                   ArrayRef<uint8_t> Object, StringRef Chip) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler)
    return Compiler.takeError();
  Expected<Disassembly> Text = Compiler->disassemble(Object, Chip);
  if (!Text)
    return Text.takeError();
  return findPTXLines(*Compiler, PTX, Settings, Object, *Text);
}

} // namespace heddle
