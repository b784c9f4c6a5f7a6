//===- Tables.cpp - Roots of one and chirps ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Angles are reduced in whole numbers, so that long lines are as exact as short
// ones.
//
//===----------------------------------------------------------------------===//

#include "FFT/Tables.h"

#include <cmath>
#include <numbers>

using namespace heddle::cuda;
using Complex = std::complex<double>;

/// exp(-2 pi i Numerator / Length), from an angle of an eighth of a turn at
/// most, so that what is symmetric is so to the last bit.
static Complex root(uint64_t Numerator, uint64_t Length) {
  uint64_t Angle = 8 * (Numerator % Length); // Of 8 * Length to a turn.
  bool IsBelow = Angle > 4 * Length;
  if (IsBelow)
    Angle = 8 * Length - Angle;
  bool IsLeft = Angle > 2 * Length;
  if (IsLeft)
    Angle = 4 * Length - Angle;
  bool IsSteep = Angle > Length;
  if (IsSteep)
    Angle = 2 * Length - Angle;
  double Radians = std::numbers::pi * (double(Angle) / (4 * double(Length)));
  double Cosine = std::cos(Radians), Sine = std::sin(Radians);
  if (IsSteep)
    std::swap(Cosine, Sine);
  return {IsLeft ? -Cosine : Cosine, IsBelow ? Sine : -Sine};
}

std::vector<Complex> fft::rootsOfOne(uint32_t Length) {
  std::vector<Complex> Roots(Length);
  for (uint32_t I = 0; I != Length; ++I)
    Roots[I] = root(I, Length);
  return Roots;
}

std::vector<Complex> fft::chirp(uint32_t Length) {
  std::vector<Complex> Chirp(Length);
  for (uint64_t I = 0; I != Length; ++I)
    Chirp[I] = root(I * I, 2 * uint64_t(Length));
  return Chirp;
}

std::vector<Complex> fft::convolvedChirp(uint32_t Length, uint32_t Padded) {
  std::vector<Complex> Line(Padded), Chirp = chirp(Length);
  for (uint32_t I = 0; I != Length; ++I) {
    Complex Value = std::conj(Chirp[I]) / double(Padded);
    Line[I] = Value;
    Line[I == 0 ? 0 : Padded - I] = Value;
  }
  return Line;
}
