//===- Program.cpp - A random PTX program as a tree -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Printing, and the line that replaying needs.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <cinttypes>
#include <cstdio>

namespace heddle::random {

static void print(const Body &Statements, std::string &Text) {
  for (const Statement &S : Statements)
    for (size_t N = 0; N != S.Pieces.size(); ++N) {
      Text += S.Pieces[N];
      if (N < S.Bodies.size())
        print(S.Bodies[N], Text);
    }
}

std::string RandomProgram::print() const {
  std::string Text = describe(Shape) + "\n";
  for (const std::string &Line : Module)
    Text += Line + "\n";
  for (const FunctionText &F : Functions) {
    Text += "\n" + F.Header + "\n{\n";
    for (const std::string &Line : F.Registers)
      Text += "\t" + Line + "\n";
    random::print(F.Start, Text);
    random::print(F.Statements, Text);
    random::print(F.End, Text);
    Text += "}\n";
  }
  return Text;
}

static constexpr const char *ShapeFormat =
    "// heddle-random-ptx: grid=%" PRIu32 " block=%" PRIu32 " seed=%" PRIu64
    " contract=%d";
static constexpr const char *ShapeScan =
    "// heddle-random-ptx: grid=%" SCNu32 " block=%" SCNu32 " seed=%" SCNu64
    " contract=%d";

std::string describe(const ProgramShape &Shape) {
  char Line[160];
  std::snprintf(Line, sizeof(Line), ShapeFormat, Shape.Grid, Shape.Block,
                Shape.Seed, int(Shape.Contract));
  return Line;
}

bool readShape(const std::string &Text, ProgramShape &Shape) {
  size_t At = Text.find("// heddle-random-ptx: grid=");
  if (At == std::string::npos)
    return false;
  int Contract = 0;
  if (std::sscanf(Text.c_str() + At, ShapeScan, &Shape.Grid, &Shape.Block,
                  &Shape.Seed, &Contract) != 4)
    return false;
  Shape.Contract = Contract != 0;
  return true;
}

} // namespace heddle::random
