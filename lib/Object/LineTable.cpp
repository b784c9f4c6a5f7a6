//===- LineTable.cpp - Source lines of a code object ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes .debug_line with LLVM's reader.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/LineTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include <tuple>

using namespace heddle;
using namespace llvm;

namespace {

/// Where the sections of code are for the debug information: at their own
/// addresses or, as long as it has relocations, each in a range of its own.
class CodeLayout {
public:
  explicit CodeLayout(const ObjectFile &Object);

  ArrayRef<uint64_t> addresses() const { return Addresses; }
  /// The section of code at an address.
  std::optional<uint32_t> find(uint64_t Address) const;

private:
  ArrayRef<Section> Sections;
  std::vector<uint64_t> Addresses; ///< By section; 0 for what is no code.
};

} // namespace

/// In an object that is to be relocated section I stands at I << SectionShift;
/// no section is as large.
static constexpr unsigned SectionShift = 40;

CodeLayout::CodeLayout(const ObjectFile &Object)
    : Sections(Object.sections()), Addresses(Sections.size(), 0) {
  bool HasRelocations = any_of(seq(Sections.size()), [&](size_t I) {
    return Sections[I].Kind == LoadKind::Debug &&
           !Object.relocations(I).empty();
  });
  for (auto [I, S] : enumerate(Sections))
    if (S.Kind == LoadKind::Text)
      Addresses[I] = HasRelocations ? uint64_t(I) << SectionShift : S.Address;
}

std::optional<uint32_t> CodeLayout::find(uint64_t Address) const {
  for (auto [I, S] : enumerate(Sections))
    if (S.Kind == LoadKind::Text && Address >= Addresses[I] &&
        Address - Addresses[I] < S.Size)
      return I;
  return std::nullopt;
}

/// The debug sections, relocated. LLVM names them without the dot.
static Expected<StringMap<std::unique_ptr<MemoryBuffer>>>
debugSections(const ObjectFile &Object, const CodeLayout &Code) {
  auto Unresolved = [](const Symbol &, const Relocation &) {
    return std::optional<uint64_t>();
  };
  StringMap<std::unique_ptr<MemoryBuffer>> Result;
  for (StringRef Name : {".debug_line", ".debug_line_str", ".debug_str"}) {
    std::optional<uint32_t> Index = Object.findSection(Name);
    if (!Index)
      continue;
    std::vector<uint8_t> Bytes = Object.sections()[*Index].Contents.vec();
    if (Error Err =
            Object.relocate(*Index, Code.addresses(), Bytes, Unresolved))
      return std::move(Err);
    Result[Name.drop_front()] =
        MemoryBuffer::getMemBufferCopy(toStringRef(Bytes), Name);
  }
  return Result;
}

Expected<LineTable> LineTable::create(const ObjectFile &Object) {
  LineTable Table;
  CodeLayout Code(Object);
  Expected<StringMap<std::unique_ptr<MemoryBuffer>>> Sections =
      debugSections(Object, Code);
  if (!Sections)
    return Sections.takeError();
  if (!Sections->count("debug_line"))
    return Table;

  Error Failure = Error::success();
  auto Fail = [&](Error Err) {
    Failure = joinErrors(std::move(Failure), std::move(Err));
  };
  // What can be read in spite of a fault is of use: it is only information.
  auto Ignore = [](Error Err) { consumeError(std::move(Err)); };
  std::unique_ptr<DWARFContext> Context = DWARFContext::create(
      *Sections, sizeof(uint64_t), /*isLittleEndian=*/true, Ignore, Ignore);
  const DWARFObject &Debug = Context->getDWARFObj();
  DWARFDataExtractor Data(Debug, Debug.getLineSection(),
                          /*IsLittleEndian=*/true, sizeof(uint64_t));
  DWARFDebugLine::SectionParser Parser(Data, *Context, Context->normal_units());
  StringMap<uint32_t> FileIndices;
  while (!Parser.done()) {
    DWARFDebugLine::LineTable Unit = Parser.parseNext(Ignore, Fail);
    for (const DWARFDebugLine::Sequence &Sequence : Unit.Sequences) {
      std::optional<uint32_t> Section = Code.find(Sequence.LowPC);
      if (!Section)
        continue;
      uint64_t Start = Code.addresses()[*Section];
      for (unsigned I = Sequence.FirstRowIndex;
           I + 1 < Sequence.LastRowIndex && I + 1 < Unit.Rows.size(); ++I) {
        const DWARFDebugLine::Row &Row = Unit.Rows[I];
        uint64_t Begin = Row.Address.Address;
        uint64_t End = Unit.Rows[I + 1].Address.Address;
        std::string File;
        if (Begin >= End || Begin < Start ||
            !Unit.getFileNameByIndex(
                Row.File, "",
                DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath, File))
          continue;
        auto [Found, IsNew] = FileIndices.try_emplace(File, Table.Files.size());
        if (IsNew)
          Table.Files.push_back(File);
        Table.Ranges.push_back({*Section, Begin - Start, End - Start,
                                Found->second, Row.Line, Row.Column});
      }
    }
  }
  if (Failure)
    return createStringError(".debug_line: " + toString(std::move(Failure)));
  llvm::sort(Table.Ranges, [](const Range &A, const Range &B) {
    return std::tie(A.Section, A.Begin, A.End) <
           std::tie(B.Section, B.Begin, B.End);
  });
  return Table;
}

std::optional<SourceLine> LineTable::lookup(uint32_t SectionIndex,
                                            uint64_t Offset) const {
  auto After = llvm::upper_bound(
      Ranges, std::make_pair(SectionIndex, Offset),
      [](const std::pair<uint32_t, uint64_t> &Place, const Range &R) {
        return Place < std::make_pair(R.Section, R.Begin);
      });
  if (After == Ranges.begin())
    return std::nullopt;
  const Range &R = *std::prev(After);
  if (R.Section != SectionIndex || Offset >= R.End)
    return std::nullopt;
  return SourceLine{Files[R.File], R.Line, R.Column};
}
