//===- HazardTest.cpp - A broken control field is found ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel written by hand, right and with one wait or one stall count broken:
// the emulator's strict mode runs the first and reports the others at their
// place.
//
//===----------------------------------------------------------------------===//

#include "heddle/Emulator/Emulator.h"
#include "heddle/Target/Assembler.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace heddle;
using namespace llvm;

namespace {

/// out[tid] = (in[tid] + 1) * 2. In the place of @ADD stands the control field
/// of the addition, whose operand comes from memory and whose result the
/// multiplication reads.
constexpr char Kernel[] = R"(
  .section .text.k,"ax",@progbits
  .globl k
  .type k,@function
k:
  LDC64 R4, c[0][RZ] {stall=1, wr=0}
  LDC64 R6, c[0][RZ + 8] {stall=1, wr=1}
  S2R R2, SR_tid.x {stall=1, wr=2}
  IMADW.U32 R4, R2, 4, R4 {stall=6, wait=0x5}
  LDG R3, [R4] {stall=1, wr=3}
  IMADW.U32 R6, R2, 4, R6 {stall=1, wait=0x2}
  FADD R3, R3, 1.0 @ADD
  FMUL R3, R3, 2.0 {stall=5}
  STG [R6], R3 {stall=1, rd=0}
  EXIT
  .heddle_metadata
---
chip: @CHIP
isa_version: !str 1
compiler: by hand
ptx_version: !str ''
ptx_target: !str ''
kernels:
  - name: k
    registers: 8
    uniform_registers: 0
    spill_store_bytes: 0
    spill_load_bytes: 0
    shared_bytes: 0
    local_bytes: 0
    barriers: 0
    param_bytes: 16
    dynamic_shared: false
    dynamic_stack: false
    params:
      - { name: in, offset: 0, size: 8, align: 8, type: u64 }
      - { name: out, offset: 8, size: 8, align: 8, type: u64 }
...
  .end_heddle_metadata
)";
constexpr uint64_t AddOffset = 0x30, MultiplyOffset = 0x38;
constexpr unsigned NumThreads = 64;

std::string replaced(std::string Text, StringRef What, StringRef With) {
  size_t At = Text.find(What.str());
  EXPECT_NE(At, std::string::npos);
  return Text.replace(At, What.size(), With.str());
}

template <typename T> T take(Expected<T> Value) {
  if (Value)
    return std::move(*Value);
  ADD_FAILURE() << toString(Value.takeError());
  return T();
}

void check(Error E) {
  if (E)
    ADD_FAILURE() << toString(std::move(E));
}

template <typename T> ArrayRef<uint8_t> bytesOf(ArrayRef<T> Values) {
  return ArrayRef(reinterpret_cast<const uint8_t *>(Values.data()),
                  Values.size() * sizeof(T));
}

class HazardTest : public testing::Test {
protected:
  /// Runs the kernel with this control field of the addition.
  void run(StringRef Chip, StringRef Control) {
    std::string Source =
        replaced(replaced(Kernel, "@ADD", Control), "@CHIP", Chip);
    SmallVector<char, 0> Object;
    std::string Messages;
    raw_string_ostream OS(Messages);
    ASSERT_TRUE(assemble(MemoryBufferRef(Source, "k.s"), Chip, Object, OS))
        << Messages;

    emu::EmulatorOptions Options;
    Options.Chip = Chip.str();
    auto Device = take(emu::createEmulatorDevice(Options));
    ASSERT_TRUE(Device);
    auto Module = take(Device->loadModule(bytesOf(ArrayRef<char>(Object))));
    ASSERT_TRUE(Module);
    float In[NumThreads];
    for (unsigned I = 0; I < NumThreads; ++I)
      In[I] = I * 0.5f;
    uint64_t Params[] = {take(Device->allocate(sizeof(In))),
                         take(Device->allocate(sizeof(In)))};
    check(Device->copyToDevice(Params[0], bytesOf(ArrayRef<float>(In))));
    rt::LaunchConfig Launch;
    Launch.Block = {NumThreads, 1, 1};
    Launch.Params = bytesOf(ArrayRef<uint64_t>(Params));
    Fault = take(Device->launch(*Module, 0, Launch)).Fault;
    check(Device->copyFromDevice(
        MutableArrayRef(reinterpret_cast<uint8_t *>(Out), sizeof(Out)),
        Params[1]));
  }

  std::optional<rt::Fault> Fault;
  float Out[NumThreads];
};

TEST_F(HazardTest, RightCodeRuns) {
  run("hd100", "{stall=4, wait=0x8}");
  ASSERT_FALSE(Fault) << Fault->str();
  for (unsigned I = 0; I < NumThreads; ++I)
    EXPECT_EQ(Out[I], (I * 0.5f + 1) * 2);
}

TEST_F(HazardTest, ShortStallIsReported) {
  run("hd100", "{stall=3, wait=0x8}");
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->Kind, rt::FaultKind::Hazard) << Fault->str();
  EXPECT_EQ(Fault->PC, MultiplyOffset) << Fault->str();
  EXPECT_NE(Fault->Message.find("R3"), std::string::npos) << Fault->str();
}

TEST_F(HazardTest, MissingWaitIsReported) {
  run("hd100", "{stall=4}");
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->Kind, rt::FaultKind::Hazard) << Fault->str();
  EXPECT_EQ(Fault->PC, AddOffset) << Fault->str();
  EXPECT_NE(Fault->Message.find("R3"), std::string::npos) << Fault->str();
}

TEST_F(HazardTest, WaitForTheWrongCounterIsReported) {
  run("hd100", "{stall=4, wait=0x4}");
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->Kind, rt::FaultKind::Hazard) << Fault->str();
  EXPECT_EQ(Fault->PC, AddOffset) << Fault->str();
}

// A chip with longer latencies needs longer stalls.
TEST_F(HazardTest, StallsAreOfTheChip) {
  run("hd10", "{stall=4, wait=0x8}");
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->Kind, rt::FaultKind::Hazard) << Fault->str();
  run("hd10", "{stall=5, wait=0x8}");
  EXPECT_FALSE(Fault) << Fault->str();
}

} // namespace
