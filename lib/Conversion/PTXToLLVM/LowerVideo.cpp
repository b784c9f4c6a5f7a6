//===- LowerVideo.cpp - Lowering of video instructions ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of the PTX manual, on 64-bit integers: select and extend, compute,
// clamp, then a second operation or a merge into the third source. Before a
// second operation the first result is cut to 32 bits, as ptxas does it. What
// SIMD instructions do with sources of one signedness is one instruction.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LowerBytes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

namespace {

/// A part of a word.
struct Part {
  unsigned Shift = 0, Bits = 32;

  /// By the code of OperandSelector::Part in heddle/PTX/Tables.h.
  static Part of(unsigned Selector) {
    if (Selector == 0)
      return {};
    if (Selector <= 4)
      return {(Selector - 1) * 8, 8};
    return {(Selector - 5) * 16, 16};
  }
};

class VideoLowering {
public:
  VideoLowering(Emitter &E, InstOp Op);
  LogicalResult run();

private:
  static constexpr unsigned Wide = 64;

  Value scalar();
  Value multiplyAdd();
  Value simd();
  std::optional<ElementOperation> elementOperation();
  Value arranged(unsigned Picks);
  Value simdAtOnce(ElementOperation How);
  Value simdByLane();

  bool has(StringRef Modifier) const {
    return llvm::is_contained(Modifiers, Modifier);
  }
  bool isSigned(unsigned Type) const { return Types[Type] == "s32"; }
  Value number(int64_t V) { return E.constInt(Wide, uint64_t(V)); }
  Value source(unsigned N) { return E.asInt(Op.getArgs()[N]); }
  /// Of operand \p N, from the result on.
  unsigned selector(unsigned N) { return form(N).getValue(); }
  bool isNegated(unsigned N) {
    return form(N).getKind() == OperandKind::Negated;
  }
  OperandAttr form(unsigned N) { return cast<OperandAttr>(Op.getForms()[N]); }
  /// A part of a word, extended to 64 bits.
  Value extract(Value Word, Part P, bool Signed);
  Value operand(unsigned N, unsigned Type) {
    return extract(source(N), Part::of(selector(N + 1)), isSigned(Type));
  }
  /// Clamped with .sat, otherwise unchanged.
  Value saturate(Value V, unsigned Bits, bool Signed);
  /// The part of \p Rest replaced by the low bits of \p V.
  Value merge(Value V, Part P, Value Rest);
  Value compute(Value A, Value B, unsigned Bits);
  Value shiftLeft(Value A, Value B, unsigned Bits);
  Value compare(Value A, Value B);
  Value average(Value A, Value B);
  Value secondOperation(Value V);
  Value cut(Value V) { return E.resize(V, 32, false); }

  Emitter &E;
  InstOp Op;
  StringRef Name;     ///< Without the number of lanes.
  unsigned Lanes = 1; ///< Of a SIMD instruction.
  SmallVector<StringRef> Modifiers;
  SmallVector<StringRef> Types; ///< Of the result, where it has one, a, b.
  bool SignedResult = false;
};

} // namespace

VideoLowering::VideoLowering(Emitter &E, InstOp Op)
    : E(E), Op(Op), Name(Op.getOpcode()) {
  if (Name.consume_back("2"))
    Lanes = 2;
  else if (Name.consume_back("4"))
    Lanes = 4;
  for (StringRef M : Op.getModifiers().getAsValueRange<StringAttr>())
    (M == "u32" || M == "s32" ? Types : Modifiers).push_back(M);
  // The result of a comparison is unsigned, and not written.
  if (Name == "vset")
    Types.insert(Types.begin(), "u32");
  SignedResult = isSigned(0);
}

Value VideoLowering::extract(Value Word, Part P, bool Signed) {
  Value V = Word;
  if (P.Shift)
    V = E.make<LLVM::LShrOp>(V, E.constInt(32, P.Shift));
  return E.resize(E.resize(V, P.Bits, false), Wide, Signed);
}

Value VideoLowering::saturate(Value V, unsigned Bits, bool Signed) {
  if (!has("sat"))
    return V;
  int64_t High = (int64_t(1) << (Bits - Signed)) - 1;
  return E.clamp(V, Signed ? -High - 1 : 0, uint64_t(High), /*Signed=*/true);
}

Value VideoLowering::merge(Value V, Part P, Value Rest) {
  uint64_t Mask = (~uint64_t(0) >> (64 - P.Bits)) << P.Shift;
  V = E.make<LLVM::ShlOp>(cut(V), E.constInt(32, P.Shift));
  return E.make<LLVM::OrOp>(
      E.make<LLVM::AndOp>(V, E.constInt(32, Mask)),
      E.make<LLVM::AndOp>(Rest, E.constInt(32, ~Mask & 0xFFFFFFFF)));
}

/// The amount is at most 32, which would shift a word out of 64 bits: the last
/// place is shifted by itself, and a result that does not fit clamps before it
/// as after it.
Value VideoLowering::shiftLeft(Value A, Value B, unsigned Bits) {
  Value Most = E.make<LLVM::UMinOp>(B, number(31));
  Value V = saturate(E.make<LLVM::ShlOp>(A, Most), Bits, SignedResult);
  Value Twice = E.make<LLVM::ShlOp>(V, number(1));
  return E.select(E.icmp(LLVM::ICmpPredicate::ugt, B, number(31)), Twice, V);
}

Value VideoLowering::compare(Value A, Value B) {
  using P = LLVM::ICmpPredicate;
  P Predicate = P::eq;
  for (auto [Text, Value] : {std::pair("ne", P::ne), std::pair("lt", P::slt),
                             std::pair("le", P::sle), std::pair("gt", P::sgt),
                             std::pair("ge", P::sge)})
    if (has(Text))
      Predicate = Value;
  return E.resize(E.icmp(Predicate, A, B), Wide, false);
}

/// Half the sum: rounded up where that is not negative, else down.
Value VideoLowering::average(Value A, Value B) {
  Value Sum = E.make<LLVM::AddOp>(A, B);
  Value NotNegative = E.icmp(LLVM::ICmpPredicate::sge, Sum, number(0));
  Sum = E.make<LLVM::AddOp>(Sum, E.resize(NotNegative, Wide, false));
  return E.make<LLVM::AShrOp>(Sum, number(1));
}

/// The first operation, clamped to \p Bits bits.
Value VideoLowering::compute(Value A, Value B, unsigned Bits) {
  if (Name == "vset")
    return compare(A, B);
  if (Name == "vshl" || Name == "vshr") {
    B = has("wrap") ? E.make<LLVM::AndOp>(B, number(31))
                    : E.make<LLVM::UMinOp>(B, number(32));
    Value V =
        Name == "vshl" ? shiftLeft(A, B, Bits) : E.make<LLVM::AShrOp>(A, B);
    return saturate(V, Bits, SignedResult);
  }
  Value V;
  if (Name == "vadd")
    V = E.make<LLVM::AddOp>(A, B);
  else if (Name == "vsub")
    V = E.make<LLVM::SubOp>(A, B);
  else if (Name == "vmin")
    V = E.make<LLVM::SMinOp>(A, B);
  else if (Name == "vmax")
    V = E.make<LLVM::SMaxOp>(A, B);
  else if (Name == "vavrg")
    V = average(A, B);
  else if (Name == "vabsdiff")
    V = E.make<LLVM::SubOp>(E.make<LLVM::SMaxOp>(A, B),
                            E.make<LLVM::SMinOp>(A, B));
  return V ? saturate(V, Bits, SignedResult) : V;
}

/// .add, .min or .max with the third source.
Value VideoLowering::secondOperation(Value V) {
  Value First = E.resize(cut(V), Wide, SignedResult);
  Value C = extract(source(2), {}, SignedResult);
  if (has("add"))
    return cut(E.make<LLVM::AddOp>(First, C));
  return cut(has("min") ? E.make<LLVM::SMinOp>(First, C)
                        : E.make<LLVM::SMaxOp>(First, C));
}

Value VideoLowering::scalar() {
  Part Dest = Part::of(selector(0));
  Value V = compute(operand(0, 1), operand(1, 2), Dest.Bits);
  if (!V)
    return V;
  if (has("add") || has("min") || has("max"))
    return secondOperation(V);
  if (Op.getArgs().size() == 3)
    return merge(V, Dest, source(2));
  return cut(V);
}

/// vmad: (a * b) + c with signs, one more with .po, shifted right. The product
/// of two words and a word more fit 65 bits, hence the 128.
Value VideoLowering::multiplyAdd() {
  constexpr unsigned Huge = 128;
  bool NegateProduct = isNegated(1) != isNegated(2), NegateC = isNegated(3);
  bool Signed = isSigned(1) || isSigned(2) || NegateProduct || NegateC;
  auto Zero = [&] { return E.constInt(Huge, 0); };
  Value P = E.make<LLVM::MulOp>(E.resize(operand(0, 1), Huge, true),
                                E.resize(operand(1, 2), Huge, true));
  Value C = E.resize(source(2), Huge, Signed);
  if (NegateProduct)
    P = E.make<LLVM::SubOp>(Zero(), P);
  if (NegateC)
    C = E.make<LLVM::SubOp>(Zero(), C);
  Value V = E.make<LLVM::AddOp>(P, C);
  if (has("po"))
    V = E.make<LLVM::AddOp>(V, E.constInt(Huge, 1));
  unsigned Shift = has("shr7") ? 7 : has("shr15") ? 15 : 0;
  if (Shift)
    V = E.make<LLVM::AShrOp>(V, E.constInt(Huge, Shift));
  if (has("sat")) {
    int64_t High = (int64_t(1) << (32 - Signed)) - 1;
    auto Limit = [&](int64_t N) {
      return E.resize(number(N), Huge, /*Signed=*/true);
    };
    auto Clamp = [&](LLVM::ICmpPredicate Beyond, int64_t N) {
      V = E.select(E.icmp(Beyond, V, Limit(N)), Limit(N), V);
    };
    Clamp(LLVM::ICmpPredicate::sgt, High);
    Clamp(LLVM::ICmpPredicate::slt, Signed ? -High - 1 : 0);
  }
  return cut(V);
}

/// The instruction's operation on elements, if there is one: both sources and
/// a clamped result must have one signedness.
std::optional<ElementOperation> VideoLowering::elementOperation() {
  if (Types[1] != Types[2])
    return std::nullopt;
  bool Signed = isSigned(1);
  std::optional<ElementOp> First =
      llvm::StringSwitch<std::optional<ElementOp>>(
          Name == "vset" ? Modifiers.front() : Name)
          .Case("vadd", ElementOp::Add)
          .Case("vsub", ElementOp::Subtract)
          .Case("vmin", ElementOp::Min)
          .Case("vmax", ElementOp::Max)
          .Case("vavrg", ElementOp::Average)
          .Case("vabsdiff", ElementOp::Difference)
          .Case("eq", ElementOp::Equal)
          .Case("ne", ElementOp::NotEqual)
          .Case("lt", ElementOp::Less)
          .Case("le", ElementOp::LessEqual)
          .Case("gt", ElementOp::Greater)
          .Case("ge", ElementOp::GreaterEqual)
          .Default(std::nullopt);
  if (!First)
    return std::nullopt;
  ElementOperation How = {*First, Lanes, Signed};
  bool Clamps = *First == ElementOp::Add || *First == ElementOp::Subtract ||
                *First == ElementOp::Difference;
  if (has("sat")) {
    // An unsigned distance is in the range of its type.
    bool Fits = *First == ElementOp::Difference && !SignedResult;
    if (!Fits && SignedResult != Signed)
      return std::nullopt;
    How.Saturates = Clamps && !Fits;
  }
  if (has("add"))
    How.Then = ElementThen::Accumulate;
  return How;
}

/// The parts of both sources, counted through, that the lanes pick.
Value VideoLowering::arranged(unsigned Picks) {
  unsigned Selector = 0, Bytes = 4 / Lanes;
  for (unsigned I = 0; I != 4; ++I) {
    unsigned Pick = Picks >> (4 * (I / Bytes)) & 15;
    Selector |= (Pick * Bytes + I % Bytes) << (4 * I);
  }
  constexpr unsigned All[] = {0x3210, 0x7654};
  for (unsigned N : {0, 1})
    if (Selector == All[N])
      return source(N);
  return E.intrinsic("nvvm.prmt", E.intTy(32),
                     {source(0), source(1), E.constInt(32, Selector)});
}

/// All lanes at once, those that are not asked for as zeros; null for a
/// comparison that would count these.
Value VideoLowering::simdAtOnce(ElementOperation How) {
  unsigned Bits = 32 / Lanes;
  uint32_t Asked = 0, Ones = 0;
  for (unsigned I = 0; I != Lanes; ++I) {
    Asked |= selector(0) >> I & 1 ? (~0u >> (32 - Bits)) << (Bits * I) : 0;
    Ones |= 1u << (Bits * I);
  }
  auto Only = [&](Value V, uint32_t Mask) -> Value {
    if (Mask == ~0u)
      return V;
    return E.make<LLVM::AndOp>(V, E.constInt(32, Mask));
  };
  bool Compares = How.First >= ElementOp::Equal, Adds = has("add");
  if (Compares && Adds && Asked != ~0u)
    return {};
  Value A = arranged(selector(1)), B = arranged(selector(2)), C = source(2);
  if (Adds)
    return elements(E, How, Only(A, Asked), Only(B, Asked), C);
  Value V = Only(elements(E, How, A, B), Compares ? Asked & Ones : Asked);
  return Asked == ~0u ? V : E.make<LLVM::OrOp>(V, Only(C, ~Asked));
}

Value VideoLowering::simd() {
  Value V;
  if (std::optional<ElementOperation> How = elementOperation())
    V = simdAtOnce(*How);
  return V ? V : simdByLane();
}

Value VideoLowering::simdByLane() {
  unsigned Bits = 32 / Lanes;
  unsigned Mask = selector(0), PicksA = selector(1), PicksB = selector(2);
  Value Third = source(2), Sum = E.resize(Third, Wide, false);
  // Lane numbers count through both sources.
  auto Lane = [&](unsigned Picks, unsigned I, unsigned Type) {
    unsigned Pick = Picks >> (4 * I) & 15;
    return extract(source(Pick / Lanes), {Pick % Lanes * Bits, Bits},
                   isSigned(Type));
  };
  Value Merged = Third;
  for (unsigned I = 0; I != Lanes; ++I) {
    if (!(Mask >> I & 1))
      continue;
    Value V = compute(Lane(PicksA, I, 1), Lane(PicksB, I, 2), Bits);
    if (!V)
      return V;
    Sum = E.make<LLVM::AddOp>(Sum, V);
    Merged = merge(V, {I * Bits, Bits}, Merged);
  }
  return has("add") ? cut(Sum) : Merged;
}

LogicalResult VideoLowering::run() {
  Value V = Name == "vmad" ? multiplyAdd() : Lanes == 1 ? scalar() : simd();
  if (!V)
    return E.unsupported(Op, Op.getOpcode());
  return E.replace(Op, V);
}

static LogicalResult lowerVideo(Emitter &E, InstOp Op) {
  return VideoLowering(E, Op).run();
}

void lowering::addVideoLowerings(LoweringTable &Table) {
  for (StringRef Name :
       {"vadd",      "vsub",      "vabsdiff", "vmin",  "vmax",  "vshl",
        "vshr",      "vmad",      "vset",     "vadd2", "vsub2", "vavrg2",
        "vabsdiff2", "vmin2",     "vmax2",    "vset2", "vadd4", "vsub4",
        "vavrg4",    "vabsdiff4", "vmin4",    "vmax4", "vset4"})
    Table.addInst<lowerVideo>(Name);
}
