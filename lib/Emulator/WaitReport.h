//===- WaitReport.h - What waits for what -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a deadlock. Clusters have hundreds of warps, most of which wait
// for the same: a few of them are named.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_WAITREPORT_H
#define HEDDLE_LIB_EMULATOR_WAITREPORT_H

#include "Warp.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string>
#include <vector>

namespace heddle::emu {

class WaitReport {
public:
  /// Lanes of a warp that wait; the same \p Why is the same reason.
  void add(const std::string &Who, LaneMask Lanes, const std::string &Why) {
    auto It = std::find_if(Reasons.begin(), Reasons.end(),
                           [&](const Reason &R) { return R.Why == Why; });
    if (It == Reasons.end()) {
      if (Reasons.size() == MaxReasons) {
        ++Unnamed;
        return;
      }
      It = Reasons.insert(It, Reason{Why, "", 0});
    }
    if (++It->Count <= MaxNamed)
      llvm::raw_string_ostream(It->Named)
          << "; " << Who << " lanes " << llvm::format_hex(Lanes, 10) << ' '
          << Why;
  }

  std::string text() const {
    std::string Text;
    for (const Reason &R : Reasons) {
      Text += R.Named;
      if (R.Count > MaxNamed)
        Text += "; " + std::to_string(R.Count - MaxNamed) + " more " + R.Why;
    }
    if (Unnamed)
      Text += "; " + std::to_string(Unnamed) + " for other reasons";
    return Text;
  }

private:
  static constexpr size_t MaxNamed = 4, MaxReasons = 16;
  struct Reason {
    std::string Why, Named;
    size_t Count; ///< Of groups of lanes.
  };
  std::vector<Reason> Reasons; ///< In the order of the first of each.
  size_t Unnamed = 0;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_WAITREPORT_H
