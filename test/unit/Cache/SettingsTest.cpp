//===- SettingsTest.cpp - Tests of the settings -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of settings and their order, and that a bad setting is never fatal.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <map>

using namespace heddle::cache;

namespace {

using Variables = std::map<std::string, std::string>;

Settings load(const Variables &V, std::vector<std::string> &Complaints) {
  return Settings::load(
      [&](const char *Name) {
        auto At = V.find(Name);
        return At == V.end() ? nullptr : At->second.c_str();
      },
      Complaints);
}

Settings loadQuietly(const Variables &V) {
  std::vector<std::string> Complaints;
  Settings S = load(V, Complaints);
  EXPECT_TRUE(Complaints.empty()) << Complaints.front();
  return S;
}

} // namespace

TEST(Settings, Defaults) {
  Settings S = loadQuietly({{"HOME", "/home/me"}});
  EXPECT_EQ(S.text(SettingId::Dir), "/home/me/.cache/heddle");
  EXPECT_EQ(S.number(SettingId::MaxSize), 5ull << 30);
  EXPECT_EQ(S.mode(), Mode::On);
  S = loadQuietly({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/c"}});
  EXPECT_EQ(S.text(SettingId::Dir), "/c/heddle");
}

TEST(Settings, CUDAVariablesHoldWhereOursAreUnset) {
  Variables V = {{"HOME", "/h"},
                 {"CUDA_CACHE_PATH", "/cuda"},
                 {"CUDA_CACHE_MAXSIZE", "1048576"},
                 {"CUDA_CACHE_DISABLE", "1"}};
  Settings S = loadQuietly(V);
  EXPECT_EQ(S.text(SettingId::Dir), "/cuda/heddle");
  EXPECT_EQ(S.number(SettingId::MaxSize), 1048576u);
  EXPECT_EQ(S.mode(), Mode::Off);
  V["HEDDLE_CACHE_DIR"] = "/ours";
  V["HEDDLE_CACHE_MAX_SIZE"] = "2K";
  V["HEDDLE_CACHE_MODE"] = "read-only";
  S = loadQuietly(V);
  EXPECT_EQ(S.text(SettingId::Dir), "/ours");
  EXPECT_EQ(S.number(SettingId::MaxSize), 2048u);
  EXPECT_EQ(S.mode(), Mode::ReadOnly);
  V["CUDA_CACHE_DISABLE"] = "0";
  V.erase("HEDDLE_CACHE_MODE");
  EXPECT_EQ(loadQuietly(V).mode(), Mode::On);
}

TEST(Settings, TheFileIsBelowTheEnvironment) {
  TemporaryDirectory D;
  overwrite(D.str("/c"), "# comment\n"
                         "max_size = 1M   # another\n"
                         "\n"
                         "  max_age=30d\n"
                         "remotes = http://a/x#read-only redis://b # two\n");
  Variables V = {{"HEDDLE_CACHE_CONFIG", D.str("/c")}};
  Settings S = loadQuietly(V);
  EXPECT_EQ(S.number(SettingId::MaxSize), 1u << 20);
  EXPECT_EQ(S.number(SettingId::MaxAge), 30u * 86400);
  EXPECT_EQ(S.text(SettingId::Remotes), "http://a/x#read-only redis://b");
  EXPECT_EQ(S.source(SettingId::MaxSize), D.str("/c:2"));
  V["HEDDLE_CACHE_MAX_SIZE"] = "3";
  S = loadQuietly(V);
  EXPECT_EQ(S.number(SettingId::MaxSize), 3u);
  EXPECT_EQ(S.source(SettingId::MaxSize), "HEDDLE_CACHE_MAX_SIZE");
}

TEST(Settings, WhatIsNotUnderstoodIsSaidAndKeepsItsDefault) {
  TemporaryDirectory D;
  overwrite(D.str("/c"), "max_size\nsize_max = 1\nmax_size = 12Q\n");
  std::vector<std::string> Complaints;
  Settings S = load({{"HEDDLE_CACHE_CONFIG", D.str("/c")},
                     {"HEDDLE_CACHE_MODE", "sometimes"},
                     {"HEDDLE_CACHE_FUNCTIONS", "1"},
                     {"HEDDLE_CACHE_MAX_ENTRY_SIZE", "99999999999G"}},
                    Complaints);
  ASSERT_EQ(Complaints.size(), 6u);
  EXPECT_EQ(Complaints[0], D.str("/c:1: not of the form 'name = value'"));
  EXPECT_EQ(Complaints[1], D.str("/c:2: there is no cache setting 'size_max'"));
  EXPECT_EQ(Complaints[2],
            D.str("/c:3: value '12Q' of cache setting 'max_size' is not "
                  "understood; it takes a number of bytes, such as 5G"));
  EXPECT_EQ(S.number(SettingId::MaxSize), 5ull << 30);
  EXPECT_EQ(S.mode(), Mode::On);
  EXPECT_EQ(S.number(SettingId::MaxEntrySize), 256ull << 20);

  Complaints.clear();
  load({{"HEDDLE_CACHE_CONFIG", D.str("/none")}}, Complaints);
  EXPECT_EQ(Complaints.size(), 1u);
}
