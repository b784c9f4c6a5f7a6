//===- ParseExpression.cpp - C expressions of the debugger ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads C's expressions without calls, C++'s casts, and what gdb adds to them:
// `$name`, `array@count`, and cuda-gdb's `@shared` in front of a type.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace llvm;

namespace heddle::debug {

Scope::~Scope() = default;

namespace {

using NodePtr = std::unique_ptr<Node>;

/// Operators of two operands, the weakest first.
struct Level {
  std::initializer_list<StringRef> Operators;
};
const Level Levels[] = {{{"||"}},
                        {{"&&"}},
                        {{"|"}},
                        {{"^"}},
                        {{"&"}},
                        {{"==", "!="}},
                        {{"<=", ">=", "<", ">"}},
                        {{"<<", ">>"}},
                        {{"+", "-"}},
                        {{"*", "/", "%"}},
                        {{"@"}}};
constexpr unsigned NumLevels = std::size(Levels);
constexpr StringLiteral Assignments[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
/// The longest first. All but the last are no prefix of what they stand for.
constexpr StringLiteral Tokens[] = {
    "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::"};

class Parser {
public:
  Parser(StringRef Text, TypePool &Types) : Rest(Text), Types(Types) {
    advance();
  }

  Expected<NodePtr> parse();
  /// Null if the text is not that of a type, and nothing else.
  const Type *parseOnlyType();

private:
  void advance();
  void readNumber();
  bool take(StringRef Wanted);
  Error unexpected() const;
  const Type *parseType();
  const Type *parseTypeName();
  const Type *parseSourceType();
  const Type *parseDimensions(const Type *Of);
  std::optional<MemorySpace> spaceOf(StringRef Word) const;

  Expected<NodePtr> parseAssignment();
  Expected<NodePtr> parseChoice();
  Expected<NodePtr> parseBinary(unsigned Level);
  Expected<NodePtr> parseUnary();
  Expected<NodePtr> parseCastOrParenthesis();
  Expected<NodePtr> parseCppCast();
  Expected<NodePtr> parseSizeOf();
  Expected<NodePtr> parsePostfix(NodePtr Operand);
  Expected<NodePtr> parsePrimary();

  static NodePtr make(Node::KindType Kind, StringRef Text, NodePtr A = nullptr,
                      NodePtr B = nullptr) {
    auto N = std::make_unique<Node>();
    N->Kind = Kind;
    N->Text = Text.str();
    if (A)
      N->Parts.push_back(std::move(A));
    if (B)
      N->Parts.push_back(std::move(B));
    return N;
  }

  struct State {
    StringRef Rest, Token;
    bool IsWord, IsNumber;
  };
  /// The text from the token on.
  StringRef untaken() const {
    return {Token.begin(), size_t(Rest.end() - Token.begin())};
  }
  State state() const { return {Rest, Token, IsWord, IsNumber}; }
  void restore(const State &To) {
    Rest = To.Rest;
    Token = To.Token;
    IsWord = To.IsWord;
    IsNumber = To.IsNumber;
  }
  StringRef Rest, Token; ///< Token is empty at the end.
  bool IsWord = false, IsNumber = false;
  TypePool &Types;
};

bool isWordStart(char C) { return isAlpha(C) || C == '_'; }
bool isWordPart(char C) { return isAlnum(C) || C == '_'; }

void Parser::readNumber() {
  size_t Size = 0;
  bool IsHex = Rest.starts_with("0x") || Rest.starts_with("0X");
  while (Size < Rest.size()) {
    char C = Rest[Size];
    bool IsExponentSign = (C == '+' || C == '-') && Size && !IsHex &&
                          toLower(Rest[Size - 1]) == 'e';
    if (!isAlnum(C) && C != '.' && !IsExponentSign)
      break;
    ++Size;
  }
  Token = Rest.take_front(Size);
  IsNumber = true;
}

void Parser::advance() {
  Rest = Rest.ltrim();
  IsWord = IsNumber = false;
  Token = StringRef();
  if (Rest.empty())
    return;
  char C = Rest.front();
  if (isWordStart(C) || C == '$') {
    IsWord = true;
    size_t Begin = Rest.starts_with("$$") ? 2 : 1;
    Token = Rest.take_front(
        Begin + Rest.drop_front(Begin).take_while(isWordPart).size());
  } else if (isDigit(C) || (C == '.' && Rest.size() > 1 && isDigit(Rest[1]))) {
    readNumber();
  } else if (C == '\'' && Rest.find('\'', 1) != StringRef::npos) {
    size_t End = Rest.find('\'', Rest.starts_with("'\\'") ? 3 : 2);
    Token = Rest.take_front(End == StringRef::npos ? 1 : End + 1);
  } else {
    Token = Rest.take_front(1);
    for (StringRef Known : Tokens)
      if (Rest.starts_with(Known)) {
        Token = Rest.take_front(Known.size());
        break;
      }
  }
  Rest = Rest.drop_front(Token.size());
}

bool Parser::take(StringRef Wanted) {
  if (Token != Wanted || IsWord)
    return false;
  advance();
  return true;
}

Error Parser::unexpected() const {
  if (Token.empty())
    return createStringError("the expression ends too early");
  return createStringError("'" + Token + "' is not expected in the expression");
}

std::optional<MemorySpace> Parser::spaceOf(StringRef Word) const {
  if (Word == "shared")
    return MemorySpace::Shared;
  if (Word == "local")
    return MemorySpace::Local;
  if (Word == "constant")
    return MemorySpace::Constant;
  if (Word == "parameter" || Word == "param")
    return MemorySpace::Param;
  if (Word == "tensor")
    return MemorySpace::Tensor;
  if (Word == "generic" || Word == "global")
    return MemorySpace::Generic;
  return std::nullopt;
}

/// How long a name of the source is: `ns::Table<int, 3>::Row`.
size_t sizeOfName(StringRef Text) {
  size_t Depth = 0, N = 0;
  for (; N < Text.size(); ++N) {
    char C = Text[N];
    Depth += C == '<';
    if (C == '>' && Depth) {
      --Depth;
      continue;
    }
    bool IsInside = Depth && (C == ',' || C == ' ' || C == '*' || C == '-');
    if (C == ':' && N + 1 < Text.size() && Text[N + 1] == ':')
      ++N;
    else if (C != '<' && !isWordPart(C) && !IsInside)
      break;
  }
  return Depth ? 0 : N;
}

/// A type that the source has declared.
const Type *Parser::parseSourceType() {
  StringRef Text = untaken();
  StringRef Whole = Text.take_front(sizeOfName(Text));
  StringRef Plain =
      Text.take_while([](char C) { return isWordPart(C) || C == ':'; });
  for (StringRef Name : {Whole, Plain}) {
    const Type *T = Name.empty() ? nullptr : Types.findInSource(Name);
    if (!T)
      continue;
    Rest = Text.drop_front(Name.size());
    advance();
    return T;
  }
  return nullptr;
}

/// A type without stars; null if there is none, whatever was read.
const Type *Parser::parseTypeName() {
  auto IsQualifier = [&] { return Token == "const" || Token == "volatile"; };
  while (IsWord && IsQualifier())
    advance();
  if (!IsWord && Token != "::")
    return nullptr;
  if (Token == "struct" || Token == "class" || Token == "union" ||
      Token == "enum") {
    advance();
    return IsWord || Token == "::" ? parseSourceType() : nullptr;
  }
  std::string Name;
  const Type *T = nullptr;
  while (IsWord) {
    std::string Longer = Name.empty() ? Token.str() : Name + " " + Token.str();
    const Type *Found = IsQualifier() ? T : Types.find(Longer);
    if (!Found)
      break;
    Name = IsQualifier() ? Name : Longer;
    T = Found;
    advance();
  }
  return T ? T : parseSourceType();
}

/// `[3][4]` behind a type, the outer dimension first.
const Type *Parser::parseDimensions(const Type *Of) {
  SmallVector<uint64_t> Counts;
  while (take("[")) {
    uint64_t Count;
    if (!IsNumber || Token.getAsInteger(0, Count))
      return nullptr;
    advance();
    if (!take("]"))
      return nullptr;
    Counts.push_back(Count);
  }
  for (uint64_t Count : reverse(Counts))
    Of = Types.arrayOf(Of, Count);
  return Of;
}

/// A type with its stars and dimensions; null, and nothing read, if there is
/// none.
const Type *Parser::parseType() {
  State Before = state();
  auto Back = [&] {
    restore(Before);
    return nullptr;
  };
  MemorySpace Space = MemorySpace::Generic;
  if (take("@")) {
    auto Named = spaceOf(Token);
    if (!Named)
      return Back();
    Space = *Named;
    advance();
  }
  const Type *T = parseTypeName();
  if (!T)
    return Back();
  while (take("*")) {
    T = Types.pointerTo(T, std::exchange(Space, MemorySpace::Generic));
    while (IsWord && (Token == "const" || Token == "volatile"))
      advance();
  }
  // `float (*)[4]` points to an array.
  State BehindName = state();
  bool IsPointer = take("(") && take("*") && take(")") && Token == "[";
  if (!IsPointer)
    restore(BehindName);
  T = parseDimensions(T);
  if (!T)
    return Back();
  return IsPointer ? Types.pointerTo(T, Space) : T;
}

const Type *Parser::parseOnlyType() {
  const Type *T = parseType();
  return Token.empty() ? T : nullptr;
}

Expected<NodePtr> Parser::parse() {
  Expected<NodePtr> Result = parseAssignment();
  if (Result && !Token.empty())
    return unexpected();
  return Result;
}

Expected<NodePtr> Parser::parseAssignment() {
  Expected<NodePtr> Left = parseChoice();
  if (!Left || IsWord)
    return Left;
  for (StringRef Operator : Assignments)
    if (Token == Operator) {
      advance();
      Expected<NodePtr> Right = parseAssignment();
      if (!Right)
        return Right;
      return make(Node::Binary, Operator, std::move(*Left), std::move(*Right));
    }
  return Left;
}

Expected<NodePtr> Parser::parseChoice() {
  Expected<NodePtr> Condition = parseBinary(0);
  if (!Condition || !take("?"))
    return Condition;
  Expected<NodePtr> Then = parseAssignment();
  if (!Then)
    return Then;
  if (!take(":"))
    return unexpected();
  Expected<NodePtr> Else = parseChoice();
  if (!Else)
    return Else;
  NodePtr N = make(Node::Choice, "?", std::move(*Condition), std::move(*Then));
  N->Parts.push_back(std::move(*Else));
  return N;
}

Expected<NodePtr> Parser::parseBinary(unsigned L) {
  if (L == NumLevels)
    return parseUnary();
  Expected<NodePtr> Left = parseBinary(L + 1);
  while (Left && !IsWord && !IsNumber) {
    const StringRef *Found = nullptr;
    for (const StringRef &Operator : Levels[L].Operators)
      if (Token == Operator)
        Found = &Operator;
    if (!Found)
      return Left;
    advance();
    Expected<NodePtr> Right = parseBinary(L + 1);
    if (!Right)
      return Right;
    Left = make(*Found == "@" ? Node::Repeat : Node::Binary, *Found,
                std::move(*Left), std::move(*Right));
  }
  return Left;
}

Expected<NodePtr> Parser::parseUnary() {
  if (IsWord && Token == "sizeof")
    return parseSizeOf();
  for (StringRef Operator : {"-", "+", "!", "~", "*", "&"})
    if (take(Operator)) {
      Expected<NodePtr> Operand = parseUnary();
      if (!Operand)
        return Operand;
      return make(Node::Unary, Operator, std::move(*Operand));
    }
  if (take("("))
    return parseCastOrParenthesis();
  Expected<NodePtr> Operand = parsePrimary();
  return Operand ? parsePostfix(std::move(*Operand)) : std::move(Operand);
}

/// What is behind an opening parenthesis.
Expected<NodePtr> Parser::parseCastOrParenthesis() {
  if (const Type *T = parseType()) {
    if (!take(")"))
      return unexpected();
    Expected<NodePtr> Operand = parseUnary();
    if (!Operand)
      return Operand;
    NodePtr N = make(Node::Cast, "", std::move(*Operand));
    N->Of = T;
    return N;
  }
  Expected<NodePtr> Inner = parseAssignment();
  if (!Inner)
    return Inner;
  if (!take(")"))
    return unexpected();
  return parsePostfix(std::move(*Inner));
}

/// `static_cast<float>(i)` and `float(i)`; null, and nothing read, if there is
/// no such thing.
Expected<NodePtr> Parser::parseCppCast() {
  State Before = state();
  bool IsNamed = IsWord && (Token == "static_cast" || Token == "const_cast" ||
                            Token == "reinterpret_cast");
  const Type *T = nullptr;
  if (IsNamed) {
    advance();
    T = take("<") ? parseType() : nullptr;
    if (!T || !take(">"))
      return unexpected();
  } else if (IsWord) {
    StringRef Text = untaken();
    bool IsCalled = Text.drop_front(sizeOfName(Text)).ltrim().starts_with("(");
    T = IsCalled ? parseTypeName() : nullptr;
  }
  if (!T || !take("(")) {
    restore(Before);
    return NodePtr();
  }
  Expected<NodePtr> Operand = parseAssignment();
  if (!Operand)
    return Operand;
  if (!take(")"))
    return unexpected();
  NodePtr N = make(Node::Cast, "", std::move(*Operand));
  N->Of = T;
  return N;
}

Expected<NodePtr> Parser::parseSizeOf() {
  advance();
  NodePtr N = make(Node::SizeOf, "sizeof");
  State Before = state();
  if (take("(")) {
    N->Of = parseType();
    if (N->Of) {
      if (!take(")"))
        return unexpected();
      return N;
    }
    restore(Before);
  }
  Expected<NodePtr> Operand = parseUnary();
  if (!Operand)
    return Operand;
  N->Parts.push_back(std::move(*Operand));
  return N;
}

Expected<NodePtr> Parser::parsePostfix(NodePtr N) {
  while (true) {
    if (take("[")) {
      Expected<NodePtr> Index = parseAssignment();
      if (!Index)
        return Index;
      if (!take("]"))
        return unexpected();
      N = make(Node::Index, "[]", std::move(N), std::move(*Index));
    } else if (Token == "." || Token == "->") {
      if (Token == "->")
        N = make(Node::Unary, "*", std::move(N));
      advance();
      if (!IsWord)
        return unexpected();
      N = make(Node::Member, Token, std::move(N));
      advance();
    } else {
      return N;
    }
  }
}

/// The number that a literal of C is.
static Expected<Value> readLiteral(StringRef Text, TypePool &Types) {
  StringRef Digits = Text;
  bool IsHex = Text.starts_with_insensitive("0x");
  if (Text.contains('.') || (!IsHex && Text.contains_insensitive('e'))) {
    bool IsSingle = Digits.consume_back("f") || Digits.consume_back("F");
    double Number;
    if (Digits.getAsDouble(Number))
      return createStringError("'" + Text + "' is no number");
    return makeFloat(IsSingle ? Types.FloatType : Types.Double, Number);
  }
  bool IsUnsigned = false, IsLong = false;
  while (!Digits.empty() && StringRef("uUlL").contains(Digits.back())) {
    (toLower(Digits.back()) == 'u' ? IsUnsigned : IsLong) = true;
    Digits = Digits.drop_back();
  }
  uint64_t Number;
  if (Digits.getAsInteger(0, Number))
    return createStringError("'" + Text + "' is no number");
  IsLong |= Number > UINT32_MAX;
  IsUnsigned |= Number > (IsLong ? uint64_t(INT64_MAX) : uint64_t(INT32_MAX));
  return makeInteger(IsLong ? (IsUnsigned ? Types.ULong : Types.Long)
                            : (IsUnsigned ? Types.UInt : Types.Int),
                     Number);
}

Expected<NodePtr> Parser::parsePrimary() {
  if (IsNumber) {
    Expected<Value> V = readLiteral(Token, Types);
    if (!V)
      return V.takeError();
    NodePtr N = make(Node::Constant, Token);
    N->Literal = std::move(*V);
    advance();
    return N;
  }
  if (Token.size() >= 3 && Token.front() == '\'') {
    StringRef C = Token.drop_front().drop_back();
    NodePtr N = make(Node::Constant, Token);
    uint8_t Code = C == "\\n"   ? '\n'
                   : C == "\\t" ? '\t'
                   : C == "\\0" ? 0
                                : C.back();
    N->Literal = makeInteger(Types.Char, Code);
    advance();
    return N;
  }
  if (Expected<NodePtr> Cast = parseCppCast(); !Cast || *Cast)
    return Cast;
  take("::"); // A name is looked for in all namespaces.
  if (!IsWord)
    return unexpected();
  bool IsConvenience = Token.starts_with("$");
  std::string Name = Token.drop_front(IsConvenience).str();
  advance();
  while (!IsConvenience && Token == "::") {
    advance();
    if (!IsWord)
      return unexpected();
    Name += "::" + Token.str();
    advance();
  }
  if (Name == "true" || Name == "false") {
    NodePtr N = make(Node::Constant, Name);
    N->Literal = makeInteger(Types.Bool, Name == "true");
    return N;
  }
  return make(IsConvenience ? Node::Convenience : Node::Name, Name);
}

} // namespace

Expected<Expression> Expression::parse(StringRef Text, TypePool &Types) {
  Expected<NodePtr> Root = Parser(Text, Types).parse();
  if (!Root)
    return Root.takeError();
  Expression E;
  E.Text = Text.trim().str();
  E.Root = std::move(*Root);
  E.Types = &Types;
  return std::move(E);
}

const Type *Expression::parseType(StringRef Text, TypePool &Types) {
  return Parser(Text, Types).parseOnlyType();
}

bool Expression::assigns() const {
  bool Assigns = false;
  visit([&](const Node &N) {
    Assigns |= N.Kind == Node::Binary && StringRef(N.Text).ends_with("=") &&
               N.Text != "==" && N.Text != "!=" && N.Text != "<=" &&
               N.Text != ">=";
  });
  return Assigns;
}

} // namespace heddle::debug
