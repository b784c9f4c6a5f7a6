//===- Assembler.h - Assembles and disassembles -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The MC layer for programs and tests that are no compilers: from assembly to
// code objects, and from bytes to instructions and their text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_ASSEMBLER_H
#define HEDDLE_TARGET_ASSEMBLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
class raw_pwrite_stream;
} // namespace llvm

namespace heddle {

struct ModuleMetadata;

/// Assembles \p Source to a code object. False after errors, which \p
/// Diagnostics got with file, line and column.
bool assemble(llvm::MemoryBufferRef Source, llvm::StringRef Chip,
              llvm::SmallVectorImpl<char> &Object,
              llvm::raw_ostream &Diagnostics);

/// Parses \p Source and prints it again, each instruction with its bytes if
/// \p ShowEncoding. False after errors.
bool reformatAssembly(llvm::MemoryBufferRef Source, llvm::StringRef Chip,
                      bool ShowEncoding, llvm::raw_ostream &Text,
                      llvm::raw_ostream &Diagnostics);

/// Metadata as YAML, the form that it has in assembly.
std::string metadataToYAML(const ModuleMetadata &Metadata);

/// Where control goes after an instruction.
struct Flow {
  bool FallsThrough = true;  ///< to the next instruction, or back there
  bool Branches = false;     ///< to Disassembler::target()
  bool GoesAnywhere = false; ///< to an address in a register
};

/// Decodes instructions and prints them.
class Disassembler {
public:
  explicit Disassembler(llvm::StringRef Chip = "");
  ~Disassembler();

  /// The instruction at the start of \p Bytes; nothing if they are none.
  std::optional<llvm::MCInst> decode(llvm::ArrayRef<uint8_t> Bytes) const;

  /// One line without indentation and end of line.
  std::string print(const llvm::MCInst &Inst) const;

  /// Where a branch or call at \p Address goes, if the instruction says so.
  std::optional<uint64_t> target(const llvm::MCInst &Inst,
                                 uint64_t Address) const;

  Flow flow(const llvm::MCInst &Inst) const;

  /// Puts an expression in the place of the number in bits 63..32 or 95..32 or
  /// of the target: \p Symbol plus \p Addend, inside `%Specifier()` if that is
  /// not empty. False if the instruction has no such operand.
  bool setSymbol(llvm::MCInst &Inst, llvm::StringRef Symbol, int64_t Addend,
                 llvm::StringRef Specifier = "") const;

  /// \p Name as assembly writes it: in quotes where it must be.
  std::string quoteSymbol(llvm::StringRef Name) const;

private:
  struct Parts;
  std::unique_ptr<Parts> P;
};

} // namespace heddle

#endif // HEDDLE_TARGET_ASSEMBLER_H
