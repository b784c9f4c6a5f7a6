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
// register holds together, where need be with tiles of 8 x 8 halves transposed.
// From shared memory tiles come as by ldmatrix.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
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
/// How the elements of a register stand in memory.
enum class Access : uint8_t {
  Words,      ///< One behind the other.
  Transposed, ///< As Words, once tiles of 8 x 8 halves are transposed.
  Elements,   ///< Apart.
};

/// Where the elements of a matrix in memory are. The outer index is that of
/// rows in memory, whose elements the inner index counts.
class MatrixMemory {
public:
  MatrixMemory(Emitter &E, const InstView &I, const Blocks &B,
               unsigned AddressSpace, unsigned DefaultStride);

  SmallVector<Value> load();
  void store(ArrayRef<Value> Registers);

private:
  struct Place {
    unsigned Outer, Inner;
  };
  /// The part of an element's place that is the same for all lanes.
  Place place(unsigned Register, unsigned Element) const;
  Value pointer(Place P);
  llvm::Align alignment(Place P) const;
  Value addressOfLane(Value Outer, Value Inner);
  Value laneBits(const Layout::Bits &Bits);
  Value laneBit(unsigned From, unsigned To);
  Value bytes(Value Elements);

  bool isTiled(const Layout::Bits &Rows, const Layout::Bits &Columns) const;
  bool mayLoadTiles() const;
  SmallVector<Value> loadTiles();
  void loadTilesAt(unsigned Register, unsigned Count, Value Row,
                   SmallVectorImpl<Value> &Registers);
  Value loadRegister(unsigned Register);
  void storeRegister(unsigned Register, Value V);
  Value transpose(Value V);
  Value loadPart(unsigned Register, unsigned Element, unsigned Bits);
  void storePart(unsigned Register, unsigned Element, Value V);

  const Layout::Bits &outerBits() const {
    return ByColumns ? L.columnBits() : L.rowBits();
  }
  const Layout::Bits &innerBits() const {
    return ByColumns ? L.rowBits() : L.columnBits();
  }
  unsigned elementsPerRegister() const {
    return B.Bits >= 32 ? 1 : 32 / B.Bits;
  }
  unsigned registers() const { return B.Count * B.Registers; }

  Emitter &E;
  const Blocks &B;
  Layout L;
  unsigned Width, AddressSpace;
  unsigned RowAlign; ///< Of the rows in memory, in bytes.
  bool ByColumns;    ///< In memory, with respect to the fragment.
  Access How;
  Value Lane, Start, Stride; ///< The stride in elements.
  /// The address of the lane's first element, and that of others in other rows.
  Value Base;
  llvm::SmallDenseMap<unsigned, Value, 4> Rows;
};
} // namespace

/// What a fragment of wmma has in a lane, in bytes.
static unsigned fragmentBytes(const InstView &I) {
  unsigned Count = I.numResults();
  if (!Count) // of a store
    Count = I.values(*I.find("r")).size();
  bool IsDouble = ptx::getTypeName(I.type()) == "f64";
  return Count * (IsDouble ? 8 : 4);
}

MatrixMemory::MatrixMemory(Emitter &E, const InstView &I, const Blocks &B,
                           unsigned AddressSpace, unsigned DefaultStride)
    : E(E), B(B), L(B.F, B.Bits >= 32 ? 1 : 32 / B.Bits),
      Width(AddressSpace == addrspace::Shared ? 32 : 64),
      AddressSpace(AddressSpace) {
  // PTX has the rows begin at multiples of the size of a fragment. A longer
  // access than 16 bytes there is not.
  RowAlign = std::min(16u, fragmentBytes(I));
  ByColumns = (I.get<ptx::LayoutA>() == ptx::LayoutA::Col) != B.Transposed;
  Lane = E.intrinsic("nvvm.read.ptx.sreg.laneid", E.intTy(32), {});
  Stride = E.constInt(Width, DefaultStride);
  if (auto N = I.find("stride"))
    Stride = E.resize(E.asInt(I.value(*N)), Width, /*Signed=*/false);
  auto [Address, Offset] = I.address(*I.find("p"));
  Start = E.pointer(Address, AddressSpace, Offset);
  const Layout::Bits &Inner = innerBits();
  if (elementsPerRegister() == 1 ||
      Inner.Values[0].From == Layout::Bit::Element)
    How = Access::Words;
  else
    How = B.Bits == 16 && isTiled(Inner, outerBits()) ? Access::Transposed
                                                      : Access::Elements;
  bool Swapped = How == Access::Transposed;
  Base = addressOfLane(laneBits(Swapped ? Inner : outerBits()),
                       laneBits(Swapped ? outerBits() : Inner));
}

/// A number of elements as one of bytes.
Value MatrixMemory::bytes(Value Elements) {
  Type Ty = Elements.getType();
  unsigned Bits = Ty.getIntOrFloatBitWidth();
  if (B.Bits >= 8)
    return E.make<LLVM::ShlOp>(Elements,
                               E.constInt(Bits, llvm::Log2_32(B.Bits / 8)));
  // Rows of elements smaller than a byte are whole bytes.
  return E.make<LLVM::LShrOp>(Elements,
                              E.constInt(Bits, llvm::Log2_32(8 / B.Bits)));
}

/// The address of a lane whose indices are given in 32 bits.
Value MatrixMemory::addressOfLane(Value Outer, Value Inner) {
  // The few bits of the index are scaled, not the product, which is as wide as
  // an address.
  bool Whole = B.Bits >= 8;
  Value Factor = E.resize(Whole ? bytes(Outer) : Outer, Width, false);
  Value Row = E.make<LLVM::MulOp>(Factor, Whole ? Stride : bytes(Stride));
  Value Column = E.resize(bytes(Inner), Width, /*Signed=*/false);
  return E.make<LLVM::GEPOp>(
      E.ptrTy(AddressSpace), E.intTy(8), Start,
      ArrayRef<LLVM::GEPArg>{Value(E.make<LLVM::AddOp>(Row, Column))});
}

/// Bit \p From of the lane's number in the place of bit \p To.
Value MatrixMemory::laneBit(unsigned From, unsigned To) {
  Value One = E.make<LLVM::AndOp>(
      E.make<LLVM::LShrOp>(Lane, E.constInt(32, From)), E.constInt(32, 1));
  return E.make<LLVM::ShlOp>(One, E.constInt(32, To));
}

/// What the bits of the lane are of an index.
Value MatrixMemory::laneBits(const Layout::Bits &Bits) {
  Value Number = E.constInt(32, 0);
  for (unsigned N = 0; N < Bits.Count; ++N)
    if (Bits.Values[N].From == Layout::Bit::Lane)
      Number = E.make<LLVM::OrOp>(Number, laneBit(Bits.Values[N].Number, N));
  return Number;
}

MatrixMemory::Place MatrixMemory::place(unsigned Register,
                                        unsigned Element) const {
  unsigned Block = Register / B.Registers;
  auto [Row, Column] = L(0, Register % B.Registers, Element);
  Row += Block * B.RowStep;
  Column += Block * B.ColumnStep;
  return ByColumns ? Place{Column, Row} : Place{Row, Column};
}

/// Base, moved by as many rows and elements. Places in one row differ by
/// constants.
Value MatrixMemory::pointer(Place P) {
  Value &Row = Rows.try_emplace(P.Outer, Base).first->second;
  auto Moved = [&](Value From, Value By) {
    return E.make<LLVM::GEPOp>(E.ptrTy(AddressSpace), E.intTy(8), From,
                               ArrayRef<LLVM::GEPArg>{By});
  };
  if (P.Outer && Row == Base)
    Row = Moved(Base,
                E.make<LLVM::MulOp>(bytes(Stride), E.constInt(Width, P.Outer)));
  if (!P.Inner)
    return Row;
  return Moved(Row, E.constInt(Width, P.Inner * B.Bits / 8));
}

/// What the address of a place is a multiple of, in all lanes.
llvm::Align MatrixMemory::alignment(Place P) const {
  unsigned Multiple = RowAlign * 8 / B.Bits | P.Inner;
  const Layout::Bits &Bits =
      How == Access::Transposed ? outerBits() : innerBits();
  for (unsigned N = 0; N < Bits.Count; ++N)
    if (Bits.Values[N].From == Layout::Bit::Lane)
      Multiple |= 1u << N;
  return llvm::Align((Multiple & -Multiple) * B.Bits / 8);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Whether a register of all lanes is a tile: 8 rows of 16 bytes, a word of
/// which a lane has.
bool MatrixMemory::isTiled(const Layout::Bits &Rows,
                           const Layout::Bits &Columns) const {
  auto IsLane = [](const Layout::Bits &Bits, unsigned N, unsigned Number) {
    return N < Bits.Count && Bits.Values[N].From == Layout::Bit::Lane &&
           Bits.Values[N].Number == Number;
  };
  unsigned First = llvm::Log2_32(elementsPerRegister());
  return IsLane(Rows, 0, 2) && IsLane(Rows, 1, 3) && IsLane(Rows, 2, 4) &&
         IsLane(Columns, First, 0) && IsLane(Columns, First + 1, 1);
}

/// Whether LDSM loads the registers, as ldmatrix does.
bool MatrixMemory::mayLoadTiles() const {
  if (AddressSpace != addrspace::Shared || RowAlign != 16 || registers() < 2 ||
      B.Bits > 32)
    return false;
  return How == Access::Transposed ||
         (How == Access::Words && isTiled(outerBits(), innerBits()));
}

/// Loads \p Count tiles, 2 or 4. Eight lanes each have the address of a row in
/// them.
void MatrixMemory::loadTilesAt(unsigned Register, unsigned Count, Value Row,
                               SmallVectorImpl<Value> &Registers) {
  bool IsPair = Count == 2;
  matrix::Tile Tile = How == Access::Transposed ? matrix::Tile::Words8Transposed
                                                : matrix::Tile::Words8;
  Value Address = E.make<LLVM::PtrToIntOp>(E.intTy(32), Row);
  Value Group = E.warpBuiltin(
      IsPair ? "ldmatrix_pair" : "ldmatrix", IsPair ? E.intTy(64) : wideTy(E),
      {Address, modifier(E, Tile), E.constInt(32, llvm::Log2_32(Count)),
       modifier(E, matrix::Unpack::None)},
      LLVM::ModRefInfo::Ref);
  Registers.append(registersOf(E, Group, Count));
}

SmallVector<Value> MatrixMemory::loadTiles() {
  unsigned Count = std::min(4u, registers());
  // The number of a tile is in the bits of the lane behind those of a row.
  Value Outer = E.make<LLVM::AndOp>(Lane, E.constInt(32, 7));
  Value Inner = E.constInt(32, 0);
  auto AddBit = [&](Value &Index, unsigned Bit, unsigned Distance) {
    if (Distance)
      Index =
          E.make<LLVM::OrOp>(Index, laneBit(3 + Bit, llvm::Log2_32(Distance)));
  };
  for (unsigned Bit = 0; 1u << Bit < Count; ++Bit) {
    Place P = place(1u << Bit, 0);
    AddBit(Outer, Bit, P.Outer);
    AddBit(Inner, Bit, P.Inner);
  }
  Base = addressOfLane(Outer, Inner);
  Rows.clear();
  SmallVector<Value> Registers;
  for (unsigned R = 0; R < registers(); R += Count)
    loadTilesAt(R, Count, pointer(place(R, 0)), Registers);
  return Registers;
}

/// Halves of a tile change their lanes.
Value MatrixMemory::transpose(Value V) {
  return E.warpBuiltin("movmatrix", E.intTy(32), V, LLVM::ModRefInfo::NoModRef);
}

Value MatrixMemory::loadPart(unsigned Register, unsigned Element,
                             unsigned Bits) {
  Place P = place(Register, Element);
  return E.make<LLVM::LoadOp>(E.intTy(Bits), pointer(P), alignment(P).value());
}

/// A register of the matrix, or one of its tiles before they are transposed.
Value MatrixMemory::loadRegister(unsigned Register) {
  if (How != Access::Elements)
    return loadPart(Register, 0, std::max(B.Bits, 32u));
  Value Word = E.constInt(32, 0);
  for (unsigned N = 0; N < elementsPerRegister(); ++N) {
    Value Wide = E.resize(loadPart(Register, N, B.Bits), 32, /*Signed=*/false);
    Word = E.make<LLVM::OrOp>(
        Word, E.make<LLVM::ShlOp>(Wide, E.constInt(32, uint64_t(N) * B.Bits)));
  }
  return Word;
}

void MatrixMemory::storePart(unsigned Register, unsigned Element, Value V) {
  Place P = place(Register, Element);
  LLVM::StoreOp::create(E.B, E.Loc, V, pointer(P), alignment(P).value());
}

void MatrixMemory::storeRegister(unsigned Register, Value V) {
  if (How == Access::Words)
    return storePart(Register, 0, V);
  if (How == Access::Transposed)
    return storePart(Register, 0, transpose(V));
  for (unsigned N = 0; N < elementsPerRegister(); ++N) {
    Value Part = E.make<LLVM::LShrOp>(V, E.constInt(32, uint64_t(N) * B.Bits));
    storePart(Register, N, E.resize(Part, B.Bits, /*Signed=*/false));
  }
}

SmallVector<Value> MatrixMemory::load() {
  if (mayLoadTiles())
    return loadTiles();
  SmallVector<Value> Registers;
  for (unsigned R = 0; R < registers(); ++R)
    Registers.push_back(loadRegister(R));
  // Threads meet in front of the first exchange, and all loads start before.
  if (How == Access::Transposed)
    for (Value &V : Registers)
      V = transpose(V);
  return Registers;
}

void MatrixMemory::store(ArrayRef<Value> Registers) {
  for (unsigned R = 0; R < registers(); ++R)
    storeRegister(R, E.asInt(Registers[R]));
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
  SmallVector<Value> Registers =
      MatrixMemory(E, I, B, *addressSpaceOf(I), Stride).load();
  // Half precision has more registers than elements: each element stands in
  // several.
  for (unsigned N = 0; Registers.size() < I.numResults(); ++N)
    Registers.push_back(Registers[N]);
  return E.replace(I.getOp(), I.resultsOf(Registers));
}

static LogicalResult lowerWmmaStore(Emitter &E, const InstView &I) {
  auto [B, Stride] = blocksOf(I);
  MatrixMemory(E, I, B, *addressSpaceOf(I), Stride)
      .store(I.values(*I.find("r")));
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
      return Registers.slice(size_t(Of.Count == 1 ? 0 : N) * Of.Registers,
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
