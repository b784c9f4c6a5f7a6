//===- LowerWmma.cpp - Lowering of wmma -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX leaves the layout of wmma's fragments open. Here a fragment is a row of
// fragments of mma, its blocks, and a product is one of mma for each block. A
// shape with 8 rows and 32 columns is computed transposed, with A and B
// exchanged. Loads and stores access the elements one by one, or those that a
// register holds together.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using matrix::Element;
using matrix::Extents;
using matrix::Fragment;
using matrix::Layout;
using matrix::Result;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {
/// How a matrix of wmma is made of blocks.
struct Blocks {
  Fragment F;
  unsigned Bits;      ///< Of an element.
  unsigned Registers; ///< Of a block.
  unsigned Count;
  unsigned RowStep, ColumnStep; ///< From a block to the next, in the fragment.
  bool Transposed; ///< The fragment's rows are the matrix's columns.
};
} // namespace

static Extents shapeOf(const InstView &I) {
  return lowering::extentsOf(I.spelling(ptx::ModKind::MatrixShape));
}

/// The bits of an element of a type, in registers and in memory.
static unsigned elementBits(StringRef Type) {
  if (Type == "f64")
    return 64;
  if (Type == "f32" || Type == "s32")
    return 32;
  return matrix::bitsOf(*lowering::elementOf(Type));
}

static Blocks multiplicandBlocks(const Extents &X, StringRef Type, bool IsA) {
  bool Transposed = X.M == 8 && X.N == 32;
  // The operand with the 16 or more rows of the product as it is computed.
  bool HasRows = IsA != Transposed;
  unsigned Rows = IsA ? X.M : X.N;
  Blocks B;
  B.Bits = elementBits(Type);
  B.Transposed = Transposed;
  // Four lanes share a row.
  unsigned WordsPerRow = X.K * B.Bits / (4 * std::max(B.Bits, 32u));
  if (HasRows && Rows >= 16) {
    B.F = Fragment::A16;
    B.Registers = 2 * WordsPerRow;
    B.Count = Rows / 16;
    B.RowStep = 16;
    B.ColumnStep = 0;
    return B;
  }
  B.F = HasRows ? Fragment::A8 : Fragment::B8;
  B.Registers = WordsPerRow;
  B.Count = Rows / 8;
  B.RowStep = 0;
  B.ColumnStep = 8;
  return B;
}

static Blocks sumBlocks(const Extents &X, StringRef Type) {
  bool Transposed = X.M == 8 && X.N == 32;
  unsigned Rows = Transposed ? X.N : X.M, Columns = Transposed ? X.M : X.N;
  Blocks B;
  B.Bits = elementBits(Type);
  B.Transposed = Transposed;
  bool Pairs = B.Bits == 16;
  B.F = Rows == 8 ? Fragment::C8 : Pairs ? Fragment::C16Pairs : Fragment::C16;
  B.Registers = Rows == 8 || Pairs ? 2 : 4;
  B.Count = Rows / (Rows == 8 ? 8 : 16) * (Columns / 8);
  // Either there are several rows of blocks or several columns.
  B.RowStep = Rows == 32 ? 16 : 0;
  B.ColumnStep = Rows == 32 ? 0 : 8;
  return B;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {
/// Where the elements of a matrix in memory are. All distances are in bytes.
class MatrixMemory {
public:
  MatrixMemory(Emitter &E, const InstView &I, const Blocks &B,
               unsigned AddressSpace, unsigned DefaultStride);

  /// The place of an element of a register of a block.
  Value pointer(unsigned Block, unsigned Register, unsigned Element);
  /// Whether the elements of a register stand one behind the other.
  bool isContiguous() const;
  unsigned elementsPerRegister() const {
    return B.Bits >= 32 ? 1 : 32 / B.Bits;
  }

private:
  Value constant(uint64_t V) { return E.constInt(Width, V); }
  Value laneNumber(const Layout::Bits &Bits);
  /// The distance to an outer and an inner index, the inner one being of
  /// elements that stand together.
  Value distance(Value Outer, Value Inner) {
    return E.make<LLVM::AddOp>(
        E.make<LLVM::MulOp>(Outer, Stride),
        E.make<LLVM::LShrOp>(E.make<LLVM::MulOp>(Inner, constant(B.Bits)),
                             constant(3)));
  }

  Emitter &E;
  const Blocks &B;
  Layout L;
  unsigned Width, AddressSpace;
  bool ByColumns; ///< In memory, with respect to the fragment.
  Value Lane, Base, Stride;
};
} // namespace

MatrixMemory::MatrixMemory(Emitter &E, const InstView &I, const Blocks &B,
                           unsigned AddressSpace, unsigned DefaultStride)
    : E(E), B(B), L(B.F, B.Bits >= 32 ? 1 : 32 / B.Bits),
      Width(AddressSpace == addrspace::Shared ? 32 : 64),
      AddressSpace(AddressSpace) {
  ByColumns = (I.get<ptx::LayoutA>() == ptx::LayoutA::Col) != B.Transposed;
  Lane = E.resize(E.intrinsic("nvvm.read.ptx.sreg.laneid", E.intTy(32), {}),
                  Width, /*Signed=*/false);
  Value Elements = constant(DefaultStride);
  if (auto N = I.find("stride"))
    Elements = E.resize(E.asInt(I.value(*N)), Width, /*Signed=*/false);
  // Rows of elements smaller than a byte are whole bytes.
  Stride = E.make<LLVM::LShrOp>(E.make<LLVM::MulOp>(Elements, constant(B.Bits)),
                                constant(3));
  auto [Address, Offset] = I.address(*I.find("p"));
  Value Row = laneNumber(L.rowBits()), Column = laneNumber(L.columnBits());
  Value FromLane = ByColumns ? distance(Column, Row) : distance(Row, Column);
  Base = E.make<LLVM::GEPOp>(E.ptrTy(AddressSpace), E.intTy(8),
                             E.pointer(Address, AddressSpace, Offset),
                             ArrayRef<LLVM::GEPArg>{FromLane});
}

/// What the bits of the lane are of a row or a column.
Value MatrixMemory::laneNumber(const Layout::Bits &Bits) {
  Value Number = constant(0);
  for (unsigned N = 0; N < Bits.Count; ++N) {
    const Layout::Bit &Bit = Bits.Values[N];
    if (Bit.From != Layout::Bit::Lane)
      continue;
    Value One = E.make<LLVM::AndOp>(
        E.make<LLVM::LShrOp>(Lane, constant(Bit.Number)), constant(1));
    Number = E.make<LLVM::OrOp>(Number, E.make<LLVM::ShlOp>(One, constant(N)));
  }
  return Number;
}

Value MatrixMemory::pointer(unsigned Block, unsigned Register,
                            unsigned Element) {
  auto [Row, Column] = L(0, Register, Element);
  Row += Block * B.RowStep;
  Column += Block * B.ColumnStep;
  Value Offset = ByColumns ? distance(constant(Column), constant(Row))
                           : distance(constant(Row), constant(Column));
  return E.make<LLVM::GEPOp>(E.ptrTy(AddressSpace), E.intTy(8), Base,
                             ArrayRef<LLVM::GEPArg>{Offset});
}

bool MatrixMemory::isContiguous() const {
  // The lowest bits of the index that is contiguous in memory are those of the
  // element in its register.
  const Layout::Bits &Bits = ByColumns ? L.rowBits() : L.columnBits();
  return elementsPerRegister() == 1 ||
         Bits.Values[0].From == Layout::Bit::Element;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static Value loadRegister(Emitter &E, MatrixMemory &M, const Blocks &B,
                          unsigned Block, unsigned Register) {
  auto Load = [&](unsigned Element, unsigned Bits) {
    return E.make<LLVM::LoadOp>(E.intTy(Bits),
                                M.pointer(Block, Register, Element), Bits / 8);
  };
  if (M.isContiguous())
    return Load(0, std::max(B.Bits, 32u));
  Value Word = E.constInt(32, 0);
  for (unsigned N = 0; N < M.elementsPerRegister(); ++N) {
    Value Wide = E.resize(Load(N, B.Bits), 32, /*Signed=*/false);
    Word = E.make<LLVM::OrOp>(
        Word, E.make<LLVM::ShlOp>(Wide, E.constInt(32, N * B.Bits)));
  }
  return Word;
}

static void storeRegister(Emitter &E, MatrixMemory &M, const Blocks &B,
                          unsigned Block, unsigned Register, Value V) {
  auto Store = [&](unsigned Element, unsigned Bits, Value Part) {
    LLVM::StoreOp::create(E.B, E.Loc, Part, M.pointer(Block, Register, Element),
                          Bits / 8);
  };
  if (M.isContiguous())
    return Store(0, std::max(B.Bits, 32u), V);
  for (unsigned N = 0; N < M.elementsPerRegister(); ++N) {
    Value Part = E.make<LLVM::LShrOp>(V, E.constInt(32, N * B.Bits));
    Store(N, B.Bits, E.resize(Part, B.Bits, /*Signed=*/false));
  }
}

/// The matrix that the opcode's last part names, and the stride that it has if
/// none is given.
static std::pair<Blocks, unsigned> blocksOf(const InstView &I) {
  Extents X = shapeOf(I);
  StringRef Type = ptx::getTypeName(I.type());
  bool ByColumns = I.get<ptx::LayoutA>() == ptx::LayoutA::Col;
  StringRef Matrix = I.getOp().getOpcode().rsplit('.').second;
  if (Matrix == "a")
    return {multiplicandBlocks(X, Type, true), ByColumns ? X.M : X.K};
  if (Matrix == "b")
    return {multiplicandBlocks(X, Type, false), ByColumns ? X.K : X.N};
  return {sumBlocks(X, Type), ByColumns ? X.M : X.N};
}

static LogicalResult lowerWmmaLoad(Emitter &E, const InstView &I) {
  auto [B, Stride] = blocksOf(I);
  MatrixMemory M(E, I, B, *addressSpaceOf(I), Stride);
  SmallVector<Value> Registers;
  for (unsigned Block = 0; Block < B.Count; ++Block)
    for (unsigned R = 0; R < B.Registers; ++R)
      Registers.push_back(loadRegister(E, M, B, Block, R));
  // Half precision has more registers than elements: each element stands in
  // several.
  for (unsigned N = 0; Registers.size() < I.numResults(); ++N)
    Registers.push_back(Registers[N]);
  return E.replace(I.getOp(), I.resultsOf(Registers));
}

static LogicalResult lowerWmmaStore(Emitter &E, const InstView &I) {
  auto [B, Stride] = blocksOf(I);
  MatrixMemory M(E, I, B, *addressSpaceOf(I), Stride);
  ArrayRef<Value> Registers = I.values(*I.find("r"));
  for (unsigned Block = 0; Block < B.Count; ++Block)
    for (unsigned R = 0; R < B.Registers; ++R)
      storeRegister(E, M, B, Block, R,
                    E.asInt(Registers[Block * B.Registers + R]));
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// .satfinite of floats: a NaN becomes +0, an infinity the largest number.
static Value saturate(Emitter &E, Value V, bool Pairs) {
  Type Ty = Pairs ? Type(VectorType::get(2, E.B.getF16Type()))
                  : Type(E.B.getF32Type());
  double Largest = Pairs ? 65504.0 : 0x1.fffffep127;
  Value Float = E.cast(V, Ty);
  Value IsNumber = E.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::ord, Float, Float);
  Value Low =
      E.intrinsic("maximumnum", Ty, {Float, E.constFloat(Ty, -Largest)});
  Value Clamped =
      E.intrinsic("minimumnum", Ty, {Low, E.constFloat(Ty, Largest)});
  return E.asInt(E.select(IsNumber, Clamped, E.constFloat(Ty, 0.0)));
}

static LogicalResult lowerDoubleWmma(Emitter &E, const InstView &I) {
  return E.replace(I.getOp(),
                   I.resultsOf(multiplyDoubles(
                       E, I.values(*I.find("a"))[0], I.values(*I.find("b"))[0],
                       I.values(*I.find("c")), roundingOf(I))));
}

static LogicalResult lowerWmmaMma(Emitter &E, const InstView &I) {
  auto TypeName = [&](unsigned N) { return ptx::getTypeName(I.type(N)); };
  // Products of half precision name the types of D and C only.
  bool IsHalf = TypeName(1) == "f16" || TypeName(1) == "f32";
  if (TypeName(0) == "f64")
    return lowerDoubleWmma(E, I);
  StringRef TypeA = IsHalf ? "f16" : TypeName(1),
            TypeC = TypeName(IsHalf ? 1 : 3);
  Extents X = shapeOf(I);
  Blocks BA = multiplicandBlocks(X, TypeA, true),
         BB = multiplicandBlocks(X, TypeA, false),
         BD = sumBlocks(X, TypeName(0)), BC = sumBlocks(X, TypeC);
  ArrayRef<Value> A = I.values(*I.find("a")), B = I.values(*I.find("b")),
                  C = I.values(*I.find("c"));
  if (BA.Transposed) {
    std::swap(A, B);
    std::swap(BA, BB);
  }
  MmaForm F{*matrix::findShape(BA.F == Fragment::A8 ? 8 : 16, 8, X.K),
            *lowering::elementOf(TypeA),
            *lowering::elementOf(IsHalf ? TypeA : TypeName(2)),
            *lowering::resultOf(TypeName(0)), *lowering::resultOf(TypeC)};
  F.BitAnd = I.get<ptx::BitOp>() == ptx::BitOp::And;
  F.Saturate = I.has<ptx::SatFinite>() && F.D == Result::S32;
  SmallVector<Value> D;
  for (unsigned N = 0; N < BD.Count; ++N) {
    auto Block = [&](ArrayRef<Value> Registers, const Blocks &Of) {
      return Registers.slice((Of.Count == 1 ? 0 : N) * Of.Registers,
                             Of.Registers);
    };
    Value Group = multiply(E, F, Block(A, BA), Block(B, BB), Block(C, BC));
    D.append(registersOf(E, Group, BD.Registers));
  }
  if (I.has<ptx::SatFinite>() && F.D != Result::S32)
    for (Value &V : D)
      V = saturate(E, V, F.D == Result::F16);
  return E.replace(I.getOp(), I.resultsOf(D));
}

void lowering::addWmmaLowerings(LoweringTable &Table) {
  for (const char *Opcode : {"wmma.load.a", "wmma.load.b", "wmma.load.c"})
    Table.addInst(Opcode, lowerWmmaLoad);
  Table.addInst("wmma.store.d", lowerWmmaStore);
  Table.addInst("wmma.mma", lowerWmmaMma);
}
