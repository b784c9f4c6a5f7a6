//===- Families.h - What each family adds -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of Families.def.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_FAMILIES_H
#define HEDDLE_TEST_FORMS_FAMILIES_H

#include "Form.h"

namespace heddle::forms {

#define HEDDLE_FAMILY(Name, Function) void Function(FormList &List);
#include "Families.def"

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_FAMILIES_H
