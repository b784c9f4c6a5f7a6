//===- Json.cpp - State for programs ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command json, by which programs that drive a session ask for values and
// places: each answer is one line.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/JSON.h"
#include "DebugSession.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

using namespace llvm;

namespace heddle::debug {

static json::Array dimJson(const rt::Dim3 &D) {
  return json::Array{D.X, D.Y, D.Z};
}

/// A scalar as a number, or as text if JSON has no such number.
static json::Value valueJson(const Value &V) {
  if (V.Of->IsBool)
    return V.integer() != 0;
  if (V.Of->Kind == Type::Float) {
    double Number = V.number();
    return std::isfinite(Number) ? json::Value(Number)
                                 : json::Value(formatValue(V));
  }
  if (V.Of->Signed)
    return int64_t(V.integer());
  return V.integer();
}

/// What numpy calls a scalar type.
static std::string dtypeOf(const Type &T) {
  if (T.IsBool)
    return "bool";
  if (T.Kind == Type::Float)
    return T.Size == 2 && T.IsBFloat ? "float32"
                                     : "float" + std::to_string(8 * T.Size);
  return (T.Signed ? "int" : "uint") + std::to_string(8 * T.Size);
}

/// The values of an expression in some threads; null where a thread has exited.
Expected<json::Object>
DebugSession::valuesJson(StringRef Text, ArrayRef<emu::WarpPlace> Warps) {
  Expected<Expression> E = Expression::parse(Text, Types);
  if (!E)
    return E.takeError();
  const Type *Of = nullptr;
  json::Array Values;
  for (emu::WarpPlace W : Warps)
    for (unsigned L = 0; L < 32; ++L) {
      emu::LaneState State = Grid->lane(W, L).State;
      if (State == emu::LaneState::Absent)
        continue;
      if (State == emu::LaneState::Exited) {
        Values.push_back(nullptr);
        continue;
      }
      ThreadScope S(*this, Focus{W, L});
      Expected<Value> V = E->evaluate(S);
      if (!V) {
        // Threads that stand elsewhere may have no such variable.
        if (Grid->lane(W, L).PC == pcOfFocus())
          return V.takeError();
        consumeError(V.takeError());
        Values.push_back(nullptr);
        continue;
      }
      if (!V->Of->isScalar())
        return createStringError("a value of type '" + V->Of->Name +
                                 "' is no number");
      Of = V->Of;
      Values.push_back(valueJson(*V));
    }
  if (!Of)
    return createStringError("all these threads have exited");
  return json::Object{{"type", Of->Name},
                      {"dtype", dtypeOf(*Of)},
                      {"values", std::move(Values)}};
}

/// Where the focus stands, and why; `over` if nothing is at rest.
json::Object DebugSession::stopJson() {
  if (!Grid || IsOver)
    return json::Object{{"over", true}};
  const rt::LaunchConfig &L = Grid->config();
  json::Array Frames;
  for (const Frame &F : frames())
    Frames.push_back(json::Object{{"function", F.Where.Function},
                                  {"file", F.Where.File},
                                  {"path", Sources.place(F.Where.File)},
                                  {"line", F.Where.Line},
                                  {"pc", Code->describe(F.PC)},
                                  {"address", Code->addressOf(F.PC)}});
  json::Object Result{
      {"over", false},
      {"kernel", Kernels},
      {"name", Grid->kernel().Name},
      {"grid", dimJson(L.Grid)},
      {"block", dimJson(L.Block)},
      {"cta", At->Warp.CTA},
      {"block_index", dimJson(Grid->coordinates(At->Warp.CTA))},
      {"thread_index", dimJson(Grid->threadOf(At->Warp, At->Lane))},
      {"warp", At->Warp.Warp},
      {"lane", At->Lane},
      {"frames", std::move(Frames)}};
  if (const std::optional<rt::Fault> &F = Grid->fault())
    Result["fault"] = json::Object{{"kind", rt::faultKindName(F->Kind)},
                                   {"message", F->Message}};
  return Result;
}

/// The warps on the device, which an editor calls threads.
json::Object DebugSession::warpsJson() {
  json::Array Warps;
  for (const emu::CTAView &V : Grid->ctas())
    for (unsigned W = 0; W < V.Warps; ++W) {
      unsigned Live = 0;
      for (unsigned L = 0; L < 32; ++L)
        Live += Grid->lane({V.Number, W}, L).State > emu::LaneState::Exited;
      if (Live)
        Warps.push_back(json::Object{{"cta", V.Number},
                                     {"block", dimJson(V.Coordinates)},
                                     {"warp", W},
                                     {"lanes", Live}});
    }
  return json::Object{{"warps", std::move(Warps)}};
}

/// The members of a structure or an array with theirs, for editors.
static json::Array membersJson(const Value &V) {
  constexpr uint64_t MostElements = 200;
  json::Array List;
  auto Add = [&](std::string Name, const Value &Member) {
    json::Object M{{"name", std::move(Name)},
                   {"value", formatValue(Member)},
                   {"type", Member.Of->Name}};
    if (json::Array Inner = membersJson(Member); !Inner.empty())
      M["members"] = std::move(Inner);
    List.push_back(std::move(M));
  };
  const Type &T = *V.Of;
  if (V.isLost())
    return List;
  if (T.Kind == Type::Array)
    for (uint64_t N = 0; N != std::min(T.Count, MostElements); ++N)
      Add("[" + std::to_string(N) + "]", elementOf(V, N));
  for (const Type::Field &F : T.Fields)
    if (!F.Bits || !F.Name.empty()) // Padding has no name.
      Add(F.IsBase         ? "<" + F.Name + ">"
          : F.Name.empty() ? "{...}"
                           : F.Name,
          memberOf(V, F));
  return List;
}

/// Adds the numbers that a value is made of, with their places in it, as far as
/// they are known. Pointers and bit fields are left out.
static void addNumbers(const Value &V, uint64_t Offset, json::Array &To) {
  constexpr uint64_t MostElements = 64;
  const Type &T = *V.Of;
  if (T.Kind == Type::Array)
    for (uint64_t N = 0; N != std::min(T.Count, MostElements); ++N)
      addNumbers(elementOf(V, N), Offset + N * T.Element->Size, To);
  for (const Type::Field &F : T.Fields)
    if (!F.Bits)
      addNumbers(memberOf(V, F), Offset + F.Offset, To);
  bool IsNumber = T.Kind == Type::Integer || T.Kind == Type::Float;
  if (!IsNumber || !V.isComplete())
    return;
  Format Hex;
  Hex.Letter = 'x';
  To.push_back(json::Object{{"offset", Offset},
                            {"bytes", T.Size},
                            {"floating", T.Kind == Type::Float},
                            {"bits", formatValue(V, Hex)}});
}

/// A value as text, with its type and what it is made of.
json::Object DebugSession::describedValue(Expected<Value> Found) {
  if (!Found)
    return json::Object{{"value", "<" + toString(Found.takeError()) + ">"}};
  json::Object Result{{"value", valueText(*Found)}, {"type", Found->Of->Name}};
  if (Found->Of->isScalar()) {
    Format Hex;
    Hex.Letter = 'x';
    Result["bits"] = formatValue(*Found, Hex);
    return Result;
  }
  json::Array Numbers;
  addNumbers(*Found, 0, Numbers);
  Result["numbers"] = std::move(Numbers);
  Result["members"] = membersJson(*Found);
  return Result;
}

/// Names with the text and the type of their values in the thread in focus.
json::Object DebugSession::variablesJson(StringRef Kind) {
  std::vector<std::string> Names;
  emu::RegisterView V = Grid->registers(At->Warp);
  auto Add = [&](StringRef Prefix, unsigned Count) {
    for (unsigned N = 0; N < Count; ++N)
      Names.push_back((Prefix + Twine(N)).str());
  };
  constexpr unsigned Predicates = 7;
  std::map<std::string, DWARFDie> Entries;
  if (Kind == "locals" || Kind == "arguments") {
    for (const SourceVariable &V : ThreadScope(*this, At).variables())
      if (V.IsParameter == (Kind == "arguments") &&
          Entries.try_emplace(V.Name, V.Die).second)
        Names.push_back(V.Name); // An outer one of the name is hidden.
  } else if (Kind == "parameters") {
    for (const rt::ParamInfo &P : Grid->kernel().Params)
      Names.push_back(nameOf(P).str());
  } else if (Kind == "registers") {
    Add("$R", V.Vectors);
    Add("$P", Predicates);
    Add("$UR", V.Uniforms);
    Add("$UP", Predicates);
    Names.push_back("$pc");
  } else {
    Names = {"threadIdx", "blockIdx", "blockDim",
             "gridDim",   "laneid",   "warpid"};
  }
  json::Array List;
  for (const std::string &Name : Names) {
    json::Object Variable = describedValue(evaluate(Name));
    Variable["name"] = Name;
    if (auto Entry = Entries.find(Name); Entry != Entries.end()) {
      Variable["line"] = Entry->second.getDeclLine();
      // Each inlined copy of a function has entries of its own.
      Variable["entry"] = Entry->second.getOffset();
    }
    List.push_back(std::move(Variable));
  }
  return json::Object{{"variables", std::move(List)}};
}

/// Breakpoints that have a place by now, and the line of it.
json::Object DebugSession::breakpointsJson() const {
  json::Array List;
  for (const Breakpoint &B : Breakpoints) {
    if (B.Places.empty())
      continue;
    json::Object Known{{"number", B.Number}};
    if (auto Line = lineOf(B.Places.front(), B.Spec))
      Known["line"] = Line->Line;
    List.push_back(std::move(Known));
  }
  return json::Object{{"breakpoints", std::move(List)}};
}

/// The instructions of the function that the selected frame is in.
json::Object DebugSession::codeJson() {
  json::Array List;
  const emu::CodeBlock *B = Code->code().blockOf(frames()[SelectedFrame].PC);
  for (uint32_t PC = B ? B->First : 0; B && PC < B->First + B->Count; ++PC) {
    json::Object I{{"address", Code->addressOf(PC)},
                   {"place", Code->describe(PC)},
                   {"text", Code->instruction(PC)}};
    if (auto Line = Code->lineOf(PC)) {
      I["file"] = Line->File;
      I["path"] = Sources.place(Line->File.str());
      I["line"] = Line->Line;
    }
    List.push_back(std::move(I));
  }
  return json::Object{{"instructions", std::move(List)}};
}

Error DebugSession::commandJson(StringRef Arguments) {
  auto [Word, Rest] = splitWord(Arguments);
  json::Object Result;
  if (Word == "stop") {
    Result = stopJson();
  } else if (Word == "breakpoints") {
    std::lock_guard Lock(StateMutex);
    Result = breakpointsJson();
  } else if (Word == "lanes" || Word == "block") {
    if (Error E = needGrid())
      return E;
    std::vector<emu::WarpPlace> Warps = {At->Warp};
    if (Word == "block")
      Warps = warpsOf(At->Warp.CTA);
    if (Error E = valuesJson(Rest, Warps).moveInto(Result))
      return E;
  } else if (Word == "warps" || Word == "variables" || Word == "code") {
    if (Error E = needGrid())
      return E;
    Result = Word == "warps"  ? warpsJson()
             : Word == "code" ? codeJson()
                              : variablesJson(Rest);
  } else {
    return createStringError("json takes: stop, warps, lanes EXPRESSION, block "
                             "EXPRESSION, variables KIND, code, breakpoints");
  }
  print(formatv("{0}\n", json::Value(std::move(Result))).str());
  return Error::success();
}

} // namespace heddle::debug
