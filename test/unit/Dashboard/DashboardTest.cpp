//===- DashboardTest.cpp - Figures of a program that runs -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports survive their way, and sums are right when reports are lost and
// processes end. test/CUDA/dashboard.test has programs and browsers.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dashboard/Figures.h"
#include "gtest/gtest.h"

using namespace heddle::dash;
using llvm::StringRef;

namespace {

ProcessReport someReport() {
  ProcessReport R;
  R.Process = 7;
  R.Program = "a \"b\"";
  R.WarpInstructions = uint64_t(1) << 60;
  R.MemoryBytes = {5, 6};
  R.L1 = {10, 4};
  R.L2 = {6, 6};
  R.WarpCycles = {{"selected", 3}, {"wait", 4}};
  R.Compilations = {{"made", 1}};
  R.Kernels = {{"f<\"x\">\\\n", 2, 1500000001, 30}, {"g", 1, 5, 6}};
  R.Faults = {{"null", "g", "a line"}};
  return R;
}

std::string metricsOf(const Figures &F) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  F.printOpenMetrics(OS);
  return Text;
}

TEST(Reports, ComeBackAsTheyWere) {
  std::string Line = formatReport(someReport());
  EXPECT_EQ(Line.find('\n'), Line.size() - 1);
  llvm::Expected<ProcessReport> Read = parseReport(Line);
  ASSERT_TRUE(bool(Read));
  EXPECT_EQ(formatReport(*Read), Line);
  EXPECT_EQ(Read->WarpInstructions, uint64_t(1) << 60);
  EXPECT_EQ(Read->Kernels[0].Name, "f<\"x\">\\\n");
}

TEST(Reports, OfAnotherFormAreErrors) {
  for (StringRef Line : {"", "{}", "[]", "nonsense", "{\"process\": \"x\"}"})
    EXPECT_TRUE(errorToBool(parseReport(Line).takeError())) << Line.str();
}

TEST(Addresses, AreAPortAndASecret) {
  llvm::Expected<ReportAddress> Read =
      ReportAddress::parse(ReportAddress{80, "abc"}.str());
  ASSERT_TRUE(bool(Read));
  EXPECT_EQ(Read->Port, 80);
  EXPECT_EQ(Read->Secret, "abc");
  for (StringRef Text : {"", "80", "80:", "0:abc", "65536:abc", "x:abc"})
    EXPECT_TRUE(errorToBool(ReportAddress::parse(Text).takeError()))
        << Text.str();
}

/// A later report has all that an earlier one had: it does not count twice, and
/// one that was lost is not missed.
TEST(Figures, AreSumsOfTheLastReports) {
  Figures F("program");
  size_t A = F.begin(), B = F.begin();
  ProcessReport R = someReport();
  F.add(A, R, 1);
  R.Faults.clear();
  R.Kernels = {{"g", 4, 20, 24}};
  F.add(A, R, 2);
  F.add(B, someReport(), 3);
  llvm::json::Object State = F.state(4, false);
  EXPECT_EQ(State.getInteger("launches"), 2 + 4 + 3);
  EXPECT_EQ(State.getInteger("ns"), 3000000027);
  EXPECT_EQ(State.getInteger("memory"), 22);
  EXPECT_EQ(State.getInteger("fault_count"), 2);
  EXPECT_EQ(State.getObject("l1")->getInteger("hits"), 8);
  F.end(A);
  State = F.state(5, false);
  EXPECT_EQ(State.getInteger("launches"), 9);
  EXPECT_EQ(State.getInteger("memory"), 11);
}

TEST(Figures, SamplesAreKeptForAWhile) {
  Figures F("program");
  for (unsigned I = 0; I != 3000; ++I)
    F.sample(I);
  EXPECT_EQ(F.samples(), 3000u);
  EXPECT_EQ(F.state(0, false).getArray("samples")->size(), 1200u);
  EXPECT_EQ(F.state(0, false, 2990).getArray("samples")->size(), 10u);
  EXPECT_EQ(F.state(0, false, 3000).getArray("samples")->size(), 0u);
}

/// The lines are those that the specification of OpenMetrics has for these
/// figures; test/CUDA/Inputs/openmetrics.py reads the whole format.
TEST(Figures, AsOpenMetrics) {
  Figures F("program");
  EXPECT_TRUE(StringRef(metricsOf(F))
                  .ends_with("# TYPE heddle_processes gauge\n# HELP "
                             "heddle_processes Processes that "
                             "have a device.\nheddle_processes 0\n# EOF\n"));
  F.add(F.begin(), someReport(), 1);
  std::string Text = metricsOf(F);
  for (StringRef Line :
       {"heddle_launches_total{kernel=\"f<\\\"x\\\">\\\\\\n\"} 2",
        "heddle_launch_seconds_total{kernel=\"f<\\\"x\\\">\\\\\\n\"} "
        "1.500000001",
        "heddle_launch_seconds_total{kernel=\"g\"} 0.000000005",
        "heddle_warp_cycles_total{state=\"selected\"} 3",
        "heddle_read_sectors_total{cache=\"L1\",outcome=\"miss\"} 6",
        "heddle_memory_bytes{process=\"7\",program=\"a "
        "\\\"b\\\"\",device=\"1\"} 6",
        "heddle_faults_total{kind=\"null\"} 1"})
    EXPECT_NE(Text.find("\n" + Line.str() + "\n"), std::string::npos)
        << Line.str() << "\n"
        << Text;
}

} // namespace
