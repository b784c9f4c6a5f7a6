//===- Floats.h - Floating-point numbers of PTX -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between register contents and LLVM's arbitrary-precision floats, whose
// operations round once in any mode.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_FLOATS_H
#define HEDDLE_LIB_INTERPRETER_FLOATS_H

#include "Instruction.h"
#include "llvm/ADT/APFloat.h"

namespace heddle::interp {

/// The type of the elements of a packed type; of another type, itself.
ScalarType elementType(ScalarType Ty);

/// Whether the interpreter calculates with this type or pairs of it.
bool isCoveredFloat(ScalarType Ty);

/// The number in a register; \p Ty is not packed.
llvm::APFloat floatValue(ScalarType Ty, Bits Value);
/// The register's content for a number of the type's own semantics; a NaN is
/// the type's canonical one.
Bits floatBits(ScalarType Ty, const llvm::APFloat &Value);
/// The canonical NaN of a type.
Bits canonicalNaN(ScalarType Ty);

const llvm::fltSemantics &semanticsOf(ScalarType Ty);
/// The rounding of a modifier; none is to nearest even.
llvm::RoundingMode roundingMode(ptxir::Rounding Rnd);

/// Zero of the same sign in place of a subnormal number.
llvm::APFloat flushed(llvm::APFloat Value);
/// An operand of type \p Ty after .ftz.
llvm::APFloat floatOperand(const Modifiers &M, ScalarType Ty, Bits Value);
/// A rounded result of type \p Ty after .ftz, .sat and .relu.
Bits floatResult(const Modifiers &M, ScalarType Ty, llvm::APFloat Value);

/// One step of min or max as the manual defines it: -0 is less than +0; a NaN
/// loses, or wins with \p NaNWins.
llvm::APFloat lesserOrGreater(const llvm::APFloat &A, const llvm::APFloat &B,
                              bool IsMax, bool NaNWins);

// The floating-point side of families that are integer arithmetic too.
void evaluateFloatAdd(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatSub(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatMul(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatFma(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatDiv(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatAbs(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatNeg(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatMin(const Instruction &I, const Bits *In, Bits *Out);
void evaluateFloatMax(const Instruction &I, const Bits *In, Bits *Out);

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_FLOATS_H
