//===- Objective.h - What a configuration costs -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures configurations of a kernel on the user's own launches.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_OBJECTIVE_H
#define HEDDLE_TOOLS_PTX_TUNE_OBJECTIVE_H

#include "Measurement.h"
#include "Options.h"
#include "heddle/Tuning/RecordStore.h"

#include <set>

namespace heddle::tune {

/// What is known of a kernel before the search.
struct KernelToTune {
  std::string Name;
  std::vector<tuning::LoopShape> Loops = {};
  /// That every manifest allows, the first as launched.
  tuning::LaunchShapes Shapes = {};
  std::set<tuning::LaunchClass> Launches = {}; ///< Of the workloads.
  std::vector<tuning::KernelText> Texts = {};  ///< One for each module.
  uint64_t UntunedCycles =
      0; ///< Of its launches, over all workloads and chips.
  CodeFigures UntunedCode = {}; ///< The most of all chips.
};

/// Where configurations are measured: an emulator, or in future a device.
class Objective {
public:
  virtual ~Objective() = default;
  /// The kernels that can be tuned, in the order of their first launches.
  virtual llvm::ArrayRef<KernelToTune> kernels() const = 0;
  /// Measures the configuration that \p D has for \p Kernel. One that costs
  /// more than \p Limit is of no interest: the measurement may end there with a
  /// timeout. One whose code is over a limit of the options (Candidates.h) is
  /// not measured, wherever that would be. Any number of threads may call it at
  /// once; equal arguments give equal results, but for a limit on the time of
  /// compilation. An error says that nothing can be measured.
  virtual llvm::Expected<Measurement> measure(llvm::StringRef Kernel,
                                              const tuning::Document &D,
                                              double Limit) const = 0;
  /// The warp cycles that each instruction of a kernel costs, in the order of
  /// the code; empty if the kernel is not launched.
  virtual llvm::Expected<std::vector<double>>
  instructionCosts(llvm::StringRef Kernel, const tuning::Document &D) const = 0;
  /// What results depend on besides the arguments of measure.
  virtual uint64_t identity() const = 0;
};

/// The timing model's cycles. Compiles and runs every case untuned; an error if
/// that fails.
llvm::Expected<std::unique_ptr<Objective>>
createEmulatorObjective(const Options &O);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_OBJECTIVE_H
