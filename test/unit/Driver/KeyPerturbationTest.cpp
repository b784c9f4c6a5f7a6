//===- KeyPerturbationTest.cpp - That keys are complete ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes every option in turn and sees the key change, or finds the option on
// the list of those that cannot change what a compilation gives. A new option
// fails here until its row says that it belongs to the key, or somebody puts it
// on the list.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CompileService.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace heddle;

namespace {

constexpr const char *SaysWhatToReadOrDo = "says what to read, write or do";
constexpr const char *InputIsHashed = "the input itself is in the key";
constexpr const char *OptionsAreHashed = "the options in the file are";
constexpr const char *RendersOnly = "how messages look, kept beside them";
constexpr const char *FailuresOnly = "concerns failures, which are not stored";
constexpr const char *FiguresAreStored = "prints what every entry holds";
constexpr const char *ConcernsTheCache = "concerns the cache, not the compiler";
constexpr const char *SameForAnyThreads = "JIT's tests compare the objects";
constexpr const char *BecomesAnOption = "what it finds is --tuning";
constexpr const char *HasOneValue = "takes one value only";

/// Options that are not in the key, each with the reason. Those without effect
/// (the table says so) need none; Cache/no-effect.test compares their objects.
const std::map<OptionId, const char *> Exceptions = {
    {OptionId::Output, SaysWhatToReadOrDo},
    {OptionId::InputAsString, InputIsHashed},
    {OptionId::OptionsFile, OptionsAreHashed},
    {OptionId::Library, InputIsHashed},
    {OptionId::LibraryPath, InputIsHashed},
    {OptionId::Verbose, FiguresAreStored},
    {OptionId::Verbose2, FiguresAreStored},
    {OptionId::Help, SaysWhatToReadOrDo},
    {OptionId::Version, SaysWhatToReadOrDo},
    {OptionId::ListVersion, SaysWhatToReadOrDo},
    {OptionId::ListArch, SaysWhatToReadOrDo},
    {OptionId::PrintPipeline, SaysWhatToReadOrDo},
    {OptionId::Machine, HasOneValue},
    {OptionId::SplitCompile, SameForAnyThreads},
    {OptionId::UseTuning, BecomesAnOption},
    {OptionId::LaunchThreads, BecomesAnOption},
    {OptionId::LaunchCTAs, BecomesAnOption},
    {OptionId::Color, RendersOnly},
    {OptionId::DiagnosticsFormat, RendersOnly},
    {OptionId::MaxErrors, FailuresOnly},
    {OptionId::Cache, ConcernsTheCache},
    {OptionId::NoCache, ConcernsTheCache},
    {OptionId::CacheDir, ConcernsTheCache},
    {OptionId::CacheSet, ConcernsTheCache},
    {OptionId::CacheReport, ConcernsTheCache},
};

/// Values for options whose table row does not enumerate them.
const std::map<OptionId, std::vector<std::string>> Values = {
    {OptionId::Arch, {"sm_80", "sm_90", "sm_90a", "hd10", "compute_90"}},
    {OptionId::Warning, {"shadow", "no-misaligned", "error=backend"}},
    {OptionId::MaxRegCount, {"32", "64", "archmax"}},
    {OptionId::MinNCtaPerSM, {"1", "2"}},
};

std::vector<std::string> valuesOf(const OptionInfo &O) {
  if (auto Own = Values.find(O.Id); Own != Values.end())
    return Own->second;
  if (O.Kind == OptionKind::Flag)
    return {"true"};
  std::vector<std::string> Result;
  std::string_view Text = O.Values;
  if (Text.find('|') != Text.npos) {
    while (!Text.empty()) {
      size_t End = std::min(Text.find('|'), Text.size());
      Result.emplace_back(Text.substr(0, End));
      Text.remove_prefix(std::min(End + 1, Text.size()));
    }
    return Result;
  }
  if (O.Kind == OptionKind::Int)
    return {"0", "1", "2"};
  return {"a", "b", "a,b"};
}

CompilerIdentity identity() { return {"b01d", "15a"}; }

std::string keyOf(const CompileOptions &Options,
                  const CompilerIdentity &Identity = identity()) {
  cache::Key K = makeCompileKey(Identity, Options, "input", "name");
  return K.find().str() + K.digest().str();
}

} // namespace

TEST(KeyPerturbation, EveryOptionThatMattersChangesTheKey) {
  std::string Default = keyOf(CompileOptions());
  for (const OptionInfo &O : compileOptionTable()) {
    std::set<std::string> Keys = {Default};
    size_t Different = 0;
    for (const std::string &Value : valuesOf(O)) {
      CompileOptions Options;
      if (Options.set(O.Id, Value))
        continue; // not a value of this option
      ++Different;
      if (Value == O.Default)
        --Different;
      Keys.insert(keyOf(Options));
    }
    bool IsExcepted = O.Effect == OptionEffect::None || Exceptions.count(O.Id);
    EXPECT_EQ(Keys.size() - 1, IsExcepted ? 0 : Different)
        << "--" << O.Long
        << (IsExcepted ? " is on the list of exceptions, and in the key"
                       : " changes the output, and not always the key");
    if (O.Effect == OptionEffect::Output)
      EXPECT_FALSE(IsExcepted) << "--" << O.Long;
    if (!IsExcepted)
      EXPECT_GT(Different, 0u) << "--" << O.Long << " was not tried";
  }
}

TEST(KeyPerturbation, ValuesDoNotRunIntoEachOther) {
  auto With = [](std::vector<std::string> Args) {
    CompileOptions Options;
    EXPECT_FALSE(Options.parse(Args));
    return keyOf(Options);
  };
  EXPECT_NE(With({"-mllvm", "a,b"}), With({"-mllvm", "a", "-mllvm", "b"}));
  EXPECT_NE(With({"-mllvm", "a\nchip=x"}), With({"-mllvm", "a"}));
  EXPECT_NE(With({"-e", "a,b"}), With({"-e", "b,a"}));
  // Spellings of the same are the same.
  EXPECT_EQ(With({"-O3"}), With({"--opt-level=3"}));
  EXPECT_EQ(With({"-w"}), With({"-w", "-v"}));
}

TEST(KeyPerturbation, TheNameOfTheInputMattersToDebugInformationOnly) {
  for (const char *Option : {"-O3", "-lineinfo", "-g"}) {
    std::vector<std::string> Args = {Option};
    CompileOptions Options;
    EXPECT_FALSE(Options.parse(Args));
    bool IsSame = makeCompileKey(identity(), Options, "input", "a").digest() ==
                  makeCompileKey(identity(), Options, "input", "b").digest();
    EXPECT_EQ(IsSame, std::string_view(Option) == "-O3") << Option;
  }
}

TEST(KeyPerturbation, CompilerISAAndInputChangeTheKey) {
  CompileOptions Options;
  std::string Default = keyOf(Options);
  EXPECT_NE(keyOf(Options, {"b01e", "15a"}), Default);
  EXPECT_NE(keyOf(Options, {"b01d", "15b"}), Default);
  cache::Key Other = makeCompileKey(identity(), Options, "input ", "name");
  EXPECT_NE(Other.find().str() + Other.digest().str(), Default);
}
