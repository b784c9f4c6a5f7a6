//===- Accounts.h - What devices keep of processes --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ptx-smi -am` and `-caa`.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_ACCOUNTS_H
#define HEDDLE_TOOLS_PTX_SMI_ACCOUNTS_H

#include "NVML.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::smi {

/// Lets devices keep what processes did, or no longer; of those that are called
/// so, or of all if \p Wanted is empty.
llvm::Error enableAccounts(const NVML &Library,
                           llvm::ArrayRef<std::string> Wanted, bool IsEnabled,
                           llvm::raw_ostream &OS);
/// Has devices forget what they have kept.
llvm::Error clearAccounts(const NVML &Library,
                          llvm::ArrayRef<std::string> Wanted,
                          llvm::raw_ostream &OS);

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_ACCOUNTS_H
