//===- Reducer.cpp - Makes a failing program small --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Delta debugging over the tree of statements.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace heddle::random {

namespace {

class Reducer {
public:
  Reducer(RandomProgram P, const InterestTest &IsInteresting, unsigned MaxTests)
      : P(std::move(P)), IsInteresting(IsInteresting), TestsLeft(MaxTests) {}

  RandomProgram run() {
    while (TestsLeft != 0 && pass())
      ;
    return std::move(P);
  }

private:
  bool pass();
  bool works();
  template <typename T> bool replace(T &Place, T New);
  bool dropFunctions();
  bool shrinkShape();
  bool reduceBody(Body &B);
  bool dropChunks(Body &B);
  bool unwrap(Body &B);
  bool simplify(Body &B);
  bool dropUnusedStart(FunctionText &F);

  RandomProgram P;
  const InterestTest &IsInteresting;
  unsigned TestsLeft;
};

bool Reducer::works() {
  if (TestsLeft == 0)
    return false;
  --TestsLeft;
  return IsInteresting(P);
}

/// Puts \p New in place, unless the program is then of no interest.
template <typename T> bool Reducer::replace(T &Place, T New) {
  std::swap(Place, New);
  if (works())
    return true;
  std::swap(Place, New);
  return false;
}

/// Functions but for the kernel; who still calls one keeps it.
bool Reducer::dropFunctions() {
  bool Changed = false;
  for (size_t N = P.Functions.size() - 1; N-- != 0;) {
    std::vector<FunctionText> Fewer = P.Functions;
    Fewer.erase(Fewer.begin() + ptrdiff_t(N));
    Changed |= replace(P.Functions, std::move(Fewer));
  }
  return Changed;
}

bool Reducer::shrinkShape() {
  bool Changed = false;
  if (P.Shape.Grid != 1)
    Changed |= replace(P.Shape.Grid, 1u);
  for (uint32_t Block : {1u, 2u, 32u})
    if (Block < P.Shape.Block && replace(P.Shape.Block, Block))
      return true;
  return Changed;
}

/// Takes away runs of statements, long ones first.
bool Reducer::dropChunks(Body &B) {
  bool Changed = false;
  for (size_t Size = B.size(); Size != 0; Size /= 2)
    for (size_t At = B.size(); At >= Size && At != 0;) {
      size_t First = At - Size;
      auto Begin = B.begin() + ptrdiff_t(First);
      bool Needed = std::any_of(Begin, Begin + ptrdiff_t(Size),
                                [](const Statement &S) { return S.Needed; });
      Body Fewer = B;
      if (!Needed) {
        Fewer.erase(Fewer.begin() + ptrdiff_t(First),
                    Fewer.begin() + ptrdiff_t(At));
        if (replace(B, std::move(Fewer)))
          Changed = true;
      }
      At = First;
      if (At > B.size())
        At = B.size();
    }
  return Changed;
}

/// Bodies in place of what is around them.
bool Reducer::unwrap(Body &B) {
  bool Changed = false;
  for (size_t N = 0; N < B.size(); ++N) {
    if (!B[N].Unwrappable)
      continue;
    Body Flat(B.begin(), B.begin() + ptrdiff_t(N));
    for (const Body &Inner : B[N].Bodies)
      Flat.insert(Flat.end(), Inner.begin(), Inner.end());
    Flat.insert(Flat.end(), B.begin() + ptrdiff_t(N) + 1, B.end());
    Changed |= replace(B, std::move(Flat));
  }
  return Changed;
}

bool Reducer::simplify(Body &B) {
  bool Changed = false;
  for (Statement &S : B)
    if (!S.Simpler.empty() && S.Pieces[0] != S.Simpler)
      Changed |= replace(S.Pieces[0], std::string(S.Simpler));
  return Changed;
}

bool Reducer::reduceBody(Body &B) {
  bool Changed = dropChunks(B);
  Changed |= unwrap(B);
  Changed |= simplify(B);
  for (Statement &S : B)
    for (Body &Inner : S.Bodies)
      Changed |= reduceBody(Inner);
  return Changed;
}

static void collect(const Body &B, std::string &Text) {
  for (const Statement &S : B) {
    for (const std::string &Piece : S.Pieces)
      Text += Piece;
    for (const Body &Inner : S.Bodies)
      collect(Inner, Text);
  }
}

/// The registers that a start value's lines write: those before an address, or
/// the first one of a line.
static std::vector<std::string> writtenBy(const Statement &S) {
  std::vector<std::string> Registers;
  std::istringstream Lines(S.Pieces[0]);
  for (std::string Line; std::getline(Lines, Line);) {
    size_t End = Line.find('[');
    bool IsLoad = End != std::string::npos;
    for (size_t At = Line.find('%'); At < std::min(End, Line.size());
         At = Line.find('%', At + 1)) {
      size_t Last = Line.find_first_of(",} ;", At);
      Registers.push_back(Line.substr(At, Last - At));
      if (!IsLoad)
        break;
    }
  }
  return Registers;
}

/// Whether a register's name stands somewhere in a text.
static bool mentions(const std::string &Text, const std::string &Register) {
  for (size_t At = Text.find(Register); At != std::string::npos;
       At = Text.find(Register, At + 1)) {
    size_t Next = At + Register.size();
    if (Next == Text.size() || !isdigit(Text[Next]))
      return true;
  }
  return false;
}

/// Start values of registers that nobody reads any more. Others stay, lest a
/// register be read that nobody wrote.
bool Reducer::dropUnusedStart(FunctionText &F) {
  bool Changed = false;
  for (size_t N = F.Start.size(); N-- != 0;) {
    if (F.Start[N].Needed)
      continue;
    std::string Rest;
    Body After(F.Start.begin() + ptrdiff_t(N) + 1, F.Start.end());
    collect(After, Rest);
    collect(F.Statements, Rest);
    collect(F.End, Rest);
    std::vector<std::string> Registers = writtenBy(F.Start[N]);
    if (std::any_of(Registers.begin(), Registers.end(),
                    [&](auto &Name) { return mentions(Rest, Name); }))
      continue;
    Body Fewer = F.Start;
    Fewer.erase(Fewer.begin() + ptrdiff_t(N));
    Changed |= replace(F.Start, std::move(Fewer));
  }
  return Changed;
}

bool Reducer::pass() {
  bool Changed = false;
  for (FunctionText &F : P.Functions) {
    Changed |= reduceBody(F.Statements);
    Changed |= dropChunks(F.End);
    Changed |= simplify(F.Start);
    Changed |= dropUnusedStart(F);
  }
  Changed |= dropFunctions();
  Changed |= shrinkShape();
  return Changed;
}

} // namespace

RandomProgram reduce(RandomProgram P, const InterestTest &IsInteresting,
                     unsigned MaxTests) {
  return Reducer(std::move(P), IsInteresting, MaxTests).run();
}

} // namespace heddle::random
