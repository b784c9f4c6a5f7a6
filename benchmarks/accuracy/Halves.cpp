//===- Halves.cpp - Functions of numbers in 16 bits -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The guide's tables 47 to 50 and 56 have bounds of functions of __half and
// __nv_bfloat16, which are in CUDA's headers and not in libdevice.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace heddle::accuracy;

void heddle::accuracy::addHalfFunctions(std::vector<Function> &List) {
  struct Entry {
    const char *Name;
    double Most;
    Exact Want;
  };
  const Entry Entries[] = {{"hexp", 0, unary<mpfr_exp>},
                           {"hexp2", 0, unary<mpfr_exp2>},
                           {"hexp10", 0, unary<mpfr_exp10>},
                           {"hlog", 0, unary<mpfr_log>},
                           {"hlog2", 0, unary<mpfr_log2>},
                           {"hlog10", 0, unary<mpfr_log10>},
                           {"hsqrt", 0, unary<mpfr_sqrt>},
                           {"hrsqrt", 0, exact::reciprocalRoot},
                           {"hrcp", 0, exact::reciprocal},
                           {"hsin", 0, unary<mpfr_sin>},
                           {"hcos", 0, unary<mpfr_cos>},
                           {"htanh", 0, unary<mpfr_tanh>},
                           {"htanh_approx", 1, unary<mpfr_tanh>}};
  for (bool IsBFloat : {false, true})
    for (const Entry &E : Entries) {
      Function F;
      F.Name = std::string(E.Name) + (IsBFloat ? ", bfloat16" : ", half");
      F.In = Group::Half;
      F.Result = IsBFloat ? BF16 : F16;
      F.Arguments = {F.Result};
      F.CUDA = std::string(E.Name) + "(x)";
      F.Promised = ulps(E.Most);
      F.Want = E.Want;
      F.Focus = {{-4, 4}};
      List.push_back(F);
    }
}
