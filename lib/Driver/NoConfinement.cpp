//===- NoConfinement.cpp - Builds without filters of calls ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the place of Confinement.cpp where libseccomp is not installed.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/Confinement.h"

bool heddle::confineToComputing() { return false; }
