//===- LowerTexture.cpp - Lowering of textures and surfaces -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers the operands of texture and surface instructions into the groups of
// registers that isa-defs/HeddleInstrTexture.td takes. Operands are found by
// their names in lib/PTX/PTXTexture.td.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "heddle/ISA/TextureObjects.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;
namespace tex = texture;

//===----------------------------------------------------------------------===//
// Groups of registers
//===----------------------------------------------------------------------===//

namespace {
/// Four registers of which only those that are set matter.
class RegisterGroup {
public:
  explicit RegisterGroup(Emitter &E) : E(E) {}

  void set(unsigned N, Value V) { Parts[N] = E.asInt(V); }
  Value get() const {
    Value Group = E.make<LLVM::PoisonOp>(wideTy(E));
    for (unsigned N = 0; N != 4; ++N)
      if (Parts[N])
        Group =
            E.make<LLVM::InsertElementOp>(Group, Parts[N], E.constInt(32, N));
    return Group;
  }

private:
  Emitter &E;
  Value Parts[4];
};
} // namespace

/// The ISA's geometries and PTX's stand in the same order.
static tex::Geometry geometryOf(const InstView &I) {
  return tex::Geometry(unsigned(I.get<ptx::Geometry>()) - 1);
}

/// How many elements of a coordinate vector count.
static unsigned coordinateCount(tex::Geometry G) {
  switch (G) {
  case tex::Geometry::D1:
    return 1;
  case tex::Geometry::D2:
  case tex::Geometry::A1:
    return 2;
  case tex::Geometry::ACube:
  case tex::Geometry::AM2:
    return 4;
  default:
    return 3;
  }
}

static Value coordinates(Emitter &E, const InstView &I, unsigned Operand,
                         tex::Geometry G) {
  RegisterGroup Group(E);
  auto Values = I.values(Operand).take_front(coordinateCount(G));
  for (auto [N, V] : llvm::enumerate(Values))
    Group.set(N, V);
  return Group.get();
}

/// The texture with its own sampler or, in independent mode, another one.
static Value textureHandle(Emitter &E, const InstView &I) {
  Value Texture = I.value(*I.find("t"));
  auto Sampler = I.find("s");
  if (!Sampler)
    return Texture;
  constexpr uint64_t ImageMask = (uint64_t(1) << tex::SamplerShift) - 1;
  Value Image = E.make<LLVM::AndOp>(Texture, E.constInt(64, ImageMask));
  Value Other =
      E.make<LLVM::AndOp>(I.value(*Sampler), E.constInt(64, ~ImageMask));
  return E.make<LLVM::OrOp>(Image, Other);
}

//===----------------------------------------------------------------------===//
// Textures
//===----------------------------------------------------------------------===//

/// Offsets of four bits each.
static Value packOffsets(Emitter &E, ArrayRef<Value> Offsets) {
  Value Packed = E.constInt(32, 0);
  for (auto [N, V] : llvm::enumerate(Offsets.take_front(3))) {
    Value Low = E.make<LLVM::AndOp>(E.asInt(V), E.constInt(32, 15));
    Packed = E.make<LLVM::OrOp>(
        Packed, E.make<LLVM::ShlOp>(Low, E.constInt(32, 4 * N)));
  }
  return Packed;
}

/// A result in the type that the instruction names, of which lookups only give
/// those of 32 bits.
static LogicalResult replaceLookup(Emitter &E, const InstView &I, Value Texel) {
  SmallVector<Value> Results;
  for (unsigned N = 0; N != 4; ++N)
    Results.push_back(E.make<LLVM::ExtractElementOp>(Texel, E.constInt(32, N)));
  auto Half = [&](Value V) -> Value {
    Value Float = E.cast(V, E.B.getF32Type());
    return E.asInt(E.make<LLVM::FPTruncOp>(E.B.getF16Type(), Float));
  };
  if (I.scalarType() == ScalarType::F16)
    for (Value &V : Results)
      V = Half(V);
  if (I.scalarType() == ScalarType::F16x2) {
    auto Pair = [&](Value Low, Value High) {
      return E.make<LLVM::OrOp>(
          E.resize(Half(Low), 32, false),
          E.make<LLVM::ShlOp>(E.resize(Half(High), 32, false),
                              E.constInt(32, 16)));
    };
    Results = {Pair(Results[0], Results[1]), Pair(Results[2], Results[3])};
  }
  // Everything is resident.
  Results.push_back(E.constInt(1, 1));
  return E.replace(I.getOp(), I.resultsOf(Results));
}

/// The operands c and e of TEX and TLD4 but for the level of detail.
static void addOptionalOperands(Emitter &E, const InstView &I, RegisterGroup &C,
                                RegisterGroup &Last) {
  if (auto Offset = I.find("e"))
    C.set(3, packOffsets(E, I.values(*Offset)));
  if (auto Depth = I.find("f"))
    Last.set(3, I.value(*Depth));
}

static Value flag(Emitter &E, bool Set) { return E.constInt(32, Set); }

static LogicalResult lowerTex(Emitter &E, const InstView &I) {
  enum { Base, Level, Gradient } Mode = Base;
  tex::Geometry G = geometryOf(I);
  RegisterGroup C(E), Last(E);
  addOptionalOperands(E, I, C, Last);
  if (I.get<ptx::MipMode>() == ptx::MipMode::Level) {
    Mode = Level;
    C.set(0, I.value(*I.find("lod")));
  } else if (I.get<ptx::MipMode>() == ptx::MipMode::Grad) {
    Mode = Gradient;
    for (auto [N, V] : llvm::enumerate(I.values(*I.find("dPdx")).take_front(3)))
      C.set(N, V);
    for (auto [N, V] : llvm::enumerate(I.values(*I.find("dPdy")).take_front(3)))
      Last.set(N, V);
  }
  Value Texel = E.memoryBuiltin(
      "tex", wideTy(E),
      {textureHandle(E, I), coordinates(E, I, *I.find("c"), G), C.get(),
       Last.get(), E.constInt(32, unsigned(G)),
       flag(E, I.scalarType(1) == ScalarType::S32), E.constInt(32, Mode),
       flag(E, I.find("e").has_value()), flag(E, I.find("f").has_value())},
      /*OnlyReads=*/true);
  return replaceLookup(E, I, Texel);
}

static LogicalResult lowerTld4(Emitter &E, const InstView &I) {
  tex::Geometry G = geometryOf(I);
  RegisterGroup C(E), Last(E);
  addOptionalOperands(E, I, C, Last);
  Value Texel = E.memoryBuiltin(
      "tld4", wideTy(E),
      {textureHandle(E, I), coordinates(E, I, *I.find("c"), G), C.get(),
       Last.get(), E.constInt(32, unsigned(G)),
       flag(E, I.find("e").has_value()), flag(E, I.find("f").has_value()),
       E.constInt(32, unsigned(I.get<ptx::Gather>()) - 1)},
      /*OnlyReads=*/true);
  return replaceLookup(E, I, Texel);
}

static tex::Query queryOf(const InstView &I) {
  using P = ptx::QueryOf;
  using Q = tex::Query;
  switch (I.get<P>()) {
  case P::None:
  case P::Width:
    return Q::Width;
  case P::Height:
    return Q::Height;
  case P::Depth:
    return Q::Depth;
  case P::ChannelDataType:
    return Q::Type;
  case P::ChannelOrder:
    return Q::Order;
  case P::NormalizedCoords:
    return Q::Normalized;
  case P::ArraySize:
    return Q::Array;
  case P::NumMipmapLevels:
    return Q::Levels;
  case P::NumSamples:
    return Q::Samples;
  case P::ForceUnnormalizedCoords:
    return Q::Unnormalized;
  case P::FilterMode:
    return Q::Filter;
  case P::AddrMode0:
    return Q::Address0;
  case P::AddrMode1:
    return Q::Address1;
  case P::AddrMode2:
    return Q::Address2;
  case P::MemoryLayout:
    return Q::Linear;
  }
  return Q::Width;
}

/// txq and suq.
static LogicalResult lowerQuery(Emitter &E, const InstView &I) {
  auto Lod = I.find("lod");
  Value Level = Lod ? E.asInt(I.value(*Lod)) : E.constInt(32, 0);
  Value V =
      E.memoryBuiltin("txq", E.intTy(32),
                      {I.value(*I.find("a")), Level, modifier(E, queryOf(I))},
                      /*OnlyReads=*/true);
  return E.replace(I.getOp(), I.resultsOf(V));
}

static LogicalResult lowerIstypep(Emitter &E, const InstView &I) {
  uint64_t Kind = I.type() == ptx::Type::TexRef       ? tex::KindTexture
                  : I.type() == ptx::Type::SamplerRef ? tex::KindSampler
                                                      : tex::KindSurface;
  Value High = E.make<LLVM::LShrOp>(I.value(*I.find("a")),
                                    E.constInt(64, tex::KindShift));
  return E.replace(I.getOp(), I.resultsOf(E.icmp(LLVM::ICmpPredicate::eq, High,
                                                 E.constInt(64, Kind))));
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

static isa::OutOfImage boundsOf(const InstView &I) {
  switch (I.get<ptx::ClampMode>()) {
  case ptx::ClampMode::Clamp:
    return isa::OutOfImage::Clamp;
  case ptx::ClampMode::Zero:
    return isa::OutOfImage::Zero;
  default:
    return isa::OutOfImage::Trap;
  }
}

/// As for ld and st; see LowerMemory.cpp.
static isa::CacheOp cacheHintOf(const InstView &I) {
  switch (I.get<ptx::CacheOp>()) {
  case ptx::CacheOp::Cg:
    return isa::CacheOp::Global;
  case ptx::CacheOp::Cs:
    return isa::CacheOp::Streaming;
  case ptx::CacheOp::Cv:
  case ptx::CacheOp::Wt:
    return isa::CacheOp::Volatile;
  default:
    return isa::CacheOp::All;
  }
}

static unsigned elementBytes(const InstView &I) {
  return ptx::getTypeBits(I.type()) / 8;
}

/// Element \p N of so many bytes in four registers.
static Value elementOf(Emitter &E, Value Group, unsigned N, unsigned Bytes) {
  auto Word = [&](unsigned W) {
    return E.make<LLVM::ExtractElementOp>(Group, E.constInt(32, W));
  };
  if (Bytes == 8) {
    Value Pairs = E.cast(Group, VectorType::get(2, E.intTy(64)));
    return E.make<LLVM::ExtractElementOp>(Pairs, E.constInt(32, N));
  }
  unsigned At = N * Bytes;
  Value V = Word(At / 4);
  if (At % 4)
    V = E.make<LLVM::LShrOp>(V, E.constInt(32, uint64_t(8) * (At % 4)));
  return E.resize(V, 8 * Bytes, /*Signed=*/false);
}

static LogicalResult lowerSuld(Emitter &E, const InstView &I) {
  unsigned Bytes = elementBytes(I), Count = I.numResults();
  if (Bytes * Count > 16)
    return E.unsupported(I.getOp(), "suld of more than 128 bits");
  tex::Geometry G = geometryOf(I);
  Value Group = E.memoryBuiltin(
      "suld", wideTy(E),
      {I.value(*I.find("a")), coordinates(E, I, *I.find("b"), G),
       E.constInt(32, unsigned(G)),
       E.constInt(32, llvm::Log2_32(Bytes * Count)),
       modifier(E, cacheHintOf(I)), modifier(E, boundsOf(I))},
      /*OnlyReads=*/true);
  SmallVector<Value> Results, Places(Count);
  for (unsigned N = 0; N != Count; ++N)
    Places[N] = elementOf(E, Group, N, Bytes);
  for (auto [V, R] : llvm::zip(I.resultsOf(Places), I.getOp().getValues()))
    // A register may be wider than the element.
    Results.push_back(E.cast(
        E.resize(V, bitWidth(R.getType()), /*Signed=*/false), R.getType()));
  return E.replace(I.getOp(), Results);
}

/// Elements one behind the other in four registers.
static Value packElements(Emitter &E, ArrayRef<Value> Elements,
                          unsigned Bytes) {
  RegisterGroup Group(E);
  if (Bytes == 8) {
    for (auto [N, V] : llvm::enumerate(Elements)) {
      Value Int = E.asInt(V);
      Group.set(2 * N, E.resize(Int, 32, false));
      Group.set(
          2 * N + 1,
          E.resize(E.make<LLVM::LShrOp>(Int, E.constInt(64, 32)), 32, false));
    }
    return Group.get();
  }
  unsigned PerWord = 4 / Bytes;
  for (unsigned First = 0; First < Elements.size(); First += PerWord) {
    Value Word;
    for (unsigned N = First;
         N < std::min<size_t>(First + PerWord, Elements.size()); ++N) {
      Value V =
          E.resize(E.resize(E.asInt(Elements[N]), 8 * Bytes, false), 32, false);
      if (N != First)
        V = E.make<LLVM::ShlOp>(
            V, E.constInt(32, uint64_t(8) * Bytes * (N - First)));
      Word = Word ? E.make<LLVM::OrOp>(Word, V) : V;
    }
    Group.set(First / PerWord, Word);
  }
  return Group.get();
}

static LogicalResult lowerSust(Emitter &E, const InstView &I) {
  bool Formatted = I.getOp().getOpcode() == "sust.p";
  ArrayRef<Value> Elements = I.values(*I.find("c"));
  unsigned Bytes = elementBytes(I), Total = Bytes * Elements.size();
  if (Total > 16)
    return E.unsupported(I.getOp(), "sust of more than 128 bits");
  tex::Geometry G = geometryOf(I);
  E.memoryBuiltin(
      "sust", {},
      {I.value(*I.find("a")), coordinates(E, I, *I.find("b"), G),
       packElements(E, Elements, Bytes), E.constInt(32, unsigned(G)),
       E.constInt(32, llvm::Log2_32(Total)), modifier(E, cacheHintOf(I)),
       modifier(E, boundsOf(I)), flag(E, Formatted)});
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerSured(Emitter &E, const InstView &I) {
  bool Formatted = I.getOp().getOpcode() == "sured.p";
  isa::AtomOp Operation = isa::AtomOp::Add;
  switch (I.get<ptx::SurfaceOp>()) {
  case ptx::SurfaceOp::Min:
    Operation = isa::AtomOp::Min;
    break;
  case ptx::SurfaceOp::Max:
    Operation = isa::AtomOp::Max;
    break;
  case ptx::SurfaceOp::And:
    Operation = isa::AtomOp::And;
    break;
  case ptx::SurfaceOp::Or:
    Operation = isa::AtomOp::Or;
    break;
  default:
    break;
  }
  bool Signed = ptx::getTypeClass(I.type()) == ptx::TypeClass::SInt;
  using isa::ImageRedType;
  ImageRedType Type = elementBytes(I) == 8
                          ? (Signed ? ImageRedType::S64 : ImageRedType::U64)
                          : (Signed ? ImageRedType::S32 : ImageRedType::U32);
  tex::Geometry G = geometryOf(I);
  E.memoryBuiltin("sured", {},
                  {I.value(*I.find("a")), coordinates(E, I, *I.find("b"), G),
                   E.resize(E.asInt(I.value(*I.find("c"))), 64, false),
                   E.constInt(32, unsigned(G)), modifier(E, Operation),
                   modifier(E, Type), modifier(E, boundsOf(I)),
                   flag(E, Formatted)});
  return E.replace(I.getOp(), {});
}

void lowering::addTextureLowerings(LoweringTable &Table) {
  Table.addInst("tex", lowerTex);
  Table.addInst("tld4", lowerTld4);
  Table.addInst("txq", lowerQuery);
  Table.addInst("suq", lowerQuery);
  Table.addInst("istypep", lowerIstypep);
  Table.addInst("suld.b", lowerSuld);
  for (const char *Opcode : {"sust.b", "sust.p"})
    Table.addInst(Opcode, lowerSust);
  for (const char *Opcode : {"sured.b", "sured.p"})
    Table.addInst(Opcode, lowerSured);
}
