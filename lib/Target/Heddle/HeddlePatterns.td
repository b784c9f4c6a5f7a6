//===- HeddlePatterns.td - From selection nodes to instructions -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns only; instructions stand in isa-defs/.
//
//===----------------------------------------------------------------------===//

def : Pat<(heddle_exit), (EXIT)>;
