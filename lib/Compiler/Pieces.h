//===- Pieces.h - A PTX file, compiled by several threads -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A long file is divided into pieces, each of which a thread takes from the
// syntax tree to machine code. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_PIECES_H
#define HEDDLE_LIB_COMPILER_PIECES_H

#include "Stages.h"

#include "heddle/PTX/AST.h"

namespace heddle::compiler {

/// By the functions that a file defines, the piece that each belongs to.
struct PieceMap {
  llvm::DenseMap<const ptx::Function *, unsigned> PieceOf;
  unsigned Count = 0; ///< of pieces; 0: the file cannot be divided
};

/// Divides what is reachable of a file into at most \p Most pieces of about the
/// same size, none of which has much less than \p MinInstructions. Functions
/// whose code may depend on each other are in one piece.
PieceMap divideFile(const ParsedInput &Input, unsigned Most,
                    size_t MinInstructions);

/// The way of a file by several threads, if the settings allow some and it can
/// be divided. False if it has to be compiled as a whole, because it cannot be
/// divided or since there is something to say of it: messages are to come in
/// the order of the text. Nothing was reported then.
llvm::Expected<bool> compilePieces(const ParsedInput &Parsed,
                                   llvm::MemoryBufferRef Input,
                                   const Settings &S,
                                   const CompileEnvironment &Env,
                                   Reporter &Report, CompileOutput &Output);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_PIECES_H
