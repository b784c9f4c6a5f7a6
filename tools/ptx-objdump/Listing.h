//===- Listing.h - Disassembly and assembly ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints code, with or without everything around it, so that it assembles
// again.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_OBJDUMP_LISTING_H
#define HEDDLE_TOOLS_PTX_OBJDUMP_LISTING_H

#include "Code.h"
#include "Options.h"
#include "heddle/Object/LineTable.h"

namespace heddle::objdump {

class Listing {
public:
  Listing(const ObjectFile &Object, const Options &O, LineTable Lines,
          llvm::raw_ostream &OS)
      : Object(Object), O(O), Lines(std::move(Lines)),
        D(Object.metadata().Chip), OS(OS) {}

  /// The code of the sections that the options choose; an error if they choose
  /// none.
  llvm::Error printCode();
  /// All that the loader sees: code, data, metadata.
  void printAssembly();

private:
  struct PlacedSymbol {
    uint64_t Offset;
    const Symbol *S;
  };

  bool isChosen(uint32_t SectionIndex) const;
  void printCodeSection(uint32_t SectionIndex);
  void printCodeLine(uint32_t SectionIndex, const Code &C, const CodeLine &L);
  void printSourceLine(uint32_t SectionIndex, uint64_t Offset);
  void printDataSection(uint32_t SectionIndex);
  void printData(const Section &S, uint64_t Begin, uint64_t End);
  uint64_t printField(const Relocation &R, uint64_t Offset);
  void printHead(const Section &S);
  void printKernelSummary(uint32_t SectionIndex);
  void printSymbol(const Symbol &S, uint64_t Offset);
  void printOtherSymbols();
  std::vector<PlacedSymbol> symbolsOf(uint32_t SectionIndex) const;
  llvm::StringRef sourceText(const SourceLine &Line);

  const ObjectFile &Object;
  const Options &O;
  LineTable Lines;
  Disassembler D;
  llvm::raw_ostream &OS;
  unsigned NumLabels = 0;
  std::string LastLine; ///< The place that printSourceLine printed last.
  std::map<std::string, std::vector<std::string>> Sources;
};

} // namespace heddle::objdump

#endif // HEDDLE_TOOLS_PTX_OBJDUMP_LISTING_H
