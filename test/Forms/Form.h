//===- Form.h - One form of a scalar instruction ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the semantic test knows of a form: the PTX text, the values to try, and
// what must come out, computed apart from the compiler and the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_FORM_H
#define HEDDLE_TEST_FORMS_FORM_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::forms {

struct FloatFormat;

/// What the values of a source mean, hence which are worth trying.
enum class Domain : uint8_t {
  Integer, ///< Of the source's width.
  Amount,  ///< A shift distance, bit position or field length.
  Float,   ///< Of Source::Format, Source::Lanes of them in a register.
  Bytes,   ///< Four 8-bit integers.
  Halves,  ///< Two 16-bit integers.
  Predicate,
};

/// A source register.
struct Source {
  unsigned Bits;      ///< Of the register; 1 for a predicate.
  Domain Kind;        ///< Of its values.
  unsigned Width = 0; ///< Bits that count, if fewer than the register has.
  const FloatFormat *Format = nullptr;
  unsigned Lanes = 1;

  bool operator==(const Source &) const = default;
};

/// A result register.
struct Result {
  unsigned Bits; ///< 1 for a predicate.
  /// Any NaN of this format is as good as another, in each of Lanes.
  const FloatFormat *AnyNaN = nullptr;
  unsigned Lanes = 1;
  /// That is so only where the compiler computes the result: the instruction
  /// gives the canonical NaN, which the manual does not ask for.
  bool OnlyFolded = false;
};

/// Most sources and results of a form.
inline constexpr unsigned MaxSources = 5;
inline constexpr unsigned MaxResults = 4;

/// Computes the results from the sources, each in the low bits of a word.
using Reference = std::function<void(const uint64_t *S, uint64_t *D)>;
/// Says what is wrong with results that are not prescribed to the bit; empty
/// if nothing.
using Judge = std::function<std::string(const uint64_t *S, const uint64_t *D)>;

/// One form. Exactly one of Expected and Accepts is set.
struct Form {
  /// The mnemonic; where one mnemonic has several forms of operands, a space
  /// and what tells them apart follow.
  std::string Name;
  /// PTX with $d0, $d1 for the results and $s0 ... for the sources.
  std::string Text;
  std::vector<Source> Sources;
  std::vector<Result> Results;
  Reference Expected;
  Judge Accepts;
  std::string Target = "sm_100a";

  /// The name up to the first space.
  std::string mnemonic() const { return Name.substr(0, Name.find(' ')); }
};

/// The forms of a family.
class FormList {
public:
  /// Adds a form whose text is `mnemonic $d0, $s0, $s1, ...;`.
  Form &add(std::string Mnemonic, std::vector<Source> Sources,
            std::vector<Result> Results, Reference Expected);
  /// Adds a form with a text of its own.
  Form &addText(std::string Name, std::string Text, std::vector<Source> Sources,
                std::vector<Result> Results, Reference Expected);
  /// Like add, for results that are only bounded.
  Form &addJudged(std::string Mnemonic, std::vector<Source> Sources,
                  std::vector<Result> Results, Judge Accepts);

  std::vector<Form> Forms;
};

/// A named group of forms; one program run tests one family.
struct Family {
  const char *Name;
  void (*Add)(FormList &);
};
/// All families, in the order of the manual's chapters.
const std::vector<Family> &families();

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_FORM_H
