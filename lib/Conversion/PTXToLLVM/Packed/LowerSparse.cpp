//===- LowerSparse.cpp - Lowering of sparse vectors -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// spcompress and spdecompress. Elements and indices stand one behind the other
// from the lowest bit of the first word on.
//
//===----------------------------------------------------------------------===//

#include "Packed/LowerSparse.h"
#include "InstView.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

namespace {

/// Words that fields are put into, each at a place that was zero.
class FieldWriter {
public:
  FieldWriter(Emitter &E, unsigned NumBits)
      : E(E), Words(llvm::divideCeil(NumBits, 32), E.constInt(32, 0)) {}

  /// \p Field has nothing above its bits.
  void put(Value Field, unsigned Bit) {
    Value &Word = Words[Bit / 32];
    if (Bit % 32)
      Field = E.make<LLVM::ShlOp>(Field, E.constInt(32, Bit % 32));
    Word = E.make<LLVM::OrOp>(Word, Field);
  }

  Emitter &E;
  SmallVector<Value> Words;
};

} // namespace

static uint32_t lowOnes(unsigned Bits) { return ~0u >> (32 - Bits); }

/// The field of \p Bits bits that begins at \p Bit and is in one word.
static Value field(Emitter &E, ArrayRef<Value> Words, unsigned Bit,
                   unsigned Bits) {
  Value Word = Words[Bit / 32];
  if (Bit % 32)
    Word = E.make<LLVM::LShrOp>(Word, E.constInt(32, Bit % 32));
  return Bits == 32 ? Word
                    : E.make<LLVM::AndOp>(Word, E.constInt(32, lowOnes(Bits)));
}

static SmallVector<Value> wordsOf(Emitter &E, ArrayRef<Value> Registers) {
  SmallVector<Value> Words;
  for (Value V : Registers)
    Words.push_back(V ? E.resize(E.asInt(V), 32, /*Signed=*/false)
                      : E.constInt(32, 0));
  return Words;
}

SmallVector<Value> Compressed::all() const {
  SmallVector<Value> Both(Metadata);
  Both.append(Data);
  return Both;
}

Compressed lowering::compress(Emitter &E, ArrayRef<Value> Words,
                              unsigned ElementBits, unsigned IndexBits,
                              KeyFn Key) {
  unsigned Groups = Words.size() * 32 / ElementBits / 4;
  FieldWriter Metadata(E, 2 * Groups * IndexBits),
      Data(E, 2 * Groups * ElementBits);
  for (unsigned Group = 0; Group != Groups; ++Group) {
    Value Elements[4], Keys[4];
    for (unsigned N = 0; N != 4; ++N) {
      unsigned Bit = (4 * Group + N) * ElementBits;
      Elements[N] = field(E, Words, Bit, ElementBits);
      Keys[N] = Key(Elements[N]);
    }
    Value Choice = E.builtin("sparse_choice", E.intTy(32), Keys);
    for (unsigned Kept = 0; Kept != 2; ++Kept) {
      Value Index = field(E, Choice, 2 * Kept, 2);
      Value Element = Elements[Kept];
      // The first one that stays is none but the last, the second one none but
      // the first.
      for (unsigned N = Kept + 1; N != 3 + Kept; ++N) {
        Value Is = E.icmp(LLVM::ICmpPredicate::eq, Index, E.constInt(32, N));
        Element = E.select(Is, Elements[N], Element);
      }
      Metadata.put(Index, (2 * Group + Kept) * IndexBits);
      Data.put(Element, (2 * Group + Kept) * ElementBits);
    }
  }
  return {Metadata.Words, Data.Words};
}

/// The number of bits of a type of the mnemonic.
static unsigned bitsOf(const InstView &I, unsigned N) {
  unsigned Bits = 0;
  ptx::getTypeName(I.type(N)).drop_front().getAsInteger(10, Bits);
  return Bits;
}

static LogicalResult lowerCompress(Emitter &E, const InstView &I) {
  unsigned ElementBits = bitsOf(I, 0);
  Value Descriptor = wordsOf(E, I.value(*I.find("spdesc"))).front();
  Value Bits = E.constInt(32, ElementBits);
  E.memoryBuiltin("sparse_check", {}, {Descriptor, Bits});
  Compressed Result = compress(E, wordsOf(E, I.values(*I.find("data"))),
                               ElementBits, bitsOf(I, 1), [&](Value Element) {
                                 return E.builtin("sparse_key", E.intTy(32),
                                                  {Element, Descriptor, Bits});
                               });
  return E.replace(I.getOp(), I.resultsOf(Result.all()));
}

namespace {

/// `sp::FROM:TO`: elements that a group has when it is sparse, and places.
struct Ratio {
  explicit Ratio(const InstView &I) {
    StringRef Text = I.spelling(ptx::ModKind::SparseRatio);
    Text.consume_front("sp::");
    auto [Sparse, Dense] = Text.split(':');
    Sparse.getAsInteger(10, From);
    Dense.getAsInteger(10, To);
  }
  unsigned From = 0, To = 0;
};

} // namespace

/// Puts \p Element of \p Bits bits into place \p Index of a group that begins
/// at bit \p Start. An element that comes later takes the place of an earlier
/// one; one whose index is no place of the group goes nowhere.
static void scatter(Emitter &E, MutableArrayRef<Value> Words, Value Element,
                    Value Index, unsigned Start, unsigned Bits,
                    unsigned Places) {
  for (unsigned Place = 0; Place != Places; ++Place) {
    unsigned Bit = Start + Place * Bits;
    Value &Word = Words[Bit / 32];
    uint32_t Mask = lowOnes(Bits) << Bit % 32;
    Value Is = E.icmp(LLVM::ICmpPredicate::eq, Index, E.constInt(32, Place));
    Value Others = E.make<LLVM::AndOp>(Word, E.constInt(32, ~Mask));
    Value Shifted = E.make<LLVM::ShlOp>(Element, E.constInt(32, Bit % 32));
    Word = E.select(Is, E.make<LLVM::OrOp>(Others, Shifted), Word);
  }
}

static LogicalResult lowerDecompress(Emitter &E, const InstView &I) {
  unsigned Bits = bitsOf(I, 0), IndexBits = bitsOf(I, 1);
  Ratio R(I);
  SmallVector<Value> Metadata = wordsOf(E, I.values(*I.find("mdata"))),
                     Data = wordsOf(E, I.values(*I.find("cdata")));
  SmallVector<Value> Words(I.numResults(), E.constInt(32, 0));
  unsigned Groups = 0;
  StringRef(I.spelling(ptx::ModKind::TmemCount))
      .drop_front()
      .getAsInteger(10, Groups);
  for (unsigned Source = 0; Source != Groups * R.From; ++Source)
    scatter(E, Words, field(E, Data, Source * Bits, Bits),
            field(E, Metadata, Source * IndexBits, IndexBits),
            Source / R.From * R.To * Bits, Bits, R.To);
  return E.replace(I.getOp(), I.resultsOf(Words));
}

void lowering::addSparseLowerings(LoweringTable &Table) {
  Table.addInst("spcompress", lowerCompress);
  Table.addInst("spdecompress", lowerDecompress);
}
