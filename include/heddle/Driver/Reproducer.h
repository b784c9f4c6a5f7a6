//===- Reproducer.h - Compilations to be repeated ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation as two files: the input, and an options file that names it,
// with which `ptx-compile --options-file=FILE` compiles it again.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_REPRODUCER_H
#define HEDDLE_DRIVER_REPRODUCER_H

#include "heddle/Options/CompileOptions.h"

namespace heddle {

/// Writes both files, named after a hash of their contents, and returns the
/// name of the options file; empty if they cannot be written.
std::string writeReproducer(const std::string &Directory,
                            std::string_view Input,
                            const CompileOptions &Options);

/// What HEDDLE_REPRODUCERS says; empty if it is not set.
std::string reproducerDirectoryOfEnvironment();

} // namespace heddle

#endif // HEDDLE_DRIVER_REPRODUCER_H
