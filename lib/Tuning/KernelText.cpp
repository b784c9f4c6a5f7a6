//===- KernelText.cpp - What a kernel is made of ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is a row of items, each of which ends with a semicolon or a body in
// braces; an item reaches those whose names are among its words.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/KernelText.h"

#include <cstring>
#include <map>
#include <set>

namespace heddle::tuning {

namespace {

using Token = std::string_view; ///< Empty: the end.

bool isWordPart(char C) {
  return (C >= '0' && C <= '9') || (C >= 'a' && C <= 'z') ||
         (C >= 'A' && C <= 'Z') || C == '_' || C == '$' || C == '%' || C == '.';
}

bool isDigit(Token T) { return !T.empty() && T[0] >= '0' && T[0] <= '9'; }

/// Cuts text into words, strings and single characters.
class Scanner {
public:
  explicit Scanner(std::string_view Text) : Text(Text) { advance(); }

  Token peek() const { return Next; }
  Token take() {
    Token T = Next;
    advance();
    return T;
  }
  /// Takes a token if it is this one.
  bool take(Token Wanted) {
    if (Next != Wanted)
      return false;
    advance();
    return true;
  }

private:
  bool startsWith(const char *Prefix) const {
    return Text.substr(At).starts_with(Prefix);
  }
  void skipBlank();
  void advance();

  std::string_view Text;
  size_t At = 0;
  Token Next;
};

void Scanner::skipBlank() {
  while (At < Text.size()) {
    bool IsLine = At == 0 || Text[At - 1] == '\n';
    if (std::strchr(" \t\n\r\f\v", Text[At]) && Text[At] != '\0')
      ++At;
    else if (startsWith("//") || (IsLine && Text[At] == '#'))
      At = std::min(Text.find('\n', At), Text.size());
    else if (startsWith("/*"))
      At = std::min(std::min(Text.find("*/", At + 2), Text.size() - 2) + 2,
                    Text.size());
    else
      return;
  }
}

void Scanner::advance() {
  skipBlank();
  size_t Begin = At;
  if (At == Text.size()) {
    Next = {};
    return;
  }
  if (Text[At] == '"')
    At = std::min(Text.find('"', At + 1), Text.size() - 1) + 1;
  else if (!isWordPart(Text[At]))
    ++At;
  else
    while (At < Text.size() && isWordPart(Text[At]))
      ++At;
  Next = Text.substr(Begin, At - Begin);
}

struct Item {
  std::vector<Token> Tokens;
  std::vector<Token> Names; ///< What it declares.
  std::set<Token> Locals;   ///< Labels and variables of its body.
  bool IsKernel = false;
};

class ModuleText {
public:
  /// False if the text ends within an item.
  bool read(std::string_view PTX);
  std::vector<KernelText> kernels() const;

private:
  bool readDirective(Scanner &From);
  static bool readItem(Scanner &From, Item &I);
  static void nameFunction(Item &I);
  static void nameVariables(Item &I);
  static void findLocals(Item &I);
  std::string textOf(size_t Kernel) const;

  std::vector<Token> Directives; ///< That concern all kernels.
  std::vector<Item> Items;
  std::map<Token, std::vector<size_t>> Declared; ///< Items by name.
};

} // namespace

/// `.loc` and `.file` say where the text came from.
static bool skipLocation(Scanner &From) {
  if (From.take(".file")) {
    while (isDigit(From.peek()) || From.peek().starts_with('"') ||
           From.peek() == ",")
      From.take();
    return true;
  }
  if (!From.take(".loc"))
    return false;
  while (isDigit(From.peek()))
    From.take();
  while (From.take(",")) {
    if (From.take() == "function_name") // a label, which an offset may follow
      From.take();
    while (isDigit(From.peek()) || From.peek() == "+")
      From.take();
  }
  return true;
}

/// The directives that end with neither semicolon nor brace.
bool ModuleText::readDirective(Scanner &From) {
  Token Name = From.peek();
  if (Name != ".version" && Name != ".target" && Name != ".address_size")
    return false;
  do {
    Directives.push_back(From.take());
    Directives.push_back(From.take());
  } while (From.peek() == ",");
  return true;
}

bool ModuleText::readItem(Scanner &From, Item &I) {
  size_t Depth = 0;
  bool HasBody = false;
  for (Token T; !(T = From.peek()).empty();) {
    if (skipLocation(From))
      continue;
    I.Tokens.push_back(From.take());
    HasBody |= T == ".entry" || T == ".func" || T == ".section";
    if (T == "{")
      ++Depth;
    else if (T == "}" && Depth != 0)
      --Depth;
    bool IsEnd = T == ";" || (T == "}" && HasBody);
    if (IsEnd && Depth == 0)
      return true;
  }
  return false;
}

/// The name stands behind .entry or .func, and the latter's returns.
void ModuleText::nameFunction(Item &I) {
  auto At = I.Tokens.begin();
  while (*At != ".entry" && *At != ".func")
    ++At;
  I.IsKernel = *At == ".entry" && I.Tokens.back() == "}";
  ++At;
  if (At != I.Tokens.end() && *At == "(")
    while (At != I.Tokens.end() && *At++ != ")")
      ;
  if (At != I.Tokens.end())
    I.Names.push_back(*At);
}

static bool isName(Token T) {
  return isWordPart(T[0]) && T[0] != '.' && T[0] != '%' && !isDigit(T);
}

/// All words before the initializer may be names.
void ModuleText::nameVariables(Item &I) {
  for (Token T : I.Tokens) {
    if (T == "=")
      return;
    if (isName(T))
      I.Names.push_back(T);
  }
}

/// Labels stand at the beginning of a statement before a colon, which that of
/// `ld.shared::cta` is not; names of variables in their declarations, and those
/// of parameters in parentheses before the body.
void ModuleText::findLocals(Item &I) {
  size_t Depth = 0;
  bool InParameters = false;
  Token Statement; // its first token; empty: it begins here
  for (size_t N = 0; N != I.Tokens.size(); ++N) {
    Token T = I.Tokens[N];
    auto Follows = [&](size_t Distance) {
      return N + Distance < I.Tokens.size() && I.Tokens[N + Distance] == ":";
    };
    Depth += T == "{";
    if (Depth == 0) {
      InParameters = T == "(" || (InParameters && T != ")");
      if (InParameters && isName(T))
        I.Locals.insert(T);
    } else if (T == "{" || T == "}" || T == ";") {
      // A vector's braces do not begin a statement, but nothing in them is
      // taken for the beginning of one that declares.
      Statement = {};
    } else if (Statement.empty() && Follows(1) && !Follows(2)) {
      I.Locals.insert(T);
      ++N; // the colon
    } else {
      // What initializes a variable is not declared there.
      Statement = Statement.empty() || T == "=" ? T : Statement;
      static const std::set<Token> Spaces = {".const", ".global", ".local",
                                             ".param", ".shared"};
      bool Declares = Spaces.contains(Statement);
      if (Declares && isName(T))
        I.Locals.insert(T);
    }
    if (T == "}" && Depth)
      --Depth;
  }
}

bool ModuleText::read(std::string_view PTX) {
  Scanner From(PTX);
  while (!From.peek().empty()) {
    if (skipLocation(From) || readDirective(From) || From.take(";"))
      continue;
    Item I;
    if (!readItem(From, I))
      return false;
    bool IsFunction = false;
    for (Token T : I.Tokens)
      IsFunction |= T == ".entry" || T == ".func";
    if (I.Tokens[0] == ".pragma") {
      Directives.insert(Directives.end(), I.Tokens.begin(), I.Tokens.end());
      continue;
    }
    if (IsFunction) {
      nameFunction(I);
      findLocals(I);
    } else if (I.Tokens[0] != ".section") {
      nameVariables(I);
    }
    for (Token Name : I.Names)
      Declared[Name].push_back(Items.size());
    Items.push_back(std::move(I));
  }
  return true;
}

/// Local names become numbers in the order in which they are first mentioned.
static void append(std::string &Text, const std::vector<Token> &Tokens,
                   const std::set<Token> &Locals) {
  std::map<Token, size_t> Numbers;
  for (Token T : Tokens) {
    if (Locals.contains(T))
      Text += '#' + std::to_string(
                        Numbers.try_emplace(T, Numbers.size()).first->second);
    else
      Text += T;
    Text += ' ';
  }
  Text += '\n';
}

std::string ModuleText::textOf(size_t Kernel) const {
  std::vector<bool> IsReached(Items.size());
  std::vector<size_t> Pending = {Kernel};
  IsReached[Kernel] = true;
  while (!Pending.empty()) {
    const Item &I = Items[Pending.back()];
    Pending.pop_back();
    for (Token T : I.Tokens)
      if (auto Found = Declared.find(T);
          Found != Declared.end() && !I.Locals.contains(T))
        for (size_t Other : Found->second)
          if (!IsReached[Other]) {
            IsReached[Other] = true;
            Pending.push_back(Other);
          }
  }
  std::string Text;
  append(Text, Directives, {});
  for (size_t I = 0; I != Items.size(); ++I)
    if (IsReached[I])
      append(Text, Items[I].Tokens, Items[I].Locals);
  return Text;
}

std::vector<KernelText> ModuleText::kernels() const {
  std::vector<KernelText> Result;
  for (size_t I = 0; I != Items.size(); ++I)
    if (Items[I].IsKernel && !Items[I].Names.empty())
      Result.push_back({std::string(Items[I].Names[0]), textOf(I)});
  return Result;
}

std::vector<KernelText> kernelTexts(std::string_view PTX) {
  ModuleText Module;
  if (!Module.read(PTX))
    return {};
  return Module.kernels();
}

namespace {

/// What kernelNames has seen of a module.
class NameReader {
public:
  explicit NameReader(std::string_view PTX) : From(PTX) {}
  /// False if the text ends within a body.
  bool read(KernelNames &Result);

private:
  void readName(bool IsKernel);
  void readInitializer();

  Scanner From;
  size_t Depth = 0;
  Token Kernel;              ///< Of an item whose body may follow; or empty.
  std::set<Token> Functions; ///< But kernels.
  bool TakesFunctions = false;
};

} // namespace

/// The name stands behind .entry or .func, and the latter's returns.
void NameReader::readName(bool IsKernel) {
  if (From.take("("))
    while (!From.peek().empty() && From.take() != ")")
      ;
  Token Name = From.take();
  if (IsKernel)
    Kernel = Name;
  else
    Functions.insert(Name);
  // The functions by which CUDA's runtime launches from kernels.
  TakesFunctions |= Name.starts_with("cudaLaunchDevice") ||
                    Name.starts_with("cudaGetParameterBuffer") ||
                    Name.starts_with("__cudaCDP");
}

void NameReader::readInitializer() {
  for (Token T = From.peek(); !T.empty() && T != ";"; T = From.peek()) {
    TakesFunctions |= Functions.contains(T);
    From.take();
  }
}

bool NameReader::read(KernelNames &Result) {
  for (Token T = From.take(); !T.empty(); T = From.take()) {
    if (Depth == 0 && (T == ".entry" || T == ".func"))
      readName(T == ".entry");
    else if (T == "=")
      readInitializer();
    else if (T == ".callprototype" || T == ".calltargets")
      TakesFunctions = true;
    else if (T == ";" && Depth == 0)
      Kernel = {};
    else if (T == "{" && Depth++ == 0 && !Kernel.empty()) {
      Result.Names.emplace_back(Kernel);
      Kernel = {};
    } else if (T == "}" && Depth-- == 0)
      return false;
  }
  Result.AreApart = !TakesFunctions;
  return Depth == 0;
}

KernelNames kernelNames(std::string_view PTX) {
  KernelNames Result;
  if (!NameReader(PTX).read(Result))
    return {};
  return Result;
}

} // namespace heddle::tuning
