//===- KernelBuilder.cpp - Kernels for tests, by hand -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test's mistake in a name or a role ends the test program with a message.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "heddle/Native/ChooseExecution.h"
#include "heddle/Support/Check.h"

#include <cstdio>

using namespace llvm;

namespace heddle::emu::test {

static const isa::InstInfo &findInst(std::string_view Name) {
  for (const isa::InstInfo &I : isa::instructions())
    if (I.Name == Name)
      return I;
  std::fprintf(stderr, "no instruction %s\n", std::string(Name).c_str());
  HEDDLE_UNREACHABLE("a test names an unknown instruction");
}

/// What an operand holds that a test does not mention.
static uint64_t defaultValue(const isa::OperandInfo &O) {
  switch (O.Kind) {
  case isa::OperandKind::PR:
  case isa::OperandKind::UPR:
    return PT;
  case isa::OperandKind::UGPR32:
  case isa::OperandKind::UGPR64:
    return URZ;
  case isa::OperandKind::GPR32:
  case isa::OperandKind::GPR64:
  case isa::OperandKind::GPR128:
    return RZ;
  default:
    return 0;
  }
}

KernelBuilder &KernelBuilder::inst(std::string_view Name,
                                   const Fields &Operands,
                                   std::optional<isa::Control> Control) {
  const isa::InstInfo &Info = findInst(Name);
  isa::Encoding E = isa::emptyEncoding(Info);
  for (const isa::OperandInfo &O : Info.Operands)
    E.setField(O.Lsb, O.Width, defaultValue(O));
  for (const Field &F : Operands) {
    const isa::OperandInfo *O = Info.operand(F.R);
    if (!O)
      std::fprintf(stderr, "%s has no operand %s\n", std::string(Name).c_str(),
                   std::string(isa::roleName(F.R)).c_str());
    HEDDLE_CHECK(O, "a test names an operand that is not there");
    E.setField(O->Lsb, O->Width, F.Value);
  }
  isa::Control Ctl;
  Ctl.Stall = 15;
  Ctl.WaitMask = 63;
  if (isa::latencyClass(Info.Latency).Variable)
    Ctl.WriteCounter = 0;
  const isa::OperandInfo *O = Info.operand(Role::ctl);
  E.setField(O->Lsb, O->Width, Control.value_or(Ctl).pack());
  Code.push_back(E);
  return *this;
}

KernelBuilder &KernelBuilder::guarded(unsigned Guard, bool Negated,
                                      std::string_view Name,
                                      const Fields &Operands) {
  Fields All = Operands;
  All.push_back({Role::pg, Guard});
  All.push_back({Role::pgn, Negated});
  return inst(Name, All);
}

KernelBuilder &KernelBuilder::jump(std::string_view Name, std::string Label,
                                   Fields Operands) {
  Jumps.push_back({Code.size(), std::move(Label)});
  return inst(Name, Operands);
}

KernelBuilder &KernelBuilder::label(std::string Name) {
  Labels[std::move(Name)] = Code.size();
  return *this;
}

std::vector<uint8_t> KernelBuilder::bytes() const {
  std::vector<isa::Encoding> Final = Code;
  for (const auto &[At, Label] : Jumps) {
    HEDDLE_CHECK(Labels.count(Label), "a test jumps to an unknown label");
    int64_t Distance = int64_t(Labels.at(Label)) - int64_t(At) - 1;
    Final[At].setField(32, 32, uint64_t(Distance * int64_t(isa::InstBytes)));
  }
  std::vector<uint8_t> Bytes(Final.size() * isa::InstBytes);
  for (size_t N = 0; N < Final.size(); ++N) {
    std::memcpy(Bytes.data() + 16 * N, &Final[N].Lo, 8);
    std::memcpy(Bytes.data() + 16 * N + 8, &Final[N].Hi, 8);
  }
  return Bytes;
}

/// With HEDDLE_EXECUTION, launches of all tests are executed so.
static EmulatorOptions chosenBy(EmulatorOptions Options) {
  Execution Mode = ExitOnError()(native::executionOfEnvironment());
  if (Mode == Execution::Emulate || Options.HostCode)
    return Options;
  Options.StrictHazards = false;
  ExitOnError()(native::chooseExecution(Options, Mode));
  return Options;
}

Machine::Machine(EmulatorOptions Options)
    : Device(cantFail(createEmulatorDevice(chosenBy(std::move(Options))))) {
  Device->setOutputSink([this](StringRef Text) { Output += Text; });
}

uint64_t Machine::allocate(uint64_t Bytes) {
  return cantFail(Device->allocate(Bytes));
}

rt::LaunchResult Machine::launch(const KernelBuilder &Kernel, const Params &P,
                                 const Shape &S) {
  return cantFail(tryLaunch(Kernel, P, S));
}

Expected<rt::LaunchResult> Machine::tryLaunch(const KernelBuilder &Kernel,
                                              const Params &P, const Shape &S) {
  std::vector<uint8_t> Code = Kernel.bytes();
  RawKernel Raw;
  Raw.Info.Name = "test";
  Raw.Info.ParamBytes = P.Bytes.size();
  Raw.Info.LocalBytes = S.LocalBytes;
  Raw.Info.SharedBytes = S.SharedBytes;
  Raw.Code = Code;
  auto Module = cantFail(loadRawKernels(*Device, Raw, S.Constants));
  rt::LaunchConfig Config;
  Config.Grid = S.Grid;
  Config.Block = S.Block;
  Config.Cluster = S.Cluster;
  Config.Params = P.Bytes;
  Config.MaxThreadInstructions = S.MaxThreadInstructions;
  return Device->launch(*Module, 0, Config);
}

rt::LaunchStatistics Machine::run(const KernelBuilder &Kernel, const Params &P,
                                  const Shape &S) {
  rt::LaunchResult Result = launch(Kernel, P, S);
  EXPECT_FALSE(Result.Fault.has_value())
      << (Result.Fault ? Result.Fault->str() : "");
  return Result.Statistics;
}

rt::Fault Machine::runToFault(rt::FaultKind Kind, const KernelBuilder &Kernel,
                              const Params &P, const Shape &S) {
  rt::LaunchResult Result = launch(Kernel, P, S);
  EXPECT_TRUE(Result.Fault.has_value());
  if (!Result.Fault)
    return {};
  EXPECT_EQ(rt::faultKindName(Result.Fault->Kind), rt::faultKindName(Kind))
      << Result.Fault->str();
  return *Result.Fault;
}

namespace {

constexpr unsigned RegA = 8, RegB = 12, RegC = 16, RegD = 20, RegFlags = 24;
constexpr unsigned BlockSize = 256;

/// How a case's memory looks: 16 bytes each.
struct Slot {
  uint64_t Words[2];
};
Slot toSlot(unsigned __int128 V) {
  return {{static_cast<uint64_t>(V), static_cast<uint64_t>(V >> 64)}};
}

/// Loads a, b, c and s of the case whose number is in R0.
void loadSources(KernelBuilder &K) {
  unsigned Offset = 0;
  for (unsigned Reg : {RegA, RegB, RegC, RegFlags}) {
    K.param64(4, Offset).address(6, 4, 0, 4);
    K.inst("LDG128_r", {{Role::d, Reg}, {Role::a, 6}});
    Offset += 8;
  }
  // P1 = s.
  K.inst("ISETP_i", {{Role::p, 1},
                     {Role::a, RegFlags},
                     {Role::b, 0},
                     {Role::cmp, 5},
                     {Role::s, PT}});
  for (unsigned N = 0; N < 4; ++N)
    K.mov(RegD + N, 0);
}

/// Stores d, p and q.
void storeResult(KernelBuilder &K) {
  K.param64(4, 32).address(6, 4, 0, 4);
  K.inst("STG128_r", {{Role::a, 6}, {Role::c, RegD}});
  K.inst("P2R", {{Role::d, RegFlags}});
  K.param64(4, 40).address(6, 4, 0, 4);
  K.inst("STG_r", {{Role::a, 6}, {Role::c, RegFlags}, {Role::size, 4}});
  K.exit();
}

/// The operands of an instruction: Modifiers, and the registers of its sources
/// and results unless Modifiers has them.
Fields operandsOf(const isa::InstInfo &Info, const Fields &Modifiers) {
  Fields Operands = Modifiers;
  auto AddIfPresent = [&](Role R, uint64_t Value) {
    const isa::OperandInfo *O = Info.operand(R);
    bool IsRegister = O && O->Kind < isa::OperandKind::Imm;
    for (const Field &F : Modifiers)
      IsRegister &= F.R != R;
    if (IsRegister)
      Operands.push_back({R, Value});
  };
  AddIfPresent(Role::a, RegA);
  AddIfPresent(Role::b, RegB);
  AddIfPresent(Role::c, RegC);
  AddIfPresent(Role::d, RegD);
  AddIfPresent(Role::p, 2);
  AddIfPresent(Role::q, 3);
  AddIfPresent(Role::s, 1);
  return Operands;
}

/// Runs a kernel that loadSources begins and storeResult ends.
std::vector<Result> runCases(const KernelBuilder &K,
                             const std::vector<Sources> &In,
                             const Machine::Shape &Shape, size_t Padded) {
  std::vector<Slot> A, B, C, S;
  for (const Sources &Case : In) {
    A.push_back(toSlot(Case.A));
    B.push_back(toSlot(Case.B));
    C.push_back(toSlot(Case.C));
    S.push_back(toSlot(Case.S));
  }
  for (auto *List : {&A, &B, &C, &S})
    List->resize(Padded);
  Machine M;
  uint64_t OutD = M.allocate(Padded * 16), OutP = M.allocate(Padded * 16);
  Params P;
  for (auto *List : {&A, &B, &C, &S})
    P.add(M.upload(*List));
  P.add(OutD).add(OutP);
  M.run(K, P, Shape);
  auto D = M.download<Slot>(OutD, In.size());
  auto Flags = M.download<Slot>(OutP, In.size());
  std::vector<Result> Out;
  for (size_t N = 0; N < In.size(); ++N)
    Out.push_back(
        {D[N].Words[0] | static_cast<unsigned __int128>(D[N].Words[1]) << 64,
         bool(Flags[N].Words[0] >> 2 & 1), bool(Flags[N].Words[0] >> 3 & 1)});
  return Out;
}

} // namespace

std::vector<Result> evaluate(std::string_view Name, const Fields &Modifiers,
                             const std::vector<Sources> &In) {
  KernelBuilder K;
  K.special(0, 0).special(2, 6);
  K.inst("IMAD_i",
         {{Role::d, 0}, {Role::a, 2}, {Role::b, BlockSize}, {Role::c, 0}});
  loadSources(K);
  K.inst(Name, operandsOf(findInst(Name), Modifiers));
  storeResult(K);
  Machine::Shape Shape;
  Shape.Grid.X = (In.size() + BlockSize - 1) / BlockSize;
  Shape.Block.X = BlockSize;
  return runCases(K, In, Shape, Shape.Grid.X * BlockSize);
}

std::vector<Result> evaluateUniform(std::string_view Name,
                                    const Fields &Modifiers,
                                    const std::vector<Sources> &In) {
  KernelBuilder K;
  K.special(0, 6);
  loadSources(K);
  for (unsigned Reg : {RegA, RegB, RegC, RegD})
    K.inst("R2UR64", {{Role::d, Reg}, {Role::a, Reg}});
  K.inst("P2UP", {{Role::p, 1}, {Role::s, 1}});
  K.inst(Name, operandsOf(findInst(Name), Modifiers));
  K.inst("MOV64_u", {{Role::d, RegD}, {Role::b, RegD}});
  K.inst("UP2P", {{Role::p, 2}, {Role::s, 2}});
  storeResult(K);
  Machine::Shape Shape;
  Shape.Grid.X = In.size();
  Shape.Block.X = 32;
  return runCases(K, In, Shape, In.size());
}

} // namespace heddle::emu::test
