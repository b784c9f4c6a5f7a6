//===- Symbols.cpp - What is where ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands info symbol, address, scope, functions, types and variables.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "Source/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace heddle::debug {

/// What stands at an address: code, by the program counter, or a variable.
Error DebugSession::infoSymbol(StringRef Text) {
  Expected<Value> V = evaluate(Text);
  if (!V)
    return V.takeError();
  if (V->Of->Kind == Type::Array && V->At.Kind == Place::Memory)
    V = makeInteger(Types.ULong, V->At.Address);
  if (!V->Of->isScalar())
    return createStringError("info symbol takes an address");
  uint64_t Address = V->integer();
  for (const auto &M : Modules) {
    if (Code && M.get() != Code)
      continue;
    for (const rt::SymbolInfo &S : M->code().Symbols)
      if (S.Address <= Address && Address - S.Address < S.Size) {
        uint64_t Offset = Address - S.Address;
        print(sourceName(S.Name) +
              (Offset ? " + " + std::to_string(Offset) : std::string()) +
              (S.Space == rt::SymbolInfo::SpaceKind::Constant
                   ? " in constant memory\n"
                   : " in global memory\n"));
        return Error::success();
      }
    if (auto PC = M->pcAt(Address)) {
      print(M->describe(*PC) + " in the code\n");
      return Error::success();
    }
  }
  print("No symbol matches " + Text + ".\n");
  return Error::success();
}

/// Where a value is, for people.
static std::string valuePlaceText(const Place &At, uint64_t Size) {
  if (At.Kind == Place::Nowhere)
    return "has no place of its own: it is computed, or in several registers";
  if (At.Kind == Place::Memory) {
    constexpr StringLiteral Names[] = {"memory",         "shared memory",
                                       "local memory",   "constant memory",
                                       "the parameters", "tensor memory"};
    StringRef Space = At.Space == MemorySpace::Shared     ? Names[1]
                      : At.Space == MemorySpace::Local    ? Names[2]
                      : At.Space == MemorySpace::Constant ? Names[3]
                      : At.Space == MemorySpace::Param    ? Names[4]
                      : At.Space == MemorySpace::Tensor   ? Names[5]
                                                          : Names[0];
    return ("is in " + Space + " at address 0x" +
            utohexstr(At.Address, /*LowerCase=*/true))
        .str();
  }
  using File = emu::RegisterFile;
  std::string Prefix = At.File == File::Vector      ? "$R"
                       : At.File == File::Predicate ? "$P"
                       : At.File == File::Uniform   ? "$UR"
                                                    : "$UP";
  std::string Text = "is in " + Prefix + std::to_string(At.Number);
  if (Size > 4)
    Text += " to " + Prefix + std::to_string(At.Number + (Size - 1) / 4);
  return Text;
}

Error DebugSession::infoAddress(StringRef Name) {
  Expected<Value> V = evaluate(Name);
  if (!V && declaredType(Name)) {
    consumeError(V.takeError());
    print("Symbol \"" + Name + "\" is optimized out.\n");
    return Error::success();
  }
  if (!V)
    return V.takeError();
  bool IsFunction = Code && V->At.Kind == Place::Nowhere &&
                    !declaredType(Name) && Code->hasFunction(Name);
  if (IsFunction)
    print("Symbol \"" + Name + "\" is a function at address 0x" +
          utohexstr(V->integer(), /*LowerCase=*/true) + ".\n");
  else
    print("Symbol \"" + Name + "\" " + valuePlaceText(V->At, V->Of->Size) +
          ".\n");
  return Error::success();
}

/// The variables that a place sees.
Error DebugSession::infoScope(StringRef Spec) {
  bool MayCome;
  Expected<std::vector<CodePlace>> Places = findPlaces(Spec, MayCome);
  if (!Places)
    return Places.takeError();
  CodePlace P = Places->front();
  const std::vector<SourceVariable> &Variables = P.In->variablesOf(P.PC, 0);
  if (Variables.empty())
    print("Symbol table for `" + Spec + "' has no locals.\n");
  else
    print("Scope for " + Spec + ":\n");
  for (const SourceVariable &V : Variables) {
    const Type *T = P.In->typeOf(V, Types);
    print(Twine(V.IsParameter ? "Argument " : "Variable ") + V.Name +
          ": type " + T->Name + ", length " + Twine(T->Size) + ".\n");
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// The names that a pattern matches, each once, a line each.
static Expected<std::string> matching(std::vector<std::string> Names,
                                      StringRef Pattern) {
  Regex R(Pattern.empty() ? "." : Pattern);
  std::string Why;
  if (!R.isValid(Why))
    return createStringError("'" + Pattern + "': " + Why);
  llvm::sort(Names);
  Names.erase(std::unique(Names.begin(), Names.end()), Names.end());
  std::string Text;
  for (const std::string &Name : Names)
    if (R.match(Name))
      Text += Name + "\n";
  return Text;
}

Error DebugSession::printMatching(std::vector<std::string> Names,
                                  StringRef Pattern) {
  Expected<std::string> Text = matching(std::move(Names), Pattern);
  if (!Text)
    return Text.takeError();
  print(*Text);
  return Error::success();
}

Error DebugSession::infoFunctions(StringRef Pattern) {
  std::lock_guard Lock(StateMutex);
  std::vector<std::string> Names;
  for (const auto &M : Modules)
    append_range(Names, M->functions());
  return printMatching(std::move(Names), Pattern);
}

Error DebugSession::infoTypes(StringRef Pattern) {
  std::lock_guard Lock(StateMutex);
  std::vector<std::string> Names;
  for (const auto &M : Modules)
    for (const TypeIndex::Entry &E : M->types().types())
      Names.push_back(E.Name);
  return printMatching(std::move(Names), Pattern);
}

Error DebugSession::infoVariables(StringRef Pattern) {
  std::lock_guard Lock(StateMutex);
  std::vector<std::string> Names;
  for (const auto &M : Modules) {
    for (const rt::SymbolInfo &S : M->code().Symbols)
      Names.push_back(sourceName(S.Name));
    for (const SourceVariable &V : M->allGlobals())
      Names.push_back(V.Name);
  }
  return printMatching(std::move(Names), Pattern);
}

} // namespace heddle::debug
