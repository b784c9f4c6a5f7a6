//===- SystemCallTest.cpp - printf, malloc, assert --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels ask of the runtime.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <bit>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using rt::FaultKind;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr unsigned SysPrintf = 1, SysMalloc = 2, SysFree = 3, SysAssert = 4;

/// Prints with arguments that lie in global memory as printf's callers lay
/// them out; returns the text.
std::string print(const std::string &Format, const Params &Arguments,
                  uint32_t *Returned = nullptr) {
  Machine M;
  std::vector<char> Text(Format.c_str(), Format.c_str() + Format.size() + 1);
  std::vector<uint8_t> Bytes = Arguments.Bytes;
  Bytes.resize(std::max<size_t>(Bytes.size(), 1));
  uint64_t FormatAt = M.upload(Text), ArgumentsAt = M.upload(Bytes);
  uint64_t Out = M.allocate(4);
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8).param64(10, 16);
  K.inst("SYSCALL", {{Role::b, SysPrintf}});
  K.inst("STG_r", {{Role::a, 10}, {Role::c, 4}, {Role::size, Word}}).exit();
  M.run(K, Params().add(FormatAt).add(ArgumentsAt).add(Out), {});
  if (Returned)
    *Returned = M.download<uint32_t>(Out, 1)[0];
  return M.Output;
}

TEST(SystemCall, PrintfFormats) {
  uint32_t Returned = 0;
  EXPECT_EQ(print("plain %% text\n", {}, &Returned), "plain % text\n");
  EXPECT_EQ(Returned, 0u);
  EXPECT_EQ(print("%d|%u|%5d|%-5d|%05d|%+d",
                  Params()
                      .add(int32_t(-7))
                      .add(uint32_t(4000000000))
                      .add(42)
                      .add(42)
                      .add(42)
                      .add(42),
                  &Returned),
            "-7|4000000000|   42|42   |00042|+42");
  EXPECT_EQ(Returned, 6u);
  // Arguments of eight bytes are aligned to eight.
  EXPECT_EQ(print("%d %lld %x %lu %d", Params()
                                           .add(1)
                                           .add(int64_t(-5000000000))
                                           .add(0xBEEFu)
                                           .add(uint64_t(10000000000))
                                           .add(2)),
            "1 -5000000000 beef 10000000000 2");
  EXPECT_EQ(print("%f %.2f %10.3e %g %c%c", Params()
                                                .add(1.5)
                                                .add(2.345)
                                                .add(12345.678)
                                                .add(0.0001)
                                                .add(int('o'))
                                                .add(int('k'))),
            "1.500000 2.35  1.235e+04 0.0001 ok");
  EXPECT_EQ(print("%*d|%-*d|%.*f",
                  Params().add(6).add(1).add(4).add(2).add(1).add(3.14159)),
            "     1|2   |3.1");
  EXPECT_EQ(
      print("%hhd %hd %hu", Params().add(0x1FF).add(0x18000).add(0x1FFFF)),
      "-1 -32768 65535");
  EXPECT_EQ(print("%p %x %X %#o",
                  Params().add(uint64_t(0x1234)).add(255).add(255).add(8)),
            "0x1234 ff FF 010");
  EXPECT_EQ(print("%y %", {}), "%y %");
}

TEST(SystemCall, PrintfStrings) {
  Machine M;
  std::string Hello("hello");
  uint64_t At = M.upload(std::vector<char>(Hello.c_str(), Hello.c_str() + 6));
  std::string Format("[%s][%8s][%.2s]");
  uint64_t FormatAt = M.upload(
      std::vector<char>(Format.c_str(), Format.c_str() + Format.size() + 1));
  uint64_t Arguments = M.upload(std::vector<uint64_t>{At, At, At});
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8).inst("SYSCALL", {{Role::b, SysPrintf}}).exit();
  M.run(K, Params().add(FormatAt).add(Arguments), {});
  EXPECT_EQ(M.Output, "[hello][   hello][he]");
}

TEST(SystemCall, OutputComesInTheOrderOfCTAs) {
  EmulatorOptions Options;
  Options.HostThreads = 4;
  Machine M(Options);
  std::string Format("%d ");
  uint64_t At = M.upload(std::vector<char>{'%', 'd', ' ', 0});
  KernelBuilder K; // Each CTA prints its number, from local memory.
  K.param64(4, 0).special(8, 6);
  K.inst("STL_r", {{Role::a, RZ}, {Role::c, 8}, {Role::size, Word}});
  K.mov(6, 0).mov(7, isa::abi::LocalWindow);
  K.inst("SYSCALL", {{Role::b, SysPrintf}}).exit();
  std::string Want;
  for (unsigned N = 0; N < 100; ++N)
    Want += std::to_string(N) + " ";
  M.run(K, Params().add(At), {.Grid = {100, 1, 1}, .LocalBytes = 16});
  EXPECT_EQ(M.Output, Want);
}

TEST(SystemCall, MallocAndFree) {
  Machine M;
  uint64_t Out = M.allocate(4);
  KernelBuilder K;
  K.param64(10, 0).mov(4, 64).mov(5, 0);
  K.inst("SYSCALL", {{Role::b, SysMalloc}});
  K.mov(8, 77);
  K.inst("STG_r",
         {{Role::a, 4}, {Role::c, 8}, {Role::imm, 60}, {Role::size, Word}});
  K.inst("LDG_r",
         {{Role::d, 9}, {Role::a, 4}, {Role::imm, 60}, {Role::size, Word}});
  K.inst("STG_r", {{Role::a, 10}, {Role::c, 9}, {Role::size, Word}});
  size_t BeforeFree = K.size();
  K.inst("SYSCALL", {{Role::b, SysFree}});
  KernelBuilder Good = K;
  Good.exit();
  M.run(Good, Params().add(Out), {});
  EXPECT_EQ(M.download<uint32_t>(Out, 1)[0], 77u);

  KernelBuilder UseAfterFree = K;
  UseAfterFree.inst("LDG_r", {{Role::d, 9}, {Role::a, 4}, {Role::size, Word}})
      .exit();
  rt::Fault F =
      M.runToFault(FaultKind::OutOfBounds, UseAfterFree, Params().add(Out), {});
  EXPECT_NE(F.Message.find("freed"), std::string::npos) << F.Message;
  KernelBuilder Twice = K;
  Twice.inst("SYSCALL", {{Role::b, SysFree}}).exit();
  EXPECT_EQ(
      M.runToFault(FaultKind::OutOfBounds, Twice, Params().add(Out), {}).PC,
      (BeforeFree + 1) * 16);

  KernelBuilder Large; // More than the heap: a null pointer.
  Large.param64(10, 0).mov(4, 0).mov(5, 1);
  Large.inst("SYSCALL", {{Role::b, SysMalloc}});
  Large.inst("STG_r", {{Role::a, 10}, {Role::c, 4}, {Role::size, Word}}).exit();
  M.run(Large, Params().add(Out), {});
  EXPECT_EQ(M.download<uint32_t>(Out, 1)[0], 0u);
}

TEST(SystemCall, AssertionsEndTheLaunch) {
  Machine M;
  auto String = [&](std::string Text) {
    return M.upload(
        std::vector<char>(Text.c_str(), Text.c_str() + Text.size() + 1));
  };
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8).mov(8, 12).param64(10, 16);
  K.inst("SYSCALL", {{Role::b, SysAssert}}).exit();
  rt::Fault F = M.runToFault(
      FaultKind::Assert, K,
      Params().add(String("x > 0")).add(String("a.cu")).add(String("k()")), {});
  EXPECT_EQ(F.Message, "a.cu:12: k(): assertion 'x > 0' failed");
}

TEST(SystemCall, UnknownCallsAreIllegal) {
  Machine M;
  KernelBuilder K;
  K.inst("SYSCALL", {{Role::b, 200}}).exit();
  M.runToFault(FaultKind::IllegalInstruction, K, {}, {});
}

} // namespace
