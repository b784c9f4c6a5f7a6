//===- Features.cpp - What a kernel is like ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kinds of instructions by the beginnings of their mnemonics.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Features.h"

#include <cmath>

namespace heddle::tuning {

namespace {

struct Kind {
  std::string_view Prefix; ///< Of the mnemonic.
  size_t Feature;
};

/// The first that fits counts.
constexpr Kind Kinds[] = {
    {"ld.shared", 1}, {"st.shared", 1}, {"ld.local", 2}, {"st.local", 2},
    {"ld.", 0},       {"st.", 0},       {"tex.", 0},     {"cp.", 0},
    {"ldmatrix", 1},  {"atom.", 3},     {"red.", 3},     {"bar.", 3},
    {"barrier.", 3},  {"mbarrier.", 3}, {"mma.", 4},     {"wmma.", 4},
    {"wgmma.", 4},    {"sqrt.", 5},     {"rsqrt.", 5},   {"rcp.", 5},
    {"sin.", 5},      {"cos.", 5},      {"ex2.", 5},     {"lg2.", 5},
    {"div.", 5},      {"bra", 8},       {"call", 8},     {"brx.", 8},
};

} // namespace

/// Where an instruction is of none of the kinds, its type decides.
static size_t featureOf(std::string_view Mnemonic) {
  constexpr size_t Float = 6, Integer = 7;
  for (const Kind &K : Kinds)
    if (Mnemonic.starts_with(K.Prefix))
      return K.Feature;
  for (const char *Type : {".f16", ".f32", ".f64", ".bf16"})
    if (Mnemonic.find(Type) != Mnemonic.npos)
      return Float;
  return Integer;
}

/// Mnemonics are the words with a dot that begin a statement: behind a
/// semicolon, a brace or a label's colon, a guard in between.
Features featuresOf(const KernelText &Kernel) {
  Features F = {};
  double Count = 0;
  bool Begins = false;
  std::string_view Rest = Kernel.Text;
  while (!Rest.empty()) {
    size_t End = std::min(Rest.find_first_of(" \n"), Rest.size());
    std::string_view Token = Rest.substr(0, End);
    Rest.remove_prefix(std::min(End + 1, Rest.size()));
    if (Token.empty())
      continue;
    if (Token == ";" || Token == "{" || Token == "}" || Token == ":") {
      Begins = true;
    } else if (Token != "@" && Token != "!" && !Token.starts_with('%')) {
      bool IsMnemonic = Begins && Token[0] >= 'a' && Token[0] <= 'z';
      Begins = false;
      if (!IsMnemonic)
        continue;
      ++F[featureOf(Token)];
      ++Count;
    }
  }
  for (double &Share : F)
    Share /= std::max(Count, 1.0);
  F.back() = std::log(Count + 1) / 10;
  return F;
}

double distance(const Features &A, const Features &B) {
  double Squares = 0;
  for (size_t I = 0; I != NumFeatures; ++I)
    Squares += (A[I] - B[I]) * (A[I] - B[I]);
  return std::sqrt(Squares);
}

} // namespace heddle::tuning
