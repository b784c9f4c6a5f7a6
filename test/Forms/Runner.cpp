//===- Runner.cpp - Compiles, runs and checks forms -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session has a device for each chip and reports what each form did wrong.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "Arithmetic.h"
#include "Record.h"
#include "heddle/Compiler/Compiler.h"
#include "heddle/Emulator/Emulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <map>

using namespace heddle;
using namespace heddle::forms;
using namespace llvm;

namespace {

struct Configuration {
  const char *Level, *Chip;
};
constexpr Configuration Configurations[] = {
    {"3", "hd100"}, {"0", "hd100"}, {"3", "hd10"}, {"0", "hd10"}};

/// Kernels that go into a module.
constexpr size_t GroupsPerModule = 8;

/// Memory of a device for as long as it is used.
class Buffer {
public:
  static Expected<Buffer> create(rt::Device &Device, uint64_t Bytes) {
    Buffer B(Device);
    if (Error E = Device.allocate(Bytes).moveInto(B.Address))
      return E;
    return B;
  }
  Buffer(Buffer &&Other) : Device(Other.Device), Address(Other.Address) {
    Other.Address = 0;
  }
  Buffer &operator=(Buffer &&) = delete;
  ~Buffer() {
    if (Address)
      consumeError(Device.free(Address));
  }

  rt::DeviceAddress address() const { return Address; }

private:
  explicit Buffer(rt::Device &Device) : Device(Device) {}
  rt::Device &Device;
  rt::DeviceAddress Address = 0;
};

/// What the forms of a group must give, and gave in the first configuration.
struct Expectation {
  Samples Values;
  /// By slot, then sample; empty for judged forms.
  std::vector<std::vector<uint64_t>> Slots;
  std::vector<std::vector<uint64_t>> First;
};

class Session {
public:
  Session(const RunOptions &Options, raw_ostream &Log)
      : Options(Options), Log(Log), Out(Options.RecordTo),
        Recorded(Options.Recorded) {}

  Error createDevices();
  Error finish() {
    return Options.RecordTo.empty() ? Error::success() : Out.finish();
  }
  Error run(ArrayRef<const Form *> Forms, const std::string &Target);

  Summary Result;

private:
  Expected<SmallVector<char, 0>> compile(const std::string &Text,
                                         const Configuration &C,
                                         std::string &Messages);
  std::vector<const Form *> onlyCompiling(ArrayRef<const Form *> Forms,
                                          const std::string &Target);
  Error runModule(std::vector<Group> Groups, const std::string &Target);
  Error runConstants(ArrayRef<Group> Groups,
                     std::vector<Expectation> &Expectations,
                     const std::string &Target);
  Error checkRecorded(ArrayRef<Group> Groups,
                      std::vector<Expectation> &Expectations);
  Expectation expect(const Group &G);
  Error launch(const Configuration &C, rt::Module &M, const Group &G,
               Expectation &E, size_t Count);
  Expected<std::vector<uint64_t>> runKernel(rt::Device &Device, rt::Module &M,
                                            const Group &G, const Samples &V,
                                            size_t Count);
  Error runAsConstants(const Configuration &C, rt::Module &M, const Group &G,
                       Expectation &E, size_t Count);
  Error start(rt::Device &Device, rt::Module &M, const Group &G,
              ArrayRef<uint64_t> Params, size_t Threads);
  void check(const Group &G, Expectation &E, ArrayRef<uint64_t> Records,
             size_t Count, StringRef Where, bool IsFirst, bool Folded);
  void fail(const Form &F, const Twine &Message);
  std::string describe(const Form &F, const Expectation &E, size_t Sample,
                       ArrayRef<uint64_t> Got, ArrayRef<uint64_t> Want);

  rt::Device &deviceOf(const Configuration &C) { return *Devices.at(C.Chip); }

  const RunOptions &Options;
  raw_ostream &Log;
  Compiler TheCompiler;
  std::map<std::string, std::unique_ptr<rt::Device>> Devices;
  std::map<const Form *, unsigned> Failures;
  Recorder Out;
  Recording Recorded;
  unsigned RecordedModules = 0;
};

} // namespace

Error Session::createDevices() {
  for (const Configuration &C : Configurations) {
    emu::EmulatorOptions Settings;
    Settings.Chip = C.Chip;
    Settings.HostThreads = 1;
    if (Error E = emu::createEmulatorDevice(Settings).moveInto(Devices[C.Chip]))
      return E;
  }
  return Error::success();
}

void Session::fail(const Form &F, const Twine &Message) {
  unsigned &Count = Failures[&F];
  if (Count++ == 0)
    ++Result.Failed;
  if (Count <= Options.MaxShown)
    Log << F.Name << ": " << Message << "\n";
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Expected<SmallVector<char, 0>> Session::compile(const std::string &Text,
                                                const Configuration &C,
                                                std::string &Messages) {
  CompileOptions Settings;
  std::string Level = std::string("-O") + C.Level;
  std::string Args[] = {"-arch", C.Chip, Level, "-w"};
  if (auto Fault = Settings.parse(Args))
    return createStringError(*Fault);
  Expected<CompileOutput> Output = TheCompiler.compile(
      MemoryBufferRef(Text, "forms"), Settings, [&](const Diagnostic &D) {
        if (D.Level == Severity::Error)
          Messages += D.Message + "\n";
      });
  if (!Output)
    return Output.takeError();
  return std::move(Output->Bytes);
}

/// The forms that compile by themselves; the others are reported.
std::vector<const Form *> Session::onlyCompiling(ArrayRef<const Form *> Forms,
                                                 const std::string &Target) {
  std::vector<const Form *> Good;
  for (const Form *F : Forms) {
    std::string Messages;
    auto Code = compile(moduleText(makeGroups({F}), Target), Configurations[0],
                        Messages);
    if (Code) {
      Good.push_back(F);
      continue;
    }
    consumeError(Code.takeError());
    ++Result.NotCompiled;
    Log << F->Name
        << ": does not compile: " << StringRef(Messages).split('\n').first
        << "\n";
  }
  return Good;
}

Error Session::run(ArrayRef<const Form *> Forms, const std::string &Target) {
  std::vector<Group> Groups = makeGroups(Forms);
  std::string Messages;
  auto Code = compile(moduleText(Groups, Target), Configurations[0], Messages);
  if (!Code) {
    consumeError(Code.takeError());
    std::vector<const Form *> Good = onlyCompiling(Forms, Target);
    if (Good.size() == Forms.size())
      return createStringError("forms compile one by one but not together: " +
                               Messages);
    Groups = makeGroups(Good);
  }
  for (size_t First = 0; First < Groups.size(); First += GroupsPerModule) {
    auto Begin = Groups.begin() + First;
    auto End = Begin + std::min(GroupsPerModule, Groups.size() - First);
    if (Error E = runModule(std::vector<Group>(Begin, End), Target))
      return E;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Expectation Session::expect(const Group &G) {
  Expectation E;
  E.Values = makeSamples(G.Sources, Options.Samples);
  E.Slots.resize(G.FirstSlot.back());
  E.First.resize(G.FirstSlot.back());
  uint64_t S[MaxSources], D[MaxResults];
  for (size_t M = 0; M != G.Members.size(); ++M) {
    const Form &F = *G.Members[M];
    ++Result.Forms;
    Result.Exhaustive += E.Values.Exhaustive;
    if (!F.Expected)
      continue;
    for (size_t N = 0; N != F.Results.size(); ++N)
      E.Slots[G.FirstSlot[M] + N].resize(E.Values.Count);
    for (size_t I = 0; I != E.Values.Count; ++I) {
      for (size_t N = 0; N != G.Sources.size(); ++N)
        S[N] = E.Values.Columns[N][I];
      F.Expected(S, D);
      for (size_t N = 0; N != F.Results.size(); ++N)
        E.Slots[G.FirstSlot[M] + N][I] = lowBits(D[N], F.Results[N].Bits);
    }
  }
  return E;
}

Error Session::runModule(std::vector<Group> Groups, const std::string &Target) {
  std::vector<Expectation> Expectations;
  for (const Group &G : Groups)
    Expectations.push_back(expect(G));
  if (!Options.RecordTo.empty()) {
    std::vector<const Samples *> Values;
    for (const Expectation &E : Expectations)
      Values.push_back(&E.Values);
    return Out.add(Groups, Target, Values);
  }
  if (!Options.Recorded.empty())
    return checkRecorded(Groups, Expectations);
  for (const Configuration &C : Configurations) {
    std::string Messages;
    auto Code = compile(moduleText(Groups, Target), C, Messages);
    if (!Code) {
      consumeError(Code.takeError());
      return createStringError(Twine("-O") + C.Level + " for " + C.Chip + ": " +
                               Messages);
    }
    std::unique_ptr<rt::Module> M;
    ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Code->data()),
                            Code->size());
    if (Error E = deviceOf(C).loadModule(Bytes).moveInto(M))
      return E;
    bool All = Options.Full || &C == &Configurations[0];
    for (size_t N = 0; N != Groups.size(); ++N) {
      size_t Count = Expectations[N].Values.Count;
      if (!All)
        Count = std::min(Count, Options.FewSamples);
      if (Error E = launch(C, *M, Groups[N], Expectations[N], Count))
        return E;
    }
  }
  return runConstants(Groups, Expectations, Target);
}

/// Compares what a GPU gave with the references.
Error Session::checkRecorded(ArrayRef<Group> Groups,
                             std::vector<Expectation> &Expectations) {
  std::string Device;
  if (Error E = Recorded.device().moveInto(Device))
    return E;
  unsigned Module = RecordedModules++;
  for (size_t N = 0; N != Groups.size(); ++N) {
    Expectation &E = Expectations[N];
    std::vector<uint64_t> Records;
    if (Error Err = Recorded.records(Module, Groups[N], E.Values.Count)
                        .moveInto(Records))
      return Err;
    check(Groups[N], E, Records, E.Values.Count, "recorded on " + Device,
          /*IsFirst=*/true, /*Folded=*/false);
  }
  return Error::success();
}

/// Constants go through the compiler's folding instead of the instructions.
Error Session::runConstants(ArrayRef<Group> Groups,
                            std::vector<Expectation> &Expectations,
                            const std::string &Target) {
  std::vector<Samples> AllSamples;
  for (const Expectation &E : Expectations)
    AllSamples.push_back(E.Values);
  std::string Text =
      constantModuleText(Groups, AllSamples, Options.ConstantSamples, Target);
  const Configuration &C = Configurations[0];
  std::string Messages;
  auto Code = compile(Text, C, Messages);
  if (!Code) {
    consumeError(Code.takeError());
    return createStringError("with constants: " + Messages);
  }
  std::unique_ptr<rt::Module> M;
  ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Code->data()),
                          Code->size());
  if (Error E = deviceOf(C).loadModule(Bytes).moveInto(M))
    return E;
  for (size_t N = 0; N != Groups.size(); ++N)
    if (Error E = runAsConstants(
            C, *M, Groups[N], Expectations[N],
            std::min(Options.ConstantSamples, AllSamples[N].Count)))
      return E;
  return Error::success();
}

Error Session::start(rt::Device &Device, rt::Module &M, const Group &G,
                     ArrayRef<uint64_t> Params, size_t Threads) {
  auto Kernel = M.findKernel(G.KernelName);
  if (!Kernel)
    return createStringError("no kernel " + G.KernelName);
  std::vector<uint8_t> Block(M.kernels()[*Kernel].ParamBytes);
  for (size_t N = 0; N != M.kernels()[*Kernel].Params.size(); ++N) {
    const rt::ParamInfo &P = M.kernels()[*Kernel].Params[N];
    std::memcpy(Block.data() + P.Offset, &Params[N], P.Size);
  }
  rt::LaunchConfig Config;
  Config.Grid.X = static_cast<uint32_t>((Threads + BlockSize - 1) / BlockSize);
  Config.Block.X = static_cast<uint32_t>(std::min<size_t>(Threads, BlockSize));
  Config.Params = Block;
  Expected<rt::LaunchResult> Outcome = Device.launch(M, *Kernel, Config);
  if (!Outcome)
    return Outcome.takeError();
  if (Outcome->Fault)
    return createStringError(Outcome->Fault->str());
  return Error::success();
}

/// The records that a kernel stored.
Expected<std::vector<uint64_t>>
Session::runKernel(rt::Device &Device, rt::Module &M, const Group &G,
                   const Samples &V, size_t Count) {
  std::vector<Buffer> Columns;
  std::vector<uint64_t> Params;
  for (size_t S = 0; S != G.Sources.size(); ++S) {
    unsigned Bytes = bytesOf(G.Sources[S].Bits);
    std::vector<uint8_t> Column(Count * Bytes);
    for (size_t I = 0; I != Count; ++I)
      std::memcpy(Column.data() + I * Bytes, &V.Columns[S][I], Bytes);
    Expected<Buffer> B = Buffer::create(Device, Column.size());
    if (!B)
      return B.takeError();
    if (Error E = Device.copyToDevice(B->address(), Column))
      return E;
    Params.push_back(B->address());
    Columns.push_back(std::move(*B));
  }
  std::vector<uint64_t> Records(Count * G.FirstSlot.back());
  Expected<Buffer> Out = Buffer::create(Device, Records.size() * SlotBytes);
  if (!Out)
    return Out.takeError();
  Params.push_back(Out->address());
  Params.push_back(Count);
  if (Error E = start(Device, M, G, Params, Count))
    return E;
  MutableArrayRef<uint8_t> Bytes(reinterpret_cast<uint8_t *>(Records.data()),
                                 Records.size() * SlotBytes);
  if (Error E = Device.copyFromDevice(Bytes, Out->address()))
    return E;
  return Records;
}

Error Session::launch(const Configuration &C, rt::Module &M, const Group &G,
                      Expectation &E, size_t Count) {
  std::string Where = (Twine("-O") + C.Level + " " + C.Chip).str();
  auto Records = runKernel(deviceOf(C), M, G, E.Values, Count);
  if (!Records) {
    std::string Message = toString(Records.takeError());
    for (const Form *F : G.Members)
      fail(*F, Where + ": " + Message);
    return Error::success();
  }
  check(G, E, *Records, Count, Where, &C == &Configurations[0],
        /*Folded=*/false);
  return Error::success();
}

Error Session::runAsConstants(const Configuration &C, rt::Module &M,
                              const Group &G, Expectation &E, size_t Count) {
  std::vector<uint64_t> Records(Count * G.FirstSlot.back());
  rt::Device &Device = deviceOf(C);
  Expected<Buffer> Out = Buffer::create(Device, Records.size() * SlotBytes);
  if (!Out)
    return Out.takeError();
  if (Error Err = start(Device, M, G, {Out->address()}, 1))
    return Err;
  MutableArrayRef<uint8_t> Bytes(reinterpret_cast<uint8_t *>(Records.data()),
                                 Records.size() * SlotBytes);
  if (Error Err = Device.copyFromDevice(Bytes, Out->address()))
    return Err;
  check(G, E, Records, Count, "as constants", /*IsFirst=*/false,
        /*Folded=*/true);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Whether a result is right: equal, or a NaN where any NaN will do.
static bool agrees(const Result &R, uint64_t Got, uint64_t Want, bool Folded) {
  if (Got == Want)
    return true;
  if (!R.AnyNaN || (R.OnlyFolded && !Folded))
    return false;
  unsigned Bits = R.Bits / R.Lanes;
  for (unsigned Lane = 0; Lane != R.Lanes; ++Lane) {
    uint64_t G = lowBits(Got >> (Lane * Bits), Bits);
    uint64_t W = lowBits(Want >> (Lane * Bits), Bits);
    if (G != W && !(R.AnyNaN->isNaN(G) && R.AnyNaN->isNaN(W)))
      return false;
  }
  return true;
}

std::string Session::describe(const Form &F, const Expectation &E,
                              size_t Sample, ArrayRef<uint64_t> Got,
                              ArrayRef<uint64_t> Want) {
  std::string Text;
  raw_string_ostream OS(Text);
  auto Hex = [](uint64_t V, unsigned Bits) {
    return "0x" + utohexstr(V, /*LowerCase=*/true, std::max(1u, Bits / 4));
  };
  ListSeparator Comma;
  OS << "(";
  for (size_t N = 0; N != F.Sources.size(); ++N)
    OS << Comma << Hex(E.Values.Columns[N][Sample], F.Sources[N].Bits);
  OS << ") gave";
  for (size_t N = 0; N != F.Results.size(); ++N)
    OS << " " << Hex(Got[N], F.Results[N].Bits);
  if (!Want.empty())
    OS << ", not";
  for (size_t N = 0; N != Want.size(); ++N)
    OS << " " << Hex(Want[N], F.Results[N].Bits);
  return Text;
}

void Session::check(const Group &G, Expectation &E, ArrayRef<uint64_t> Records,
                    size_t Count, StringRef Where, bool IsFirst, bool Folded) {
  unsigned Slots = G.FirstSlot.back();
  uint64_t S[MaxSources], Got[MaxResults], Want[MaxResults];
  for (size_t M = 0; M != G.Members.size(); ++M) {
    const Form &F = *G.Members[M];
    size_t Number = F.Results.size(), Base = G.FirstSlot[M];
    if (IsFirst && F.Accepts)
      for (size_t N = 0; N != Number; ++N)
        E.First[Base + N].resize(Count);
    Result.Results += Count * Number;
    for (size_t I = 0; I != Count; ++I) {
      for (size_t N = 0; N != Number; ++N)
        Got[N] = lowBits(Records[I * Slots + Base + N],
                         std::max(F.Results[N].Bits, 8u));
      if (F.Accepts) {
        for (size_t N = 0; N != F.Sources.size(); ++N)
          S[N] = E.Values.Columns[N][I];
        std::string Fault = F.Accepts(S, Got);
        if (!Fault.empty())
          fail(F, Twine(Where) + ": " +
                      describe(F, E, I, ArrayRef(Got, Number), {}) + ": " +
                      Fault);
        for (size_t N = 0; N != Number; ++N) {
          if (IsFirst)
            E.First[Base + N][I] = Got[N];
          else if (E.First[Base + N].size() > I &&
                   E.First[Base + N][I] != Got[N])
            fail(F, Twine(Where) + ": " +
                        describe(F, E, I, ArrayRef(Got, Number), {}) +
                        ": not what the first configuration gave");
        }
        continue;
      }
      bool Right = true;
      for (size_t N = 0; N != Number; ++N) {
        Want[N] = E.Slots[Base + N][I];
        Right &= agrees(F.Results[N], Got[N], Want[N], Folded);
      }
      if (!Right)
        fail(F, Twine(Where) + ": " +
                    describe(F, E, I, ArrayRef(Got, Number),
                             ArrayRef(Want, Number)));
    }
  }
}

Expected<Summary> forms::runForms(const std::vector<const Form *> &Forms,
                                  const RunOptions &Options, raw_ostream &Log) {
  Session S(Options, Log);
  if (Error E = S.createDevices())
    return E;
  std::map<std::string, std::vector<const Form *>> ByTarget;
  for (const Form *F : Forms)
    ByTarget[F->Target].push_back(F);
  for (const auto &[Target, Members] : ByTarget)
    if (Error E = S.run(Members, Target))
      return E;
  if (Error E = S.finish())
    return E;
  return S.Result;
}
