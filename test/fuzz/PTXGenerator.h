//===- PTXGenerator.h - Makes PTX from a string of choices ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generator of PTX that knows the grammar: instructions come from the rows of
// the instruction table, most with operands that fit. All choices are read from
// bytes, so that a fuzzer's changes to the bytes are changes of the program.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FUZZ_PTXGENERATOR_H
#define HEDDLE_TEST_FUZZ_PTXGENERATOR_H

#include "heddle/PTX/Tables.h"
#include <string>

namespace heddle::ptx {

/// Choices read from bytes; behind their end every choice is the first.
class Choices {
public:
  explicit Choices(llvm::ArrayRef<uint8_t> Bytes) : Bytes(Bytes) {}
  bool isEmpty() const { return Bytes.empty(); }
  /// A number below \p N, which must not be 0.
  uint32_t pick(uint32_t N);
  /// True once in \p N times.
  bool oneIn(uint32_t N) { return pick(N) == N - 1; }
  template <typename RangeT> auto &of(RangeT &&Values) {
    return Values[pick(std::size(Values))];
  }

private:
  llvm::ArrayRef<uint8_t> Bytes;
};

class PTXGenerator {
public:
  explicit PTXGenerator(llvm::ArrayRef<uint8_t> Bytes) : C(Bytes) {}

  /// A module with variables, a device function and a kernel.
  std::string makeModule();
  /// An instruction with its `;`, with the registers that makeModule and nvcc
  /// declare.
  std::string makeInstruction();
  /// \p Text with one token or statement changed.
  std::string mutate(llvm::StringRef Text);

private:
  std::string makeHeader();
  std::string makeStatement();
  std::string makeMnemonic(const FormRow &Row);
  std::string makeOperand(const FormRow &Row, const OperandSpec &Spec);
  std::string makeValue(const OperandSpec &Spec, Type Ty);
  std::string makeScalar(const OperandSpec &Spec, Type Ty);
  std::string makeAddress();
  std::string makeRegister(Type Ty);
  std::string makeConstant(unsigned Depth);
  std::string makeLiteral();
  std::string makeWord();

  Choices C;
  /// Of the instruction that is being made.
  llvm::SmallVector<Type, MaxTypesPerForm> Types;
  llvm::SmallVector<unsigned, 8> Kinds;
  unsigned VectorWidth = 0;
};

} // namespace heddle::ptx

#endif // HEDDLE_TEST_FUZZ_PTXGENERATOR_H
