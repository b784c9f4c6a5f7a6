//===- FeaturesTest.cpp - Tests of kernels' features ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is counted, and which kernels are alike.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Features.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace heddle::tuning;

static Features featuresOfBody(const std::string &Body) {
  std::vector<KernelText> Kernels =
      kernelTexts(".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 "
                  "p)\n{\n" +
                  Body + "}\n");
  EXPECT_EQ(Kernels.size(), 1u);
  return featuresOf(Kernels.front());
}

TEST(Features, AreSharesOfInstructions) {
  Features F = featuresOfBody(R"(
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    ld.global.f32 %f1, [%rd1];
    @!%p1 ld.shared.f32 %f2, [%rd2];
  loop:
    fma.rn.f32 %f3, %f1, %f2, %f3;
    add.s32 %r1, %r1, 1;
    atom.global.add.u32 %r2, [%rd1], 1;
    sqrt.rn.f32 %f1, %f1;
    @%p1 bra loop;
    st.v2.f32 [%rd1], {%f1, %f2};
  )");
  constexpr double N = 8;
  EXPECT_DOUBLE_EQ(F[0], 2 / N) << "global memory";
  EXPECT_DOUBLE_EQ(F[1], 1 / N) << "shared memory";
  EXPECT_DOUBLE_EQ(F[2], 0) << "local memory";
  EXPECT_DOUBLE_EQ(F[3], 1 / N) << "atomics";
  EXPECT_DOUBLE_EQ(F[4], 0) << "matrices";
  EXPECT_DOUBLE_EQ(F[5], 1 / N) << "functions";
  EXPECT_DOUBLE_EQ(F[6], 1 / N) << "floating point";
  EXPECT_DOUBLE_EQ(F[7], 1 / N) << "integers";
  EXPECT_DOUBLE_EQ(F[8], 1 / N) << "branches";
  EXPECT_DOUBLE_EQ(F[9], std::log(N + 1) / 10) << "size";
}

TEST(Features, SimilarCodeIsNear) {
  std::string Load = "ld.global.f32 %f1, [%rd1];\n",
              Multiply = "mul.f32 %f1, %f1, %f1;\n",
              Integer = "add.s32 %r1, %r1, 1;\n";
  Features A = featuresOfBody(Load + Multiply + Integer),
           B = featuresOfBody(Load + Multiply + Multiply + Integer),
           C = featuresOfBody(Integer + Integer + Integer);
  EXPECT_EQ(distance(A, A), 0);
  EXPECT_EQ(distance(A, C), distance(C, A));
  EXPECT_LT(distance(A, B), distance(A, C));
  EXPECT_EQ(featuresOfBody("")[0], 0);
}
