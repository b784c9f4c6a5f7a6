//===- ModulePTX.cpp - The PTX that loaded code was made of -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code whose PTX names the lines of a source has these in its line table. Which
// lines of the PTX its instructions are is found out when somebody asks.
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace heddle::debug {

/// The function of a block of code, as PTX calls it; empty if it is none.
static StringRef symbolOf(const emu::CodeBlock &B) {
  StringRef Name = B.Name;
  return B.Count && Name.consume_front(".text.") ? Name : StringRef();
}

/// Whether a text was in a program's memory, so that no file has its name.
static bool isInMemory(const PTXSource &Source) {
  return StringRef(Source.Name).starts_with("<");
}

Module::PTXCode &Module::ptx() const {
  if (PTX)
    return *PTX;
  PTX.emplace();
  if (!Code->Object.empty() && Tools.FindPTX)
    PTX->Source = Tools.FindPTX(Code->Object, Code->Chip);
  if (!PTX->Source)
    return *PTX;
  PTX->Name = PTX->Source->Name;
  if (!isInMemory(*PTX->Source))
    return *PTX;
  for (const emu::CodeBlock &B : Code->Blocks)
    if (StringRef Function = symbolOf(B); !Function.empty()) {
      PTX->Name = (Function + ".ptx").str();
      break;
    }
  return *PTX;
}

bool Module::isPTX(StringRef File) const {
  const PTXCode &P = ptx();
  if (!P.Source)
    return false;
  if (isFile(P.Source->Name, File))
    return true;
  return isInMemory(*P.Source) && File.consume_back(".ptx") &&
         hasFunction(File);
}

ArrayRef<uint32_t> Module::ptxLines() const {
  PTXCode &P = ptx();
  if (!P.Source || P.Lines)
    return P.Lines ? ArrayRef<uint32_t>(*P.Lines) : ArrayRef<uint32_t>();
  P.Lines.emplace();
  PlacedLines Placed;
  if (Error E = P.Source->FindLines().moveInto(Placed)) {
    P.WhyNoLines = toString(std::move(E));
    return {};
  }
  P.Lines->resize(Code->Offsets.size());
  for (const emu::CodeBlock &B : Code->Blocks)
    for (uint32_t PC = B.First; PC < B.First + B.Count; ++PC) {
      uint64_t Offset = Code->offsetOf(PC);
      if (auto It = Placed.find({B.Name, Offset}); It != Placed.end())
        (*P.Lines)[PC] = It->second;
      else if (auto Own = Lines.lookup(B.Section, Offset);
               Own && isFile(P.Source->Name, Own->File))
        (*P.Lines)[PC] = Own->Line;
    }
  // None are known of what was made by other ways than the text alone.
  if (none_of(*P.Lines, [](uint32_t Line) { return Line != 0; })) {
    P.Lines->clear();
    P.WhyNoLines = "the code has other instructions than what becomes of the "
                   "PTX without .loc";
  }
  return *P.Lines;
}

const std::string &Module::whyNoPTXLines() const {
  (void)ptxLines();
  return ptx().WhyNoLines;
}

std::optional<SourceLine> Module::ptxLineOf(uint32_t PC) const {
  ArrayRef<uint32_t> InText = ptxLines();
  if (PC >= InText.size() || !InText[PC])
    return std::nullopt;
  // Where the line table has it, too, it is the same.
  const emu::CodeBlock *B = Code->blockOf(PC);
  if (auto Own = Lines.lookup(B->Section, Code->offsetOf(PC));
      Own && isFile(ptx().Source->Name, Own->File))
    return Own;
  return SourceLine{ptx().Name, InText[PC], 0};
}

std::optional<SourceLine> Module::lineIn(StringRef File, uint32_t PC) const {
  if (isPTX(File))
    if (auto Line = ptxLineOf(PC))
      return Line;
  return lineOf(PC);
}

/// As findLine: once for each function, and each inlined copy of one.
std::vector<uint32_t> Module::findPTXLine(uint32_t &Line) const {
  ArrayRef<uint32_t> Lines = ptxLines();
  uint32_t Found = ~uint32_t(0);
  for (uint32_t L : Lines)
    if (L >= Line && L)
      Found = std::min(Found, L);
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> First;
  for (const emu::CodeBlock &B : Code->Blocks)
    for (uint32_t PC = B.First; PC < B.First + B.Count; ++PC) {
      if (Lines[PC] != Found)
        continue;
      std::vector<SourceFrame> In =
          Frames.lookup(B.Section, Code->offsetOf(PC));
      First.try_emplace({B.Section, In.empty() ? 0 : In.front().Begin}, PC);
    }
  std::vector<uint32_t> Result;
  Result.reserve(First.size());
  for (const auto &[Where, PC] : First)
    Result.push_back(PC);
  llvm::sort(Result);
  if (!Result.empty())
    Line = Found;
  return Result;
}

ArrayRef<std::string> Module::ptxText() const {
  PTXCode &P = ptx();
  if (!P.Source || P.Text)
    return P.Text ? ArrayRef<std::string>(*P.Text) : ArrayRef<std::string>();
  P.Text.emplace();
  Expected<std::string> Text = P.Source->Read();
  if (!Text) { // As with any source that is not there.
    consumeError(Text.takeError());
    return {};
  }
  SmallVector<StringRef> Lines;
  StringRef(*Text).split(Lines, '\n');
  if (!Lines.empty() && Lines.back().empty())
    Lines.pop_back();
  for (StringRef Line : Lines)
    P.Text->push_back(Line.rtrim('\r').str());
  return *P.Text;
}

} // namespace heddle::debug
