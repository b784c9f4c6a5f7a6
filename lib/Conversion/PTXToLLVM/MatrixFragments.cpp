//===- MatrixFragments.cpp - Fragments as operands --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes, types and groups of registers of matrix instructions.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "MemoryAccess.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using matrix::Element;
using matrix::Result;

matrix::Extents lowering::extentsOf(StringRef Name) {
  auto Number = [&](StringRef Letter) {
    unsigned N = 0;
    if (Name.consume_front(Letter))
      Name.consumeInteger(10, N);
    return N;
  };
  unsigned M = Number("m"), N = Number("n"), K = Number("k");
  return {M, N, K};
}

std::optional<Element> lowering::elementOf(StringRef Type) {
  return llvm::StringSwitch<std::optional<Element>>(Type)
      .Case("f16", Element::F16)
      .Case("bf16", Element::BF16)
      .Case("tf32", Element::TF32)
      .Case("e4m3", Element::E4M3)
      .Case("e5m2", Element::E5M2)
      .Case("e3m2", Element::E3M2)
      .Case("e2m3", Element::E2M3)
      .Case("e2m1", Element::E2M1)
      .Case("s8", Element::S8)
      .Case("u8", Element::U8)
      .Case("s4", Element::S4)
      .Case("u4", Element::U4)
      .Case("b1", Element::B1)
      .Default(std::nullopt);
}

std::optional<Result> lowering::resultOf(StringRef Type) {
  return llvm::StringSwitch<std::optional<Result>>(Type)
      .Case("f32", Result::F32)
      .Case("f16", Result::F16)
      .Case("s32", Result::S32)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Groups of registers
//===----------------------------------------------------------------------===//

/// A vector of \p Size integers with the registers as its first ones.
static Value makeGroup(Emitter &E, ArrayRef<Value> Registers, unsigned Size,
                       unsigned Bits) {
  Value Group = E.make<LLVM::PoisonOp>(VectorType::get(Size, E.intTy(Bits)));
  for (auto [N, V] : llvm::enumerate(Registers))
    Group = E.make<LLVM::InsertElementOp>(Group, E.asInt(V), E.constInt(32, N));
  return Group;
}

Value lowering::groupOfFour(Emitter &E, ArrayRef<Value> Registers) {
  if (Registers.front().getType().getIntOrFloatBitWidth() == 64)
    return E.cast(makeGroup(E, Registers, 2, 64), wideTy(E));
  return makeGroup(E, Registers, 4, 32);
}

Value lowering::groupOfTwo(Emitter &E, ArrayRef<Value> Registers) {
  return E.cast(makeGroup(E, Registers, 2, 32), E.intTy(64));
}

SmallVector<Value> lowering::registersOf(Emitter &E, Value Group,
                                         unsigned Count, unsigned Bits) {
  unsigned Size = Group.getType() == E.intTy(64) ? 64 : 128;
  Group = E.cast(Group, VectorType::get(Size / Bits, E.intTy(Bits)));
  SmallVector<Value> Registers;
  for (unsigned N = 0; N < Count; ++N)
    Registers.push_back(
        E.make<LLVM::ExtractElementOp>(Group, E.constInt(32, N)));
  return Registers;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value lowering::multiply(Emitter &E, const MmaForm &F, ArrayRef<Value> A,
                         ArrayRef<Value> B, ArrayRef<Value> C) {
  if (F.D == F.C && matrix::isPairOfSums(F.Shape, F.D))
    return E.warpBuiltin("mma_pair", E.intTy(64),
                         {groupOfFour(E, A), groupOfTwo(E, B), groupOfTwo(E, C),
                          modifier(E, F.Shape), modifier(E, F.A),
                          modifier(E, F.B), modifier(E, F.D),
                          modifier(E, F.BitAnd), modifier(E, F.Saturate)},
                         LLVM::ModRefInfo::NoModRef);
  return E.warpBuiltin("mma", wideTy(E),
                       {groupOfFour(E, A), groupOfTwo(E, B), groupOfFour(E, C),
                        modifier(E, F.Shape), modifier(E, F.A),
                        modifier(E, F.B), modifier(E, F.D), modifier(E, F.C),
                        modifier(E, F.BitAnd), modifier(E, F.Saturate),
                        modifier(E, F.ColumnsA), modifier(E, F.ColumnsB),
                        modifier(E, F.Part)},
                       LLVM::ModRefInfo::NoModRef);
}

SmallVector<Value> lowering::multiplyDoubles(Emitter &E, Value A, Value B,
                                             ArrayRef<Value> C,
                                             unsigned Round) {
  Value D = E.warpBuiltin(
      "mma_f64", wideTy(E),
      {E.asInt(A), E.asInt(B), groupOfFour(E, C), E.constInt(32, Round)},
      LLVM::ModRefInfo::NoModRef);
  return registersOf(E, D, 2, 64);
}

unsigned lowering::roundingOf(const InstView &I) {
  switch (I.get<ptx::Rounding>()) {
  case ptx::Rounding::Rz:
    return 1;
  case ptx::Rounding::Rm:
    return 2;
  case ptx::Rounding::Rp:
    return 3;
  default:
    return 0;
  }
}

Value lowering::sharedAddress(Emitter &E, const InstView &I, unsigned N) {
  auto [Base, Offset] = I.address(N);
  // The low word of a generic address of shared memory is its offset there.
  return E.address(E.pointer(Base, addrspace::Shared, Offset), E.intTy(32));
}
