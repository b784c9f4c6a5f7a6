//===- Checker.h - Operands against the table -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the operands of an instruction against the row that its mnemonic
// matches: number, kind, type and state space.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_PTX_CHECKER_H
#define HEDDLE_LIB_PTX_CHECKER_H

#include "heddle/PTX/Diagnostics.h"

namespace heddle::ptx {

class Checker {
public:
  Checker(DiagnosticEngine &Diags, llvm::StringRef Text)
      : Diags(Diags), Text(Text) {}
  void setModule(const Module *Mod) { M = Mod; }

  /// Puts the operands as written into the places of the row, with
  /// Operand::Kind::None where an optional one is left out. False when their
  /// number does not fit.
  static bool arrange(const Mnemonic &Mn, llvm::ArrayRef<Operand> Written,
                      llvm::SmallVectorImpl<Operand> &Arranged);

  /// Whether arranged operands are of the kinds that the row takes: vectors,
  /// addresses and pairs where it wants them. Tells rows with equally many
  /// operands apart.
  static bool fitsKinds(const Mnemonic &Mn, llvm::ArrayRef<Operand> Operands);

  /// Reports what is wrong with arranged operands; false when something is.
  /// Selectors get the form that OperandSelector describes. \p HasMeaning
  /// becomes false when one is accepted only since ptxas does not check it.
  bool checkOperands(const Mnemonic &Mn,
                     llvm::MutableArrayRef<Operand> Operands, bool &HasMeaning);
  /// Checks the operands of a call against the callee.
  bool checkCall(llvm::ArrayRef<Operand> Operands);
  bool checkGuard(const Guard &G, SourceRange Where);
  /// Warns if an integer loses bits in a type.
  void checkRange(Type Ty, uint64_t Value, bool Unsigned, SourceRange Where);
  /// The range of an operand that begins at \p Loc, for messages.
  SourceRange getRange(SourceLoc Loc) const;

private:
  struct Context {
    const Mnemonic &Mn;
    const OperandSpec &Spec;
    Type Ty;        ///< Required type.
    bool AnyType;   ///< There is none.
    unsigned Width; ///< Elements of the vector that is required, 0: scalar.
    bool InVector;  ///< It is an element of a vector,
    bool IsBits;    ///< one of whose elements has an untyped register.
  };

  llvm::StringRef getName(const Operand &O) const;
  bool fail(const Operand &O, const llvm::Twine &Message,
            const Decl *Declared = nullptr);
  bool failSize(const Operand &O, const llvm::Twine &Message,
                const Decl *Declared);
  bool tolerate(const Operand &O, const llvm::Twine &Message,
                const Decl *Declared = nullptr);
  bool isBarePlace(const Context &C, const Operand &O);
  std::optional<bool> checkUnchecked(const Context &C, const Operand &O);
  bool checkParts(const Context &C, const Operand &O);
  bool checkRepacking(const Mnemonic &Mn, llvm::ArrayRef<Operand> Operands);
  bool checkOne(const Context &C, const Operand &O);
  bool checkConstant(const Context &C, const Operand &O);
  bool checkValue(const Context &C, const Operand &O);
  bool checkObject(const Context &C, const Operand &O);
  bool checkSelector(const Context &C, Operand &O);
  bool checkScalar(const Context &C, const Operand &O);
  bool checkRegister(const Context &C, const Operand &O);
  bool checkFraction(const Context &C, const Operand &O);
  bool checkImmediate(const Context &C, const Operand &O);
  bool checkSpecial(const Context &C, const Operand &O);
  bool failSpace(const Context &C, const Operand &O, const Variable &V,
                 StateSpace Need);
  bool checkSymbolSpace(const Context &C, const Operand &O, const Variable &V);
  static bool takesFunctionName(const Context &C);
  bool checkSymbol(const Context &C, const Operand &O);
  static bool takesAnyConstant(const Context &C, const Operand &Part);
  bool isOfWords(const Context &C, const Operand &O);
  bool checkFragment(const Context &C, const Operand &O);
  bool checkElements(const Context &C, const Operand &O);
  bool isVectorRegister(const Context &C, const Operand &O) const;
  bool checkVector(const Context &C, const Operand &O);
  bool checkPacked(const Context &C, const Operand &O);
  bool checkPair(const Context &C, const Operand &O);

  // CheckAddresses.cpp
  bool checkAddress(const Context &C, const Operand &O);
  bool checkGenericPlace(const Context &C, const Operand &O, const Variable &V);
  void checkPlace(const Context &C, const Operand &O, const Variable &V);
  bool checkAddressRegister(const Context &C, StateSpace Space,
                            const Operand &O);
  bool checkAddressSpecial(const Context &C, StateSpace Space,
                           const Operand &O);
  bool checkUnified(const Context &C, const Operand &O);

  // CheckCalls.cpp
  bool checkParamVariable(const Operand &O, const Variable &V,
                          const Variable &Formal, const llvm::Twine &What);
  bool checkArgumentRegister(const Operand &O, Type Ty, Parameter P,
                             const llvm::Twine &What);
  bool checkArgument(const Operand &O, Parameter P, bool IsReturn,
                     const Decl *Callee);
  bool checkArgumentList(const Operand &List, llvm::ArrayRef<Parameter> Params,
                         bool IsReturn, const Decl *Callee);

  /// As in PTX, in quotes.
  static std::string quoted(Type Ty);
  /// Whether a register of type \p Reg may stand where the instruction has type
  /// \p Inst, leaving width aside.
  static bool agrees(Type Inst, Type Reg);
  /// Drops the part after `::`.
  static StateSpace getMainSpace(StateSpace S);
  static std::string spellSpace(StateSpace Space);

  DiagnosticEngine &Diags;
  llvm::StringRef Text;
  const Module *M = nullptr;
  /// Whether an operand of the present instruction was tolerated.
  bool Tolerated = false;
};

} // namespace heddle::ptx

#endif // HEDDLE_LIB_PTX_CHECKER_H
