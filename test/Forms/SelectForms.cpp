//===- SelectForms.cpp - Selections -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// selp and slct.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

static constexpr IntType Types[] = {
    {"b16", 16, false}, {"b32", 32, false}, {"b64", 64, false},
    {"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false},
    {"s16", 16, true},  {"s32", 32, true},  {"s64", 64, true},
    {"f32", 32, true},  {"f64", 64, true}};

void forms::addSelectForms(FormList &List) {
  for (IntType T : Types) {
    Source S = integers(T.Bits);
    std::string Name = T.Name;
    List.add("selp." + Name, {S, S, predicates()}, {bits(T.Bits)},
             [](Words S, uint64_t *D) { D[0] = S[2] ? S[0] : S[1]; });
    List.add("slct." + Name + ".s32", {S, S, integers(32)}, {bits(T.Bits)},
             [](Words S, uint64_t *D) {
               D[0] = S32.value(S[2]) >= 0 ? S[0] : S[1];
             });
    for (bool Ftz : {false, true})
      List.add("slct" + optional(Ftz, ".ftz") + "." + Name + ".f32",
               {S, S, floats(F32)}, {bits(T.Bits)},
               [Ftz](Words S, uint64_t *D) {
                 uint64_t C = Ftz ? F32.flush(S[2]) : S[2];
                 int Order = floatCompare(C, 0, F32);
                 D[0] = Order == 0 || Order == 1 ? S[0] : S[1];
               });
  }
}
