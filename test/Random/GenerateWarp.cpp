//===- GenerateWarp.cpp - What random threads do together -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, and operations of the lanes of a warp that are known to be there.
//
//===----------------------------------------------------------------------===//

#include "GeneratorState.h"

namespace heddle::random {

/// A barrier that all threads of the CTA come to, in one of its forms.
std::string Generator::barrier() {
  uint64_t Id = R.below(16);
  std::string Name = std::to_string(Id);
  // With a count, warps that have ended would be missed.
  std::string Count =
      !MayEnd && R.percent(25)
          ? ", " + std::to_string((P.Shape.Block + 31) / 32 * 32)
          : "";
  switch (R.below(6)) {
  case 0:
    return "\tbarrier.cta.sync " + Name + Count + ";\n";
  case 1:
    return "\tbarrier.cta.sync.aligned " + Name + Count + ";\n";
  case 2: {
    std::string Register = temp(".b32");
    return "\tmov.u32 " + Register + ", " + Name + ";\n\tbarrier.sync " +
           Register + ";\n";
  }
  case 3:
    return "\tbar.red.popc.u32 " + exactWriteable(32) + ", " + Name + Count +
           ", " + (R.percent(30) ? "!" : "") + predicate() + ";\n";
  case 4:
    return std::string("\tbar.red.") + (R.percent(50) ? "and" : "or") +
           ".pred " + predicate() + ", " + Name + Count + ", " + predicate() +
           ";\n";
  default:
    return "\tbar.sync " + Name + Count + ";\n";
  }
}

/// Each thread reads what another one wrote.
Statement Generator::exchange(const Scope &) {
  std::string Own = temp(".b32"), Other = temp(".b32");
  std::string Distance = std::to_string(R.below(P.Shape.Block));
  std::string Block = std::to_string(P.Shape.Block);
  return group(barrier() + "\tmov.u32 " + Own + ", shx;\n\tmad.lo.u32 " + Own +
               ", %tid32, 8, " + Own + ";\n\tst.shared.b64 [" + Own + "], " +
               exact(64) + ";\n" + barrier() + "\tadd.u32 " + Other +
               ", %tid32, " + Distance + ";\n\trem.u32 " + Other + ", " +
               Other + ", " + Block + ";\n\tshl.b32 " + Other + ", " + Other +
               ", 3;\n\tld.shared.b64 " + exactWriteable(64) +
               ", [shx+0];\n\tmov.u32 " + Own + ", shx;\n\tadd.u32 " + Other +
               ", " + Other + ", " + Own + ";\n\tld.shared.b64 " +
               exactWriteable(64) + ", [" + Other + "];\n" + barrier());
}

/// A lane of the mask: the lowest.
static std::string lowestLane(const std::string &Mask, const std::string &To) {
  return "\tbrev.b32 " + To + ", " + Mask + ";\n\tclz.b32 " + To + ", " + To +
         ";\n";
}

/// Through shared memory, with a barrier of the warp.
Statement Generator::leaderExchange(const Scope &S) {
  std::string Own = temp(".b32"), Lane = temp(".b32"), At = temp(".b32");
  std::string Sync = "\tbar.warp.sync " + S.Mask + ";\n";
  return group(Sync + "\tmov.u32 " + Own + ", shx;\n\tmad.lo.u32 " + At +
               ", %tid32, 8, " + Own + ";\n\tst.shared.b32 [" + At + "], " +
               exact(32) + ";\n" + Sync + lowestLane(S.Mask, Lane) +
               "\tand.b32 " + At + ", %tid32, -32;\n\tadd.u32 " + At + ", " +
               At + ", " + Lane + ";\n\tmad.lo.u32 " + At + ", " + At +
               ", 8, " + Own + ";\n\tld.shared.b32 " + exactWriteable(32) +
               ", [" + At + "];\n" + Sync);
}

Statement Generator::warpOperation(const Scope &S) {
  static constexpr const char *Shuffles[] = {"up", "down", "bfly", "idx"};
  static constexpr const char *Votes[] = {"all", "any", "uni"};
  static constexpr const char *Arithmetic[] = {"add", "min", "max"};
  static constexpr const char *Logic[] = {"and", "or", "xor"};
  std::string D = exactWriteable(32), Mask = ", " + S.Mask + ";\n";
  std::string Pair = R.percent(40) ? D + "|" + predicate() : D;
  switch (R.below(8)) {
  case 0:
  case 1: {
    if (S.IsFullWarp)
      return group(std::string("\tshfl.sync.") + R.pick(Shuffles) + ".b32 " +
                   Pair + ", " + exact(32) + ", " +
                   (R.percent(50) ? exact(32) : std::to_string(R.below(32))) +
                   ", " +
                   (R.percent(40) ? exact(32)
                                  : std::to_string(R.pick(std::vector<int>{
                                        31, 0, 0x1c1f, 0x181f, 0x1e1f}))) +
                   Mask);
    // From a lane that is there.
    std::string Lane = temp(".b32");
    return group(lowestLane(S.Mask, Lane) + "\tshfl.sync.idx.b32 " + Pair +
                 ", " + exact(32) + ", " + Lane + ", 31" + Mask);
  }
  case 2:
    return group(std::string("\tvote.sync.") + R.pick(Votes) + ".pred " +
                 predicate() + ", " + (R.percent(30) ? "!" : "") + predicate() +
                 Mask);
  case 3:
    return group("\tvote.sync.ballot.b32 " + D + ", " + predicate() + Mask);
  case 4: {
    // Values that some lanes share.
    bool Wide = R.percent(40);
    std::string Value = temp(Wide ? ".b64" : ".b32");
    std::string Type = Wide ? ".b64 " : ".b32 ";
    std::string Narrowed = "\tand" + Type + Value + ", " +
                           exact(Wide ? 64 : 32) + ", " +
                           (R.percent(50) ? "3" : "-1") + ";\n";
    if (R.percent(50))
      return group(Narrowed + "\tmatch.any.sync" + Type + D + ", " + Value +
                   Mask);
    return group(Narrowed + "\tmatch.all.sync" + Type + Pair + ", " + Value +
                 Mask);
  }
  case 5:
    return group(std::string("\tredux.sync.") + R.pick(Arithmetic) +
                 (R.percent(50) ? ".u32 " : ".s32 ") + D + ", " + exact(32) +
                 Mask);
  case 6:
    return group(std::string("\tredux.sync.") + R.pick(Logic) + ".b32 " + D +
                 ", " + exact(32) + Mask);
  default:
    return group("\telect.sync " + D + "|" + predicate() + Mask);
  }
}

} // namespace heddle::random
