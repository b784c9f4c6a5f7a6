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
#include "DebugSections.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include <tuple>

using namespace heddle;
using namespace llvm;

Expected<LineTable> LineTable::create(const ObjectFile &Object) {
  LineTable Table;
  CodeLayout Code(Object);
  Expected<StringMap<std::unique_ptr<MemoryBuffer>>> Sections = debugSections(
      Object, Code, {".debug_line", ".debug_line_str", ".debug_str"});
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

std::vector<LineRange> LineTable::ranges() const {
  std::vector<LineRange> Result;
  Result.reserve(Ranges.size());
  for (const Range &R : Ranges)
    Result.push_back(
        {R.Section, R.Begin, R.End, {Files[R.File], R.Line, R.Column}});
  return Result;
}
