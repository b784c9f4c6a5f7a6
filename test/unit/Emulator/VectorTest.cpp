//===- VectorTest.cpp - Vector code against its oracle ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction that computes or accesses memory runs on the same random
// values, lanes and modifiers with each of the host's vector instruction sets,
// translated, and with none of that, and must do the same, down to the text of
// its faults. HEDDLE_NATIVE_CPU says for which processor it is translated;
// kernels take long to translate, so that one of 64 is, or with
// HEDDLE_TRANSLATE_ALL every one.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "heddle/Emulator/SoftFloat.h"
#include "heddle/Native/ChooseExecution.h"

#include <cstdlib>
#include <random>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using isa::OperandKind;

namespace {

// Registers of the sources, the result and the flags; uniform ones have the
// same numbers.
constexpr unsigned RegA = 8, RegB = 12, RegC = 16, RegE = 20, RegD = 24;
constexpr unsigned RegFlags = 28;
constexpr unsigned Threads = 64;
/// Words of a thread in the input, and in the output.
constexpr unsigned WordsIn = 32, WordsOut = 8;

using Random = std::mt19937;

/// A word that arithmetic has to think about, or any.
uint32_t randomWord(Random &R) {
  static constexpr uint32_t Special[] = {
      0,          1,          2,          31,         32,         33,
      0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000,
      0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0x00000003, 0x80000001,
      0x007FFFFF, 0x00800000, 0x4F000000, 0xCF000000, 0x4F800000, 0x7FF00000,
      0xFFF80000, 0x3FF00000, 0x00100000, 0x7F7FFFFF, 0x4EFFFFFF, 0x3F7FFFFF};
  if (R() % 2)
    return Special[R() % std::size(Special)];
  return R();
}

bool isTested(const isa::InstInfo &I) {
  if (I.MayLoad || I.MayStore || I.IsBranch || I.IsCall || I.IsReturn ||
      I.IsBarrier)
    return false;
  switch (I.Latency) {
  case isa::LatencyClass::BRANCH:
  case isa::LatencyClass::BAR:
  case isa::LatencyClass::CONVERGE:
  case isa::LatencyClass::SYS:
  case isa::LatencyClass::TEX:
    return false;
  default:
    // A random number is hardly ever that of a special register.
    return I.Name != "S2R" && I.Name != "S2R64" && I.Name != "S2UR";
  }
}

bool isRegister(const isa::OperandInfo &O) {
  return O.Kind < OperandKind::Imm && O.Kind != OperandKind::PR &&
         O.Kind != OperandKind::UPR;
}

/// A value for an operand: its register, or something random.
uint64_t valueOf(const isa::OperandInfo &O, Random &R) {
  switch (O.Kind) {
  case OperandKind::PR:
  case OperandKind::UPR:
    return O.IsDef ? R() % 2 + 4 : R() % 4;
  case OperandKind::BR:
    return R() % 4;
  case OperandKind::Imm:
  case OperandKind::Target:
    return O.Width == 64 ? uint64_t(randomWord(R)) << 32 | randomWord(R)
                         : randomWord(R);
  case OperandKind::Modifier:
    return R() % isa::modifiers()[O.Modifier].Values.size();
  case OperandKind::SourceModifier:
    return R();
  default:
    break;
  }
  switch (O.R) {
  case isa::Role::a:
  case isa::Role::x:
    return RegA;
  case isa::Role::b:
  case isa::Role::u:
    return RegB;
  case isa::Role::c:
    return RegC;
  case isa::Role::e:
    return RegE;
  default:
    return RegD;
  }
}

/// Loads registers and predicates of each thread from the first parameter.
void begin(KernelBuilder &K) {
  K.special(0, 0).param64(2, 0).address(4, 2, 0, 7);
  for (unsigned N = 0; N < 6; ++N)
    K.inst("LDG128_r",
           {{Role::d, RegA + 4 * N}, {Role::a, 4}, {Role::imm, 16 * N}});
  for (unsigned N = RegA; N < RegFlags; N += 2)
    K.inst("R2UR64", {{Role::d, N}, {Role::a, N}});
  K.inst("R2P", {{Role::a, RegFlags}, {Role::b, 127}});
  for (unsigned N = 0; N < 4; ++N)
    K.inst("P2UP", {{Role::p, N}, {Role::s, N}});
}

/// Stores the results to the second parameter.
void end(KernelBuilder &K) {
  K.inst("P2R", {{Role::d, RegFlags}});
  for (unsigned N = 0; N < 4; ++N)
    K.inst("MOV_u", {{Role::d, RegA + N}, {Role::b, RegD + N}});
  K.param64(2, 8).address(4, 2, 0, 5);
  K.inst("STG128_r", {{Role::a, 4}, {Role::c, RegD}});
  K.param64(2, 16).address(4, 2, 0, 5);
  K.inst("STG128_r", {{Role::a, 4}, {Role::c, RegA}});
  K.inst("STG_r",
         {{Role::a, 4}, {Role::c, RegFlags}, {Role::imm, 16}, {Role::size, 4}});
  K.exit();
}

struct Outcome {
  std::vector<uint32_t> Words;
  std::string Fault;
  bool operator==(const Outcome &) const = default;
};

/// How a kernel is executed.
struct Way {
  HostVectors Vectors = HostVectors::Best;
  bool IsTranslated = false;

  Way(HostVectors V) : Vectors(V) {}
  Way() : IsTranslated(true) {}
};

/// Runs a kernel with blocks of the given words as its parameters, and returns
/// all of them afterwards.
Outcome run(const Way &How, const KernelBuilder &K,
            const std::vector<std::vector<uint32_t>> &Blocks,
            Machine::Shape S) {
  EmulatorOptions O;
  O.Vectors = How.Vectors;
  O.StrictHazards = false;
  O.HostThreads = 1;
  if (How.IsTranslated)
    llvm::ExitOnError()(native::chooseExecution(O, Execution::Translate));
  Machine M(O);
  Params P;
  std::vector<uint64_t> Addresses;
  for (const std::vector<uint32_t> &B : Blocks) {
    Addresses.push_back(M.upload(B));
    P.add(Addresses.back());
  }
  rt::LaunchResult R = M.launch(K, P, S);
  Outcome Result;
  if (R.Fault)
    Result.Fault = R.Fault->str();
  for (size_t N = 0; N < Blocks.size(); ++N) {
    auto Words = M.download<uint32_t>(Addresses[N], Blocks[N].size());
    Result.Words.insert(Result.Words.end(), Words.begin(), Words.end());
  }
  return Result;
}

class Vectors : public testing::TestWithParam<Way> {
protected:
  void SetUp() override {
    if (!areSupported(GetParam().Vectors))
      GTEST_SKIP() << "not on this host";
    // CMakeLists.txt has it say a processor with AVX2.
    if (GetParam().IsTranslated && std::getenv("HEDDLE_NATIVE_CPU") &&
        !areSupported(HostVectors::AVX2))
      GTEST_SKIP() << "not translated for this host";
  }
  /// Whether the next kernel is tested.
  bool isNextTested() {
    static const bool TakesAll = std::getenv("HEDDLE_TRANSLATE_ALL");
    constexpr unsigned EachOf = 64;
    return TakesAll || !GetParam().IsTranslated || ++Kernels % EachOf == 0;
  }

private:
  unsigned Kernels = 0;
};

INSTANTIATE_TEST_SUITE_P(Hosts, Vectors,
                         testing::Values(HostVectors::Portable,
                                         HostVectors::AVX2,
                                         HostVectors::AVX512));
INSTANTIATE_TEST_SUITE_P(Translated, Vectors, testing::Values(Way()));

/// Operands for an arithmetic instruction. Some have code for the case without
/// modifiers, or for all lanes.
Fields operandsOf(const isa::InstInfo &I, unsigned Variant, Random &R) {
  Fields Operands;
  for (const isa::OperandInfo &O : I.Operands) {
    if (O.R == isa::Role::ctl)
      continue;
    uint64_t Value = valueOf(O, R);
    // All lanes in half of the cases; for uniform code in all.
    if (O.R == isa::Role::pg && (Variant % 2 || I.Uniform))
      Value = PT;
    if (O.R == isa::Role::pgn && (Variant % 2 || I.Uniform))
      Value = 0;
    bool IsModifier = O.Kind == OperandKind::Modifier ||
                      O.Kind == OperandKind::SourceModifier;
    if (IsModifier && O.R != isa::Role::pgn && Variant % 3 == 0)
      Value = 0;
    Operands.push_back({O.R, Value});
  }
  return Operands;
}

/// Runs an instruction in all threads, with vectors and without.
void compare(const Way &How, const isa::InstInfo &I, unsigned Variant,
             const Fields &Operands, const std::vector<uint32_t> &In) {
  KernelBuilder K;
  begin(K);
  K.inst(I.Name, Operands);
  end(K);
  std::vector<std::vector<uint32_t>> Blocks = {
      In, std::vector<uint32_t>(Threads * WordsOut),
      std::vector<uint32_t>(Threads * WordsOut)};
  // A warp that is not full, too.
  Machine::Shape S{.Block = {Threads - (Variant % 4 == 0 ? 5 : 0)}};
  ASSERT_EQ(run(How, K, Blocks, S), run(HostVectors::None, K, Blocks, S))
      << I.Name << ", variant " << Variant;
}

TEST_P(Vectors, ComputeTheSame) {
  constexpr unsigned Variants = 24;
  Random R(7);
  unsigned Tested = 0;
  for (const isa::InstInfo &I : isa::instructions()) {
    if (!isTested(I))
      continue;
    ++Tested;
    for (unsigned N = 0; N < Variants; ++N) {
      Fields Operands = operandsOf(I, N, R);
      std::vector<uint32_t> In(Threads * WordsIn);
      for (uint32_t &W : In)
        W = randomWord(R);
      if (isNextTested())
        compare(GetParam(), I, N, Operands, In);
      if (HasFatalFailure())
        return;
    }
  }
  EXPECT_GT(Tested, 150u);
}

/// The bits of a number whose exponent is near the middle of its format's, or
/// of all, and whose fraction often ends early, so that results lie in the
/// middle of two others.
uint64_t randomNumber(FloatFormat F, unsigned Range, Random &R) {
  unsigned Exponents = 1u << F.ExpBits;
  unsigned Exponent = Exponents / 2 - Range / 2 + R() % Range;
  uint64_t Fraction = (uint64_t(R()) << 32 | R()) & F.fracMask();
  if (R() % 2)
    Fraction &= ~uint64_t(0) << (R() % F.FracBits);
  return (R() % 2 ? F.signBit() : 0) |
         uint64_t(Exponent % Exponents) << F.FracBits | Fraction;
}

/// A pair of words that holds numbers of a format.
uint64_t randomNumbers(FloatFormat F, unsigned Range, Random &R) {
  unsigned Width = 1 + F.ExpBits + F.FracBits;
  uint64_t Pair = 0;
  for (unsigned Shift = 0; Shift < 64; Shift += Width)
    Pair |= randomNumber(F, Range, R) << Shift;
  return Pair;
}

TEST_P(Vectors, ComputeTheSameOnNumbers) {
  constexpr FloatFormat Formats[] = {F16Format, BF16Format, F32Format,
                                     F64Format};
  // So that sums do not lose one of their operands, or anything.
  constexpr unsigned Ranges[] = {6, 24, 32, 160};
  constexpr unsigned Variants = 64;
  Random R(17);
  for (const isa::InstInfo &I : isa::instructions()) {
    switch (I.Latency) {
    case isa::LatencyClass::HALF:
    case isa::LatencyClass::FMA:
    case isa::LatencyClass::F64:
    case isa::LatencyClass::CONV:
    case isa::LatencyClass::MUFU:
    case isa::LatencyClass::ALU:
      break;
    default:
      continue;
    }
    if (!isTested(I) || I.Uniform)
      continue;
    for (unsigned N = 0; N < Variants; ++N) {
      FloatFormat F = Formats[N % 4];
      unsigned Range = std::min(Ranges[N / 4 % 4], (1u << F.ExpBits));
      Fields Operands = operandsOf(I, N / 4, R);
      std::vector<uint32_t> In(Threads * WordsIn);
      for (size_t W = 0; W < In.size(); W += 2) {
        uint64_t Pair = randomNumbers(F, Range, R);
        In[W] = uint32_t(Pair);
        In[W + 1] = uint32_t(Pair >> 32);
      }
      if (isNextTested())
        compare(GetParam(), I, N, Operands, In);
      if (HasFatalFailure())
        return;
    }
  }
}

/// Where the lanes of a test access memory.
enum Pattern {
  Same,
  Consecutive,
  BehindOne, ///< Consecutive behind so many elements: blocks begin elsewhere.
  BehindTwo,
  BehindThree,
  Strided,
  Scattered,
  Misaligned,
  Outside
};

uint32_t offsetOf(Pattern P, unsigned Lane, unsigned Bytes, Random &R) {
  switch (P) {
  case Same:
    return 64;
  case Consecutive:
    return 16 + Lane * Bytes;
  case BehindOne:
  case BehindTwo:
  case BehindThree:
    return (P - Consecutive + Lane) * Bytes;
  case Strided:
    return Lane * 2 * Bytes;
  case Scattered:
    return R() % 48 * Bytes;
  case Misaligned:
    return Lane * Bytes + (Lane == 13);
  case Outside:
    return Lane == 21 ? 4096 : Lane * Bytes;
  }
  return 0;
}

TEST_P(Vectors, AccessMemoryTheSame) {
  Random R(11);
  for (const isa::InstInfo &I : isa::instructions()) {
    bool IsAtomic =
        I.Latency == isa::LatencyClass::ATOM &&
        (I.Mnemonic.starts_with("ATOM") || I.Mnemonic.starts_with("RED"));
    bool IsLoad = I.Latency == isa::LatencyClass::LDG ||
                  I.Latency == isa::LatencyClass::LDS || IsAtomic;
    const isa::OperandInfo *Value = I.operand(I.MayStore ? Role::c : Role::d);
    if (!IsLoad || I.Uniform || !Value || I.Name.starts_with("PREFETCH"))
      continue;
    unsigned Bytes = Value->Kind == OperandKind::GPR128  ? 16
                     : Value->Kind == OperandKind::GPR64 ? 8
                                                         : 4;
    auto Starts = [&](auto... Prefixes) {
      return (I.Mnemonic.starts_with(Prefixes) || ...);
    };
    bool IsGlobal = Starts("LDG", "STG", "ATOMG", "REDG");
    bool IsGeneric =
        I.Mnemonic == "LD" || I.Mnemonic == "ST" ||
        Starts("LD64", "ST64", "LD128", "ST128") ||
        (IsAtomic && !IsGlobal && !I.Mnemonic.starts_with("ATOMS"));
    bool Is64 = IsGlobal || IsGeneric;
    // Atomic operations come in many kinds.
    unsigned Variants = IsAtomic ? 30 : 10;
    for (Pattern P : {Same, Consecutive, BehindOne, BehindTwo, BehindThree,
                      Strided, Scattered, Misaligned, Outside})
      for (unsigned N = 0; N < Variants; ++N) {
        unsigned Size = N % 5;
        bool IsShared = IsGeneric && N % 2;
        bool IsPart = Bytes == 4 && Size < 4 && I.operand(Role::size);
        std::vector<uint32_t> In(Threads * WordsIn);
        for (uint32_t &W : In)
          W = randomWord(R);
        for (unsigned T = 0; T < Threads; ++T)
          In[T * WordsIn] =
              offsetOf(P, T % 32, IsPart ? Size / 2 + 1 : Bytes, R);
        KernelBuilder K;
        begin(K);
        // Fills what the other spaces begin with.
        for (unsigned A = 0; A < 8; ++A)
          K.inst("STL128_r",
                 {{Role::a, RZ}, {Role::c, RegC}, {Role::imm, 16 * A}});
        K.inst("STS128_r", {{Role::a, 0}, {Role::c, RegB}, {Role::sc, 4}});
        // The base: a buffer, or the window of shared memory.
        if (IsShared)
          K.inst("MOV64W",
                 {{Role::d, 2},
                  {Role::wide, uint64_t(isa::abi::SharedWindow) << 32}});
        else
          K.param64(2, 24);
        K.inst("R2UR64", {{Role::d, RegB}, {Role::a, 2}});
        if (Is64 && I.F != isa::Form::X)
          K.address(RegA, 2, RegA, 0);
        if (Is64 && I.F == isa::Form::U)
          K.inst("R2UR64", {{Role::d, RegB}, {Role::a, RegA}});
        Fields Operands;
        for (const isa::OperandInfo &O : I.Operands)
          if (isRegister(O))
            Operands.push_back({O.R, valueOf(O, R)});
        if (I.operand(Role::size))
          Operands.push_back({Role::size, Size});
        if (I.operand(Role::sc))
          Operands.push_back({Role::sc, 0});
        if (I.operand(Role::imm))
          Operands.push_back({Role::imm, N == 7 ? 16u : 0u});
        for (const isa::OperandInfo &O : I.Operands)
          if (IsAtomic && O.Kind == OperandKind::Modifier && O.R != Role::size)
            Operands.push_back({O.R, valueOf(O, R)});
        K.guarded(N % 10 < 5 ? PT : 2, false, I.Name, Operands);
        end(K);
        std::vector<std::vector<uint32_t>> Blocks = {
            In, std::vector<uint32_t>(Threads * WordsOut),
            std::vector<uint32_t>(Threads * WordsOut),
            std::vector<uint32_t>(In.begin(), In.begin() + 512)};
        Machine::Shape S{
            .Block = {Threads}, .SharedBytes = 2048, .LocalBytes = 2048};
        if (!isNextTested())
          continue;
        ASSERT_EQ(run(GetParam(), K, Blocks, S),
                  run(HostVectors::None, K, Blocks, S))
            << I.Name << ", pattern " << P << ", variant " << N;
      }
  }
}

TEST_P(Vectors, ReadConstantsTheSame) {
  Random R(13);
  for (const char *Name :
       {"LDC_r", "LDC_u", "LDC64_r", "LDC64_u", "LDC128_r", "LDC128_u"})
    for (Pattern P : {Same, Consecutive, Scattered, Misaligned, Outside})
      for (unsigned Size = 0; Size < 10; ++Size) {
        std::vector<uint32_t> In(Threads * WordsIn);
        for (uint32_t &W : In)
          W = randomWord(R);
        for (unsigned T = 0; T < Threads; ++T)
          In[T * WordsIn] = offsetOf(P, T % 32, 16, R);
        KernelBuilder K;
        begin(K);
        Fields Operands = {{Role::d, RegD}, {Role::bank, isa::abi::ConstBank}};
        std::string_view N = Name;
        Operands.push_back({N.ends_with("_u") ? Role::b : Role::a, RegA});
        if (N.starts_with("LDC_"))
          Operands.push_back({Role::size, Size % 5});
        K.guarded(Size < 5 ? PT : 2, false, Name, Operands);
        end(K);
        std::vector<std::vector<uint32_t>> Blocks = {
            In, std::vector<uint32_t>(Threads * WordsOut),
            std::vector<uint32_t>(Threads * WordsOut)};
        Machine::Shape S{.Block = {Threads}};
        for (unsigned Byte = 0; Byte < 1024; ++Byte)
          S.Constants.push_back(Byte * 7);
        if (!isNextTested())
          continue;
        ASSERT_EQ(run(GetParam(), K, Blocks, S),
                  run(HostVectors::None, K, Blocks, S))
            << Name << ", pattern " << P << ", size " << Size;
      }
}

/// By blocks whose warps are rows, parts of rows, several rows and planes.
TEST_P(Vectors, ReadSpecialRegistersTheSame) {
  for (rt::Dim3 Block :
       {rt::Dim3{64, 1, 1}, rt::Dim3{61, 1, 1}, rt::Dim3{16, 4, 1},
        rt::Dim3{32, 2, 1}, rt::Dim3{5, 3, 4}, rt::Dim3{1, 7, 9},
        rt::Dim3{3, 1, 20}})
    for (const isa::SpecialRegisterInfo &Register : isa::specialRegisters())
      for (const char *Name : {"S2R", "S2R64", "S2UR"})
        for (unsigned Guard : {PT, 2u}) {
          std::vector<uint32_t> In(Threads * WordsIn, 0x55555555);
          KernelBuilder K;
          begin(K);
          K.guarded(Guard, false, Name,
                    {{Role::d, RegD}, {Role::b, Register.Number}});
          // Threads that have the same first coordinate leave their results at
          // the same place, but for what their numbers tell apart.
          K.special(0, 0).special(1, 1).special(6, 2);
          K.inst(
              "IMAD_i",
              {{Role::d, 1}, {Role::a, 6}, {Role::b, Block.Y}, {Role::c, 1}});
          K.inst(
              "IMAD_i",
              {{Role::d, 0}, {Role::a, 1}, {Role::b, Block.X}, {Role::c, 0}});
          end(K);
          std::vector<std::vector<uint32_t>> Blocks = {
              In, std::vector<uint32_t>(Threads * WordsOut),
              std::vector<uint32_t>(Threads * WordsOut)};
          Machine::Shape S{.Block = Block};
          if (!isNextTested())
            continue;
          ASSERT_EQ(run(GetParam(), K, Blocks, S),
                    run(HostVectors::None, K, Blocks, S))
              << Name << " " << Register.Name;
        }
}

TEST(VectorOptions, RefuseWhatTheHostLacks) {
  for (HostVectors V : {HostVectors::AVX2, HostVectors::AVX512}) {
    EmulatorOptions O;
    O.Vectors = V;
    auto Device = createEmulatorDevice(O);
    EXPECT_EQ(bool(Device), areSupported(V));
    if (!Device)
      llvm::consumeError(Device.takeError());
  }
}

} // namespace
