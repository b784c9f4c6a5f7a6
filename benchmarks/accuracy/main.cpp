//===- main.cpp - Measures errors of functions ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-accuracy: measures the errors of approximating instructions and of
// mathematical functions against MPFR. Exit status 0 if no promise is broken.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Kernels.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

using namespace heddle::accuracy;

namespace {

struct Arguments {
  std::string Library, Module, Filter, Out;
  std::string Level = "-O3";
  size_t Count = size_t(1) << 20;
  bool FastMath = false, PrintCUDA = false, List = false, All = false;
};

} // namespace

static constexpr char Usage[] =
    R"(usage: heddle-accuracy [OPTION...]

Without --libdevice and --module the approximating instructions are measured.

  --libdevice=FILE  the functions of this bitcode
  --module=FILE     the functions of this PTX, made from what --print-cuda prints
  --print-cuda      print kernels of all functions as CUDA, run nothing
  --fast-math       --module was compiled with --use_fast_math
  --filter=REGEX    only functions whose name matches as a whole
  --count=N         arguments of each function (1048576); costly ones have less
  --all             all arguments, of functions of one number of 32 bits
  --level=-On       for the compiler (-O3)
  --out=FILE        tab-separated results, besides the table
  --list            print names and promises, run nothing
)";

static bool parse(int Argc, char **Argv, Arguments &A) {
  for (int I = 1; I != Argc; ++I) {
    std::string Arg = Argv[I];
    size_t Equals = Arg.find('=');
    std::string Name = Arg.substr(0, Equals);
    std::string Value =
        Equals == std::string::npos ? "" : Arg.substr(Equals + 1);
    if (Name == "--libdevice")
      A.Library = Value;
    else if (Name == "--module")
      A.Module = Value;
    else if (Name == "--filter")
      A.Filter = Value;
    else if (Name == "--out")
      A.Out = Value;
    else if (Name == "--level")
      A.Level = Value;
    else if (Name == "--count" && std::atoll(Value.c_str()) > 0)
      A.Count = static_cast<size_t>(std::atoll(Value.c_str()));
    else if (Arg == "--fast-math")
      A.FastMath = true;
    else if (Arg == "--print-cuda")
      A.PrintCUDA = true;
    else if (Arg == "--list")
      A.List = true;
    else if (Arg == "--all")
      A.All = true;
    else {
      std::cerr << "heddle-accuracy: bad argument '" << Arg << "'\n" << Usage;
      return false;
    }
  }
  return true;
}

static std::string readFile(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  if (!In)
    throw std::runtime_error("cannot read " + Path);
  std::stringstream Text;
  Text << In.rdbuf();
  return Text.str();
}

/// Whether a function can be measured in the way that the command line says.
static bool isThere(const Function &F, const Arguments &A) {
  if (A.PrintCUDA || !A.Module.empty())
    return !F.CUDA.empty();
  return A.Library.empty() ? F.In == Group::Instruction : !F.Library.empty();
}

static std::string argumentText(const Function &F, const Finding &Found) {
  std::string Text;
  for (size_t I = 0; I != Found.Arguments.size(); ++I)
    Text += (I ? ", " : "") + toText(Found.Arguments[I], F.Arguments[I]);
  return Text;
}

/// Such as "1 (1.23)": from the rounded and from the exact result.
static std::string errorText(const Piece &P, const Finding &Found) {
  char Text[64];
  if (P.In == Measure::Absolute || P.In == Measure::Relative) {
    if (Found.Error == 0)
      return "0";
    std::snprintf(Text, sizeof(Text), "2^%.2f", std::log2(Found.Error));
  } else if (P.In == Measure::Ulp && P.Most == 0) {
    std::snprintf(Text, sizeof(Text), "%g", Found.Steps);
  } else if (Found.Error < 1e6) {
    std::snprintf(Text, sizeof(Text), "%.10g (%.3f)", Found.Steps, Found.Error);
  } else {
    std::snprintf(Text, sizeof(Text), "%.3g", Found.Error);
  }
  return Text;
}

/// A line for each piece of the promise: name, promise, error, bound there,
/// arguments, result, samples, wrong special results, verdict.
static void print(std::ostream &Out, const Function &F, const Promise &P,
                  const Verdict &V) {
  for (size_t At = 0; At != P.size(); ++At) {
    const Finding &Found = V.Worst[At];
    if (!Found.exists())
      continue;
    Out << F.Name << '\t' << P[At].text() << '\t' << errorText(P[At], Found)
        << '\t' << Found.Most << '\t' << argumentText(F, Found) << '\t'
        << toText(Found.Got, F.Result) << '\t' << V.Samples << '\t'
        << V.WrongSpecials;
    if (V.WrongSpecials)
      Out << " (" << argumentText(F, V.FirstSpecial) << " gave "
          << toText(V.FirstSpecial.Got, F.Result) << ")";
    Out << '\t' << (V.Broken ? "BROKEN" : "kept") << std::endl;
  }
}

static Verdict measure(Device &D, const Function &F, const Arguments &A) {
  Judge J(F, A.FastMath);
  bool Whole = A.All && F.Arguments.size() == 1 && F.Arguments[0].bits() == 32;
  if (Whole) {
    D.run(F, AllSamples(), J);
    return J.verdict();
  }
  D.run(F, SpreadSamples(F, A.Count / F.Cost), J);
  size_t Neighbours = F.Cost >= 16 ? 31 : 343;
  for (int Round = 0; Round != 2; ++Round)
    if (std::vector<std::vector<uint64_t>> Centers = J.centers();
        !Centers.empty())
      D.run(F, NearSamples(F, Centers, Neighbours), J);
  return J.verdict();
}

static int measureAll(const std::vector<const Function *> &Chosen,
                      const Arguments &A) {
  std::string Library = A.Library.empty() ? "" : readFile(A.Library);
  std::string PTX = A.Module.empty() ? ptxText(Chosen) : readFile(A.Module);
  Device D(PTX, Library, A.Level);
  std::ofstream Out;
  if (!A.Out.empty())
    Out.open(A.Out);
  unsigned Broken = 0;
  for (const Function *F : Chosen) {
    Verdict V = measure(D, *F, A);
    print(std::cout, *F, F->promised(A.FastMath), V);
    if (Out.is_open())
      print(Out, *F, F->promised(A.FastMath), V);
    Broken += V.Broken;
  }
  std::cout << Chosen.size() << " functions, " << Broken
            << " with a broken promise\n";
  return Broken ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int Argc, char **Argv) try {
  Arguments A;
  if (!parse(Argc, Argv, A))
    return EXIT_FAILURE;
  std::vector<Function> Functions = functions();
  std::vector<const Function *> Chosen;
  std::regex Filter(A.Filter.empty() ? ".*" : A.Filter);
  for (const Function &F : Functions)
    if ((A.List || isThere(F, A)) && std::regex_match(F.Name, Filter))
      Chosen.push_back(&F);
  if (Chosen.empty())
    throw std::runtime_error("no such function");
  if (A.PrintCUDA) {
    std::cout << cudaText(Chosen);
    return EXIT_SUCCESS;
  }
  if (A.List) {
    for (const Function *F : Chosen)
      std::cout << F->Name << '\t' << text(F->promised(A.FastMath)) << '\n';
    return EXIT_SUCCESS;
  }
  return measureAll(Chosen, A);
} catch (const std::exception &E) {
  std::cerr << "heddle-accuracy: " << E.what() << "\n";
  return EXIT_FAILURE;
}
