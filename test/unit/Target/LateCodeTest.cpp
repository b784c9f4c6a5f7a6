//===- LateCodeTest.cpp - Code that is decoded when it is reached -*- C++ -*-=//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a large program, the emulator decodes the functions that something leads
// to. Results, statistics and times are those of a small program with the same
// kernel.
//
//===----------------------------------------------------------------------===//

#include "heddle/Emulator/Emulator.h"
#include "heddle/Runtime/Profile.h"
#include "heddle/Target/Assembler.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace llvm;

namespace {

/// Each thread adds a number of each function that it comes to: of one that it
/// calls directly, of one that this one calls by a pointer, of one by a pointer
/// and of one that this one calls. In the place of @COUNT stands how many
/// instructions a function has that nobody calls.
constexpr char Program[] = R"(
  .section .text.k,"ax",@progbits
  .globl k
  .type k,@function
k:
  LDC64 R4, c[0][RZ] {stall=1, wr=0}
  S2R R16, SR_ctaid.x {stall=1, wr=1}
  S2R R2, SR_tid.x {stall=1, wr=2}
  IMAD R2, R16, 32, R2 {stall=10, wait=0x6}
  IMADW.U32 R4, R2, 4, R4 {stall=10, wait=0x1}
  MOV R3, 0 {stall=10}
  CALL R10, direct {stall=10}
  MOV64W R8, pointed {stall=10}
  CALLR R12, R8 {stall=10}
  STG [R4], R3 {stall=1, rd=0}
  EXIT
  .section .text.direct,"ax",@progbits
  .type direct,@function
direct:
  IADD3 R3, R3, 1, RZ {stall=10}
  MOV64W R8, deeper {stall=10}
  CALLR R14, R8 {stall=10}
  RET R10 {stall=10}
  .section .text.pointed,"ax",@progbits
  .type pointed,@function
pointed:
  IADD3 R3, R3, 10, RZ {stall=10}
  CALL R14, shared {stall=10}
  RET R12 {stall=10}
  .section .text.deeper,"ax",@progbits
  .type deeper,@function
deeper:
  IADD3 R3, R3, 100, RZ {stall=10}
  RET R14 {stall=10}
  .section .text.shared,"ax",@progbits
  .type shared,@function
shared:
  IADD3 R3, R3, 1000, RZ {stall=10}
  RET R14 {stall=10}
  .section .text.unused,"ax",@progbits
  .type unused,@function
unused:
  .rept @COUNT
  IADD3 R3, R3, 1000, RZ {stall=10}
  .endr
  RET R14 {stall=10}
  .heddle_metadata
---
chip: hd100
isa_version: !str 1
compiler: by hand
ptx_version: !str ''
ptx_target: !str ''
kernels:
  - name: k
    registers: 18
    uniform_registers: 0
    spill_store_bytes: 0
    spill_load_bytes: 0
    shared_bytes: 0
    local_bytes: 0
    barriers: 0
    param_bytes: 8
    dynamic_shared: false
    dynamic_stack: false
    params:
      - { name: out, offset: 0, size: 8, align: 8, type: u64 }
...
  .end_heddle_metadata
)";
constexpr unsigned Threads = 32, CTAs = 64;
/// Several times what the emulator decodes at once.
constexpr unsigned Large = 300000;

template <typename T> ArrayRef<uint8_t> bytesOf(ArrayRef<T> Values) {
  return ArrayRef(reinterpret_cast<const uint8_t *>(Values.data()),
                  Values.size() * sizeof(T));
}

SmallVector<char, 0> assembled(unsigned Count) {
  std::string Source = Program;
  StringRef Mark = "@COUNT";
  Source.replace(Source.find(Mark.str()), Mark.size(), std::to_string(Count));
  SmallVector<char, 0> Object;
  std::string Messages;
  raw_string_ostream OS(Messages);
  EXPECT_TRUE(assemble(MemoryBufferRef(Source, "k.s"), "hd100", Object, OS))
      << Messages;
  return Object;
}

/// What a launch of all CTAs counts, and its cycles if it is timed. All threads
/// have to have come to all functions.
std::string run(ArrayRef<char> Object, const emu::EmulatorOptions &Options) {
  auto Device = cantFail(emu::createEmulatorDevice(Options));
  auto Module = cantFail(Device->loadModule(bytesOf(Object)));
  std::vector<uint32_t> Out(Threads * CTAs);
  uint64_t Params[] = {cantFail(Device->allocate(Out.size() * 4))};
  rt::LaunchConfig Launch;
  Launch.Grid = {CTAs, 1, 1};
  Launch.Block = {Threads, 1, 1};
  Launch.Params = bytesOf(ArrayRef<uint64_t>(Params));
  rt::LaunchResult Result = cantFail(Device->launch(*Module, 0, Launch));
  EXPECT_FALSE(Result.Fault) << Result.Fault->str();
  cantFail(Device->copyFromDevice(
      MutableArrayRef(reinterpret_cast<uint8_t *>(Out.data()), Out.size() * 4),
      Params[0]));
  EXPECT_EQ(Out, std::vector<uint32_t>(Out.size(), 1111));
  std::string Text = std::to_string(Result.Statistics.WarpInstructions);
  for (const rt::InstructionCount &C : Result.Statistics.ByClass)
    Text += ", " + C.Class + " " + std::to_string(C.Thread);
  if (Result.Profile)
    Text += "; " + std::to_string(Result.Profile->Cycles) + " cycles";
  return Text;
}

TEST(LateCode, RunsAsCodeThatIsDecodedAtOnce) {
  SmallVector<char, 0> Few = assembled(1), Many = assembled(Large);
  for (bool Strict : {true, false}) {
    emu::EmulatorOptions Options;
    Options.StrictHazards = Strict;
    Options.HostThreads = 4;
    EXPECT_EQ(run(Many, Options), run(Few, Options));
  }
}

TEST(LateCode, TakesTheSameTime) {
  emu::EmulatorOptions Options;
  Options.Timing = true;
  std::string Time = run(assembled(Large), Options);
  EXPECT_NE(Time.find("cycles"), std::string::npos);
  EXPECT_EQ(Time, run(assembled(1), Options));
}

} // namespace
