//===- Butterflies.h - Transforms of a few numbers --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code: the discrete Fourier transforms, forward, of as many numbers as
// a pass of a longer one takes together, in registers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_DEVICE_BUTTERFLIES_H
#define HEDDLE_LIB_CUDA_FFT_DEVICE_BUTTERFLIES_H

#define HEDDLE_DEVICE __attribute__((device))

namespace heddle::cuda::fft {

template <typename T> struct alignas(2 * sizeof(T)) Number {
  T Re, Im;
};

template <typename T>
HEDDLE_DEVICE Number<T> operator+(Number<T> A, Number<T> B) {
  return {A.Re + B.Re, A.Im + B.Im};
}
template <typename T>
HEDDLE_DEVICE Number<T> operator-(Number<T> A, Number<T> B) {
  return {A.Re - B.Re, A.Im - B.Im};
}
template <typename T>
HEDDLE_DEVICE Number<T> operator*(Number<T> A, Number<T> B) {
  return {A.Re * B.Re - A.Im * B.Im, A.Re * B.Im + A.Im * B.Re};
}
template <typename T> HEDDLE_DEVICE Number<T> scaled(T Factor, Number<T> A) {
  return {Factor * A.Re, Factor * A.Im};
}
/// -i * A.
template <typename T> HEDDLE_DEVICE Number<T> turned(Number<T> A) {
  return {A.Im, -A.Re};
}
template <typename T> HEDDLE_DEVICE Number<T> swapped(Number<T> A) {
  return {A.Im, A.Re};
}

/// The cosine and the sine of I parts of Radix of a full turn, for I up to
/// half.
template <int Radix> struct Turn;
template <> struct Turn<3> {
  static constexpr double Cos[] = {1, -0.5};
  static constexpr double Sin[] = {0, 0.86602540378443864676};
};
template <> struct Turn<5> {
  static constexpr double Cos[] = {1, 0.30901699437494742410,
                                   -0.80901699437494742410};
  static constexpr double Sin[] = {0, 0.95105651629515357212,
                                   0.58778525229247312917};
};
template <> struct Turn<7> {
  static constexpr double Cos[] = {1, 0.62348980185873353053,
                                   -0.22252093395631440429,
                                   -0.90096886790241912624};
  static constexpr double Sin[] = {0, 0.78183148246802980871,
                                   0.97492791218182360702,
                                   0.43388373911755812048};
};
template <> struct Turn<11> {
  static constexpr double Cos[] = {1,
                                   0.84125353283118116886,
                                   0.41541501300188642553,
                                   -0.14231483827328514044,
                                   -0.65486073394528506406,
                                   -0.95949297361449738989};
  static constexpr double Sin[] = {0,
                                   0.54064081745559758211,
                                   0.90963199535451837141,
                                   0.98982144188093273238,
                                   0.75574957435425828377,
                                   0.28173255684142969771};
};
template <> struct Turn<13> {
  static constexpr double Cos[] = {1,
                                   0.88545602565320989590,
                                   0.56806474673115580251,
                                   0.12053668025532305335,
                                   -0.35460488704253562597,
                                   -0.74851074817110109863,
                                   -0.97094181742605202716};
  static constexpr double Sin[] = {0,
                                   0.46472317204376854566,
                                   0.82298386589365639458,
                                   0.99270887409805399280,
                                   0.93501624268541482344,
                                   0.66312265824079520238,
                                   0.23931566428755776715};
};

/// Odd radices: each number and its mirror image share cosines and sines.
template <int Radix> struct Butterfly {
  template <typename T> static HEDDLE_DEVICE void run(Number<T> *X) {
    constexpr int Half = Radix / 2;
    Number<T> Sums[Half + 1], Differences[Half + 1], All = X[0];
#pragma unroll
    for (int Q = 1; Q <= Half; ++Q) {
      Sums[Q] = X[Q] + X[Radix - Q];
      Differences[Q] = X[Q] - X[Radix - Q];
      All = All + Sums[Q];
    }
#pragma unroll
    for (int P = 1; P <= Half; ++P) {
      Number<T> Even = X[0], Odd = {0, 0};
#pragma unroll
      for (int Q = 1; Q <= Half; ++Q) {
        int Parts = P * Q % Radix;
        bool IsMirrored = Parts > Half;
        int I = IsMirrored ? Radix - Parts : Parts;
        Even = Even + scaled(T(Turn<Radix>::Cos[I]), Sums[Q]);
        T Sine = T(Turn<Radix>::Sin[I]);
        Odd = Odd + scaled(IsMirrored ? -Sine : Sine, Differences[Q]);
      }
      X[P] = Even + turned(Odd);
      X[Radix - P] = Even - turned(Odd);
    }
    X[0] = All;
  }
};

template <> struct Butterfly<2> {
  template <typename T> static HEDDLE_DEVICE void run(Number<T> *X) {
    Number<T> Sum = X[0] + X[1];
    X[1] = X[0] - X[1];
    X[0] = Sum;
  }
};

template <> struct Butterfly<4> {
  template <typename T> static HEDDLE_DEVICE void run(Number<T> *X) {
    Number<T> Even = X[0] + X[2], EvenDifference = X[0] - X[2];
    Number<T> Odd = X[1] + X[3], OddDifference = turned(X[1] - X[3]);
    X[0] = Even + Odd;
    X[2] = Even - Odd;
    X[1] = EvenDifference + OddDifference;
    X[3] = EvenDifference - OddDifference;
  }
};

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_DEVICE_BUTTERFLIES_H
