//===- blackscholes.cu - European option prices -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The math library at work: logarithm, exponential, square root, division and
// the complementary error function, in single precision.
//
//===----------------------------------------------------------------------===//

static __device__ float normalCDF(float X) {
  return 0.5f * erfcf(-0.70710678118654752f * X);
}

extern "C" __global__ void blackscholes(unsigned N, float Rate,
                                        float Volatility, const float *Spot,
                                        const float *Strike, const float *Years,
                                        float *Call, float *Put) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float S = Spot[I], K = Strike[I], T = Years[I];
  float Spread = Volatility * sqrtf(T);
  float D1 =
      (logf(S / K) + (Rate + 0.5f * Volatility * Volatility) * T) / Spread;
  float D2 = D1 - Spread;
  float Discounted = K * expf(-Rate * T);
  Call[I] = S * normalCDF(D1) - Discounted * normalCDF(D2);
  Put[I] = Discounted * normalCDF(-D2) - S * normalCDF(-D1);
}
