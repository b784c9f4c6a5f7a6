//===- main.cpp - The semantic test of scalar instructions ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-forms: runs forms of PTX instructions and compares the results with
// values computed here. Exit status 0 if all are right.
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"
#include "Runner.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

#include <cstdlib>
#include <list>

using namespace heddle;
using namespace heddle::forms;
using namespace llvm;

namespace {

struct Arguments {
  std::string Family;
  std::string Filter;
  unsigned Shard = 0, Shards = 1;
  bool List = false, Uncovered = false;
  RunOptions Run;
};

} // namespace

static constexpr char Usage[] =
    R"(usage: heddle-forms [OPTION...]

  --family=NAME    only this family
  --filter=REGEX   only forms whose name matches
  --shard=I/N      only every Nth form, from the Ith on (from 0)
  --full           all samples at -O0 and -O3 and on both chips, and every edge
                   value with all values of the other one of two 16-bit sources
  --random=N       random samples for each form (10000)
  --seed=N         of the random samples (1)
  --record=DIR     write kernels, samples and a program for a real GPU to DIR
  --recorded=DIR   compare what the program wrote there with the references
  --list           print `family TAB mnemonic TAB form`, run nothing
  --uncovered      print the scalar mnemonics of the PTX table without a form
)";

static bool parse(ArrayRef<const char *> Args, Arguments &Result) {
  for (StringRef Arg : Args) {
    auto [Name, Value] = Arg.split('=');
    bool Good = true;
    if (Name == "--family") {
      Result.Family = Value.str();
    } else if (Name == "--filter") {
      Result.Filter = Value.str();
    } else if (Name == "--shard") {
      auto [Index, Count] = Value.split('/');
      Good = !Index.getAsInteger(10, Result.Shard) &&
             !Count.getAsInteger(10, Result.Shards) &&
             Result.Shard < Result.Shards;
    } else if (Name == "--full") {
      Result.Run.Full = Result.Run.Samples.Full = true;
    } else if (Name == "--random") {
      Good = !Value.getAsInteger(10, Result.Run.Samples.Random);
    } else if (Name == "--seed") {
      Good = !Value.getAsInteger(10, Result.Run.Samples.Seed);
    } else if (Name == "--record") {
      Result.Run.RecordTo = Value.str();
    } else if (Name == "--recorded") {
      Result.Run.Recorded = Value.str();
    } else if (Name == "--list") {
      Result.List = true;
    } else if (Name == "--uncovered") {
      Result.Uncovered = true;
    } else {
      Good = false;
    }
    if (!Good) {
      errs() << "heddle-forms: bad argument '" << Arg << "'\n" << Usage;
      return false;
    }
  }
  return true;
}

/// The forms that the command line chooses, of all families or one.
static std::vector<const Form *> choose(const Arguments &Args,
                                        std::list<FormList> &Lists) {
  Regex Filter(Args.Filter);
  std::vector<const Form *> Chosen;
  for (const Family &F : families()) {
    if (!Args.Family.empty() && Args.Family != F.Name)
      continue;
    FormList &List = Lists.emplace_back();
    F.Add(List);
    for (size_t N = 0; N != List.Forms.size(); ++N) {
      const Form &Candidate = List.Forms[N];
      if (!Args.Filter.empty() && !Filter.match(Candidate.Name))
        continue;
      if (N % Args.Shards != Args.Shard)
        continue;
      Chosen.push_back(&Candidate);
      if (Args.List)
        outs() << F.Name << '\t' << Candidate.mnemonic() << '\t'
               << Candidate.Name << '\n';
    }
  }
  return Chosen;
}

int main(int Argc, char **Argv) {
  Arguments Args;
  if (!parse(ArrayRef<const char *>(Argv + 1, Argc - 1), Args))
    return EXIT_FAILURE;
  std::list<FormList> Lists;
  std::vector<const Form *> Forms = choose(Args, Lists);
  if (Args.Uncovered) {
    printUncovered(Forms, outs());
    return EXIT_SUCCESS;
  }
  if (Args.List)
    return EXIT_SUCCESS;
  if (Forms.empty()) {
    errs() << "heddle-forms: no such form\n";
    return EXIT_FAILURE;
  }
  Expected<Summary> Result = runForms(Forms, Args.Run, errs());
  if (!Result) {
    errs() << "heddle-forms: " << toString(Result.takeError()) << "\n";
    return EXIT_FAILURE;
  }
  outs() << Result->Forms << " forms, " << Result->Exhaustive
         << " with all values, " << Result->Results << " results compared, "
         << Result->Failed << " forms wrong, " << Result->NotCompiled
         << " not compiled\n";
  return Result->passed() ? EXIT_SUCCESS : EXIT_FAILURE;
}
