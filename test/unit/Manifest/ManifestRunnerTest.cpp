//===- ManifestRunnerTest.cpp - Tests of the manifest runner ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs manifests on a device whose kernels are C++ functions, so that what the
// runner does is seen without compiler and emulator.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/ManifestRunner.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"
#include <cstring>
#include <map>

using namespace heddle::rt;
using llvm::Error;
using llvm::Expected;

namespace {

/// A module with kernel `twice(u32 n, u32 *data, u64 padding)`, kernel `crash`
/// that faults, and the variable `Shared` of two words.
class HostModule : public Module {
public:
  HostModule(DeviceAddress Shared) {
    Kernels.resize(2);
    Kernels[0].Name = "twice";
    Kernels[0].Params = {
        {"n", 0, 4, 4, "u32"}, {"data", 8, 8, 8, "u64"}, {"s", 16, 3, 1, ""}};
    Kernels[0].ParamBytes = 19;
    Kernels[1].Name = "crash";
    Symbols.push_back({"Shared", SymbolInfo::SpaceKind::Global, Shared, 8});
  }
  llvm::ArrayRef<KernelInfo> kernels() const override { return Kernels; }
  llvm::ArrayRef<SymbolInfo> symbols() const override { return Symbols; }

private:
  std::vector<KernelInfo> Kernels;
  std::vector<SymbolInfo> Symbols;
};

class HostDevice : public Device {
public:
  llvm::StringRef name() const override { return "host"; }
  llvm::StringRef chip() const override { return "none"; }

  Expected<DeviceAddress> allocate(uint64_t Size, uint64_t) override {
    DeviceAddress Address = Next;
    Next += Size + 4096;
    std::vector<uint8_t> &Bytes = Memory[Address];
    for (uint64_t I = 0; I < Size; ++I)
      Bytes.push_back(uint8_t(PoisonPattern >> (8 * (I % 2))));
    return Address;
  }
  Error free(DeviceAddress Address) override {
    Memory.erase(Address);
    return Error::success();
  }
  Error copyToDevice(DeviceAddress To, llvm::ArrayRef<uint8_t> From) override {
    uint8_t *At = find(To, From.size());
    if (!At)
      return llvm::createStringError("outside");
    llvm::copy(From, At);
    return Error::success();
  }
  Error copyFromDevice(llvm::MutableArrayRef<uint8_t> To,
                       DeviceAddress From) override {
    uint8_t *At = find(From, To.size());
    if (!At)
      return llvm::createStringError("outside");
    std::copy_n(At, To.size(), To.begin());
    return Error::success();
  }
  Error copyOnDevice(DeviceAddress, DeviceAddress, uint64_t) override {
    return llvm::createStringError("unused");
  }
  Error fill(DeviceAddress, llvm::ArrayRef<uint8_t>, uint64_t) override {
    return llvm::createStringError("unused");
  }
  Expected<std::unique_ptr<Module>>
  loadModule(llvm::ArrayRef<uint8_t> Code) override {
    if (Code.empty())
      return llvm::createStringError("no code");
    return std::make_unique<HostModule>(*allocate(8, 8));
  }

  Expected<LaunchResult> launch(Module &M, unsigned Kernel,
                                const LaunchConfig &Config) override {
    Configs.push_back({Config.Grid, Config.MaxThreadInstructions});
    LastParams.assign(Config.Params.begin(), Config.Params.end());
    LaunchResult Result;
    Result.Statistics.Threads = Config.Block.count();
    if (Kernel == 1) {
      Result.Fault.emplace();
      Result.Fault->Kind = FaultKind::Trap;
      Result.Fault->Kernel = "crash";
      return Result;
    }
    uint32_t N = llvm::support::endian::read32le(LastParams.data());
    DeviceAddress Data = llvm::support::endian::read64le(&LastParams[8]);
    for (uint32_t I = 0; I < N; ++I) {
      uint8_t *Element = find(Data + 4 * I, 4);
      llvm::support::endian::write32le(
          Element, 2 * llvm::support::endian::read32le(Element));
    }
    if (Sink)
      Sink("doubled\n");
    return Result;
  }
  void setOutputSink(OutputSink S) override { Sink = std::move(S); }

  size_t liveAllocations() const { return Memory.size(); }

  struct Launched {
    Dim3 Grid;
    uint64_t Max;
  };
  std::vector<Launched> Configs;
  std::vector<uint8_t> LastParams;
  OutputSink Sink;

private:
  uint8_t *find(DeviceAddress Address, uint64_t Size) {
    auto It = Memory.upper_bound(Address);
    if (It == Memory.begin())
      return nullptr;
    --It;
    uint64_t Offset = Address - It->first;
    if (Offset > It->second.size() || Size > It->second.size() - Offset)
      return nullptr;
    return It->second.data() + Offset;
  }

  std::map<DeviceAddress, std::vector<uint8_t>> Memory;
  DeviceAddress Next = 4096;
};

/// Runs the manifest and keeps everything that came of it.
struct Session {
  HostDevice D;
  Manifest M;
  std::unique_ptr<ManifestRunner> Runner;
  std::vector<CheckReport> Checks;
  std::string Failure;

  explicit Session(llvm::StringRef Text) {
    if (Error E = run(Text))
      Failure = llvm::toString(std::move(E));
  }

  Error run(llvm::StringRef Text) {
    const uint8_t Code[] = {1};
    if (Error E = parseManifest(Text, "test.json").moveInto(M))
      return E;
    if (Error E = ManifestRunner::create(D, M, Code).moveInto(Runner))
      return E;
    if (Error E = Runner->launchAll())
      return E;
    return Runner->check().moveInto(Checks);
  }

  /// The messages of failed checks.
  std::vector<std::string> messages() const {
    std::vector<std::string> Result;
    for (const CheckReport &Check : Checks)
      if (!Check.Passed)
        Result.push_back(Check.What + ": " + Check.Message);
    return Result;
  }
};

} // namespace

/// A manifest that doubles the first \p N of four words and has \p Rest at its
/// end.
static std::string twice(const std::string &N, const std::string &Rest) {
  return R"({"module": "m", "entry": "twice", "grid": [3], "block": [32],
      "args": [{"type": "u32", "value": )" +
         N + R"(},
        {"buffer": "x", "type": "u32", "count": 4, "init": {"iota": [1, 1]}},
        {"bytes": "a1b2c3"}])" +
         Rest + "}";
}

using Messages = std::vector<std::string>;

TEST(ManifestRunner, PassesWhatIsRight) {
  Session R(
      twice("3", R"(, "max_instructions": 77, "expect_stdout": "doubled\n",
      "expect": [{"buffer": "x", "values": [2, 4, 6, 4]}])"));
  EXPECT_EQ(R.Failure, "");
  EXPECT_EQ(R.messages(), Messages{});
  EXPECT_EQ(R.Checks.size(), 3u);
  ASSERT_EQ(R.D.Configs.size(), 1u);
  EXPECT_EQ(R.D.Configs[0].Grid, (Dim3{3, 1, 1}));
  EXPECT_EQ(R.D.Configs[0].Max, 77u);
  // The parameters lie where the metadata says.
  ASSERT_EQ(R.D.LastParams.size(), 19u);
  EXPECT_EQ(R.D.LastParams[0], 3);
  EXPECT_EQ(R.D.LastParams[16], 0xa1);
  EXPECT_EQ(R.D.LastParams[18], 0xc3);
}

TEST(ManifestRunner, ReportsMismatches) {
  Session R(twice("3", R"(, "expect": [
      {"buffer": "x", "values": [2, 5, 6, 9]},
      {"buffer": "x", "offset": 8, "first": 1, "values": [6]}])"));
  EXPECT_EQ(R.messages(), Messages{"buffer 'x': 2 of 4 elements differ"});
  ASSERT_EQ(R.Checks.size(), 3u);
  EXPECT_EQ(R.Checks[1].Place, "test.json: expect[0]");
  EXPECT_EQ(R.Checks[1].Details,
            (Messages{"[1]: expected 5 (0x00000005), found 4 (0x00000004)",
                      "[3]: expected 9 (0x00000009), found 4 (0x00000004)"}));
}

TEST(ManifestRunner, LaunchesShareBuffersAndOffsetsCount) {
  Session R(R"({"module": "m", "launches": [
      {"entry": "twice", "args": [{"type": "u32", "value": 2},
        {"buffer": "x", "type": "u32", "count": 3, "init": {"fill": 1}},
        {"bytes": "000000"}]},
      {"entry": "twice", "args": [{"type": "u32", "value": 2},
        {"buffer": "x", "offset": 4}, {"bytes": "000000"}]}],
      "expect": [{"buffer": "x", "values": [2, 4, 2]}]})");
  EXPECT_EQ(R.Failure, "");
  EXPECT_EQ(R.messages(), Messages{});
  EXPECT_EQ(R.Runner->reports().size(), 2u);
}

TEST(ManifestRunner, UninitialisedMemoryIsPoisoned) {
  Session R(R"({"module": "m", "entry": "twice", "args": [
      {"type": "u32", "value": 0}, {"buffer": "x", "type": "f32", "count": 2},
      {"bytes": "000000"}],
      "expect": [{"buffer": "x", "bits": ["0x7ffb7ffb", "0x7ffb7ffb"]}]})");
  EXPECT_EQ(R.messages(), Messages{});
}

TEST(ManifestRunner, Symbols) {
  Session R(twice("0", R"(, "symbols": [
      {"symbol": "Shared", "type": "u32", "init": {"values": [7, 8]}}],
      "expect": [{"symbol": "Shared", "type": "u32", "count": 1, "offset": 0,
                  "values": [7]},
                 {"symbol": "Shared", "type": "u32", "count": 2,
                  "values": [7, 9]}])"));
  EXPECT_EQ(R.Failure, "");
  EXPECT_EQ(R.messages(),
            Messages{"variable 'Shared': 1 of 2 elements differ"});
  EXPECT_EQ(Session(twice("0", R"(, "symbols": [
      {"symbol": "None", "type": "u32", "init": {"values": [7]}}])"))
                .Failure,
            "test.json: symbols[0]: the module has no variable 'None'");
  EXPECT_EQ(
      Session(twice("0", R"(, "expect": [{"symbol": "Shared", "type": "u32",
      "count": 3, "values": [7, 8, 9]}])"))
          .Failure,
      "test.json: expect[0]: variable 'Shared' has 8 bytes, but the "
      "manifest names 12");
}

TEST(ManifestRunner, Faults) {
  EXPECT_EQ(Session(R"({"module": "m", "entry": "crash",
                    "expect_error": "trap"})")
                .messages(),
            Messages{});
  EXPECT_EQ(Session(R"({"module": "m", "entry": "crash",
                    "expect_error": "null"})")
                .messages(),
            Messages{"fault: expected the fault null, found trap in kernel "
                     "'crash' at PC 0x0000"});
  EXPECT_EQ(Session(R"({"module": "m", "entry": "crash"})").messages(),
            Messages{"fault: trap in kernel 'crash' at PC 0x0000"});
  EXPECT_EQ(Session(twice("0", R"(, "expect_error": "trap")")).messages(),
            Messages{"fault: expected the fault trap, found none"});
}

TEST(ManifestRunner, AFaultEndsTheLaunches) {
  Session R(
      R"({"module": "m", "launches": [{"entry": "crash"}, {"entry": "crash"}],
            "expect_error": "trap"})");
  EXPECT_EQ(R.D.Configs.size(), 1u);
}

TEST(ManifestRunner, Output) {
  Session R(twice("0", R"(, "expect_stdout": "trebled\n")"));
  EXPECT_EQ(R.messages(), Messages{"output: line 1 differs"});
  EXPECT_EQ(R.Checks[1].Details,
            Messages{"expected \"trebled\", found \"doubled\""});
  EXPECT_EQ(Session(twice("0", R"(, "expect_stdout": "b\ndoubled\na\n",
                               "stdout_order": "any")"))
                .messages(),
            Messages{"output: line 2 of the sorted output differs"});
}

TEST(ManifestRunner, ComplaintsAboutLaunches) {
  EXPECT_EQ(Session(R"({"module": "m", "entry": "thrice"})").Failure,
            "test.json: the module has no kernel 'thrice'");
  EXPECT_EQ(Session(R"({"module": "m", "entry": "twice"})").Failure,
            "test.json: kernel 'twice' has 3 parameters, but 0 arguments are "
            "given");
  EXPECT_EQ(Session(R"({"module": "m", "entry": "twice", "args": [
      {"type": "u32", "value": 0}, {"type": "u32", "value": 0},
      {"bytes": "000000"}]})")
                .Failure,
            "test.json: args[1]: the argument has 4 bytes, but 'data' has 8");
}

TEST(ManifestRunner, FreesWhatItMade) {
  Session R(twice("1", ""));
  size_t Live = R.D.liveAllocations();
  EXPECT_TRUE(bool(R.D.Sink));
  R.Runner.reset();
  EXPECT_EQ(R.D.liveAllocations(), Live - 1);
  EXPECT_FALSE(bool(R.D.Sink));
}

TEST(ManifestRunner, JSONHoldsEverything) {
  Session R(
      twice("3", R"(, "expect": [{"buffer": "x", "values": [2, 5, 6, 4]}])"));
  llvm::json::Value V = reportJSON(R.M, R.D, *R.Runner, R.Checks);
  const llvm::json::Object &O = *V.getAsObject();
  EXPECT_EQ(O.getBoolean("passed"), false);
  EXPECT_EQ(O.getString("stdout"), "doubled\n");
  const llvm::json::Object &Launch =
      *O.getArray("launches")->front().getAsObject();
  EXPECT_EQ(Launch.getString("entry"), "twice");
  EXPECT_EQ(Launch.getObject("statistics")->getInteger("threads"), 32);
  const llvm::json::Object &Check = *O.getArray("checks")->back().getAsObject();
  EXPECT_EQ(Check.getString("message"), "1 of 4 elements differ");
}
