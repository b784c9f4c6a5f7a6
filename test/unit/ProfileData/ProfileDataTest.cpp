//===- ProfileDataTest.cpp - Tests of profiles and their files --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that is counted comes back from a file, files add up, and damaged
// ones are refused without harm.
//
//===----------------------------------------------------------------------===//

#include "heddle/ProfileData/ProfileData.h"
#include "heddle/Options/CompileOptions.h"
#include "heddle/ProfileData/ProfileTable.h"

#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::pgo;

namespace {

/// A profile of two functions that has something of everything.
ProfileData sample() {
  ProfileData P;
  FunctionCounts &F = P.Functions[{"first", 0x123456789}];
  F.Edges = {1, 0, uint64_t(1) << 40};
  F.Branches = {{7, 2, 100}, {0, 0, 0}};
  F.Loops = {{0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18}};
  F.Targets = {{{0xABCD, 3}, {0x1234, 9}}};
  F.Arguments = {{}, {{0, 1}, {~uint64_t(0), 2}}};
  P.Functions[{"second", 5}].Edges = {42};
  return P;
}

void expectEqual(const ProfileData &A, const ProfileData &B) {
  ASSERT_EQ(A.Functions.size(), B.Functions.size());
  for (const auto &[Key, F] : A.Functions) {
    ASSERT_TRUE(B.Functions.count(Key)) << Key.first;
    const FunctionCounts &G = B.Functions.at(Key);
    EXPECT_EQ(F.Edges, G.Edges);
    EXPECT_TRUE(F.Branches == G.Branches);
    EXPECT_EQ(F.Loops, G.Loops);
    EXPECT_EQ(F.Targets, G.Targets);
    EXPECT_EQ(F.Arguments, G.Arguments);
  }
}

ProfileData readBack(const ProfileData &P) {
  return llvm::cantFail(ProfileData::read(P.write(), "test"));
}

TEST(ProfileData, ComesBackFromAFile) {
  expectEqual(sample(), readBack(sample()));
}

TEST(ProfileData, AnyArgumentComesBack) {
  const uint64_t Greatest = ~uint64_t(0);
  ProfileData P;
  FunctionCounts &F = P.Functions[{"kernel", 1}];
  F.Edges = {1};
  F.Arguments = {{{0, 1}, {Greatest, 2}},
                 {{Greatest - 1, 4}, {Greatest - 2, 5}},
                 {{Greatest, 3}},
                 {}};
  expectEqual(P, readBack(P));
}

TEST(ProfileData, AddsUp) {
  ProfileData Twice = sample();
  ASSERT_FALSE(errorToBool(Twice.add(sample())));
  const FunctionCounts &F = Twice.Functions.at({"first", 0x123456789});
  EXPECT_EQ(F.Edges, (std::vector<uint64_t>{2, 0, uint64_t(2) << 40}));
  EXPECT_EQ(F.Loops[0][7], 14u);
  EXPECT_EQ(F.Targets[0].at(0x1234), 18u);
  EXPECT_EQ(F.Branches[0].Divergent, 4u);
  expectEqual(Twice, readBack(Twice));
  // Counts stay at the greatest number.
  FunctionCounts Full{{~uint64_t(0)}, {}, {}, {}, {}};
  ASSERT_FALSE(errorToBool(Full.add(Full)));
  EXPECT_EQ(Full.Edges[0], ~uint64_t(0));
  // What has other numbers of counters is of another function.
  FunctionCounts Other{{1, 2}, {}, {}, {}, {}};
  EXPECT_TRUE(errorToBool(Full.add(Other)));
}

TEST(ProfileData, BucketsOfTrips) {
  const std::pair<uint64_t, unsigned> Cases[] = {
      {0, 0},   {1, 1},   {2, 2},   {15, 15}, {16, 16},
      {17, 17}, {32, 17}, {33, 18}, {64, 18}, {1ull << 40, 18}};
  for (auto [Trips, Bucket] : Cases)
    EXPECT_EQ(bucketOfTrips(Trips), Bucket) << Trips;
  for (unsigned Bucket = 0; Bucket != TripBuckets; ++Bucket)
    EXPECT_EQ(bucketOfTrips(leastTrips(Bucket)), Bucket);
}

TEST(ProfileData, DamagedFilesAreHarmless) {
  std::string Good = sample().write();
  for (size_t Size = 0; Size < Good.size(); ++Size)
    if (auto P = ProfileData::read(Good.substr(0, Size), "cut"); !P)
      consumeError(P.takeError());
  std::mt19937 Random(1);
  for (unsigned I = 0; I != 20000; ++I) {
    std::string Bad = Good;
    for (unsigned N = 1 + Random() % 3; N != 0; --N)
      Bad[Random() % Bad.size()] = static_cast<char>(Random());
    if (auto P = ProfileData::read(Bad, "changed"))
      (void)P->write();
    else
      consumeError(P.takeError());
    (void)profileOfFunctions(Bad, "first");
  }
}

/// Adds to the file several times, in a process of its own.
static pid_t addInAnotherProcess(const std::string &File, unsigned Times) {
  pid_t Child = fork();
  if (Child != 0)
    return Child;
  bool Failed = false;
  for (unsigned I = 0; I != Times; ++I)
    Failed |= errorToBool(sample().addToFile(File));
  _exit(Failed);
}

TEST(ProfileData, ProcessesThatAddToOneFileLoseNothing) {
  constexpr unsigned Processes = 8, Times = 4;
  std::string File = testing::TempDir() + "heddle-shared.prof";
  std::remove(File.c_str());
  std::vector<pid_t> Children;
  for (unsigned I = 0; I != Processes; ++I)
    Children.push_back(addInAnotherProcess(File, Times));
  for (pid_t Child : Children) {
    int Status = 0;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    EXPECT_EQ(Status, 0);
  }
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  ASSERT_TRUE(bool(Buffer));
  ProfileData Sum =
      llvm::cantFail(ProfileData::read((*Buffer)->getBuffer(), File));
  const FunctionCounts &F = Sum.Functions.at({"second", 5});
  EXPECT_EQ(F.Edges[0], uint64_t(42) * Processes * Times);
  // What they waited for is gone.
  EXPECT_FALSE(llvm::sys::fs::exists(File + ".lock"));
  std::remove(File.c_str());
}

TEST(ProfileData, AnEmptyProfileIsAFileToAddTo) {
  EXPECT_TRUE(readBack(ProfileData()).Functions.empty());
}

TEST(ProfileTable, HasTheRecordsOfOneFunction) {
  ProfileData P = sample(), Changed = sample();
  ++Changed.Functions[{"second", 5}].Edges[0];
  std::string A = P.write(), B = Changed.write();
  EXPECT_EQ(profileOfFunctions(A, ".entry first()"),
            profileOfFunctions(B, ".entry first()"));
  EXPECT_NE(profileOfFunctions(A, ".entry second()"),
            profileOfFunctions(B, ".entry second()"));
  EXPECT_EQ(profileOfFunctions(A, ".entry seconds()"), "");
  // Side records count, too.
  ++Changed.Functions[{"first", 0x123456789}].Loops[0][1];
  EXPECT_NE(profileOfFunctions(B, "first"),
            profileOfFunctions(Changed.write(), "first"));
  // What is no profile may matter as a whole.
  EXPECT_EQ(profileOfFunctions("nonsense", "first"), "nonsense");
}

TEST(Shapes, ComeBackFromText) {
  FunctionShape S{"f", 0xF000000000000001, 3, 2, 1, 1, "v", 4};
  EXPECT_EQ(S.counters(), 3u + 2 * 3 + 19 + 16);
  EXPECT_EQ(S.bytesOfCopy(), 384u); // whole lines
  auto Back = llvm::cantFail(decodeShapes(encodeShapes({S, S})));
  ASSERT_EQ(Back.size(), 2u);
  EXPECT_EQ(Back[1].Name, "f");
  EXPECT_EQ(Back[1].Hash, S.Hash);
  EXPECT_EQ(Back[1].counters(), S.counters());
  EXPECT_EQ(Back[1].Variable, "v");
  EXPECT_EQ(Back[1].Copies, 4u);
  for (llvm::StringRef Bad : {"{", "[]", "{}", "{\"function\":\"f\"}\n"})
    EXPECT_TRUE(errorToBool(decodeShapes(Bad).takeError())) << Bad.str();
}

TEST(EmbeddedFile, ComesBackFromText) {
  for (size_t Size : {0, 1, 2, 3, 4, 5, 100}) {
    std::string Bytes;
    for (size_t I = 0; I != Size; ++I)
      Bytes += static_cast<char>(I * 37 + 200);
    std::string Text = encodeEmbeddedFile({"a b.prof", Bytes});
    EXPECT_EQ(Text.find_first_of(" \n\"'"), std::string::npos);
    std::optional<EmbeddedFile> Back = decodeEmbeddedFile(Text);
    ASSERT_TRUE(Back);
    EXPECT_EQ(Back->Name, "a_b.prof");
    EXPECT_EQ(Back->Bytes, Bytes);
  }
  EXPECT_FALSE(decodeEmbeddedFile("file.prof"));
  EXPECT_FALSE(decodeEmbeddedFile("data:x;base64,!"));
}

} // namespace
