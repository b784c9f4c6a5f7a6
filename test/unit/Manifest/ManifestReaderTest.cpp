//===- ManifestReaderTest.cpp - Tests of the manifest reader ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a manifest may say, and the place and wording of every complaint.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/Manifest.h"
#include "gtest/gtest.h"

using namespace heddle::rt;

static Manifest parse(llvm::StringRef Text,
                      llvm::StringRef File = "dir/test.json") {
  llvm::Expected<Manifest> M = parseManifest(Text, File);
  if (M)
    return std::move(*M);
  ADD_FAILURE() << llvm::toString(M.takeError());
  return {};
}

static std::string complaint(llvm::StringRef Text) {
  llvm::Expected<Manifest> M = parseManifest(Text, "test.json");
  return M ? "none" : llvm::toString(M.takeError());
}

/// The complaint about a manifest with the given argument.
static std::string argumentComplaint(const std::string &Argument) {
  return complaint(R"({"module": "m", "entry": "e", "args": [)" + Argument +
                   "]}");
}

/// The complaint about an expectation on a buffer of ten floats.
static std::string expectComplaint(const std::string &Expectation) {
  return complaint(R"({"module": "m", "entry": "e",
      "args": [{"buffer": "y", "type": "f32", "count": 10}],
      "expect": [)" +
                   Expectation + "]}");
}

TEST(ManifestReader, TheManualsExample) {
  Manifest M = parse(R"({ "module": "saxpy.ptx", "entry": "saxpy",
    "grid": [4,1,1], "block": [256,1,1], "cluster": [1,1,1], "shared_bytes": 0,
    "args": [ {"type": "u32", "value": 1000},
      {"type": "f32", "value": 2.0},
      {"buffer": "x", "type": "f32", "count": 1000, "init": {"iota": [0, 1]}},
      {"buffer": "y", "type": "f32", "count": 1000,
       "init": {"random": {"seed": 7, "low": -1, "high": 1}}} ],
    "expect": [ {"buffer": "y", "values": [1.0, 3.0], "first": 2,
                 "rtol": 1e-6} ] })");
  EXPECT_EQ(M.Modules, std::vector<std::string>{"dir/saxpy.ptx"});
  ASSERT_EQ(M.Launches.size(), 1u);
  const ManifestLaunch &L = M.Launches[0];
  EXPECT_EQ(L.Entry, "saxpy");
  EXPECT_EQ(L.Grid, (Dim3{4, 1, 1}));
  EXPECT_EQ(L.Block, (Dim3{256, 1, 1}));
  ASSERT_EQ(L.Args.size(), 4u);
  EXPECT_EQ(std::get<ScalarArg>(L.Args[0].Value).Bits, 1000u);
  EXPECT_EQ(std::get<ScalarArg>(L.Args[1].Value).Bits, 0x40000000u);
  EXPECT_EQ(std::get<BufferArg>(L.Args[3].Value).Buffer, 1u);
  ASSERT_EQ(M.Buffers.size(), 2u);
  EXPECT_EQ(M.Buffers[1].Name, "y");
  EXPECT_EQ(M.Buffers[1].bytes(), 4000u);
  ASSERT_EQ(M.Expectations.size(), 1u);
  EXPECT_EQ(M.Expectations[0].Data.Count, 2u);
  EXPECT_EQ(M.Expectations[0].Bound.Relative, 1e-6);
  EXPECT_FALSE(M.ExpectedFault);
}

TEST(ManifestReader, SeveralModulesAndLaunchesOverTheSameBuffers) {
  Manifest M = parse(R"({"modules": ["a.ptx", "/b.hdo"], "launches": [
      {"entry": "f", "args": [{"buffer": "x", "type": "u8", "count": 8}]},
      {"entry": "g", "grid": [2], "block": [3, 4],
       "args": [{"buffer": "x", "offset": 4}]}],
      "max_instructions": 12345})");
  EXPECT_EQ(M.Modules, (std::vector<std::string>{"dir/a.ptx", "/b.hdo"}));
  ASSERT_EQ(M.Launches.size(), 2u);
  EXPECT_EQ(M.Launches[0].Grid, (Dim3{1, 1, 1}));
  EXPECT_EQ(M.Launches[1].Block, (Dim3{3, 4, 1}));
  EXPECT_EQ(M.Buffers.size(), 1u);
  const auto &Again = std::get<BufferArg>(M.Launches[1].Args[0].Value);
  EXPECT_EQ(Again.Buffer, 0u);
  EXPECT_EQ(Again.Offset, 4u);
  EXPECT_EQ(M.MaxInstructions, 12345u);
}

TEST(ManifestReader, Scalars) {
  Manifest M = parse(R"({"module": "m", "entry": "e", "args": [
      {"type": "s8", "value": -1}, {"type": "b64", "value": -1},
      {"type": "u64", "value": 18446744073709551615},
      {"type": "f32", "value": "0x7fc00000"}, {"type": "f16", "value": 0.5},
      {"type": "bf16", "value": -1}, {"type": "f64", "value": 1e400},
      {"type": "u32", "value": 3.0}]})");
  std::vector<uint64_t> Bits;
  for (const Argument &Arg : M.Launches[0].Args)
    Bits.push_back(std::get<ScalarArg>(Arg.Value).Bits);
  EXPECT_EQ(Bits,
            (std::vector<uint64_t>{0xff, UINT64_MAX, UINT64_MAX, 0x7fc00000,
                                   0x3800, 0xbf80, 0x7ff0000000000000, 3}));
}

TEST(ManifestReader, AddressesOfBuffers) {
  Manifest M = parse(R"({"module": "m", "entry": "e", "args": [{"buffer": "a"}],
      "buffers": [{"buffer": "a", "type": "b8", "count": 4,
                   "address": "0x100000000"},
                  {"buffer": "b", "type": "b8", "count": 4}]})");
  EXPECT_EQ(M.Buffers[0].Address, uint64_t(1) << 32);
  EXPECT_FALSE(M.Buffers[1].Address);
}

TEST(ManifestReader, Bytes) {
  Manifest M = parse(R"({"module": "m", "entry": "e", "args": [
      {"bytes": "00 fF10", "align": 8}]})");
  const auto &Arg = std::get<BytesArg>(M.Launches[0].Args[0].Value);
  EXPECT_EQ(Arg.Bytes, (std::vector<uint8_t>{0, 0xff, 0x10}));
  EXPECT_EQ(Arg.Align, 8u);
}

TEST(ManifestReader, Expectations) {
  Manifest M = parse(R"({"module": "m", "entry": "e",
      "args": [{"buffer": "y", "type": "f32", "count": 10}],
      "symbols": [{"symbol": "s", "type": "u16", "count": 2, "init": "zero"}],
      "expect": [
        {"buffer": "y", "file": "y.bin", "ulp": 2, "nan": "any"},
        {"buffer": "y", "offset": 32, "bits": ["0x0", "0x80000000"]},
        {"symbol": "s", "type": "u16", "count": 2, "values": [1, 2],
         "atol": 1}]})");
  ASSERT_EQ(M.Expectations.size(), 3u);
  const Expectation &File = M.Expectations[0], &Bits = M.Expectations[1],
                    &Symbol = M.Expectations[2];
  EXPECT_EQ(std::get<FileInit>(File.Data.Init).Path, "dir/y.bin");
  EXPECT_EQ(File.Data.Count, 10u);
  EXPECT_EQ(File.Bound.Ulp, 2u);
  EXPECT_TRUE(File.Bound.AnyNaN);
  EXPECT_EQ(Bits.Offset, 32u);
  EXPECT_EQ(Bits.Data.Count, 2u);
  EXPECT_EQ(std::get<ListInit>(Bits.Data.Init).Bits,
            (std::vector<uint64_t>{0, 0x80000000}));
  EXPECT_TRUE(Symbol.IsSymbol);
  EXPECT_EQ(Symbol.Data.Type, ElementType::U16);
  EXPECT_EQ(Symbol.Bound.Absolute, 1.0);
  ASSERT_EQ(M.Symbols.size(), 1u);
}

TEST(ManifestReader, FaultsAndOutput) {
  Manifest M = parse(R"({"module": "m", "entry": "e",
      "expect_error": "out-of-bounds", "expect_stdout": "a\nb\n",
      "stdout_order": "any"})");
  EXPECT_EQ(M.ExpectedFault, FaultKind::OutOfBounds);
  EXPECT_EQ(M.ExpectedOutput, "a\nb\n");
  EXPECT_EQ(M.Order, OutputOrder::Any);
}

TEST(ManifestReader, SyntaxErrorsHaveLineAndColumn) {
  EXPECT_EQ(complaint("{\n  \"module\": x }").find("test.json:2:"), 0u);
  EXPECT_EQ(complaint("").find("test.json:"), 0u);
  EXPECT_EQ(complaint(std::string(1000000, '[')),
            "test.json:1:64: arrays and objects nest too deeply");
}

TEST(ManifestReader, ComplaintsAboutTheWhole) {
  EXPECT_EQ(complaint("[]"), "test.json: expected an object");
  EXPECT_EQ(complaint(R"({"entry": "e"})"),
            "test.json: expected one of \"module\" and \"modules\"");
  EXPECT_EQ(complaint(R"({"module": "m"})"), "test.json: \"entry\" is missing");
  EXPECT_EQ(complaint(R"({"module": "m", "entry": "e", "gird": [1]})")
                .find("test.json: unknown key \"gird\"; known here are module"),
            0u);
  EXPECT_EQ(complaint(R"({"module": "m", "entry": "e", "grid": [1, 0]})"),
            "test.json: grid[1]: an extent is at least 1");
  EXPECT_EQ(complaint(R"({"module": "m", "entry": "e", "grid": [1,1,1,1]})"),
            "test.json: grid: expected one to three extents");
  EXPECT_EQ(complaint(R"({"module": "m", "entry": "e", "launches": []})"),
            "test.json: entry: stands inside each of the \"launches\" when "
            "there are any");
  EXPECT_EQ(complaint(R"({"module": "m", "entry": "e", "expect": [],
                          "expect_error": "trap"})"),
            "test.json: expect_error: stands in place of \"expect\"");
  EXPECT_EQ(complaint(R"({"module": "m", "entry": "e",
                          "expect_error": "crash"})")
                .find("test.json: expect_error: unknown kind; known are "
                      "out-of-bounds misaligned null"),
            0u);
}

TEST(ManifestReader, ComplaintsAboutArguments) {
  EXPECT_EQ(argumentComplaint(R"({"type": "i32", "value": 1})")
                .find("test.json: args[0].type: unknown type \"i32\""),
            0u);
  EXPECT_EQ(argumentComplaint(R"({"type": "u8", "value": 256})"),
            "test.json: args[0].value: the number does not fit into u8");
  EXPECT_EQ(argumentComplaint(R"({"type": "u8", "value": 1.5})"),
            "test.json: args[0].value: u8 takes whole numbers");
  EXPECT_EQ(argumentComplaint(R"({"type": "u8", "value": "0x100"})"),
            "test.json: args[0].value: the pattern has more bits than u8");
  EXPECT_EQ(argumentComplaint(R"({"type": "u8", "value": "12"})"),
            "test.json: args[0].value: expected a bit pattern such as "
            "\"0x7fc00000\"");
  EXPECT_EQ(argumentComplaint(R"({"bytes": "abc"})"),
            "test.json: args[0].bytes: expected pairs of hexadecimal digits");
  EXPECT_EQ(argumentComplaint(R"({"bytes": "ab", "align": 3})"),
            "test.json: args[0].align: expected a power of two");
  EXPECT_EQ(argumentComplaint(R"({"buffer": "x", "type": "u8"})"),
            "test.json: args[0]: \"count\" is missing");
  EXPECT_EQ(argumentComplaint(R"({"buffer": "x", "type": "u8", "count": 1},
                                 {"buffer": "x", "count": 2})"),
            "test.json: args[1].count: buffer \"x\" was already described at "
            "test.json: args[0]");
}

TEST(ManifestReader, ComplaintsAboutInitialisers) {
  auto About = [](const std::string &Init) {
    return argumentComplaint(R"({"buffer": "x", "type": "u8", "count": 2,
                                 "init": )" +
                             Init + "}");
  };
  EXPECT_EQ(About("\"one\""), "test.json: args[0].init: the only initialiser "
                              "in a word is \"zero\"");
  EXPECT_EQ(About(R"({"fill": 1, "values": [1, 2]})"),
            "test.json: args[0].init: expected exactly one initialiser");
  EXPECT_EQ(About(R"({"values": [1, 2, 3]})"),
            "test.json: args[0].init: 3 values for 2 elements");
  EXPECT_EQ(About(R"({"values": [1, 300]})"),
            "test.json: args[0].init.values[1]: the number does not fit into "
            "u8");
  EXPECT_EQ(About(R"({"iota": [1]})"),
            "test.json: args[0].init.iota: expected [start, step]");
  EXPECT_EQ(About(R"({"random": {"seed": 1, "low": 2}})"),
            "test.json: args[0].init.random: \"high\" is missing");
  EXPECT_EQ(About(R"({"random": {"seed": 1, "low": 2, "high": 1}})"),
            "test.json: args[0].init.random: \"low\" is above \"high\"");
}

TEST(ManifestReader, ComplaintsAboutExpectations) {
  EXPECT_EQ(expectComplaint(R"({"buffer": "z", "values": [1]})"),
            "test.json: expect[0].buffer: no argument is a buffer \"z\"");
  EXPECT_EQ(expectComplaint(R"({"buffer": "y", "values": [1]})"),
            "test.json: expect[0]: 1 values for 10 elements; \"first\" says "
            "how many to compare");
  EXPECT_EQ(expectComplaint(R"({"buffer": "y", "values": [1], "first": 11})"),
            "test.json: expect[0].first: only 10 elements are there");
  EXPECT_EQ(expectComplaint(R"({"buffer": "y", "file": "f", "offset": 2})"),
            "test.json: expect[0].offset: is not the offset of an element, in "
            "bytes");
  EXPECT_EQ(expectComplaint(R"({"buffer": "y", "file": "f", "rtol": -1})"),
            "test.json: expect[0].rtol: a tolerance is not negative");
  EXPECT_EQ(expectComplaint(R"({"buffer": "y", "file": "f", "rtol": 1,
                                "ulp": 1})"),
            "test.json: expect[0].ulp: stands alone, without \"rtol\" and "
            "\"atol\"");
  EXPECT_EQ(expectComplaint(R"({"buffer": "y"})"),
            "test.json: expect[0]: expected one of \"values\", \"bits\" and "
            "\"file\"");
  EXPECT_EQ(expectComplaint(R"({"symbol": "s", "values": [1]})"),
            "test.json: expect[0]: \"type\" is missing");
}
