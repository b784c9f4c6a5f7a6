//===- EmulatorModel.cpp - The instructions as emulated ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions under the device library as the emulator has them, in place
// of the models of HostModel.cpp: with these the same tests show that the
// library and the emulator together are IEEE arithmetic.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/DeviceLibrary/Device/Instructions.h"
#include "HostModel.h"
#include "heddle/Emulator/SoftFloat.h"
#include "lib/Emulator/Execute/MathUnit.h"

/// The emulator has one approximation, whatever a test asks for.
int heddle::device::ApproximationError = 0;

using namespace heddle;
using namespace heddle::device;
using namespace heddle::emu;

static uint64_t bits(float Value) { return std::bit_cast<uint32_t>(Value); }
static uint64_t bits(double Value) { return std::bit_cast<uint64_t>(Value); }
static float toFloat(uint64_t Bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(Bits));
}
static double toDouble(uint64_t Bits) { return std::bit_cast<double>(Bits); }

float heddle::device::approxReciprocal(float X) {
  return toFloat(evaluate(MufuFn::Reciprocal, bits(X), true));
}

float heddle::device::approxReciprocalRoot(float X) {
  return toFloat(evaluate(MufuFn::ReciprocalRoot, bits(X), true));
}

float heddle::device::multiplyFTZ(float A, float B) {
  uint64_t Product =
      multiplyBits(F32Format.flush(bits(A)), F32Format.flush(bits(B)),
                   F32Format, Rounding::NearestEven);
  return toFloat(F32Format.flush(Product));
}

static uint64_t flushIf(int Mode, uint64_t Bits) {
  return Mode & FTZ ? F32Format.flush(Bits) : Bits;
}

static Rounding rounding(int Mode) { return static_cast<Rounding>(Mode & 3); }

Float2 heddle::device::__heddle_fdprep_f32(float A, float B) {
  return Float2{toFloat(prepareDivision(bits(A), F32Format)),
                toFloat(prepareDivision(bits(B), F32Format))};
}

float heddle::device::__heddle_fdfix_f32(float Q, float R, float A, float B,
                                         int Mode) {
  return toFloat(flushIf(
      Mode, finishDivision(bits(Q), bits(R), flushIf(Mode, bits(A)),
                           flushIf(Mode, bits(B)), F32Format, rounding(Mode))));
}

float heddle::device::__heddle_fsqprep_f32(float A) {
  return toFloat(prepareSquareRoot(bits(A), F32Format));
}

float heddle::device::__heddle_fsqfix_f32(float S, float R, float A, int Mode) {
  return toFloat(finishSquareRoot(bits(S), bits(R), flushIf(Mode, bits(A)),
                                  F32Format, rounding(Mode)));
}

Double2 heddle::device::__heddle_ddprep_f64(double A, double B) {
  return Double2{toDouble(prepareDivision(bits(A), F64Format)),
                 toDouble(prepareDivision(bits(B), F64Format))};
}

double heddle::device::__heddle_ddfix_f64(double Q, double R, double A,
                                          double B, int Mode) {
  return toDouble(finishDivision(bits(Q), bits(R), bits(A), bits(B), F64Format,
                                 rounding(Mode)));
}

double heddle::device::__heddle_dsqprep_f64(double A) {
  return toDouble(prepareSquareRoot(bits(A), F64Format));
}

double heddle::device::__heddle_dsqfix_f64(double S, double R, double A,
                                           int Mode) {
  return toDouble(
      finishSquareRoot(bits(S), bits(R), bits(A), F64Format, rounding(Mode)));
}
