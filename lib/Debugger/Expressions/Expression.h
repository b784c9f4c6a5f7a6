//===- Expression.h - C expressions of the debugger -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses C expressions once, and evaluates them in any number of places. What
// names and registers mean is the scope's matter.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_EXPRESSION_H
#define HEDDLE_LIB_DEBUGGER_EXPRESSION_H

#include "Value.h"

#include <memory>

namespace heddle::debug {

/// Where an expression is evaluated.
class Scope {
public:
  virtual ~Scope();
  /// The value of a name of the program: `threadIdx`, a variable.
  virtual llvm::Expected<Value> lookup(llvm::StringRef Name) = 0;
  /// The value of `$Name`.
  virtual llvm::Expected<Value> lookupConvenience(llvm::StringRef Name) = 0;
  virtual llvm::Error setConvenience(llvm::StringRef Name, const Value &V) = 0;
  /// The bytes of \p T at an address.
  virtual llvm::Expected<Value> load(const Type *T, MemorySpace Space,
                                     uint64_t Address) = 0;
  /// Changes what stands at the place of \p To.
  virtual llvm::Error store(const Value &To, llvm::ArrayRef<uint8_t> Bytes) = 0;
};

/// A part of an expression.
struct Node {
  enum KindType : uint8_t {
    Constant,
    Name,
    Convenience,
    Unary,  ///< Text is the operator.
    Binary, ///< Likewise; assignments too.
    Choice, ///< ?:
    Cast,
    SizeOf, ///< Of the type, or of the operand.
    Index,
    Member,
    Repeat, ///< a@n
  };
  KindType Kind;
  std::string Text;
  const Type *Of = nullptr; ///< Of a cast.
  Value Literal;
  std::vector<std::unique_ptr<Node>> Parts;
};

/// The type that an operation on numbers of two types has.
const Type *commonType(const Type *A, const Type *B, const TypePool &Types);

/// A member, of the type itself or of one that it derives from; none if there
/// is none of the name.
std::optional<Value> findMember(const Value &V, llvm::StringRef Name);
/// What a reference refers to; any other value as it is.
llvm::Expected<Value> followed(llvm::Expected<Value> V, Scope &S);

class Expression {
public:
  /// Parses all of \p Text. \p Types has to outlive the expression.
  static llvm::Expected<Expression> parse(llvm::StringRef Text,
                                          TypePool &Types);
  /// The type that \p Text names; null if it is not the name of one.
  static const Type *parseType(llvm::StringRef Text, TypePool &Types);
  llvm::Expected<Value> evaluate(Scope &S) const;
  /// As it was written.
  llvm::StringRef text() const { return Text; }
  const Node &root() const { return *Root; }
  /// Calls \p Do for each part.
  void visit(llvm::function_ref<void(const Node &)> Do) const;
  /// Whether it changes something by itself.
  bool assigns() const;

private:
  std::string Text;
  std::unique_ptr<Node> Root;
  TypePool *Types = nullptr;
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_EXPRESSION_H
