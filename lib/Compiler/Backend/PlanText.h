//===- PlanText.h - Register plans as text ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What attempts decided of functions' registers, as JSON that another
// compilation can be given. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_BACKEND_PLANTEXT_H
#define HEDDLE_LIB_COMPILER_BACKEND_PLANTEXT_H

#include "heddle/Target/RegisterPlan.h"

#include "llvm/Support/Error.h"

namespace heddle::compiler {

/// The form of Settings::Emit that is the plans by which a module was compiled.
inline constexpr llvm::StringLiteral PlanForm = "register-plan";

/// An object with a member for each function of which something is decided, by
/// their names.
std::string describePlans(const RegisterPlans &Plans);

/// Reads what describePlans wrote.
llvm::Expected<RegisterPlans> parsePlans(llvm::StringRef Text);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_BACKEND_PLANTEXT_H
