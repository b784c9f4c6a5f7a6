//===- Module.cpp - Names and lines of loaded code --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks places up in the debug information of a code object. Without any there
// are still the sections of functions.
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "Source/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::debug {

Module::Module(std::shared_ptr<const emu::CodeDescription> TheCode,
               const CodeTools &Tools)
    : Code(std::move(TheCode)), Tools(Tools) {
  if (Code->Object.empty())
    return;
  Expected<ObjectFile> Read = ObjectFile::create(Code->Object);
  if (!Read) { // Nothing is known but the sections.
    consumeError(Read.takeError());
    return;
  }
  Object.emplace(std::move(*Read));
  if (Error E = LineTable::create(*Object).moveInto(Lines))
    consumeError(std::move(E));
  if (Error E = SourceFrames::create(*Object).moveInto(Frames))
    consumeError(std::move(E));
}

std::optional<SourceLine> Module::lineOf(uint32_t PC) const {
  const emu::CodeBlock *B = Code->blockOf(PC);
  if (!B)
    return std::nullopt;
  if (ShowsPTX)
    if (auto Line = ptxLineOf(PC))
      return Line;
  std::optional<SourceLine> Line = Lines.lookup(B->Section, Code->offsetOf(PC));
  return Line && Line->Line ? Line : std::nullopt;
}

/// The function that stands in a section, for people.
static std::string functionIn(StringRef Section) {
  Section.consume_front(".text.");
  return functionName(Section);
}

std::string Module::functionOf(uint32_t PC) const {
  const emu::CodeBlock *B = Code->blockOf(PC);
  return B ? functionIn(B->Name) : "??";
}

std::vector<SourceFrame> Module::framesOf(uint32_t PC) const {
  const emu::CodeBlock *B = Code->blockOf(PC);
  std::vector<SourceFrame> Result;
  if (B && Object)
    Result = Frames.lookup(B->Section, Code->offsetOf(PC));
  if (Result.empty())
    Result.emplace_back();
  // The line table is what breakpoints go by.
  if (auto Line = lineOf(PC)) {
    Result.front().File = Line->File.str();
    Result.front().Line = Line->Line;
    Result.front().Column = Line->Column;
  }
  if (Result.back().Function.empty())
    Result.back().Function = functionOf(PC);
  return Result;
}

const std::vector<SourceVariable> &Module::variablesOf(uint32_t PC,
                                                       size_t Frame) const {
  auto [It, IsNew] = VariablesAt.try_emplace({PC, Frame});
  const emu::CodeBlock *B = IsNew && Object ? Code->blockOf(PC) : nullptr;
  if (B)
    It->second =
        SourceVariables::visible(Frames, B->Section, Code->offsetOf(PC), Frame);
  return It->second;
}

const std::vector<SourceVariable> &Module::allGlobals() const {
  if (!Globals)
    Globals = SourceVariables::globals(Frames);
  return *Globals;
}

const std::vector<SourceVariable> &Module::globals(uint32_t PC) const {
  auto [It, IsNew] = GlobalsAt.try_emplace(PC);
  if (!IsNew || allGlobals().empty())
    return It->second;
  std::vector<DWARFDie> Entries;
  if (const emu::CodeBlock *B = Code->blockOf(PC); B && Object)
    Entries = Frames.entries(B->Section, Code->offsetOf(PC));
  std::vector<SourceVariable> OfOthers;
  for (const SourceVariable &V : *Globals) {
    bool IsOwn = !Entries.empty() &&
                 V.Die.getDwarfUnit() == Entries.front().getDwarfUnit();
    if (IsOwn)
      It->second.push_back(V);
    else if (!SourceVariables::isShared(V))
      OfOthers.push_back(V);
  }
  append_range(It->second, OfOthers);
  return It->second;
}

std::vector<VariablePart> Module::locate(const SourceVariable &V, uint32_t PC,
                                         PlaceReader &Reader) const {
  const emu::CodeBlock *B = Code->blockOf(PC);
  if (!B)
    return {};
  return SourceVariables::locate(Frames, V, B->Section, Code->offsetOf(PC),
                                 Reader);
}

const TypeIndex &Module::types() const {
  if (!Index)
    Index.emplace(Frames);
  return *Index;
}

const Type *Module::findType(StringRef Name, TypePool &Types) const {
  const TypeIndex::Entry *E = types().findType(Name);
  return E ? Variables.type(E->Die, Types) : nullptr;
}

std::optional<Value> Module::findEnumerator(StringRef Name,
                                            TypePool &Types) const {
  const TypeIndex::Entry *E = types().findEnumerator(Name);
  if (!E)
    return std::nullopt;
  const Type *T = Variables.type(E->Enumeration, Types);
  for (const auto &[Known, Number] : T->Enumerators)
    if (Known == E->Name)
      return makeInteger(T, uint64_t(Number));
  return std::nullopt;
}

size_t Module::depthOf(uint32_t PC) const {
  Depths.resize(Code->Offsets.size());
  if (PC >= Depths.size())
    return 1;
  if (!Depths[PC])
    Depths[PC] = std::min<size_t>(framesOf(PC).size(), UINT8_MAX);
  return Depths[PC];
}

std::string Module::describe(uint32_t PC) const {
  const emu::CodeBlock *B = Code->blockOf(PC);
  if (!B)
    return "??";
  return plainName(functionIn(B->Name)).str() + "+0x" +
         utohexstr(Code->offsetOf(PC), /*LowerCase=*/true);
}

std::optional<uint32_t> Module::pcAt(uint64_t Address) const {
  auto End = Code->Offsets.end() - 1;
  auto It = std::lower_bound(Code->Offsets.begin(), End, Address);
  if (It == End || *It != Address)
    return std::nullopt;
  return uint32_t(It - Code->Offsets.begin());
}

/// Whether a function is the one that \p Wanted means: `f`, `ns::f` or
/// `ns::f<int>(int)` for the last, or its mangled name.
static bool isFunction(StringRef Name, StringRef Mangled, StringRef Wanted) {
  if (Wanted == Mangled || Wanted == Name)
    return true;
  StringRef Word = Wanted.take_while(
      [](char C) { return isAlnum(C) || C == '_' || C == ':'; });
  if (!Name.contains(Word.ltrim(':'))) // Most are others.
    return false;
  StringRef Short = plainName(Name);
  // `f` is each `f<...>`; `f<int>` has a name in front of its arguments.
  StringRef Plain = Short;
  if (Short.ends_with(">"))
    for (size_t Depth = 0, N = Short.size(); N-- > 0;) {
      Depth += Short[N] == '>';
      Depth -= Short[N] == '<';
      if (!Depth) {
        Plain = Short.take_front(N);
        break;
      }
    }
  return isMeant(withoutResult(Name), Wanted) || isMeant(Short, Wanted) ||
         isMeant(Plain, Wanted);
}

bool Module::hasFunction(StringRef Name) const {
  return any_of(Code->Blocks, [&](const emu::CodeBlock &B) {
    StringRef Mangled = B.Name;
    return B.Count && Mangled.consume_front(".text.") &&
           isFunction(functionIn(B.Name), Mangled, Name);
  });
}

std::vector<uint32_t> Module::findFunction(StringRef Name) const {
  std::vector<uint32_t> Result;
  for (const emu::CodeBlock &B : Code->Blocks) {
    StringRef Mangled = B.Name;
    if (B.Count && Mangled.consume_front(".text.") &&
        isFunction(functionIn(B.Name), Mangled, Name))
      Result.push_back(B.First);
  }
  for (const FunctionStart &F : Frames.functions()) {
    if (!F.IsInlined || !isFunction(F.Name, F.LinkageName, Name))
      continue;
    for (const emu::CodeBlock &B : Code->Blocks)
      if (B.Section == F.Section)
        if (auto PC = Code->pcAt(B, F.Offset))
          Result.push_back(*PC);
  }
  llvm::sort(Result);
  Result.erase(std::unique(Result.begin(), Result.end()), Result.end());
  return Result;
}

namespace {

/// A thread that has something everywhere: what has no place then is nowhere.
class AnyThread : public PlaceReader {
public:
  std::optional<uint32_t> readRegister(DebugRegister) override { return 0; }
  std::optional<uint64_t> readMemory(MemorySpace, uint64_t, unsigned) override {
    return 0;
  }
};

} // namespace

uint32_t Module::behindPrologue(uint32_t PC) const {
  const emu::CodeBlock *B = Code->blockOf(PC);
  std::optional<SourceLine> First = lineOf(PC);
  if (!B || B->First != PC || !First)
    return PC;
  uint32_t End = PC + 1; // Of the first line's instructions.
  for (; End < B->First + B->Count; ++End) {
    std::optional<SourceLine> Line = lineOf(End);
    if (!Line || Line->Line != First->Line || Line->File != First->File)
      break;
  }
  bool IsAll = End == B->First + B->Count; // Of a function in one line.
  uint32_t Best = PC;
  unsigned Most = 0;
  for (uint32_t At = PC; At < End + !IsAll; ++At) {
    PlacedArguments A = placedArguments(At);
    // What is in the frame is stored by the end of the line.
    if (A.InFrame && !IsAll)
      return End;
    if (At == PC || A.Count > Most)
      Best = At;
    Most = std::max(Most, A.Count);
  }
  return Best;
}

bool Module::isPrologue(uint32_t PC) const {
  const emu::CodeBlock *B = Code->blockOf(PC);
  return B && (PC == B->First || PC < behindPrologue(B->First));
}

/// The arguments of a function that have places at an instruction of it.
Module::PlacedArguments Module::placedArguments(uint32_t PC) const {
  PlacedArguments Result;
  AnyThread Reader;
  for (const SourceVariable &V : variablesOf(PC, depthOf(PC) - 1)) {
    if (!V.IsParameter)
      continue;
    std::vector<VariablePart> Parts = locate(V, PC, Reader);
    Result.Count += !Parts.empty();
    Result.InFrame |= !Parts.empty() &&
                      Parts.front().Kind == VariablePart::Memory &&
                      Parts.front().Space == MemorySpace::Local;
  }
  return Result;
}

bool isFile(StringRef Path, StringRef Wanted) {
  return Path == Wanted || (Path.ends_with(Wanted) &&
                            Path.drop_back(Wanted.size()).ends_with("/"));
}

std::vector<uint32_t> Module::findLine(StringRef File, uint32_t &Line) const {
  if (isPTX(File) && !ptxLines().empty())
    return findPTXLine(Line);
  std::vector<LineRange> All = Lines.ranges();
  llvm::erase_if(All, [&](const LineRange &R) {
    return R.Line.Line < std::max<uint32_t>(Line, 1) ||
           !isFile(R.Line.File, File);
  });
  if (All.empty())
    return {};
  uint32_t Found =
      std::min_element(All.begin(), All.end(), [](auto &A, auto &B) {
        return A.Line.Line < B.Line.Line;
      })->Line.Line;
  // The first instruction in each function and in each inlined copy.
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> First;
  for (const LineRange &R : All) {
    if (R.Line.Line != Found)
      continue;
    std::vector<SourceFrame> In = Frames.lookup(R.Section, R.Begin);
    uint64_t Copy = In.empty() ? 0 : In.front().Begin;
    First.try_emplace({R.Section, Copy}, R.Begin);
  }
  std::vector<uint32_t> Result;
  for (const auto &[Where, Offset] : First)
    for (const emu::CodeBlock &B : Code->Blocks)
      if (B.Section == Where.first)
        if (auto PC = Code->pcAt(B, Offset))
          Result.push_back(*PC);
  llvm::sort(Result);
  Line = Found;
  return Result;
}

std::vector<std::string> Module::functions() const {
  std::vector<std::string> Result;
  for (const emu::CodeBlock &B : Code->Blocks)
    if (B.Count && StringRef(B.Name).starts_with(".text."))
      Result.push_back(functionIn(B.Name));
  return Result;
}

std::string Module::instruction(uint32_t PC) const {
  if (!Text) {
    Text.emplace();
    if (Code->Object.empty() || !Tools.Disassemble)
      NoText = "(nothing disassembles it)";
    else if (Error E =
                 Tools.Disassemble(Code->Object, Code->Chip).moveInto(*Text))
      NoText = "(" + toString(std::move(E)) + ")";
  }
  const emu::CodeBlock *B = Code->blockOf(PC);
  if (!B || !NoText.empty())
    return NoText;
  auto It = Text->find({B->Name, Code->offsetOf(PC)});
  return It == Text->end() ? "(no instruction)" : It->second;
}

} // namespace heddle::debug
