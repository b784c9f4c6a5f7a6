//===- MathUnit.cpp - Approximate functions ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C library has IEEE 754's special cases; the only ones that PTX defines
// otherwise are those of a negative argument of the logarithm and the roots,
// which agree as well, and the bits of a NaN.
//
//===----------------------------------------------------------------------===//

#include "MathUnit.h"
#include "heddle/Emulator/SoftFloat.h"

#include <bit>
#include <cmath>

namespace heddle::emu {

static double valueAt(MathFunction Fn, double X) {
  switch (Fn) {
  case MathFunction::Reciprocal:
    return 1.0 / X;
  case MathFunction::ReciprocalRoot:
    return 1.0 / std::sqrt(X);
  case MathFunction::Root:
    return std::sqrt(X);
  case MathFunction::Log2:
    return std::log2(X);
  case MathFunction::Exp2:
    return std::exp2(X);
  case MathFunction::Sin:
    return std::sin(X);
  case MathFunction::Cos:
    return std::cos(X);
  case MathFunction::Tanh:
    return std::tanh(X);
  }
  return X;
}

uint32_t evaluate(MathFunction Fn, uint32_t Bits, bool Ftz) {
  if (Ftz)
    Bits = F32Format.flush(Bits);
  if (F32Format.isNaN(Bits))
    return F32Format.canonicalNaN();
  double X = valueAt(Fn, std::bit_cast<float>(Bits));
  if (std::isnan(X))
    return F32Format.canonicalNaN();
  uint32_t Result = std::bit_cast<uint32_t>(static_cast<float>(X));
  return Ftz ? F32Format.flush(Result) : Result;
}

} // namespace heddle::emu
