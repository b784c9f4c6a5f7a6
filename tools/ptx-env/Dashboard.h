//===- Dashboard.h - A server beside a program ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The server is a process of its own and no child of the program's, which may
// wait for all of its children.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_ENV_DASHBOARD_H
#define HEDDLE_TOOLS_PTX_ENV_DASHBOARD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// Starts a server at \p Port that ends when the process of the caller has
/// ended and all that report to it have, tells processes by the environment to
/// report, and says on stderr where the page is. \p CommandLine is what the
/// page is about.
llvm::Error serveDashboard(uint16_t Port,
                           llvm::ArrayRef<const char *> CommandLine);

} // namespace heddle

#endif // HEDDLE_TOOLS_PTX_ENV_DASHBOARD_H
