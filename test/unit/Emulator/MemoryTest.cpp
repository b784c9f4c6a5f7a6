//===- MemoryTest.cpp - Loads, stores, atomics and their faults -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every width, space and form of address, and every way to miss.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using rt::FaultKind;

namespace {

constexpr unsigned Word = 4; // MemSize

/// Loads of all widths from a buffer, stored again as words.
TEST(Memory, LoadsExtendAndStoresNarrow) {
  Machine M;
  std::vector<uint8_t> In = {0x81, 0xF2, 0x83, 0xF4, 5,  6,  7,  8,
                             9,    10,   11,   12,   13, 14, 15, 0x90};
  uint64_t Source = M.upload(In), Target = M.allocate(64);
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8);
  for (unsigned Size = 0; Size < 5; ++Size) {
    K.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Size}});
    K.inst("STG_r", {{Role::a, 6},
                     {Role::c, 8},
                     {Role::size, Word},
                     {Role::imm, 4 * Size}});
  }
  K.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}});
  K.inst("STG_r",
         {{Role::a, 6}, {Role::c, 8}, {Role::size, 0}, {Role::imm, 20}});
  K.inst("STG_r",
         {{Role::a, 6}, {Role::c, 8}, {Role::size, 2}, {Role::imm, 22}});
  K.inst("LDG64_r", {{Role::d, 8}, {Role::a, 4}});
  K.inst("STG64_r", {{Role::a, 6}, {Role::c, 8}, {Role::imm, 24}});
  K.inst("LDG128_r", {{Role::d, 8}, {Role::a, 4}});
  K.inst("STG128_r", {{Role::a, 6}, {Role::c, 8}, {Role::imm, 32}});
  K.exit();
  M.run(K, Params().add(Source).add(Target), {});
  auto Words = M.download<uint32_t>(Target, 5);
  EXPECT_EQ(Words, (std::vector<uint32_t>{0x81, 0xFFFFFF81, 0xF281, 0xFFFFF281,
                                          0xF483F281}));
  auto Bytes = M.download<uint8_t>(Target, 64);
  EXPECT_EQ(Bytes[20], 0x81);
  EXPECT_EQ(Bytes[21], 0);
  EXPECT_EQ(Bytes[22], 0x81);
  EXPECT_EQ(Bytes[23], 0xF2);
  EXPECT_TRUE(std::equal(In.begin(), In.begin() + 8, Bytes.begin() + 24));
  EXPECT_TRUE(std::equal(In.begin(), In.end(), Bytes.begin() + 32));
}

TEST(Memory, AddressForms) {
  Machine M;
  std::vector<uint32_t> In(256);
  for (unsigned N = 0; N < In.size(); ++N)
    In[N] = 1000 + N;
  uint64_t Source = M.upload(In), Target = M.allocate(32 * 4);
  // d = In[100 - 3 * lane] through a negative, sign-extended, scaled index.
  KernelBuilder K;
  K.special(0, 12);
  K.inst("ULDC64", {{Role::d, 2}, {Role::b, URZ}, {Role::imm, 0}});
  K.inst("ULDC64", {{Role::d, 4}, {Role::b, URZ}, {Role::imm, 8}});
  K.inst("IMAD_i", {{Role::d, 1}, {Role::a, 0}, {Role::b, uint32_t(-3)}});
  K.inst("LDG_x", {{Role::d, 3},
                   {Role::u, 2},
                   {Role::x, 1},
                   {Role::aext, 1},
                   {Role::sc, 2},
                   {Role::imm, 400},
                   {Role::size, Word}});
  K.inst("STG_x", {{Role::u, 4},
                   {Role::x, 0},
                   {Role::sc, 2},
                   {Role::c, 3},
                   {Role::size, Word}});
  K.exit();
  M.run(K, Params().add(Source).add(Target), {.Block = {32, 1, 1}});
  auto Out = M.download<uint32_t>(Target, 32);
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(Out[L], 1100 - 3 * L);
}

TEST(Memory, SpacesThroughGenericAddresses) {
  Machine M;
  uint64_t Target = M.allocate(32);
  std::vector<uint8_t> Constants = {1, 2, 3, 4, 5, 6, 7, 8};
  // Stores to shared and local memory by their own instructions and reads back
  // through generic addresses; constants and parameters likewise.
  KernelBuilder K;
  K.param64(4, 0).mov(8, 111).mov(9, 222);
  K.inst("STS_r",
         {{Role::a, RZ}, {Role::imm, 16}, {Role::c, 8}, {Role::size, Word}});
  K.inst("STL_r",
         {{Role::a, RZ}, {Role::imm, 20}, {Role::c, 9}, {Role::size, Word}});
  unsigned Offset = 0;
  auto Copy = [&](uint32_t Window, uint32_t At) {
    K.mov(10, At).mov(11, Window);
    K.inst("LD_r", {{Role::d, 12}, {Role::a, 10}, {Role::size, Word}});
    K.inst(
        "STG_r",
        {{Role::a, 4}, {Role::c, 12}, {Role::size, Word}, {Role::imm, Offset}});
    Offset += 4;
  };
  Copy(isa::abi::SharedWindow, 16);
  Copy(isa::abi::LocalWindow, 20);
  Copy(isa::abi::ConstWindow, 4);
  Copy(isa::abi::ParamWindow, 8);
  K.inst("LDC_r", {{Role::d, 12},
                   {Role::a, RZ},
                   {Role::bank, isa::abi::ConstBank},
                   {Role::size, Word}});
  K.inst(
      "STG_r",
      {{Role::a, 4}, {Role::c, 12}, {Role::size, Word}, {Role::imm, Offset}});
  K.exit();
  M.run(K, Params().add(Target).add(uint32_t(333)),
        {.SharedBytes = 32, .LocalBytes = 32, .Constants = Constants});
  EXPECT_EQ(M.download<uint32_t>(Target, 5),
            (std::vector<uint32_t>{111, 222, 0x08070605, 333, 0x04030201}));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Lane 5 of 32 reads a word at the address in parameter 0.
KernelBuilder readFromLane5() {
  KernelBuilder K;
  K.special(0, 12).param64(4, 0);
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, 5},
                     {Role::cmp, 2},
                     {Role::s, PT}});
  K.guarded(0, false, "LDG_r",
            {{Role::d, 6}, {Role::a, 4}, {Role::size, Word}});
  K.exit();
  return K;
}

rt::Fault faultAt(Machine &M, FaultKind Kind, uint64_t Address) {
  rt::Fault F = M.runToFault(Kind, readFromLane5(), Params().add(Address),
                             {.Block = {32, 1, 1}});
  EXPECT_EQ(F.Address, Address);
  EXPECT_EQ(F.PC, 3 * 16u);
  EXPECT_EQ(F.Kernel, "test");
  EXPECT_EQ(F.Thread, (rt::Dim3{5, 0, 0}));
  EXPECT_EQ(F.Block, (rt::Dim3{0, 0, 0}));
  return F;
}

TEST(Memory, FaultsNameThePlace) {
  Machine M;
  uint64_t Block = M.allocate(100), Other = M.allocate(100);
  faultAt(M, FaultKind::Null, 0);
  faultAt(M, FaultKind::Null, 65532);
  faultAt(M, FaultKind::OutOfBounds, 65536);
  faultAt(M, FaultKind::OutOfBounds, Block + 100);
  faultAt(M, FaultKind::OutOfBounds, Block - 4);
  faultAt(M, FaultKind::OutOfBounds, Other + 100);
  faultAt(M, FaultKind::Misaligned, Block + 2);
  faultAt(M, FaultKind::OutOfBounds, ~uint64_t(3));
  // The device still works, and the last byte inside is good.
  M.run(readFromLane5(), Params().add(Block + 96), {.Block = {32, 1, 1}});
  // An access half inside.
  uint64_t Odd = M.allocate(6);
  faultAt(M, FaultKind::OutOfBounds, Odd + 4);
  llvm::cantFail(M.Device->free(Block));
  rt::Fault F = faultAt(M, FaultKind::OutOfBounds, Block);
  EXPECT_NE(F.Message.find("freed"), std::string::npos) << F.Message;
}

/// A block of Size bytes and the page of 2 MiB that a driver would put it in.
void checkPage(const EmulatorOptions &Options, uint64_t Size) {
  constexpr uint64_t Page = 2 << 20;
  Machine M(Options);
  uint64_t Block = M.allocate(Size), Behind = Block + Size;
  uint64_t End = Block + (Size + Page - 1) / Page * Page;
  KernelBuilder Write; // 7 to the place, by a store and a reduction
  Write.param64(4, 0).mov(8, 3).mov(9, 4);
  Write.inst("STG_r", {{Role::a, 4}, {Role::c, 8}, {Role::size, Word}});
  Write.inst("RED_r", {{Role::a, 4}, {Role::c, 9}});
  Write.exit();
  KernelBuilder Read; // the place to the start of the block
  Read.param64(4, 0).param64(6, 8);
  Read.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}});
  Read.inst("STG_r", {{Role::a, 6}, {Role::c, 8}, {Role::size, Word}});
  Read.exit();
  for (uint64_t Place : {Behind, End - 4}) {
    M.run(Read, Params().add(Place).add(Block), {});
    EXPECT_EQ(M.download<uint32_t>(Block, 1)[0], 0u);
    M.run(Write, Params().add(Place), {});
    M.run(Read, Params().add(Place).add(Block), {});
    EXPECT_EQ(M.download<uint32_t>(Block, 1)[0], 7u);
  }
  faultAt(M, FaultKind::OutOfBounds, End);
  faultAt(M, FaultKind::OutOfBounds, Block - 4);
  // What the host does to memory is as exact as ever, as it is with a driver.
  llvm::Error Filled = M.Device->fill(Behind, {1, 2, 3, 4}, 1);
  EXPECT_TRUE(bool(Filled));
  llvm::consumeError(std::move(Filled));
  llvm::cantFail(M.Device->free(Block));
  faultAt(M, FaultKind::OutOfBounds, Behind);
}

TEST(Memory, PageBoundsEndWithThePage) {
  EmulatorOptions Options;
  Options.Bounds = rt::MemoryBounds::Page;
  for (HostVectors Vectors : {HostVectors::None, HostVectors::Best})
    for (uint64_t Size : {uint64_t(4), uint64_t(100), uint64_t(5) << 20}) {
      SCOPED_TRACE(Size);
      Options.Vectors = Vectors;
      checkPage(Options, Size);
    }
}

/// Taichi lays pages out from where a block begins.
TEST(Memory, LargeBlocksBeginWithAPage) {
  constexpr uint64_t Page = 2 << 20;
  Machine M;
  for (uint64_t Size : {Page / 2, Page + 1}) {
    uint64_t Small = M.allocate(100), Large = M.allocate(Size);
    EXPECT_EQ(Large % Page, 0u) << Size;
    llvm::cantFail(M.Device->free(Small));
    llvm::cantFail(M.Device->free(Large));
  }
}

TEST(Memory, PageBoundsOfTheHostsMemory) {
  constexpr uint64_t Page = 4096;
  EmulatorOptions Options;
  Options.Bounds = rt::MemoryBounds::Page;
  Machine M(Options);
  std::vector<uint8_t> Memory(3 * Page);
  auto *First = reinterpret_cast<uint8_t *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(Memory.data()), Page));
  uint64_t Block = reinterpret_cast<uintptr_t>(First);
  // Two blocks in one page: nothing else is theirs.
  llvm::cantFail(M.Device->mapHost({First, 100}));
  llvm::cantFail(M.Device->mapHost({First + 128, 100}));
  for (uint64_t Place : {Block + 100, Block + 128, Block + Page - 4})
    M.run(readFromLane5(), Params().add(Place), {.Block = {32, 1, 1}});
  faultAt(M, FaultKind::OutOfBounds, Block + Page);
}

TEST(Memory, FaultsTellWhatPageBoundsWouldLetPass) {
  Machine M;
  uint64_t Block = M.allocate(100);
  EXPECT_TRUE(faultAt(M, FaultKind::OutOfBounds, Block + 100).IsInPage);
  EXPECT_FALSE(faultAt(M, FaultKind::OutOfBounds, Block - 4).IsInPage);
  EXPECT_FALSE(faultAt(M, FaultKind::OutOfBounds, Block + (2 << 20)).IsInPage);
  llvm::cantFail(M.Device->free(Block));
  EXPECT_FALSE(faultAt(M, FaultKind::OutOfBounds, Block).IsInPage);
  EXPECT_FALSE(faultAt(M, FaultKind::OutOfBounds, Block + 100).IsInPage);
}

TEST(Memory, SharedLocalAndConstantBounds) {
  Machine M;
  auto Access = [&](FaultKind Kind, std::string_view Name, uint64_t Imm,
                    Fields More) {
    KernelBuilder K;
    More.push_back({Role::a, RZ});
    More.push_back({Role::imm, Imm});
    K.inst(Name, More).exit();
    return M.runToFault(Kind, K, {}, {.SharedBytes = 20, .LocalBytes = 32});
  };
  Fields Load = {{Role::d, 4}, {Role::size, Word}};
  Fields Wide = {{Role::d, 4}};
  Access(FaultKind::OutOfBounds, "LDS_r", 20, Load);
  Access(FaultKind::OutOfBounds, "LDS64_r", 16, Wide);
  Access(FaultKind::Misaligned, "LDS128_r", 8, Wide);
  Access(FaultKind::OutOfBounds, "LDL_r", 32, Load);
  Access(FaultKind::OutOfBounds, "LDC_r", 0, Load);
  rt::Fault F = Access(FaultKind::OutOfBounds, "STL_r", uint32_t(-4),
                       {{Role::c, 4}, {Role::size, Word}});
  EXPECT_NE(F.Message.find("stack overflow"), std::string::npos) << F.Message;

  KernelBuilder Write; // To constants, through a generic address.
  Write.mov(4, 0).mov(5, isa::abi::ConstWindow);
  Write.inst("ST_r", {{Role::a, 4}, {Role::c, 4}, {Role::size, Word}}).exit();
  M.runToFault(FaultKind::OutOfBounds, Write, {}, {.Constants = {1, 2, 3, 4}});
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

/// Every lane of many CTAs does one reduction on the same place.
TEST(Memory, AtomicsOfAllCTAsAdd) {
  EmulatorOptions Options;
  Options.HostThreads = 4;
  Machine M(Options);
  uint64_t Target = M.upload(std::vector<uint64_t>(4));
  KernelBuilder K;
  K.param64(4, 0).mov(8, 1).mov(9, 0);
  K.inst("REDG_r", {{Role::a, 4}, {Role::c, 8}, {Role::aty, 0}});
  K.inst("REDG64_r", {{Role::a, 4}, {Role::c, 8}, {Role::imm, 8}});
  K.mov(10, 0x3F800000);
  K.inst("ATOMG_r", {{Role::d, 12},
                     {Role::a, 4},
                     {Role::c, 10},
                     {Role::imm, 16},
                     {Role::aty, 2}});
  // A counter that wraps: INC up to 6.
  K.mov(11, 6);
  K.inst("RED_r",
         {{Role::a, 4}, {Role::c, 11}, {Role::imm, 24}, {Role::aop, 3}});
  K.exit();
  M.run(K, Params().add(Target), {.Grid = {64, 1, 1}, .Block = {96, 1, 1}});
  auto Out = M.download<uint64_t>(Target, 4);
  EXPECT_EQ(Out[0], 64u * 96);
  EXPECT_EQ(Out[1], 64u * 96);
  EXPECT_EQ(Out[2], 0x45C00000u); // 6144.0f
  EXPECT_EQ(Out[3], 64u * 96 % 7);
}

/// One atomic on memory that holds Old; returns what it returned and left.
std::pair<uint64_t, uint64_t> atomicOnce(std::string_view Name, Fields F,
                                         uint64_t Old, uint64_t C,
                                         uint64_t E = 0) {
  Machine M;
  uint64_t Target = M.upload(std::vector<uint64_t>{Old, 0});
  KernelBuilder K;
  K.param64(4, 0).param64(8, 8).param64(10, 16).mov(12, 0).mov(13, 0);
  F.insert(F.end(), {{Role::d, 12}, {Role::a, 4}, {Role::c, 8}});
  K.inst(Name, F);
  K.inst("STG64_r", {{Role::a, 4}, {Role::c, 12}, {Role::imm, 8}}).exit();
  M.run(K, Params().add(Target).add(C).add(E), {});
  auto Out = M.download<uint64_t>(Target, 2);
  return {Out[1], Out[0]};
}

TEST(Memory, AtomicOperations) {
  auto Check = [](std::string_view Name, unsigned Op, unsigned Type,
                  uint64_t Old, uint64_t C, uint64_t New) {
    uint64_t Mask = Name.find("64") == Name.npos ? 0xFFFFFFFF : ~uint64_t(0);
    auto [Returned, Left] =
        atomicOnce(Name, {{Role::aop, Op}, {Role::aty, Type}}, Old, C);
    EXPECT_EQ(Left, New) << Name << " op " << Op << " type " << Type;
    EXPECT_EQ(Returned, Old & Mask) << Name << " op " << Op;
  };
  uint64_t Minus1 = 0xFFFFFFFF;
  Check("ATOMG_r", 0, 0, 7, Minus1, 6);
  Check("ATOMG_r", 1, 0, 7, Minus1, 7);
  Check("ATOMG_r", 1, 1, 7, Minus1, Minus1);
  Check("ATOMG_r", 2, 0, 7, Minus1, Minus1);
  Check("ATOMG_r", 2, 1, 7, Minus1, 7);
  Check("ATOMG_r", 3, 0, 7, 7, 0);
  Check("ATOMG_r", 3, 0, 6, 7, 7);
  Check("ATOMG_r", 4, 0, 0, 5, 5);
  Check("ATOMG_r", 4, 0, 9, 5, 5);
  Check("ATOMG_r", 4, 0, 3, 5, 2);
  Check("ATOMG_r", 5, 0, 0xF0F0, 0xFF00, 0xF000);
  Check("ATOMG_r", 6, 0, 0xF0F0, 0xFF00, 0xFFF0);
  Check("ATOMG_r", 7, 0, 0xF0F0, 0xFF00, 0x0FF0);
  Check("ATOMG_r", 8, 0, 0xF0F0, 0xFF00, 0xFF00);
  Check("ATOMG_r", 0, 2, 0x3F800000, 0x40000000, 0x40400000); // 1 + 2
  Check("ATOMG_r", 0, 2, 1, 1, 2); // Subnormal numbers are kept.
  Check("ATOMG_r", 0, 3, 0x3C004000, 0x3C003C00, 0x40004200);
  Check("ATOMG_r", 0, 4, 0x3F803F80, 0x3F800000, 0x40003F80);
  Check("ATOM64_r", 0, 0, ~uint64_t(0), 3, 2);
  Check("ATOM64_r", 1, 1, 5, ~uint64_t(0), ~uint64_t(0));
  Check("ATOM64_r", 2, 0, 5, ~uint64_t(0), ~uint64_t(0));
  Check("ATOM64_r", 0, 2, 0x3FF0000000000000, 0x4000000000000000,
        0x4008000000000000);
  // 16-bit types touch their 16 bits only.
  auto [Old, New] = atomicOnce("ATOMG_r", {{Role::aop, 0}, {Role::aty, 5}},
                               0x12343C00, 0x3C00);
  EXPECT_EQ(Old, 0x3C00u);
  EXPECT_EQ(New, 0x12344000u);
}

TEST(Memory, CompareAndSwap) {
  Fields F = {{Role::e, 10}, {Role::size, Word}}, F64 = {{Role::e, 10}};
  EXPECT_EQ(atomicOnce("ATOMGCAS_r", F, 5, 5, 9),
            (std::pair<uint64_t, uint64_t>{5, 9}));
  EXPECT_EQ(atomicOnce("ATOMGCAS_r", F, 5, 6, 9),
            (std::pair<uint64_t, uint64_t>{5, 5}));
  uint64_t Big = uint64_t(1) << 40;
  EXPECT_EQ(atomicOnce("ATOMCAS64_r", F64, Big, Big, 9),
            (std::pair<uint64_t, uint64_t>{Big, 9}));
}

TEST(Memory, SharedAtomics) {
  Machine M;
  uint64_t Target = M.allocate(16);
  KernelBuilder K;
  K.param64(4, 0).mov(8, 0).mov(9, 0);
  K.inst("STS64_r", {{Role::a, RZ}, {Role::c, 8}});
  K.inst("BAR_i", {{Role::b, 0}});
  K.mov(8, 3);
  K.inst("ATOMS", {{Role::d, RZ}, {Role::a, RZ}, {Role::c, 8}});
  K.inst("BAR_i", {{Role::b, 0}});
  K.inst("LDS_r", {{Role::d, 10}, {Role::a, RZ}, {Role::size, Word}});
  K.inst("STG_r", {{Role::a, 4}, {Role::c, 10}, {Role::size, Word}});
  K.exit();
  M.run(K, Params().add(Target), {.Block = {100, 1, 1}, .SharedBytes = 8});
  EXPECT_EQ(M.download<uint32_t>(Target, 1)[0], 300u);
}

} // namespace
