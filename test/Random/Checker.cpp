//===- Checker.cpp - Runs a program in all ways -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device for each way, kept over all programs.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Generator.h"
#include "GeneratorState.h"
#include "RandomProfile.h"
#include "RandomTuning.h"
#include "heddle/Compiler/Compiler.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Interpreter/Interpreter.h"
#include "heddle/Native/ChooseExecution.h"
#include "heddle/Runtime/Device.h"
#include "heddle/Support/RandomGenerator.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstring>
#include <map>

using namespace llvm;

namespace heddle::random {

/// Thread-instructions that a program may take in the interpreter, and in
/// compiled form.
static constexpr uint64_t MaxInterpreted = 1'000'000;
static constexpr uint64_t MaxEmulated = 100'000'000;

namespace {

/// What a launch came to.
struct Result {
  std::vector<uint8_t> Memory;
  std::optional<rt::Fault> Fault;
  uint64_t Instructions = 0;
};

/// The buffers of the kernel, in the order of its parameters.
using Buffers = std::array<std::vector<uint8_t>, 4>;

void fillRandom(std::vector<uint8_t> &Data, RandomGenerator &R) {
  for (size_t At = 0; At < Data.size(); At += 8) {
    uint64_t Word = interestingWord(R);
    std::memcpy(&Data[At], &Word, std::min<size_t>(8, Data.size() - At));
  }
}

Buffers makeBuffers(const ProgramShape &Shape) {
  uint64_t Threads = uint64_t(Shape.Grid) * Shape.Block;
  Buffers B;
  B[0].resize(layout::InputBytes);
  B[1].resize(layout::PrivateBytes * Threads);
  B[2].resize(layout::SumBytes);
  B[3].resize(layout::OutputBytes * Threads);
  RandomGenerator R(Shape.Seed ^ 0x5EED5EED5EED5EED);
  for (unsigned N = 0; N != 3; ++N)
    fillRandom(B[N], R);
  return B;
}

/// The parameter block: addresses, then random scalars and the structure.
std::vector<uint8_t> makeParams(const rt::KernelInfo &Kernel,
                                ArrayRef<rt::DeviceAddress> Addresses,
                                uint64_t Seed) {
  std::vector<uint8_t> Params(Kernel.ParamBytes);
  RandomGenerator R(Seed ^ 0xA5A5A5A5A5A5A5A5);
  fillRandom(Params, R);
  for (size_t N = 0; N != Addresses.size() && N != Kernel.Params.size(); ++N)
    if (Kernel.Params[N].Offset + 8 <= Params.size())
      std::memcpy(&Params[Kernel.Params[N].Offset], &Addresses[N], 8);
  return Params;
}

/// The buffers of one launch on a device.
class DeviceBuffers {
public:
  DeviceBuffers(rt::Device &D) : D(D) {}
  ~DeviceBuffers() {
    for (rt::DeviceAddress A : Addresses)
      consumeError(D.free(A));
  }
  Error upload(const Buffers &Data) {
    for (const std::vector<uint8_t> &Bytes : Data) {
      Expected<rt::DeviceAddress> A = D.allocate(Bytes.size());
      if (!A)
        return A.takeError();
      Addresses.push_back(*A);
      if (Error E = D.copyToDevice(*A, Bytes))
        return E;
    }
    return Error::success();
  }
  Error download(Buffers &Data) {
    for (size_t N = 0; N != Data.size(); ++N)
      if (Error E = D.copyFromDevice(Data[N], Addresses[N]))
        return E;
    return Error::success();
  }
  ArrayRef<rt::DeviceAddress> addresses() const { return Addresses; }

private:
  rt::Device &D;
  std::vector<rt::DeviceAddress> Addresses;
};

Expected<Result> runOn(rt::Device &D, ArrayRef<uint8_t> Code,
                       const ProgramShape &Shape, uint64_t MaxInstructions) {
  std::unique_ptr<rt::Module> M;
  if (Error E = D.loadModule(Code).moveInto(M))
    return std::move(E);
  std::optional<unsigned> Kernel = M->findKernel(layout::Kernel);
  if (!Kernel)
    return createStringError(Twine("there is no kernel '") + layout::Kernel +
                             "'");
  Buffers Data = makeBuffers(Shape);
  DeviceBuffers Buffers(D);
  if (Error E = Buffers.upload(Data))
    return std::move(E);
  std::vector<uint8_t> Params =
      makeParams(M->kernels()[*Kernel], Buffers.addresses(), Shape.Seed);
  rt::LaunchConfig Config;
  Config.Grid.X = Shape.Grid;
  Config.Block.X = Shape.Block;
  Config.Params = Params;
  Config.MaxThreadInstructions = MaxInstructions;
  Expected<rt::LaunchResult> Launched = D.launch(*M, *Kernel, Config);
  if (!Launched)
    return Launched.takeError();
  if (Error E = Buffers.download(Data))
    return std::move(E);
  Result R;
  R.Fault = std::move(Launched->Fault);
  R.Instructions = Launched->Statistics.ThreadInstructions;
  for (unsigned N = 1; N != 4; ++N)
    R.Memory.insert(R.Memory.end(), Data[N].begin(), Data[N].end());
  return R;
}

ArrayRef<uint8_t> bytesOf(StringRef Text) {
  return {reinterpret_cast<const uint8_t *>(Text.data()), Text.size()};
}

/// What lies at an offset of Result::Memory.
std::string describePlace(const ProgramShape &Shape, size_t At) {
  uint64_t Threads = uint64_t(Shape.Grid) * Shape.Block;
  auto InThread = [&](const char *What, size_t Offset, uint32_t Size) {
    return std::string(What) + " of thread " + std::to_string(Offset / Size) +
           ", byte " + std::to_string(Offset % Size);
  };
  size_t Private = layout::PrivateBytes * Threads;
  if (At < Private)
    return InThread("private memory", At, layout::PrivateBytes);
  At -= Private;
  if (At < layout::SumBytes)
    return "sums, byte " + std::to_string(At);
  return InThread("output", At - layout::SumBytes, layout::OutputBytes);
}

} // namespace

struct Checker::State {
  heddle::Compiler Compiler;
  std::unique_ptr<rt::Device> Interpreter = interp::createInterpreterDevice();
  /// Threads take turns in random order, which must make no difference.
  std::unique_ptr<rt::Device> Shuffled = [] {
    interp::InterpreterOptions Options;
    Options.ScheduleSeed = 20;
    return interp::createInterpreterDevice(Options);
  }();
  std::vector<Way> Ways;
  std::map<std::string, std::unique_ptr<rt::Device>> Emulators;
  /// By mnemonic: empty if supported, else the first message.
  std::map<std::string, std::string> Support;
  uint64_t Interpreted = 0;
  uint64_t InOnePass = 0, NotInOnePass = 0;
  Disturbances Disturb;
  emu::Execution Mode = emu::Execution::Emulate;

  /// The options of one way; those that the seed decides included.
  Expected<std::vector<std::string>> optionsOf(StringRef PTX, const Way &W,
                                               const ProgramShape &Shape);
  Expected<SmallVector<char, 0>> compile(StringRef PTX, const Way &W,
                                         const ProgramShape &Shape,
                                         std::vector<std::string> Args);
  Expected<SmallVector<char, 0>> compileWith(StringRef PTX,
                                             std::vector<std::string> Args);
  Expected<SmallVector<char, 0>>
  compileWithRandomProfile(StringRef PTX, const Way &W,
                           const ProgramShape &Shape,
                           std::vector<std::string> Args);
  Error addRandomTuning(StringRef PTX, const ProgramShape &Shape,
                        std::vector<std::string> &Args);
  rt::Device &emulator(const std::string &Chip);
  Verdict compare(StringRef PTX, const ProgramShape &Shape, unsigned Way,
                  const Result &Wanted);
};

Checker::Checker(Disturbances D, emu::Execution Mode)
    : S(std::make_unique<State>()) {
  S->Disturb = D;
  S->Mode = Mode;
  for (const char *Level : {"-O3", "-O0"})
    for (const char *Chip : {"hd100", "hd10"})
      S->Ways.push_back({Chip, Level});
}

Checker::~Checker() = default;

const std::vector<Way> &Checker::ways() const { return S->Ways; }
uint64_t Checker::numInterpreted() const { return S->Interpreted; }
uint64_t Checker::numInOnePass() const { return S->InOnePass; }
uint64_t Checker::numNotInOnePass() const { return S->NotInOnePass; }

rt::Device &Checker::State::emulator(const std::string &Chip) {
  std::unique_ptr<rt::Device> &D = Emulators[Chip];
  if (!D) {
    emu::EmulatorOptions Options;
    Options.Chip = Chip;
    Options.StrictHazards = Mode == emu::Execution::Emulate;
    Options.HostThreads = 1;
    cantFail(native::chooseExecution(Options, Mode));
    D = cantFail(emu::createEmulatorDevice(Options));
  }
  return *D;
}

Expected<std::vector<std::string>>
Checker::State::optionsOf(StringRef PTX, const Way &W,
                          const ProgramShape &Shape) {
  std::vector<std::string> Args = {W.Level, "-arch=" + W.Chip,
                                   Shape.Contract ? "-fmad=true"
                                                  : "-fmad=false"};
  if (!Disturb.SinglePass)
    Args.push_back("--single-pass=false");
  // Without optimization few passes ask for a decision.
  if (Disturb.Tunings && W.Level != "-O0")
    if (Error E = addRandomTuning(PTX, Shape, Args))
      return std::move(E);
  return Args;
}

Expected<SmallVector<char, 0>>
Checker::State::compile(StringRef PTX, const Way &W, const ProgramShape &Shape,
                        std::vector<std::string> Args) {
  // Without optimization nothing asks for a profile.
  return Disturb.Profiles && W.Level != "-O0"
             ? compileWithRandomProfile(PTX, W, Shape, std::move(Args))
             : compileWith(PTX, std::move(Args));
}

Expected<SmallVector<char, 0>>
Checker::State::compileWith(StringRef PTX, std::vector<std::string> Args) {
  CompileOptions Options;
  if (auto Fault = Options.parse(Args))
    return createStringError(*Fault);
  std::string Messages;
  Expected<CompileOutput> Output = Compiler.compile(
      MemoryBufferRef(PTX, "random.ptx"), Options, [&](const Diagnostic &D) {
        if (D.Level == Severity::Error)
          Messages += D.Rendered;
      });
  if (Output) {
    InOnePass += Output->InOnePass;
    NotInOnePass += Output->NotInOnePass;
    return std::move(Output->Bytes);
  }
  std::string Summary = toString(Output.takeError());
  return createStringError(Messages.empty() ? Summary : Messages);
}

/// The scalars that a launch hands to the kernel, by parameter; of addresses
/// nothing is known.
static Expected<std::vector<uint64_t>>
argumentsOf(rt::Device &D, ArrayRef<uint8_t> Code, uint64_t Seed) {
  std::unique_ptr<rt::Module> M;
  if (Error E = D.loadModule(Code).moveInto(M))
    return std::move(E);
  std::vector<uint64_t> Values;
  std::optional<unsigned> Kernel = M->findKernel(layout::Kernel);
  if (!Kernel)
    return Values;
  const rt::KernelInfo &Info = M->kernels()[*Kernel];
  std::vector<uint8_t> Params = makeParams(Info, {}, Seed);
  for (const auto &P : Info.Params) {
    uint64_t &Value = Values.emplace_back(0);
    std::memcpy(&Value, &Params[P.Offset], std::min<size_t>(P.Size, 8));
  }
  return Values;
}

Expected<SmallVector<char, 0>>
Checker::State::compileWithRandomProfile(StringRef PTX, const Way &W,
                                         const ProgramShape &Shape,
                                         std::vector<std::string> Args) {
  std::vector<std::string> Counting = Args;
  Counting.push_back("-fprofile-generate");
  Expected<SmallVector<char, 0>> Code = compileWith(PTX, Counting);
  if (!Code)
    return Code.takeError();
  ArrayRef<uint8_t> Bytes = bytesOf(StringRef(Code->data(), Code->size()));
  Expected<std::vector<uint64_t>> Arguments =
      argumentsOf(emulator(W.Chip), Bytes, Shape.Seed);
  if (!Arguments)
    return Arguments.takeError();
  RandomGenerator R(Shape.Seed ^ 0x9F0F11E59F0F11E5);
  Expected<std::string> Profile = makeRandomProfile(Bytes, *Arguments, R);
  if (!Profile)
    return Profile.takeError();
  SmallString<128> Path;
  int File;
  if (std::error_code E =
          sys::fs::createTemporaryFile("random", "prof", File, Path))
    return errorCodeToError(E);
  scope_exit Remove([&] { (void)sys::fs::remove(Path); });
  {
    raw_fd_ostream OS(File, /*shouldClose=*/true);
    OS << *Profile;
  }
  Args.push_back("-fprofile-use=" + std::string(Path));
  return compileWith(PTX, std::move(Args));
}

Error Checker::State::addRandomTuning(StringRef PTX, const ProgramShape &Shape,
                                      std::vector<std::string> &Args) {
  CompileOptions Options;
  if (auto Fault = Options.parse(Args))
    return createStringError(*Fault);
  auto Kernels = Compiler.kernelLoops(MemoryBufferRef(PTX, "random.ptx"),
                                      Options, [](const Diagnostic &) {});
  if (!Kernels)
    return Kernels.takeError();
  RandomGenerator R(Shape.Seed ^ 0x7C417C417C417C41);
  Args.push_back("--tuning=" + makeRandomTuning(*Kernels, R).str());
  return Error::success();
}

Verdict Checker::State::compare(StringRef PTX, const ProgramShape &Shape,
                                unsigned Index, const Result &Wanted) {
  const Way &W = Ways[Index];
  Expected<std::vector<std::string>> Args = optionsOf(PTX, W, Shape);
  if (!Args)
    return {Verdict::Kind::Rejected, Index, toString(Args.takeError())};
  std::string Name = join(*Args, " ") + ": ";
  Expected<SmallVector<char, 0>> Code = compile(PTX, W, Shape, *Args);
  if (!Code)
    return {Verdict::Kind::Rejected, Index, Name + toString(Code.takeError())};
  Expected<Result> Found =
      runOn(emulator(W.Chip), bytesOf(StringRef(Code->data(), Code->size())),
            Shape, MaxEmulated);
  if (!Found)
    return {Verdict::Kind::Rejected, Index, Name + toString(Found.takeError())};
  if (Found->Fault)
    return {Verdict::Kind::Different, Index, Name + Found->Fault->str()};
  auto [A, B] = std::mismatch(Wanted.Memory.begin(), Wanted.Memory.end(),
                              Found->Memory.begin());
  if (A == Wanted.Memory.end())
    return {};
  size_t At = size_t(A - Wanted.Memory.begin());
  return {Verdict::Kind::Different, Index,
          Name + describePlace(Shape, At) + " is 0x" + utohexstr(*B) +
              ", not 0x" + utohexstr(*A)};
}

/// Runs on the interpreter; what the program must do, or why it says nothing.
static Verdict interpretOn(rt::Device &Interpreter, const std::string &PTX,
                           const ProgramShape &Shape, Result &Wanted) {
  Expected<Result> R = runOn(Interpreter, bytesOf(PTX), Shape, MaxInterpreted);
  if (!R)
    return {Verdict::Kind::Undefined, std::nullopt, toString(R.takeError())};
  Wanted = std::move(*R);
  if (!Wanted.Fault)
    return {};
  bool TooLong = Wanted.Fault->Kind == rt::FaultKind::Timeout;
  return {TooLong ? Verdict::Kind::TooLong : Verdict::Kind::Undefined,
          std::nullopt, Wanted.Fault->str()};
}

Verdict Checker::interpret(const std::string &PTX, const ProgramShape &Shape) {
  Result Wanted, Again;
  Verdict V = interpretOn(*S->Interpreter, PTX, Shape, Wanted);
  S->Interpreted += Wanted.Instructions;
  if (V.K == Verdict::Kind::Same)
    V = interpretOn(*S->Shuffled, PTX, Shape, Again);
  if (V.K == Verdict::Kind::Same && Wanted.Memory != Again.Memory)
    V = {Verdict::Kind::Undefined, std::nullopt,
         "the result depends on the order of the threads"};
  return V;
}

Verdict Checker::check(const std::string &PTX, const ProgramShape &Shape,
                       std::optional<unsigned> Only, bool AllWays) {
  Result Wanted;
  Verdict First = Shape.Seed % 4 == 0 ? interpret(PTX, Shape) : Verdict();
  if (First.K == Verdict::Kind::Same)
    First = interpretOn(*S->Interpreter, PTX, Shape, Wanted);
  S->Interpreted += Wanted.Instructions;
  if (First.K != Verdict::Kind::Same)
    return First;
  for (unsigned Index = 0; Index != S->Ways.size(); ++Index) {
    // -O3 on the chip of the seed's parity, -O0 on the other.
    bool IsChosen = Only
                        ? *Only == Index
                        : AllWays || (Index ^ Index >> 1 ^ Shape.Seed) % 2 == 0;
    if (!IsChosen)
      continue;
    Verdict V = S->compare(PTX, Shape, Index, Wanted);
    if (V.K != Verdict::Kind::Same)
      return V;
  }
  return {};
}

bool Checker::isSupported(const std::string &Mnemonic, const std::string &PTX) {
  auto [It, IsNew] = S->Support.try_emplace(Mnemonic);
  if (IsNew) {
    Expected<std::unique_ptr<rt::Module>> M =
        S->Interpreter->loadModule(bytesOf(PTX));
    if (!M)
      It->second = toString(M.takeError());
  }
  return It->second.empty();
}

std::vector<std::pair<std::string, std::string>> Checker::unsupported() const {
  std::vector<std::pair<std::string, std::string>> List;
  for (auto &[Mnemonic, Message] : S->Support)
    if (!Message.empty())
      List.push_back({Mnemonic, StringRef(Message).split('\n').first.str()});
  return List;
}

size_t Checker::numSupported() const {
  return S->Support.size() - unsupported().size();
}

} // namespace heddle::random
