//===- Code.h - The code of a section ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions of a code section with their relocations and labels, and
// which of them can be reached.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_OBJDUMP_CODE_H
#define HEDDLE_TOOLS_PTX_OBJDUMP_CODE_H

#include "heddle/Object/ObjectFile.h"
#include "heddle/Target/Assembler.h"
#include <map>

namespace heddle::objdump {

/// An instruction in its place; bytes that are none have no Inst.
struct CodeLine {
  uint64_t Offset = 0;
  llvm::ArrayRef<uint8_t> Bytes;
  std::optional<llvm::MCInst> Inst;
  const Relocation *Reloc = nullptr;
  /// Where a branch of the section itself goes.
  std::optional<uint64_t> Target;
};

class Code {
public:
  /// Decodes a whole section. Labels are numbered from \p FirstLabel.
  Code(const ObjectFile &Object, uint32_t SectionIndex, const Disassembler &D,
       unsigned FirstLabel);

  llvm::ArrayRef<CodeLine> lines() const { return Lines; }
  /// `.L_3` by offset, for each place that a branch of the section goes to.
  const std::map<uint64_t, std::string> &labels() const { return Labels; }
  /// The instruction with labels and symbols in the place of numbers.
  std::string text(const CodeLine &Line) const;
  /// Offset behind the last instruction that can be reached from \p Entry.
  uint64_t reachableEnd(uint64_t Entry) const;

private:
  /// The index of the line that starts there.
  std::optional<size_t> lineAt(uint64_t Offset) const;
  llvm::StringRef symbolAt(const Relocation &R, int64_t &Addend) const;

  const ObjectFile &Object;
  const Disassembler &D;
  std::vector<CodeLine> Lines;
  std::map<uint64_t, std::string> Labels;
};

} // namespace heddle::objdump

#endif // HEDDLE_TOOLS_PTX_OBJDUMP_CODE_H
