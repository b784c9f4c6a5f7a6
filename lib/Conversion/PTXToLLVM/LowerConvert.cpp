//===- LowerConvert.cpp - Lowering of conversions ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt between integers and floating-point types, with PTX's rules for
// rounding, saturation and NaN.
//
//===----------------------------------------------------------------------===//

#include "LowerConvert.h"
#include "heddle/Dialect/PTX/Instruction.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

static LogicalResult unsupportedCvt(Emitter &E, CvtOp Op) {
  return E.unsupported(Op, "cvt." + stringifyEnum(Op.getTy()) + "." +
                               stringifyEnum(Op.getSty()) +
                               " with these modifiers");
}

/// The source in its own type: the low bits of a wider register.
static Value source(Emitter &E, Value A, ScalarType Ty) {
  return E.as(E.resize(E.asInt(A), bitWidth(Ty), false), Ty);
}

/// Replaces by \p V, a value of the result type, extended by its sign to the
/// width of the register.
static LogicalResult replaceBy(Emitter &E, CvtOp Op, Value V) {
  unsigned Bits = bitWidth(Op.getD().getType());
  return E.replace(Op, E.resize(E.asInt(V), Bits, isSigned(Op.getTy())));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static uint64_t maxOf(ScalarType Ty) {
  return ~uint64_t(0) >> (64 - bitWidth(Ty) + isSigned(Ty));
}
static int64_t minOf(ScalarType Ty) {
  return isSigned(Ty) ? -int64_t(maxOf(Ty)) - 1 : 0;
}

static LogicalResult cvtIntToInt(Emitter &E, CvtOp Op) {
  ScalarType To = Op.getTy(), From = Op.getSty();
  unsigned ToBits = bitWidth(To), FromBits = bitWidth(From);
  bool FromSigned = isSigned(From);
  Value V = source(E, Op.getA(), From);
  if (Op.getSat()) {
    // Only a limit that the source can exceed is applied, at the source's
    // width, so that every limit fits.
    bool TooHigh = maxOf(From) > maxOf(To), TooLow = minOf(From) < minOf(To);
    Type Ty = V.getType();
    if (TooLow)
      V = E.make<LLVM::SMaxOp>(V, E.constInt(Ty, uint64_t(minOf(To))));
    if (TooHigh)
      V = FromSigned ? E.make<LLVM::SMinOp>(V, E.constInt(Ty, maxOf(To)))
                     : E.make<LLVM::UMinOp>(V, E.constInt(Ty, maxOf(To)));
  }
  V = E.resize(V, std::max(ToBits, FromBits), FromSigned);
  return replaceBy(E, Op, E.resize(V, ToBits, FromSigned));
}

//===----------------------------------------------------------------------===//
// Between integers and floating point
//===----------------------------------------------------------------------===//

/// rn of rni, and so on.
static StringRef nvvmRounding(Rounding R) {
  switch (R) {
  case Rounding::Rz:
  case Rounding::Rzi:
    return "rz";
  case Rounding::Rm:
  case Rounding::Rmi:
    return "rm";
  case Rounding::Rp:
  case Rounding::Rpi:
    return "rp";
  default:
    return "rn";
  }
}

/// i, ui, ll, ull: integers in NVVM's conversion names.
static StringRef nvvmInt(unsigned Bits, bool Signed) {
  if (Bits == 64)
    return Signed ? "ll" : "ull";
  return Signed ? "i" : "ui";
}

static LogicalResult cvtFloatToInt(Emitter &E, CvtOp Op) {
  ScalarType To = Op.getTy(), From = Op.getSty();
  if (isPacked(From) || From == ScalarType::Tf32)
    return unsupportedCvt(E, Op);
  Value V = source(E, Op.getA(), From);
  if (bitWidth(From) == 16)
    V = E.make<LLVM::FPExtOp>(E.B.getF32Type(), V);
  bool Double = From == ScalarType::F64, Signed = isSigned(To);
  unsigned Bits = bitWidth(To) == 64 ? 64 : 32;
  StringRef Mode = nvvmRounding(Op.getRnd());
  Value Int;
  // LLVM's saturating conversion turns NaN into 0, PTX only where neither the
  // source nor the result has 64 bits.
  if (!Double && Bits == 32 && Mode == "rz" && !Op.getFtz())
    Int = E.intrinsic(Signed ? "fptosi.sat" : "fptoui.sat", E.intTy(32), V);
  else
    Int = E.intrinsic(
        Twine("nvvm.") + (Double ? "d" : "f") + "2" + nvvmInt(Bits, Signed) +
            "." + Mode + (Op.getFtz() && From == ScalarType::F32 ? ".ftz" : ""),
        E.intTy(Bits), V);
  if (bitWidth(To) < 32) {
    Int = E.clamp(Int, minOf(To), maxOf(To), Signed);
    Int = E.resize(Int, bitWidth(To), Signed);
  }
  if (Double && Bits == 32) {
    // The instruction gives 0 for NaN, PTX only the top bit of the result set.
    Value IsNaN = E.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, V, V);
    Value Top = E.constInt(bitWidth(To), uint64_t(1) << (bitWidth(To) - 1));
    Int = E.select(IsNaN, Top, Int);
  }
  return replaceBy(E, Op, Int);
}

static isa::FType floatTypeOf(ScalarType Ty) {
  switch (Ty) {
  case ScalarType::F16:
    return isa::FType::F16;
  case ScalarType::Bf16:
    return isa::FType::BF16;
  case ScalarType::Tf32:
    return isa::FType::TF32;
  default:
    return isa::FType::F32;
  }
}

/// Rounds .f32 to a type of at most 32 bits.
static Value narrowSingle(Emitter &E, ScalarType To, Value V, Rounding R,
                          bool Relu = false) {
  unsigned Mode = llvm::StringSwitch<unsigned>(nvvmRounding(R))
                      .Case("rz", 1)
                      .Case("rm", 2)
                      .Case("rp", 3)
                      .Default(0);
  Value Bits = E.builtin(
      "narrow_f32", E.intTy(32),
      {V, modifier(E, floatTypeOf(To)), E.constInt(32, Mode | (Relu ? 8 : 0))});
  return E.as(E.resize(Bits, bitWidth(To), false), To);
}

/// An integer to f32 or f64 in any rounding mode.
static Value intToFloat(Emitter &E, ScalarType To, Value V, bool Signed,
                        StringRef Mode) {
  Type Ty = E.typeOf(To);
  if (Mode == "rn")
    return Signed ? E.make<LLVM::SIToFPOp>(Ty, V)
                  : E.make<LLVM::UIToFPOp>(Ty, V);
  return E.intrinsic("nvvm." + nvvmInt(bitWidth(V.getType()), Signed) + "2" +
                         (To == ScalarType::F64 ? "d" : "f") + "." + Mode,
                     Ty, V);
}

static LogicalResult cvtIntToFloat(Emitter &E, CvtOp Op) {
  ScalarType To = Op.getTy(), From = Op.getSty();
  bool Signed = isSigned(From);
  StringRef Mode = nvvmRounding(Op.getRnd());
  if (isPacked(To) || To == ScalarType::Tf32)
    return unsupportedCvt(E, Op);
  Value V = E.resize(source(E, Op.getA(), From), std::max(bitWidth(From), 32u),
                     Signed);
  // Two directed roundings in the same direction are one; two to nearest are
  // not.
  if (bitWidth(To) == 16 && Mode != "rn")
    V = narrowSingle(E, To, intToFloat(E, ScalarType::F32, V, Signed, Mode),
                     Op.getRnd());
  else
    V = intToFloat(E, To, V, Signed, Mode);
  return replaceBy(E, Op, Op.getSat() ? E.saturate(V) : V);
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// To an integral value of the same type, or unchanged.
static Value roundToIntegral(Emitter &E, Value V, Rounding R) {
  switch (R) {
  case Rounding::Rni:
    return E.make<LLVM::RoundEvenOp>(V);
  case Rounding::Rzi:
    return E.make<LLVM::FTruncOp>(V);
  case Rounding::Rmi:
    return E.make<LLVM::FFloorOp>(V);
  case Rounding::Rpi:
    return E.make<LLVM::FCeilOp>(V);
  default:
    return V;
  }
}

/// f64 to f32: rn is LLVM's, the rest NVVM's.
static Value narrowToSingle(Emitter &E, CvtOp Op, Value V) {
  StringRef Mode = nvvmRounding(Op.getRnd());
  if (Mode == "rn" && !Op.getFtz())
    return E.make<LLVM::FPTruncOp>(E.B.getF32Type(), V);
  return E.intrinsic("nvvm.d2f." + Mode + (Op.getFtz() ? ".ftz" : ""),
                     E.B.getF32Type(), V);
}

/// To 16 bits from any other type.
static Value narrowToHalf(Emitter &E, CvtOp Op, Value V) {
  ScalarType To = Op.getTy();
  Type Single = E.B.getF32Type();
  if (nvvmRounding(Op.getRnd()) == "rn" && !Op.getRelu()) {
    if (V.getType().isF64() || V.getType().isF32())
      return E.make<LLVM::FPTruncOp>(E.typeOf(To), V);
    return E.make<LLVM::FPTruncOp>(E.typeOf(To),
                                   E.make<LLVM::FPExtOp>(Single, V));
  }
  // Directed: as one step, see cvtIntToFloat.
  if (V.getType().isF64())
    V = narrowToSingle(E, Op, V);
  else if (!V.getType().isF32())
    V = E.make<LLVM::FPExtOp>(Single, V);
  return narrowSingle(E, To, V, Op.getRnd(), Op.getRelu());
}

Value lowering::clampToFinite(Emitter &E, ScalarType To, Value V) {
  double Largest = To == ScalarType::F16 || To == ScalarType::F16x2 ? 0x1.FFCp15
                   : To == ScalarType::Tf32 ? 0x1.FFCp127
                                            : 0x1.FEp127;
  V = E.intrinsic("nvvm.fmin.nan.f", V.getType(),
                  {V, E.constFloat(V.getType(), Largest)});
  return E.intrinsic("nvvm.fmax.nan.f", V.getType(),
                     {V, E.constFloat(V.getType(), -Largest)});
}

static LogicalResult cvtFloatToFloat(Emitter &E, CvtOp Op) {
  ScalarType To = Op.getTy(), From = Op.getSty();
  unsigned ToBits = bitWidth(To), FromBits = bitWidth(From);
  bool Modified = Op.getRelu() || Op.getSatfinite();
  if (isPacked(To) || isPacked(From) || From == ScalarType::Tf32 ||
      (Modified && (ToBits != 16 || From != ScalarType::F32)))
    return unsupportedCvt(E, Op);
  Value V = source(E, Op.getA(), From);
  if (Op.getFtz() && From == ScalarType::F32)
    V = E.flush(V);
  if (Op.getSatfinite())
    V = clampToFinite(E, To, V);
  if (To == From)
    V = roundToIntegral(E, V, Op.getRnd());
  else if (ToBits > FromBits)
    V = E.make<LLVM::FPExtOp>(E.typeOf(To), V);
  else if (ToBits == 16)
    V = narrowToHalf(E, Op, V);
  else
    V = narrowToSingle(E, Op, V);
  if (Op.getFtz() && To == ScalarType::F32 && FromBits == 16)
    V = E.flush(V); // A subnormal of bf16 is one of f32.
  return replaceBy(E, Op, Op.getSat() ? E.saturate(V) : V);
}

/// cvt.f16x2.f32 d, a, b: a becomes the upper half.
static LogicalResult cvtPair(Emitter &E, CvtOp Op) {
  ScalarType To = Op.getTy();
  bool Half = To == ScalarType::F16x2, Brain = To == ScalarType::Bf16x2;
  StringRef Mode = nvvmRounding(Op.getRnd());
  if ((!Half && !Brain) || Op.getSty() != ScalarType::F32 || Op.getFtz() ||
      Op.getSat() || (Mode != "rn" && Mode != "rz"))
    return unsupportedCvt(E, Op);
  Type Ty = E.typeOf(To);
  Value A = source(E, Op.getA(), Op.getSty()),
        B = source(E, Op.getB(), Op.getSty());
  if (Op.getSatfinite()) {
    A = clampToFinite(E, To, A);
    B = clampToFinite(E, To, B);
  }
  if (Mode != "rn" || Op.getRelu())
    return replaceBy(E, Op,
                     E.intrinsic("nvvm.ff2" + stringifyEnum(To) + "." + Mode +
                                     (Op.getRelu() ? ".relu" : ""),
                                 Ty, {A, B}));
  Type Element = cast<VectorType>(Ty).getElementType();
  Value V = E.make<LLVM::PoisonOp>(Ty);
  V = E.make<LLVM::InsertElementOp>(V, E.make<LLVM::FPTruncOp>(Element, B),
                                    E.constInt(32, 0));
  V = E.make<LLVM::InsertElementOp>(V, E.make<LLVM::FPTruncOp>(Element, A),
                                    E.constInt(32, 1));
  return replaceBy(E, Op, V);
}

/// An integer conversion whose untyped operand counts as unsigned.
static bool isIntLike(ScalarType Ty) { return isInt(Ty) || isBits(Ty); }

/// Whether \p Use is an element of A or B of a product in tf32, which does not
/// read the low bits of a register.
static bool isFactorInTf32(OpOperand &Use) {
  auto Op = dyn_cast<InstOp>(Use.getOwner());
  if (!Op || (Op.getOpcode() != "mma" && Op.getOpcode() != "wmma.mma"))
    return false;
  std::optional<ptx::Mnemonic> Mn = ptxir::resolveMnemonic(Op);
  // C, which has as many registers as D, comes last.
  return Mn && Mn->Types.size() > 2 &&
         ptx::getTypeName(Mn->Types[1]) == "tf32" &&
         Use.getOperandNumber() + Op->getNumResults() < Op->getNumOperands();
}

/// The same of all uses of a register, also behind moves.
static bool hasOnlyFactorsInTf32(Value V, unsigned Moves = 4) {
  return all_of(V.getUses(), [&](OpOperand &Use) {
    auto Move = dyn_cast<MovOp>(Use.getOwner());
    return Move ? Moves && hasOnlyFactorsInTf32(Move.getResult(), Moves - 1)
                : isFactorInTf32(Use);
  });
}

/// The result is a .b32 whose low bits do not count, but are zeros for programs
/// that look at them.
static LogicalResult cvtToTf32(Emitter &E, CvtOp Op) {
  if (Op.getSty() != ScalarType::F32 || Op.getFtz() || Op.getSat())
    return unsupportedCvt(E, Op);
  Value A = source(E, Op.getA(), ScalarType::F32);
  if (Op.getSatfinite())
    A = clampToFinite(E, ScalarType::Tf32, A);
  if (Op.getRnd() != Rounding::Rna)
    return replaceBy(
        E, Op, narrowSingle(E, ScalarType::Tf32, A, Op.getRnd(), Op.getRelu()));
  // Half a unit of the 13 bits that go away, added to the magnitude; the carry
  // runs on into the exponent and from the largest number to infinity.
  Value Bits = E.asInt(A);
  Value Sum = E.make<LLVM::AddOp>(Bits, E.constInt(32, 0x1000));
  Value Cut = hasOnlyFactorsInTf32(Op.getResult())
                  ? Sum
                  : E.make<LLVM::AndOp>(Sum, E.constInt(32, 0xFFFFE000));
  Value IsNaN = E.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, A, A);
  return replaceBy(E, Op, E.select(IsNaN, E.constInt(32, 0x7FFFFFFF), Cut));
}

static LogicalResult lowerCvt(Emitter &E, CvtOp Op) {
  ScalarType To = Op.getTy(), From = Op.getSty();
  if (Op.getB())
    return cvtPair(E, Op);
  if (To == ScalarType::Tf32)
    return cvtToTf32(E, Op);
  if (From == ScalarType::Pred || To == ScalarType::Pred || bitWidth(To) > 64)
    return unsupportedCvt(E, Op);
  if (isIntLike(To))
    return isIntLike(From) ? cvtIntToInt(E, Op) : cvtFloatToInt(E, Op);
  return isIntLike(From) ? cvtIntToFloat(E, Op) : cvtFloatToFloat(E, Op);
}

void lowering::addConvertLowerings(LoweringTable &Table) {
  Table.add<lowerCvt>();
}
