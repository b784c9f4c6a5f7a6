//===- GenerateControl.cpp - Random control flow ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches, loops, jumps of any shape, calls and functions.
//
//===----------------------------------------------------------------------===//

#include "GeneratorState.h"
#include "llvm/ADT/STLExtras.h"

namespace heddle::random {

/// Lines that set \p Result to something that differs between threads.
std::string Generator::randomPredicate(const std::string &Result) {
  static constexpr const char *Comparisons[] = {"eq", "ne", "lt",
                                                "le", "gt", "ge"};
  switch (R.below(4)) {
  case 0:
    return "\tmov.pred " + Result + ", " + predicate() + ";\n";
  case 1: {
    std::string Bit = temp(".b32");
    return "\tand.b32 " + Bit + ", " + exact(32) + ", " +
           std::to_string(1u << R.below(5)) + ";\n\tsetp.ne.b32 " + Result +
           ", " + Bit + ", 0;\n";
  }
  case 2:
    return std::string("\tsetp.") + R.pick(Comparisons) + ".u32 " + Result +
           ", %tid32, " + std::to_string(R.below(34)) + ";\n";
  default:
    return std::string("\tsetp.") + R.pick(Comparisons) + ".s32 " + Result +
           ", " + exact(32) + ", " + exact(32) + ";\n";
  }
}

/// The same for all threads of the CTA.
std::string Generator::uniformPredicate(const std::string &Result) {
  return "\tsetp." + std::string(R.percent(50) ? "lt" : "ne") + ".u32 " +
         Result + ", " + reg("%u", 4) + ", " +
         std::to_string(uint32_t(interestingWord(R))) + ";\n";
}

/// A number of rounds from 0 to 4.
std::string Generator::trips(const std::string &Result, bool IsUniform) {
  std::string From = IsUniform ? reg("%u", 4) : exact(32);
  if (IsUniform && R.percent(50))
    return "\tmov.b32 " + Result + ", " + std::to_string(R.from(1, 4)) + ";\n";
  return "\tand.b32 " + Result + ", " + From + ", " +
         (R.percent(70) ? "3" : "1") + ";\n" +
         (R.percent(50) ? "\tadd.u32 " + Result + ", " + Result + ", 1;\n"
                        : "");
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

Statement Generator::branchOn(const Scope &S) {
  bool Uniform = S.IsUniform && R.percent(30);
  bool HasElse = R.percent(60);
  std::string P = temp(".pred"), Else = label(), End = label();
  Scope Then = S, Otherwise = S;
  ++Then.Depth;
  ++Otherwise.Depth;
  std::string Before = Uniform ? uniformPredicate(P) : randomPredicate(P);
  if (!Uniform) {
    Then.IsUniform = Otherwise.IsUniform = false;
    Then.IsFullWarp = Otherwise.IsFullWarp = false;
    Then.Mask = Otherwise.Mask = "";
    if (!S.Mask.empty() && R.percent(75)) {
      // The lanes of both sides.
      Then.Mask = temp(".b32");
      Otherwise.Mask = temp(".b32");
      Before += "\tvote.sync.ballot.b32 " + Then.Mask + ", " + P + ", " +
                S.Mask + ";\n\txor.b32 " + Otherwise.Mask + ", " + Then.Mask +
                ", " + S.Mask + ";\n";
    }
  }
  const char *Branch = Uniform && R.percent(50) ? " bra.uni " : " bra ";
  Statement Result;
  Result.Unwrappable = true;
  Result.Pieces = {Before + "\t@!" + P + Branch + (HasElse ? Else : End) +
                   ";\n"};
  Result.Bodies.push_back(statements(Then, unsigned(R.from(1, 6))));
  if (HasElse) {
    Result.Pieces.push_back("\tbra " + End + ";\n" + Else + ":\n");
    Result.Bodies.push_back(statements(Otherwise, unsigned(R.from(1, 5))));
  }
  Result.Pieces.push_back(End + ":\n");
  return Result;
}

Statement Generator::indexedBranch(const Scope &S) {
  std::string Index = temp(".b32"), End = label(), Targets = label();
  bool Uniform = S.IsUniform && R.percent(30);
  // Few targets, or so many that they get a table.
  static constexpr unsigned Counts[] = {2, 2, 4, 4, 8, 16, 32};
  unsigned Count = R.pick(Counts);
  unsigned Blocks = Count <= 4 ? Count : unsigned(R.from(2, 5));
  // Two indices may have the same target.
  if (Count == 4 && R.percent(30))
    Blocks = 3;
  Scope Inner = S;
  ++Inner.Depth;
  if (!Uniform) {
    Inner.IsUniform = Inner.IsFullWarp = false;
    Inner.Mask = "";
  }
  std::string List;
  std::vector<std::string> Labels;
  for (unsigned N = 0; N != Blocks; ++N)
    Labels.push_back(label());
  for (unsigned N = 0; N != Count; ++N)
    List += (N ? ", " : "") + Labels[N < Blocks ? N : R.below(Blocks)];
  Statement Result;
  Result.Unwrappable = true;
  std::string Text =
      "\tand.b32 " + Index + ", " + (Uniform ? reg("%u", 4) : exact(32)) +
      ", " + std::to_string(Count - 1) + ";\n" + Targets + ": .branchtargets " +
      List + ";\n\tbrx.idx " + Index + ", " + Targets + ";\n";
  for (unsigned N = 0; N != Blocks; ++N) {
    Result.Pieces.push_back(Text + Labels[N] + ":\n");
    Result.Bodies.push_back(statements(Inner, unsigned(R.from(1, 3))));
    // Some fall through to the next one.
    Text = R.percent(75) ? "\tbra " + End + ";\n" : "";
    if (Text.empty() && !Inner.Mask.empty() && !Uniform)
      Text = "\tbra " + End + ";\n";
  }
  Result.Pieces.push_back(End + ":\n");
  return Result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Statement Generator::loop(const Scope &S) {
  bool Uniform = S.IsUniform && R.percent(50);
  std::string Count = temp(".b32"), I = temp(".b32"), P = temp(".pred");
  std::string Head = label(), End = label();
  Scope Inner = S;
  ++Inner.Depth;
  ++Inner.Loops;
  if (!Uniform) {
    Inner.IsUniform = Inner.IsFullWarp = false;
    Inner.Mask = "";
    Inner.Break = End;
  } else {
    Inner.Break = "";
  }
  Statement Result;
  Result.Unwrappable = true;
  std::string Before = trips(Count, Uniform) + "\tmov.b32 " + I + ", 0;\n";
  Body Inside = statements(Inner, unsigned(R.from(1, 5)));
  std::string Step = "\tadd.u32 " + I + ", " + I + ", 1;\n";
  if (R.percent(50)) { // while
    Result.Pieces = {Before + Head + ":\n\tsetp.ge.u32 " + P + ", " + I + ", " +
                         Count + ";\n\t@" + P + " bra " + End + ";\n",
                     Step + "\tbra " + Head + ";\n" + End + ":\n"};
  } else { // do while
    Result.Pieces = {Before + Head + ":\n",
                     Step + "\tsetp.lt.u32 " + P + ", " + I + ", " + Count +
                         ";\n\t@" + P + " bra " + Head + ";\n" + End + ":\n"};
  }
  Result.Bodies = {std::move(Inside)};
  return Result;
}

/// Lanes leave one by one, and those that stay know each other.
Statement Generator::maskedLoop(const Scope &S) {
  std::string Count = temp(".b32"), I = temp(".b32"), P = temp(".pred");
  std::string Head = label(), End = label(), Lanes = temp(".b32");
  Scope Inner = S;
  ++Inner.Depth;
  ++Inner.Loops;
  Inner.IsUniform = Inner.IsFullWarp = false;
  Inner.Break = "";
  Inner.Mask = Lanes;
  Statement Result;
  Result.Unwrappable = true;
  Result.Pieces = {trips(Count, false) + "\tmov.b32 " + I + ", 0;\n\tmov.b32 " +
                       Lanes + ", " + S.Mask + ";\n" + Head +
                       ":\n\tsetp.lt.u32 " + P + ", " + I + ", " + Count +
                       ";\n\tvote.sync.ballot.b32 " + Lanes + ", " + P + ", " +
                       Lanes + ";\n\t@!" + P + " bra " + End + ";\n",
                   "\tadd.u32 " + I + ", " + I + ", 1;\n\tbra " + Head + ";\n" +
                       End + ":\n"};
  Result.Bodies.push_back(statements(Inner, unsigned(R.from(1, 5))));
  return Result;
}

Statement Generator::leaveLoop(const Scope &S) {
  std::string P = temp(".pred");
  return group(randomPredicate(P) + "\t@" + P + " bra " + S.Break + ";\n");
}

/// Blocks that jump to each other as they like, until the fuel is spent.
Statement Generator::jumble(const Scope &S) {
  std::string Fuel = temp(".b32"), Empty = temp(".pred"), End = label();
  unsigned Count = unsigned(R.from(2, 5));
  std::vector<std::string> Labels;
  for (unsigned N = 0; N != Count; ++N)
    Labels.push_back(label());
  Scope Inner = S;
  ++Inner.Depth;
  ++Inner.Loops;
  Inner.IsUniform = Inner.IsFullWarp = false;
  Inner.Mask = "";
  Inner.Break = End;
  Statement Result;
  Result.Unwrappable = true;
  std::string Text =
      "\tmov.b32 " + Fuel + ", " + std::to_string(R.from(2, 8)) + ";\n";
  for (unsigned N = 0; N != Count; ++N) {
    Result.Pieces.push_back(Text + Labels[N] + ":\n");
    Result.Bodies.push_back(statements(Inner, unsigned(R.from(1, 3))));
    std::string P = temp(".pred");
    Text = "\tsub.u32 " + Fuel + ", " + Fuel + ", 1;\n\tsetp.eq.u32 " + Empty +
           ", " + Fuel + ", 0;\n\t@" + Empty + " bra " + End + ";\n" +
           randomPredicate(P) + "\t@" + P + " bra " + R.pick(Labels) + ";\n";
    if (R.percent(50))
      Text += "\tbra " + R.pick(Labels) + ";\n";
    else if (N + 1 == Count)
      Text += "\tbra " + End + ";\n";
  }
  Result.Pieces.push_back(Text + End + ":\n");
  return Result;
}

/// Some threads end; the others know who is left.
Statement Generator::endThreads(const Scope &S) {
  std::string P = temp(".pred"), Stays = temp(".pred");
  return group(randomPredicate(P) + "\tnot.pred " + Stays + ", " + P +
               ";\n\tvote.sync.ballot.b32 " + S.Mask + ", " + Stays + ", " +
               S.Mask + ";\n\t@" + P + " exit;\n");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A parameter's declaration, in a list or in a scope.
std::string declaration(const std::string &Type, const std::string &Name,
                        bool InRegister) {
  if (Type == "array")
    return ".param .align 16 .b8 " + Name + "[16]";
  return (InRegister ? ".reg " : ".param ") + Type + " " + Name;
}
} // namespace

static unsigned widthOf(const std::string &Type) {
  return Type == ".b128" ? 128 : Type == ".b64" ? 64 : Type == ".b16" ? 16 : 32;
}

/// Lines that put a random value into a parameter of a call.
std::string Generator::argumentStore(const std::string &Param,
                                     const std::string &Type) {
  if (Type == "array")
    return "\tst.param.b64 [" + Param + "], " + exact(64) +
           ";\n\tst.param.v2.b32 [" + Param + "+8], {" + exact(32) + ", " +
           exact(32) + "};\n";
  return "\tst.param" + Type + " [" + Param + "], " + exact(widthOf(Type)) +
         ";\n";
}

/// Lines that make \p Pointer, in some threads, that of another function which
/// can be called like \p F; nothing if there is none. Where lanes do things
/// together all of them have to be in one function.
std::string Generator::otherCallee(const Callee &F,
                                   const std::string &Pointer) {
  std::string Text;
  for (const Callee &C : Callees)
    if (!F.HasMask && !C.HasMask && !C.InRegisters && C.Name != F.Name &&
        C.Params == F.Params && C.Result == F.Result) {
      std::string Other = temp(".b64"), P = temp(".pred");
      Text += randomPredicate(P) + "\tmov.u64 " + Other + ", " + C.Name +
              ";\n\tselp.b64 " + Pointer + ", " + Other + ", " + Pointer +
              ", " + P + ";\n";
    }
  return Text;
}

Statement Generator::call(const Scope &S) {
  const Callee &F = R.pick(Callees);
  bool HasMask = F.HasMask;
  if (HasMask && S.Mask.empty())
    return packing();
  std::string Mask = HasMask ? S.Mask : "0";
  std::string Depth = std::to_string(R.below(4));
  bool Indirect = R.percent(20) && !F.InRegisters;
  std::string Prefix = label().substr(1);
  std::string Text = "\t{\n", Args, Formal;
  if (F.InRegisters) {
    Text += "\t.reg .b32 " + Prefix + "m, " + Prefix + "d;\n\tmov.b32 " +
            Prefix + "m, " + Mask + ";\n\tmov.b32 " + Prefix + "d, " + Depth +
            ";\n";
    Args = Prefix + "m, %priv, " + Prefix + "d";
    for (const std::string &Type : F.Params)
      Args += ", " + exact(widthOf(Type));
    return group(Text + "\tcall (" + exactWriteable(widthOf(F.Result)) + "), " +
                 F.Name + ", (" + Args + ");\n\t}\n");
  }
  std::vector<std::string> Types = {".b32", ".b64", ".b32"};
  Types.insert(Types.end(), F.Params.begin(), F.Params.end());
  for (size_t N = 0; N != Types.size(); ++N) {
    std::string Param = Prefix + "a" + std::to_string(N);
    Text += "\t" + declaration(Types[N], Param, false) + ";\n";
    if (N == 0)
      Text += "\tst.param.b32 [" + Param + "], " + Mask + ";\n";
    else if (N == 1)
      Text += "\tst.param.b64 [" + Param + "], %priv;\n";
    else if (N == 2)
      Text += "\tst.param.b32 [" + Param + "], " + Depth + ";\n";
    else
      Text += argumentStore(Param, Types[N]);
    Args += (N ? ", " : "") + Param;
    Formal +=
        (N ? ", " : "") + declaration(Types[N], "f" + std::to_string(N), false);
  }
  std::string Returned = Prefix + "r";
  Text += "\t" + declaration(F.Result, Returned, false) + ";\n";
  if (Indirect) {
    std::string Pointer = temp(".b64");
    Text += Prefix + "p: .callprototype (" + declaration(F.Result, "_", false) +
            ") _ (" + Formal + ");\n\tmov.u64 " + Pointer + ", " + F.Name +
            ";\n" + otherCallee(F, Pointer) + "\tcall (" + Returned + "), " +
            Pointer + ", (" + Args + "), " + Prefix + "p;\n";
  } else {
    Text += "\tcall (" + Returned + "), " + F.Name + ", (" + Args + ");\n";
  }
  if (F.Result == "array")
    Text += "\tld.param.v2.b64 {%d0, %d" + std::to_string(R.from(1, 5)) +
            "}, [" + Returned + "];\n";
  else
    Text += "\tld.param" + F.Result + " " + exactWriteable(widthOf(F.Result)) +
            ", [" + Returned + "];\n";
  return group(Text + "\t}\n");
}

/// What a function is called with: mostly little, sometimes more than there are
/// registers for.
template <size_t N>
void Generator::chooseSignature(Callee &C, const char *const (&Types)[N]) {
  C.HasMask = R.percent(50);
  C.InRegisters = R.percent(20);
  uint64_t Count = R.percent(15) ? R.from(8, 24) : R.below(4);
  for (; Count != 0; --Count)
    C.Params.push_back(C.InRegisters ? Types[R.below(2)] : R.pick(Types));
  C.Result = C.InRegisters ? Types[R.below(2)] : R.pick(Types);
}

/// A line by which a parameter's value has a say in one of the registers.
static std::string mixIn(const std::string &Type, const std::string &Value,
                         size_t N) {
  std::string To = (Type == ".b64"   ? "%d" + std::to_string(N % 6)
                    : Type == ".b16" ? "%h" + std::to_string(N % 6)
                                     : "%r" + std::to_string(N % 10));
  return "\txor" + Type + " " + To + ", " + To + ", " + Value + ";\n";
}

/// The types of a function's parameters: lanes, private memory and depth come
/// before its own.
static std::vector<std::string>
parameterTypes(const std::vector<std::string> &Own) {
  std::vector<std::string> All = {".b32", ".b64", ".b32"};
  All.insert(All.end(), Own.begin(), Own.end());
  return All;
}

std::string Generator::calleeHeader(const Callee &C) const {
  std::string Formal;
  for (auto [N, Type] : llvm::enumerate(parameterTypes(C.Params)))
    Formal += (N ? ", " : "") +
              declaration(Type, "a" + std::to_string(N), C.InRegisters);
  return ".func (" + declaration(C.Result, "rv", C.InRegisters) + ") " +
         C.Name + "(" + Formal + ")";
}

/// Reads the N-th parameter.
std::string Generator::parameterRead(const Callee &C, const std::string &Type,
                                     const std::string &To, size_t N) const {
  std::string Name = "a" + std::to_string(N);
  return C.InRegisters ? "\tmov" + Type + " " + To + ", " + Name + ";\n"
                       : "\tld.param" + Type + " " + To + ", [" + Name + "];\n";
}

/// Reads the parameters that are a function's own.
std::string Generator::ownParameters(const Callee &C) {
  std::string Text;
  for (size_t N = 0; N != C.Params.size(); ++N) {
    if (C.Params[N] == "array") {
      std::string Low = temp(".b64"), High = temp(".b64");
      Text += "\tld.param.v2.b64 {" + Low + ", " + High + "}, [a" +
              std::to_string(N + 3) + "];\n" + mixIn(".b64", Low, N) +
              mixIn(".b64", High, N + 1);
    } else if (C.Params[N] == ".b128") {
      Text += parameterRead(C, ".b128", "%q" + std::to_string(N % 2), N + 3);
    } else {
      std::string Value = temp(C.Params[N].c_str());
      Text += parameterRead(C, C.Params[N], Value, N + 3) +
              mixIn(C.Params[N], Value, N);
    }
  }
  return Text;
}

/// A function's call of itself with arguments and result in registers.
std::string Generator::selfCallInRegisters(const Callee &C) {
  std::string Args = "%mask, %priv, %depth";
  for (const std::string &Type : C.Params)
    Args += ", " + exact(widthOf(Type));
  return "\tcall (" + exactWriteable(widthOf(C.Result)) + "), " + C.Name +
         ", (" + Args + ");\n";
}

/// The same with .param variables.
std::string Generator::selfCallInMemory(const Callee &C) {
  static constexpr const char *First[] = {"%mask", "%priv", "%depth"};
  std::string Text, Args;
  for (auto [N, Type] : llvm::enumerate(parameterTypes(C.Params))) {
    std::string Param = "ra" + std::to_string(N);
    Text += "\t" + declaration(Type, Param, false) + ";\n";
    Text += N < std::size(First)
                ? "\tst.param" + Type + " [" + Param + "], " + First[N] + ";\n"
                : argumentStore(Param, Type);
    Args += (N ? ", " : "") + Param;
  }
  Text += "\t" + declaration(C.Result, "rr", false) + ";\n\tcall (rr), " +
          C.Name + ", (" + Args + ");\n";
  return Text + (C.Result == "array"
                     ? "\tld.param.v2.b64 {%d0, %d1}, [rr];\n"
                     : "\tld.param" + C.Result + " " +
                           exactWriteable(widthOf(C.Result)) + ", [rr];\n");
}

/// A function calls itself with a depth that is one less, until that is 0.
Statement Generator::recursion(const Callee &C) {
  std::string P = temp(".pred"), End = label();
  std::string Lower = "\tsetp.eq.u32 " + P + ", %depth, 0;\n";
  if (C.HasMask) {
    std::string Go = temp(".pred");
    Lower += "\tnot.pred " + Go + ", " + P +
             ";\n\tvote.sync.ballot.b32 %mask, " + Go + ", %mask;\n";
  }
  Lower += "\t@" + P + " bra " + End + ";\n\tsub.u32 %depth, %depth, 1;\n";
  std::string Call =
      C.InRegisters ? selfCallInRegisters(C) : selfCallInMemory(C);
  return group(Lower + "\t{\n" + Call + "\t}\n" + End + ":\n");
}

/// Stores the result.
std::string Generator::resultStore(const Callee &C) {
  if (C.Result == "array")
    return "\tst.param.b64 [rv], " + exact(64) + ";\n\tst.param.b64 [rv+8], " +
           exact(64) + ";\n";
  std::string Value = exact(widthOf(C.Result));
  return C.InRegisters ? "\tmov" + C.Result + " rv, " + Value + ";\n"
                       : "\tst.param" + C.Result + " [rv], " + Value + ";\n";
}

/// A function, which later ones and the kernel can call. Some call themselves
/// as often as their depth says.
void Generator::makeFunction() {
  static constexpr const char *Types[] = {".b32", ".b64", "array", ".b32",
                                          ".b16", ".b64", ".b32",  ".b128"};
  beginFunction();
  Callee C;
  if (!Callees.empty() && R.percent(30)) // to be called in its place
    C = R.pick(Callees);
  else
    chooseSignature(C, Types);
  C.Name = "func" + std::to_string(Callees.size());

  FunctionText F;
  F.Name = C.Name;
  F.Header = calleeHeader(C);
  F.Start.push_back(group("\t.local .align 16 .b8 lbuf[64];\n" +
                              parameterRead(C, ".b32", "%mask", 0) +
                              parameterRead(C, ".b64", "%priv", 1) +
                              parameterRead(C, ".b32", "%depth", 2),
                          true));
  startMemory(F, /*IsKernel=*/false);
  startValues(F, "%priv", 2, 16, 32);
  std::string Load = "\tmov.b64 %out, 0;\n\tmov.b64 %sum, 0;\n";
  for (unsigned N = 0; N != 4; ++N)
    Load += "\tmov.u32 %u" + std::to_string(N) + ", " +
            std::to_string(R.below(9)) + ";\n";
  F.Start.push_back(group(Load + ownParameters(C), true));

  Scope S;
  S.Depth = 1;
  S.Loops = 1;
  S.Mask = C.HasMask ? "%mask" : "";
  Budget = unsigned(R.from(4, 12));
  F.Statements = statements(S, Budget);
  if (R.percent(30))
    F.Statements.push_back(recursion(C));
  F.End.push_back(group(resultStore(C) + "\tret;\n", true));
  F.Registers = registerDeclarations();
  P.Functions.push_back(std::move(F));
  Callees.push_back(std::move(C));
}

} // namespace heddle::random
