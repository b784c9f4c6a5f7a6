//===- ProbeCounter.h - Counts threads at probes ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The probes of a code object by program counter, and what counts the threads
// of a cluster that come to them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_PROBECOUNTER_H
#define HEDDLE_LIB_EMULATOR_PROBECOUNTER_H

#include "Checkers/Checker.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/ProfileData/ProbeCounts.h"
#include "heddle/ProfileData/Probes.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

namespace heddle::emu {

struct CodeImage;

/// A probe of loaded code.
struct Probe {
  uint32_t PC = 0;
  pgo::ProbeKind Kind = pgo::ProbeKind::Edge;
  uint32_t Index = 0; ///< As ProbeRecord::Index.
  uint64_t Function = 0;
  uint32_t Loop =
      0; ///< Of an Iteration or a Leave: the loop's number in the table.
};

/// The probes of a code object.
class ProbeTable {
public:
  /// Reads the section of \p Object, whose text sections are loaded at
  /// \p Addresses, by section index, and decoded in \p Image. A probe that is
  /// not at an instruction is an error.
  llvm::Error load(const ObjectFile &Object, llvm::ArrayRef<uint64_t> Addresses,
                   const CodeImage &Image);

  /// Those at an instruction.
  llvm::ArrayRef<Probe> at(uint32_t PC) const {
    if (PC >= First.size() || First[PC] == None)
      return {};
    llvm::ArrayRef<Probe> Rest = llvm::ArrayRef(Probes).drop_front(First[PC]);
    return Rest.take_while([PC](const Probe &P) { return P.PC == PC; });
  }
  bool empty() const { return Probes.empty(); }
  uint32_t loops() const { return static_cast<uint32_t>(Loops.size()); }

private:
  static constexpr uint32_t None = ~uint32_t(0);
  llvm::Error add(llvm::ArrayRef<uint8_t> Records,
                  const llvm::DenseMap<uint64_t, uint64_t> &Code,
                  const CodeImage &Image);

  std::vector<Probe> Probes;   ///< By PC.
  std::vector<uint32_t> First; ///< By PC: the first probe, or None.
  /// Numbers of loops, by function and index.
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> Loops;
};

/// Counts the threads of a cluster, and adds them to \p Sink at its end.
std::unique_ptr<Checker> makeProbeCounter(const ProbeTable &Table,
                                          pgo::ProbeSink &Sink);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_PROBECOUNTER_H
