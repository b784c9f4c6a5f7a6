//===- SourceFrames.cpp - Functions of a code object's source ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes .debug_info with LLVM's reader.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/SourceFrames.h"
#include "DebugSections.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace heddle {

std::string functionName(StringRef LinkageName) {
  std::string Name = demangle(LinkageName);
  for (size_t Begin; (Begin = Name.find("[abi:")) != std::string::npos;) {
    size_t End = Name.find(']', Begin);
    if (End == std::string::npos)
      break;
    Name.erase(Begin, End + 1 - Begin);
  }
  return Name;
}

using FileKind = DILineInfoSpecifier::FileLineInfoKind;

struct SourceFrames::Content {
  explicit Content(const ObjectFile &Object) : Code(Object) {}

  CodeLayout Code;
  StringMap<std::unique_ptr<MemoryBuffer>> Sections; ///< Of Context.
  std::unique_ptr<DWARFContext> Context;
};

SourceFrames::SourceFrames() = default;
SourceFrames::~SourceFrames() = default;
SourceFrames::SourceFrames(SourceFrames &&) = default;
SourceFrames &SourceFrames::operator=(SourceFrames &&) = default;

Expected<SourceFrames> SourceFrames::create(const ObjectFile &Object) {
  SourceFrames F;
  F.C = std::make_unique<Content>(Object);
  auto Sections = debugSections(
      Object, F.C->Code,
      {".debug_info", ".debug_abbrev", ".debug_line", ".debug_line_str",
       ".debug_str", ".debug_ranges", ".debug_rnglists", ".debug_addr",
       ".debug_str_offsets", ".debug_loc", ".debug_loclists"});
  if (!Sections)
    return Sections.takeError();
  F.C->Sections = std::move(*Sections);
  // What can be read in spite of a fault is of use: it is only information.
  auto Ignore = [](Error Err) { consumeError(std::move(Err)); };
  if (F.C->Sections.count("debug_info"))
    F.C->Context =
        DWARFContext::create(F.C->Sections, sizeof(uint64_t),
                             /*isLittleEndian=*/true, Ignore, Ignore);
  return std::move(F);
}

/// The name of a subprogram, or of what was inlined, for people.
static std::string nameOf(const DWARFDie &Function) {
  if (const char *Name = Function.getSubroutineName(DINameKind::LinkageName))
    return functionName(Name);
  const char *Name = Function.getSubroutineName(DINameKind::ShortName);
  return Name ? Name : "";
}

/// The lowest address of its code.
static std::optional<uint64_t> beginOf(const DWARFDie &Function) {
  Expected<DWARFAddressRangesVector> Ranges = Function.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return std::nullopt;
  }
  std::optional<uint64_t> Least;
  for (const DWARFAddressRange &R : *Ranges)
    if (R.LowPC < R.HighPC)
      Least = std::min(Least.value_or(R.LowPC), R.LowPC);
  return Least;
}

std::vector<SourceFrame> SourceFrames::lookup(uint32_t Section,
                                              uint64_t Offset) const {
  std::vector<SourceFrame> Result;
  if (!C || !C->Context)
    return Result;
  uint64_t Address = C->Code.addresses()[Section] + Offset;
  DIInliningInfo Info = C->Context->getInliningInfoForAddress(
      {Address, object::SectionedAddress::UndefSection},
      DILineInfoSpecifier(FileKind::RelativeFilePath,
                          DILineInfoSpecifier::FunctionNameKind::LinkageName));
  DWARFCompileUnit *Unit = C->Context->getCompileUnitForCodeAddress(Address);
  SmallVector<DWARFDie, 4> Chain;
  if (Unit)
    Unit->getInlinedChainForAddress(Address, Chain);
  for (uint32_t N = 0; N < Info.getNumberOfFrames(); ++N) {
    const DILineInfo &Line = Info.getFrame(N);
    SourceFrame F;
    if (Line.FunctionName != DILineInfo::BadString)
      F.Function = functionName(Line.FunctionName);
    if (Line.FileName != DILineInfo::BadString)
      F.File = Line.FileName;
    F.Line = Line.Line;
    F.Column = Line.Column;
    if (N < Chain.size())
      F.Begin = beginOf(Chain[N]).value_or(0);
    Result.push_back(std::move(F));
  }
  return Result;
}

DWARFContext *SourceFrames::dwarf() const {
  return C ? C->Context.get() : nullptr;
}

uint64_t SourceFrames::addressOf(uint32_t Section, uint64_t Offset) const {
  return C->Code.addresses()[Section] + Offset;
}

std::vector<DWARFDie> SourceFrames::entries(uint32_t Section,
                                            uint64_t Offset) const {
  if (!dwarf())
    return {};
  uint64_t Address = addressOf(Section, Offset);
  SmallVector<DWARFDie, 4> Chain;
  if (DWARFCompileUnit *Unit = dwarf()->getCompileUnitForCodeAddress(Address))
    Unit->getInlinedChainForAddress(Address, Chain);
  return {Chain.begin(), Chain.end()};
}

bool SourceFrames::isInPrologue(uint32_t Section, uint64_t Offset) const {
  std::vector<DWARFDie> In = entries(Section, Offset);
  if (In.empty())
    return false;
  uint64_t Address = addressOf(Section, Offset);
  std::optional<uint64_t> Begin = beginOf(In.back());
  const DWARFDebugLine::LineTable *Lines =
      dwarf()->getLineTableForUnit(In.back().getDwarfUnit());
  if (!Begin || !Lines)
    return false;
  std::optional<uint64_t> End;
  for (const DWARFDebugLine::Row &Row : Lines->Rows)
    if (Row.PrologueEnd && Row.Address.Address >= *Begin)
      End = std::min(End.value_or(Row.Address.Address), Row.Address.Address);
  return End && Address < *End;
}

std::vector<FunctionStart> SourceFrames::functions() const {
  std::vector<FunctionStart> Result;
  if (!C || !C->Context)
    return Result;
  for (const auto &Unit : C->Context->compile_units())
    for (const DWARFDebugInfoEntry &Entry : Unit->dies()) {
      DWARFDie Die(Unit.get(), &Entry);
      if (!Die.isSubroutineDIE())
        continue;
      std::optional<uint64_t> Begin = beginOf(Die);
      std::optional<uint32_t> Section =
          Begin ? C->Code.find(*Begin) : std::nullopt;
      if (!Section)
        continue;
      FunctionStart S;
      S.Name = nameOf(Die);
      if (const char *Name = Die.getSubroutineName(DINameKind::LinkageName))
        S.LinkageName = Name;
      S.Section = *Section;
      S.Offset = *Begin - C->Code.addresses()[*Section];
      S.IsInlined = Die.getTag() == dwarf::DW_TAG_inlined_subroutine;
      Result.push_back(std::move(S));
    }
  return Result;
}

} // namespace heddle
