//===- Evaluate.cpp - Values of expressions ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C's arithmetic on values: promotions, the usual conversions, pointers.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include <cmath>

using namespace llvm;

namespace heddle::debug {

const Type *commonType(const Type *A, const Type *B, const TypePool &Types) {
  if (A->Kind == Type::Float || B->Kind == Type::Float) {
    if (A->Kind == B->Kind)
      return A->Size >= B->Size ? A : B;
    return A->Kind == Type::Float ? A : B;
  }
  if (A->Size < 4 && B->Size < 4)
    return Types.Int;
  if (A->Size != B->Size)
    return A->Size > B->Size ? A : B;
  return A->Signed ? B : A;
}

std::optional<Value> findMember(const Value &V, StringRef Name) {
  for (const Type::Field &F : V.Of->Fields)
    if (!F.IsBase && F.Name == Name)
      return memberOf(V, F);
  for (const Type::Field &F : V.Of->Fields)
    if (F.IsBase || F.Name.empty())
      if (auto Found = findMember(memberOf(V, F), Name))
        return Found;
  return std::nullopt;
}

Expected<Value> followed(Expected<Value> V, Scope &S) {
  if (!V || !V->Of->IsReference)
    return V;
  return S.load(V->Of->Element, MemorySpace::Generic, V->integer());
}

namespace {

class Evaluator {
public:
  Evaluator(Scope &S, TypePool &Types) : S(S), Types(Types) {}

  Expected<Value> of(const Node &N);

private:
  Expected<Value> unary(const Node &N);
  Expected<Value> binary(const Node &N);
  Expected<Value> logical(const Node &N);
  Expected<Value> assign(const Node &N);
  Expected<Value> cast(const Node &N);
  Expected<Value> index(const Node &N);
  Expected<Value> member(const Node &N);
  Expected<Value> repeat(const Node &N);
  Expected<Value> sizeOf(const Node &N);
  Expected<Value> addressOf(const Value &V);
  Expected<Value> dereference(const Value &Pointer, int64_t Index = 0);
  Expected<Value> scalar(const Node &N);
  Expected<Value> apply(StringRef Operator, const Value &A, const Value &B);
  Expected<Value> applyToIntegers(StringRef Operator, uint64_t A, uint64_t B,
                                  const Type *T);
  Expected<Value> applyToPointers(StringRef Operator, const Value &A,
                                  const Value &B);
  /// An array as the pointer to its first element.
  Expected<Value> decay(Value V);

  Scope &S;
  TypePool &Types;
};

Expected<Value> Evaluator::of(const Node &N) {
  switch (N.Kind) {
  case Node::Constant:
    return N.Literal;
  case Node::Name:
    return S.lookup(N.Text);
  case Node::Convenience:
    return S.lookupConvenience(N.Text);
  case Node::Unary:
    return unary(N);
  case Node::Binary:
    return binary(N);
  case Node::Choice: {
    Expected<Value> Condition = scalar(*N.Parts[0]);
    if (!Condition)
      return Condition;
    return of(*N.Parts[Condition->isTrue() ? 1 : 2]);
  }
  case Node::Cast:
    return cast(N);
  case Node::SizeOf:
    return sizeOf(N);
  case Node::Index:
    return index(N);
  case Node::Member:
    return member(N);
  case Node::Repeat:
    return repeat(N);
  }
  return createStringError("no such expression");
}

Expected<Value> Evaluator::decay(Value V) {
  if (V.Of->Kind != Type::Array)
    return V;
  if (V.At.Kind != Place::Memory)
    return createStringError("the array is not in memory");
  return makeInteger(Types.pointerTo(V.Of->Element, V.At.Space), V.At.Address);
}

Expected<Value> Evaluator::scalar(const Node &N) {
  Expected<Value> V = of(N);
  if (!V)
    return V;
  if (V->isLost())
    return optimizedOut();
  if (V->Of->AsNumber && V->isComplete())
    return asNumber(*V);
  V = decay(std::move(*V));
  if (V && !V->Of->isScalar())
    return createStringError("a value of type '" + V->Of->Name +
                             "' is no operand");
  return V;
}

Expected<Value> Evaluator::addressOf(const Value &V) {
  if (V.At.Kind != Place::Memory)
    return createStringError(V.At.Kind == Place::Register
                                 ? "a register has no address"
                                 : "what is no variable has no address");
  return makeInteger(Types.pointerTo(V.Of, V.At.Space), V.At.Address);
}

Expected<Value> Evaluator::dereference(const Value &Pointer, int64_t Index) {
  const Type &T = *Pointer.Of;
  if (T.Kind != Type::Pointer)
    return createStringError("a value of type '" + T.Name +
                             "' is no pointer; cast it, as in *(int *) ...");
  if (T.Element->Kind == Type::Void)
    return createStringError("what a 'void *' points to has no type");
  return S.load(T.Element, T.Space,
                Pointer.integer() +
                    uint64_t(Index) * stepOf(T.Space, T.Element->Size));
}

Expected<Value> Evaluator::unary(const Node &N) {
  const Node &Operand = *N.Parts[0];
  if (N.Text == "&") {
    Expected<Value> V = of(Operand);
    return V ? addressOf(*V) : std::move(V);
  }
  Expected<Value> V = scalar(Operand);
  if (!V)
    return V;
  if (N.Text == "*")
    return dereference(*V);
  if (N.Text == "!")
    return makeInteger(Types.Int, !V->isTrue());
  if (V->Of->Kind == Type::Float && N.Text != "~")
    return N.Text == "-" ? makeFloat(V->Of, -V->number()) : *V;
  if (V->Of->Kind != Type::Integer)
    return createStringError("'" + N.Text + "' takes a number");
  const Type *T = commonType(V->Of, Types.Int, Types);
  uint64_t Number = V->integer();
  return makeInteger(T, N.Text == "-"   ? -Number
                        : N.Text == "~" ? ~Number
                                        : Number);
}

Expected<Value> Evaluator::applyToIntegers(StringRef Operator, uint64_t A,
                                           uint64_t B, const Type *T) {
  auto SA = int64_t(A), SB = int64_t(B);
  if (Operator == "+")
    return makeInteger(T, A + B);
  if (Operator == "-")
    return makeInteger(T, A - B);
  if (Operator == "*")
    return makeInteger(T, A * B);
  if (Operator == "/" || Operator == "%") {
    if (B == 0)
      return createStringError("division by zero");
    bool Divides = Operator == "/";
    if (T->Signed) {
      if (SB == -1) // The least number has no negative.
        return makeInteger(T, Divides ? -A : 0);
      return makeInteger(T, uint64_t(Divides ? SA / SB : SA % SB));
    }
    return makeInteger(T, Divides ? A / B : A % B);
  }
  if (Operator == "&")
    return makeInteger(T, A & B);
  if (Operator == "|")
    return makeInteger(T, A | B);
  if (Operator == "^")
    return makeInteger(T, A ^ B);
  if (Operator == "==")
    return makeInteger(Types.Int, A == B);
  if (Operator == "!=")
    return makeInteger(Types.Int, A != B);
  bool Less = T->Signed ? SA < SB : A < B;
  if (Operator == "<")
    return makeInteger(Types.Int, Less);
  if (Operator == ">=")
    return makeInteger(Types.Int, !Less);
  if (Operator == "<=")
    return makeInteger(Types.Int, Less || A == B);
  if (Operator == ">")
    return makeInteger(Types.Int, !Less && A != B);
  return createStringError("'" + Operator + "' takes other operands");
}

static Expected<Value> applyToFloats(StringRef Operator, double A, double B,
                                     const Type *T, const Type *Int) {
  if (Operator == "+")
    return makeFloat(T, A + B);
  if (Operator == "-")
    return makeFloat(T, A - B);
  if (Operator == "*")
    return makeFloat(T, A * B);
  if (Operator == "/")
    return makeFloat(T, A / B);
  if (Operator == "==")
    return makeInteger(Int, A == B);
  if (Operator == "!=")
    return makeInteger(Int, A != B);
  if (Operator == "<")
    return makeInteger(Int, A < B);
  if (Operator == "<=")
    return makeInteger(Int, A <= B);
  if (Operator == ">")
    return makeInteger(Int, A > B);
  if (Operator == ">=")
    return makeInteger(Int, A >= B);
  return createStringError("'" + Operator + "' takes whole numbers");
}

Expected<Value> Evaluator::applyToPointers(StringRef Operator, const Value &A,
                                           const Value &B) {
  bool Both = A.Of->Kind == B.Of->Kind;
  const Value &P = A.Of->Kind == Type::Pointer ? A : B;
  const Value &Other = &P == &A ? B : A;
  uint64_t Size =
      std::max<uint64_t>(stepOf(P.Of->Space, P.Of->Element->Size), 1);
  if (!Both && Other.Of->Kind == Type::Integer) {
    if (Operator == "+")
      return makeInteger(P.Of, P.integer() + Other.integer() * Size);
    if (Operator == "-" && &P == &A)
      return makeInteger(P.Of, P.integer() - Other.integer() * Size);
  }
  if (Both && Operator == "-")
    return makeInteger(Types.Long, uint64_t(int64_t(A.integer() - B.integer()) /
                                            int64_t(Size)));
  bool Compares = Operator == "==" || Operator == "!=" ||
                  Operator.starts_with("<") || Operator.starts_with(">");
  if (Compares && Operator.size() <= 2 && Operator != "<<" &&
      Operator != ">>" && Other.Of->Kind != Type::Float)
    return applyToIntegers(Operator, A.integer(), B.integer(), Types.ULong);
  return createStringError("'" + Operator + "' takes no pointers");
}

Expected<Value> Evaluator::apply(StringRef Operator, const Value &A,
                                 const Value &B) {
  if (A.Of->Kind == Type::Pointer || B.Of->Kind == Type::Pointer)
    return applyToPointers(Operator, A, B);
  const Type *T = commonType(A.Of, B.Of, Types);
  if (T->Kind == Type::Float) {
    Expected<Value> X = convert(A, T), Y = convert(B, T);
    if (!X)
      return X;
    if (!Y)
      return Y;
    return applyToFloats(Operator, X->number(), Y->number(), T, Types.Int);
  }
  if (Operator == "<<" || Operator == ">>") {
    T = commonType(A.Of, Types.Int, Types);
    uint64_t By = B.integer();
    if (By >= 8 * T->Size)
      return createStringError("a shift by as many bits as there are, or more");
    uint64_t Number = A.integer();
    return makeInteger(T, Operator == "<<" ? Number << By
                          : T->Signed      ? uint64_t(int64_t(Number) >> By)
                                           : Number >> By);
  }
  // Both as the common type has them.
  return applyToIntegers(Operator, makeInteger(T, A.integer()).integer(),
                         makeInteger(T, B.integer()).integer(), T);
}

Expected<Value> Evaluator::logical(const Node &N) {
  Expected<Value> A = scalar(*N.Parts[0]);
  if (!A)
    return A;
  bool IsAnd = N.Text == "&&";
  if (A->isTrue() != IsAnd)
    return makeInteger(Types.Int, !IsAnd);
  Expected<Value> B = scalar(*N.Parts[1]);
  if (!B)
    return B;
  return makeInteger(Types.Int, B->isTrue());
}

static bool isAssignment(StringRef Operator) {
  return Operator.ends_with("=") && Operator != "==" && Operator != "!=" &&
         Operator != "<=" && Operator != ">=";
}

Expected<Value> Evaluator::assign(const Node &N) {
  const Node &Target = *N.Parts[0];
  StringRef Operator = StringRef(N.Text).drop_back();
  if (Target.Kind == Node::Convenience && Operator.empty()) {
    Expected<Value> V = of(*N.Parts[1]);
    if (!V)
      return V;
    Expected<Value> Old = S.lookupConvenience(Target.Text);
    bool IsRegister = Old && Old->At.Kind == Place::Register;
    if (!Old)
      consumeError(Old.takeError());
    if (!IsRegister) {
      if (Error E = S.setConvenience(Target.Text, *V))
        return std::move(E);
      return V;
    }
  }
  Expected<Value> To = of(Target);
  if (!To)
    return To;
  Expected<Value> V = scalar(*N.Parts[1]);
  if (V && !Operator.empty())
    V = apply(Operator, *To, *V);
  if (!V)
    return V;
  if (To->At.Kind == Place::Nowhere)
    return createStringError("what is left of '=' cannot be changed");
  Expected<Value> Converted = convert(*V, To->Of);
  if (!Converted)
    return Converted;
  if (Error E = S.store(*To, Converted->Bytes))
    return std::move(E);
  Converted->At = To->At;
  return Converted;
}

Expected<Value> Evaluator::binary(const Node &N) {
  if (N.Text == "&&" || N.Text == "||")
    return logical(N);
  if (isAssignment(N.Text))
    return assign(N);
  Expected<Value> A = scalar(*N.Parts[0]);
  if (!A)
    return A;
  Expected<Value> B = scalar(*N.Parts[1]);
  if (!B)
    return B;
  return apply(N.Text, *A, *B);
}

Expected<Value> Evaluator::cast(const Node &N) {
  Expected<Value> V = of(*N.Parts[0]);
  // A variable whose type nobody knows is of the type that it is cast to.
  if (V && V->Of->Kind == Type::Void && V->At.Kind == Place::Memory)
    return S.load(N.Of, V->At.Space, V->At.Address);
  if (V)
    V = decay(std::move(*V));
  if (!V)
    return V;
  if (V->Of->Kind == Type::Struct && V->Of->Name == N.Of->Name)
    return V;
  if (V->Of->AsNumber && V->isComplete())
    return convert(asNumber(*V), N.Of);
  // A type without a space says nothing of where the pointer points to.
  bool KeepsSpace = N.Of->Kind == Type::Pointer &&
                    N.Of->Space == MemorySpace::Generic &&
                    V->Of->Kind == Type::Pointer;
  return convert(*V, KeepsSpace ? Types.pointerTo(N.Of->Element, V->Of->Space)
                                : N.Of);
}

/// Only what there is.
static Expected<Value> notLost(Value V) {
  if (V.isLost() || (V.Of->isScalar() && !V.isComplete()))
    return optimizedOut();
  return V;
}

Expected<Value> Evaluator::index(const Node &N) {
  Expected<Value> Base = of(*N.Parts[0]);
  if (!Base)
    return Base;
  Expected<Value> I = scalar(*N.Parts[1]);
  if (!I)
    return I;
  if (I->Of->Kind != Type::Integer)
    return createStringError("an index is a whole number");
  // An array may be in registers.
  bool IsHeld = Base->Of->Kind == Type::Array && Base->At.Kind != Place::Memory;
  if (!IsHeld)
    Base = decay(std::move(*Base));
  if (!Base)
    return Base;
  if (!IsHeld)
    return dereference(*Base, int64_t(I->integer()));
  if (I->integer() >= Base->Of->Count)
    return createStringError("the array has " + Twine(Base->Of->Count) +
                             " elements, and is not in memory");
  return notLost(elementOf(*Base, I->integer()));
}

Expected<Value> Evaluator::member(const Node &N) {
  Expected<Value> V = of(*N.Parts[0]);
  if (!V)
    return V;
  if (auto Member = findMember(*V, N.Text))
    return followed(notLost(std::move(*Member)), S);
  return createStringError("there is no member '" + N.Text + "'");
}

Expected<Value> Evaluator::repeat(const Node &N) {
  constexpr uint64_t Most = 1 << 20;
  Expected<Value> First = of(*N.Parts[0]);
  if (!First)
    return First;
  Expected<Value> Count = scalar(*N.Parts[1]);
  if (!Count)
    return Count;
  if (First->At.Kind != Place::Memory)
    return createStringError("left of '@' stands something in memory");
  if (Count->Of->Kind != Type::Integer || Count->integer() == 0 ||
      Count->integer() > Most)
    return createStringError("right of '@' stands a number from 1 to " +
                             Twine(Most));
  return S.load(Types.arrayOf(First->Of, Count->integer()), First->At.Space,
                First->At.Address);
}

Expected<Value> Evaluator::sizeOf(const Node &N) {
  const Type *T = N.Of;
  if (!T) {
    Expected<Value> V = of(*N.Parts[0]);
    if (!V)
      return V;
    T = V->Of;
  }
  return makeInteger(Types.ULong, T->Size);
}

} // namespace

static void visitNodes(const Node &N, function_ref<void(const Node &)> Do) {
  Do(N);
  for (const auto &Part : N.Parts)
    visitNodes(*Part, Do);
}

void Expression::visit(function_ref<void(const Node &)> Do) const {
  visitNodes(*Root, Do);
}

Expected<Value> Expression::evaluate(Scope &S) const {
  return Evaluator(S, *Types).of(*Root);
}

} // namespace heddle::debug
