//===- InterpretSparse.cpp - Sparse vectors of PTX --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// spcompress and spdecompress. Of equal elements the first ones stay, which PTX
// leaves open.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "NarrowFloats.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

/// Words with their lowest bit first.
Bits getField(ArrayRef<Bits> Words, unsigned Bit, unsigned Width) {
  return lowBits(Words[Bit / 32] >> (Bit % 32), Width);
}
void setField(MutableArrayRef<Bits> Words, unsigned Bit, unsigned Width,
              Bits Value) {
  Bits &Word = Words[Bit / 32];
  Word &= ~(lowBits(~Bits(0), Width) << (Bit % 32));
  Word |= lowBits(Value, Width) << (Bit % 32);
}

/// Bits of `b16` and its like.
unsigned widthOf(StringRef Type) {
  unsigned Width = 0;
  Type.drop_front().getAsInteger(10, Width);
  return Width;
}

//===----------------------------------------------------------------------===//
// spcompress
//===----------------------------------------------------------------------===//

/// The fields of a descriptor.
struct Descriptor {
  explicit Descriptor(Bits Word)
      : IsMin(Word >> 1 & 1), IsAbs(Word & 1), Type(unsigned(Word >> 2) & 7),
        Rest(unsigned(Word >> 5)) {}
  bool fits(unsigned ElementBits) const {
    return Rest == 0 && Type < (ElementBits == 16 ? 2u : 6u);
  }
  bool IsMin, IsAbs;
  unsigned Type, Rest;
};

/// The number of an element; of an integer and a float alike.
double elementValue(Bits Code, unsigned ElementBits, unsigned Type) {
  if (ElementBits == 8 && Type < 2)
    return Type == 0 ? double(uint8_t(Code)) : double(int8_t(uint8_t(Code)));
  static constexpr StringLiteral Floats[] = {"f16",  "bf16", "e5m2",
                                             "e4m3", "e3m2", "e2m3"};
  return decode(*formatOf(Floats[Type]), Code, 0).convertToDouble();
}

/// Whether \p A stays rather than \p B: a NaN does, and -0 is less than +0.
bool staysBefore(double A, double B, const Descriptor &D) {
  if (std::isnan(A) || std::isnan(B))
    return std::isnan(A) && !std::isnan(B);
  if (D.IsAbs) {
    A = std::fabs(A);
    B = std::fabs(B);
  }
  if (A == 0 && B == 0 && std::signbit(A) != std::signbit(B))
    return std::signbit(A) == D.IsMin;
  return D.IsMin ? A < B : A > B;
}

/// The two places of four that stay, the lower one first.
std::pair<unsigned, unsigned> chosen(ArrayRef<double> Values,
                                     const Descriptor &D) {
  std::array<unsigned, 4> Order = {0, 1, 2, 3};
  std::sort(Order.begin(), Order.end(), [&](unsigned A, unsigned B) {
    if (staysBefore(Values[A], Values[B], D))
      return true;
    return !staysBefore(Values[B], Values[A], D) && A < B;
  });
  return std::minmax({Order[0], Order[1]});
}

/// mdata, cdata = data, descriptor. Sizes are in I.Mods: those of an element
/// and of an index.
Outcome executeCompress(Thread &T, const Instruction &I) {
  unsigned ElementBits = unsigned(I.Mods.Size), IndexBits = I.Mods.Index;
  unsigned NumData = I.Operands.size() - 1, NumKept = NumData / 2;
  unsigned NumMetadata = I.Results.size() - NumKept;
  Descriptor D(T.operand(I, NumData));
  if (!D.fits(ElementBits))
    return T.fault(rt::FaultKind::Trap,
                   "a descriptor of spcompress that does not go with its type");
  SmallVector<Bits, 0> Data, Kept(NumKept), Metadata(NumMetadata);
  for (unsigned N = 0; N != NumData; ++N)
    Data.push_back(T.operand(I, N));
  unsigned Groups = NumData * 32 / ElementBits / 4;
  for (unsigned Group = 0; Group != Groups; ++Group) {
    auto Element = [&](unsigned N) {
      return getField(Data, (4 * Group + N) * ElementBits, ElementBits);
    };
    double Values[4];
    for (unsigned N = 0; N != 4; ++N)
      Values[N] = elementValue(Element(N), ElementBits, D.Type);
    auto [First, Second] = chosen(Values, D);
    for (auto [N, Place] : {std::pair(0u, First), std::pair(1u, Second)}) {
      setField(Metadata, (2 * Group + N) * IndexBits, IndexBits, Place);
      setField(Kept, (2 * Group + N) * ElementBits, ElementBits,
               Element(Place));
    }
  }
  for (unsigned N = 0; N != I.Results.size(); ++N)
    T.setResult(I, N, N < NumMetadata ? Metadata[N] : Kept[N - NumMetadata]);
  return Outcome::Next;
}

bool decodeCompress(const InstReader &Reader, Instruction &I) {
  I.Mods.Size = widthOf(Reader.parts()[0]);
  I.Mods.Index = widthOf(Reader.parts()[1]);
  I.Execute = executeCompress;
  return true;
}

//===----------------------------------------------------------------------===//
// spdecompress
//===----------------------------------------------------------------------===//

/// data = mdata, cdata. I.Mods.Offset is the number of elements that are
/// there, Alignment that of a group's places.
Outcome executeDecompress(Thread &T, const Instruction &I) {
  unsigned ElementBits = unsigned(I.Mods.Size), IndexBits = I.Mods.Index;
  auto From = unsigned(I.Mods.Offset), To = unsigned(I.Mods.Alignment);
  SmallVector<Bits, 0> All, Data(I.Results.size());
  for (unsigned N = 0; N != I.Operands.size(); ++N)
    All.push_back(T.operand(I, N));
  unsigned Groups = I.Results.size() * 32 / (To * ElementBits);
  unsigned NumMetadata = divideCeil(uint64_t(Groups) * From * IndexBits, 32);
  ArrayRef<Bits> Metadata = ArrayRef(All).take_front(NumMetadata),
                 Kept = ArrayRef(All).drop_front(NumMetadata);
  for (unsigned N = 0; N != Groups * From; ++N) {
    auto Place = unsigned(getField(Metadata, N * IndexBits, IndexBits));
    // What is no place of the group PTX leaves open.
    if (Place < To)
      setField(Data, (N / From * To + Place) * ElementBits, ElementBits,
               getField(Kept, N * ElementBits, ElementBits));
  }
  for (unsigned N = 0; N != I.Results.size(); ++N)
    T.setResult(I, N, Data[N]);
  return Outcome::Next;
}

bool decodeDecompress(const InstReader &Reader, Instruction &I) {
  StringRef Ratio = Reader.parts()[2];
  unsigned From = 0, To = 0;
  Ratio.consume_front("sp::");
  Ratio.split(':').first.getAsInteger(10, From);
  Ratio.split(':').second.getAsInteger(10, To);
  I.Mods.Size = widthOf(Reader.parts()[0]);
  I.Mods.Index = widthOf(Reader.parts()[1]);
  I.Mods.Offset = From;
  I.Mods.Alignment = To;
  I.Execute = executeDecompress;
  return true;
}

} // namespace

void addSparseSemantics(SemanticsTable &T) {
  T.inst("spcompress", decodeCompress);
  T.inst("spdecompress", decodeDecompress);
}

} // namespace heddle::interp
