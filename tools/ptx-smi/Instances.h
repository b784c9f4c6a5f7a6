//===- Instances.h - Divides devices ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `ptx-smi mig` does.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_INSTANCES_H
#define HEDDLE_TOOLS_PTX_SMI_INSTANCES_H

#include "Snapshot.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::smi {

/// One thing to do, with all devices or some.
struct InstanceOptions {
  enum class Action {
    None,
    ListProfiles,
    List,
    Create,
    Destroy,
    ListComputes,
    CreateComputes,
    DestroyComputes,
  };

  Action What = Action::None;
  std::vector<std::string> Devices;  ///< Empty: all.
  std::vector<std::string> Profiles; ///< To create, by number or name.
  bool WithComputes = false;         ///< One for each that is created.
  std::vector<unsigned> Instances;   ///< Empty: all.
  std::vector<unsigned> Computes;    ///< Empty: all.
  bool Help = false;
};

llvm::Expected<InstanceOptions>
parseInstanceOptions(llvm::ArrayRef<const char *> Args);
void explainInstanceOptions(llvm::raw_ostream &OS);

llvm::Error manageInstances(const NVML &Library, const InstanceOptions &O,
                            llvm::raw_ostream &OS);

/// Lets devices be divided, or no longer.
llvm::Error enableInstances(const NVML &Library,
                            llvm::ArrayRef<std::string> Devices, bool IsEnabled,
                            llvm::raw_ostream &OS);

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_INSTANCES_H
