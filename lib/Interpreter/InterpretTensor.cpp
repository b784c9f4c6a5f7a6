//===- InterpretTensor.cpp - Copies of tensors ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps, and the boxes of tensors that are copied and reduced. Which
// elements those are stands in docs/tensor-maps.md; the place of each is
// calculated from its number.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "MBarrier.h"
#include "Operands.h"
#include "heddle/ISA/ForeignTensorMap.h"
#include "heddle/ISA/TensorMap.h"

#include <array>
#include <cstring>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Pixels of a column with a halo for each group of them.
constexpr unsigned WidePixels = 128, WideGroup = 32;

/// A box of a tensor. Dimension 0 counts units: elements, sixteen elements that
/// stay together, or slices of channels.
struct Box {
  TensorMap Map;
  std::array<int64_t, MaxTensorRank> At = {};
  /// What takes the place of the second coordinate, row by row.
  std::array<int64_t, 4> Rows = {};
  bool HasRows = false;
  std::array<int64_t, MaxSpatialRank> Offset = {}; ///< Along W, H, D.
  unsigned Halo = 0;

  using Place = std::array<int64_t, MaxTensorRank>;

  unsigned rank() const { return Map.rank(); }
  bool isColumn() const { return Map.access() != TensorAccess::Tile; }
  bool isInterleaved() const {
    return Map.Interleave != TensorInterleave::None;
  }
  uint64_t extent(unsigned D) const { return uint64_t(Map.Extent[D]) + 1; }
  uint64_t unitsOfPixel() const;
  uint64_t rows(unsigned D) const;
  uint64_t pixelsOfImage() const;
  uint64_t pixels() const;
  uint64_t units() const { return pixels() * unitsOfPixel(); }
  std::pair<int64_t, int64_t> bounds(unsigned S) const;
  /// The coordinates of a pixel, by its number in shared memory.
  Place pixel(uint64_t Number) const;
  /// Those of a unit.
  Place unit(uint64_t Number) const;
  /// Its address; none outside of the tensor.
  std::optional<uint64_t> addressOf(const Place &P) const;
};

uint64_t Box::unitsOfPixel() const {
  uint64_t Units = divideCeil(Map.box(0), tensorUnitOf(Map).Elements);
  return isInterleaved() ? divideCeil(Units, Map.elementStride(0)) : Units;
}

/// How many the box has along a dimension of a tile.
uint64_t Box::rows(unsigned D) const {
  return HasRows && D == 1 ? Rows.size()
                           : divideCeil(Map.box(D), Map.elementStride(D));
}

uint64_t Box::pixelsOfImage() const {
  uint64_t Count = 1;
  for (unsigned D = 1; D + 1 < rank(); ++D)
    Count *= rows(D);
  return Count;
}

uint64_t Box::pixels() const {
  switch (Map.access()) {
  case TensorAccess::Tile:
    return rank() == 1 ? 1 : pixelsOfImage() * rows(rank() - 1);
  case TensorAccess::Im2col:
    return Map.pixelsPerColumn();
  case TensorAccess::Im2colW:
    return Map.pixelsPerColumn() + Halo;
  case TensorAccess::Im2colW128:
    return WidePixels + WidePixels / WideGroup * Halo;
  }
  return 0;
}

/// First and last coordinate of a column along W, H, D.
std::pair<int64_t, int64_t> Box::bounds(unsigned S) const {
  if (S > 0 && Map.access() != TensorAccess::Im2col)
    return {At[S + 1], At[S + 1]};
  return {Map.LowerCorner[S], int64_t(extent(S + 1)) - 1 + Map.UpperCorner[S]};
}

Box::Place Box::pixel(uint64_t Number) const {
  Place P = {};
  if (!isColumn()) {
    for (unsigned D = 1; D < rank(); Number /= rows(D++))
      P[D] = HasRows && D == 1 ? Rows[Number % 4]
                               : At[D] + int64_t(Number % rows(D)) *
                                             int64_t(Map.elementStride(D));
    return P;
  }
  if (Map.access() == TensorAccess::Im2colW128)
    Number =
        Number / (WideGroup + Halo) * WideGroup + Number % (WideGroup + Halo);
  // Steps along a dimension: those of the first row, and whole rows after it,
  // each of which is a step along the next dimension.
  auto Steps = int64_t(Number);
  for (unsigned S = 0; S < Map.spatialRank(); ++S) {
    auto [First, Last] = bounds(S);
    auto Step = int64_t(Map.elementStride(S + 1));
    int64_t InFirst = (Last - At[S + 1]) / Step + 1;
    int64_t InOther = std::max<int64_t>((Last - First) / Step + 1, 1);
    if (Last < First)
      InOther = 1;
    if (Steps < InFirst) {
      P[S + 1] = At[S + 1] + Steps * Step;
      Steps = 0;
    } else {
      Steps -= InFirst;
      P[S + 1] = First + Steps % InOther * Step;
      Steps = Steps / InOther + 1;
    }
    P[S + 1] += Offset[S];
  }
  P[rank() - 1] = At[rank() - 1] + Steps;
  return P;
}

/// Slices of channels have all pixels of a column, or of an image of a tile,
/// before the next slice begins.
Box::Place Box::unit(uint64_t Number) const {
  uint64_t PerPixel = unitsOfPixel();
  int64_t First = At[0] / int64_t(tensorUnitOf(Map).Elements);
  if (!isInterleaved()) {
    Place P = pixel(Number / PerPixel);
    P[0] = First + int64_t(Number % PerPixel);
    return P;
  }
  uint64_t Run = isColumn() ? pixels() : pixelsOfImage();
  uint64_t Image = Number / (Run * PerPixel),
           InImage = Number % (Run * PerPixel);
  Place P = pixel(Image * Run + InImage % Run);
  P[0] = First + int64_t(InImage / Run) * int64_t(Map.elementStride(0));
  return P;
}

std::optional<uint64_t> Box::addressOf(const Place &P) const {
  TensorUnit Unit = tensorUnitOf(Map);
  uint64_t Units = isInterleaved() ? divideCeil(extent(0), Unit.Elements)
                                   : extent(0) / Unit.Elements;
  uint64_t Distance = Unit.GlobalBytes;
  if (isInterleaved())
    Distance = Map.Stride[rank() - 3] * extent(rank() - 2);
  uint64_t Address = Map.Address;
  for (unsigned D = 0; D < rank(); ++D) {
    if (P[D] < 0 || uint64_t(P[D]) >= (D ? extent(D) : Units))
      return std::nullopt;
    Address += uint64_t(P[D]) * (D ? Map.Stride[D - 1] : Distance);
  }
  return Address;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// How the instruction goes through the tensor.
std::optional<TensorAccess> accessOf(const InstReader &R) {
  if (R.has("im2col"))
    return TensorAccess::Im2col;
  if (R.has("im2col::w") || R.has("im2col_no_offs::w"))
    return TensorAccess::Im2colW;
  if (R.has("im2col::w::128"))
    return TensorAccess::Im2colW128;
  if (R.has("im2col_no_offs"))
    return std::nullopt; // Any column.
  return TensorAccess::Tile;
}

bool isStore(const InstReader &R) {
  StringRef Opcode = R.getOp().getOpcode();
  return Opcode == "cp.reduce.async.bulk.tensor" ||
         (Opcode == "cp.async.bulk.tensor" && R.parts()[1] == "global");
}

const char *checkUse(const InstReader &R, const Box &B, unsigned NumCoords) {
  if (const char *Error = checkTensorMap(B.Map))
    return Error;
  if (NumCoords != (B.HasRows ? 5 : B.rank()) || (B.HasRows && B.rank() != 2))
    return "the tensor has another rank than the instruction";
  auto Access = accessOf(R);
  if (Access ? *Access != B.Map.access() : !B.isColumn())
    return "the tensor is accessed in another way than by the instruction";
  if (B.HasRows && B.isInterleaved())
    return "four rows of an interleaved tensor";
  if (B.At[0] % int64_t(tensorUnitOf(B.Map).Elements))
    return "the box begins within a unit of elements";
  if (isStore(R) && B.Map.Element == TensorElement::B4x16P64)
    return "a store of elements of 4 bits that are padded";
  return nullptr;
}

/// Offsets, halos and the first pixel of a column have their ranges.
const char *checkColumn(const Box &B) {
  if (!B.isColumn())
    return nullptr;
  bool IsWide = B.Map.access() != TensorAccess::Im2col;
  unsigned Spatial = B.Map.spatialRank();
  int64_t Limit = IsWide ? 32 : Spatial == 1 ? 65536 : Spatial == 2 ? 256 : 32;
  if (B.Halo >= (B.Map.access() == TensorAccess::Im2colW128 ? 32u : 512u))
    return "the halo of a column is too large";
  for (unsigned S = 0; S < Spatial; ++S) {
    auto [First, Last] = B.bounds(S);
    if (B.Offset[S] >= Limit)
      return "an offset of a column is too large";
    if (B.At[S + 1] > Last || (!IsWide && B.At[S + 1] < First))
      return "a column that begins outside of its box";
  }
  return nullptr;
}

/// What the instruction puts in the place of a map's address, extents and
/// strides; null, or what is wrong with it.
const char *overrideMap(const InstReader &R, OperandReader &O, TensorMap &Map) {
  Map.Address = O.next();
  if (Map.Address % 16)
    return "it begins at no multiple of 16";
  bool HasStrides = R.has("override::global_dim_stride");
  if (!HasStrides && !R.has("override::global_dim"))
    return nullptr;
  auto Sizes = O.list();
  for (auto [D, Size] : enumerate(Sizes)) {
    if (uint8_t(Size) == 0)
      return "it has no element along a dimension";
    Map.Extent[D] = uint8_t(Size) - 1u;
  }
  if (!HasStrides)
    return nullptr;
  auto Lower = O.list();
  auto Upper = uint16_t(O.next());
  for (auto [D, Low] : enumerate(Lower))
    Map.Stride[D] = (uint32_t(Low) | uint64_t(Upper >> 4 * D & 0xF) << 32) * 16;
  return nullptr;
}

/// Reads the map, the coordinates and what is said of a column up to the
/// operands behind them. `O` has read the destination of a load.
bool readPlace(Thread &T, const InstReader &R, OperandReader &O, Box &B,
               unsigned &NumCoords) {
  uint64_t MapAddress = O.next();
  const uint8_t *Bytes =
      T.access(Space::Generic, MapAddress, TensorMapBytes, TensorMapAlignment,
               /*IsWrite=*/false);
  if (!Bytes)
    return false;
  std::memcpy(&B.Map, Bytes, sizeof(B.Map));
  adoptTensorMap(B.Map);
  const char *Error = nullptr;
  if (R.has("override::global_address"))
    Error = overrideMap(R, O, B.Map);
  B.HasRows = R.has("tile::gather4") || R.has("tile::scatter4");
  auto Given = O.list();
  NumCoords = Given.size();
  for (auto [N, C] : enumerate(Given)) {
    auto Coordinate = int64_t(int32_t(uint32_t(C)));
    if (B.HasRows && N > 0)
      B.Rows[N - 1] = Coordinate;
    else
      B.At[N] = Coordinate;
  }
  if (Error)
    T.fault(rt::FaultKind::InvalidHandle, Twine("the tensor map: ") + Error,
            MapAddress);
  return !Error;
}

/// What follows the coordinates of a column that is loaded.
void readColumn(const InstReader &R, OperandReader &O, Box &B) {
  bool IsWide = R.has("im2col::w") || R.has("im2col::w::128");
  if (!IsWide && !R.has("im2col"))
    return;
  auto Given = O.list();
  if (IsWide) {
    B.Halo = uint16_t(Given[0]);
    B.Offset[0] = uint16_t(Given[1]);
    return;
  }
  for (auto [S, V] : enumerate(Given))
    B.Offset[S] = uint16_t(V);
}

bool checkBox(Thread &T, const InstReader &R, const Box &B,
              unsigned NumCoords) {
  const char *Error = checkUse(R, B, NumCoords);
  if (!Error)
    Error = checkColumn(B);
  bool HasExtents =
      R.has("override::global_dim") || R.has("override::global_dim_stride");
  if (!Error && HasExtents && any_of(B.At, [](int64_t C) { return C != 0; }))
    Error = "a box whose extents are given begins not at the first element";
  if (Error)
    T.fault(rt::FaultKind::InvalidHandle, Twine("the tensor map: ") + Error);
  return !Error;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Where a byte of a box stands in shared memory: bits of the number of the row
/// of 128 bytes are added, without carries, to those of what stays together.
uint32_t swizzled(uint32_t Address, const TensorMap &Map) {
  uint32_t Row = Address / 128;
  switch (Map.Swizzle) {
  case TensorSwizzle::None:
    return Address;
  case TensorSwizzle::Bytes32:
  case TensorSwizzle::Bytes96:
    return Address ^ Row % 2 * 16;
  case TensorSwizzle::Bytes64:
    return Address ^ Row % 4 * 16;
  case TensorSwizzle::Bytes128:
    break;
  }
  switch (Map.atom()) {
  case TensorAtom::Bytes16:
    return Address ^ Row % 8 * 16;
  case TensorAtom::Bytes32:
    return Address ^ Row % 4 * 32;
  case TensorAtom::Bytes32Flip8:
    return Address ^ Row % 4 * 32 ^ Row % 2 * 8;
  case TensorAtom::Bytes64:
    return Address ^ Row % 2 * 64;
  }
  return Address;
}

/// A word in tf32: to nearest, ties away from zero, one NaN.
uint32_t roundedToTF32(uint32_t Word) {
  APFloat V(APFloat::IEEEsingle(), APInt(32, Word));
  if (V.isNaN())
    return 0x7FFFE000;
  bool LosesInfo;
  V.convert(APFloat::FloatTF32(), APFloat::rmNearestTiesToAway, &LosesInfo);
  V.convert(APFloat::IEEEsingle(), APFloat::rmTowardZero, &LosesInfo);
  return uint32_t(V.bitcastToAPInt().getZExtValue());
}

/// The low six bits of each byte.
SmallVector<uint8_t, 32> packedSixBits(ArrayRef<uint8_t> Bytes) {
  SmallVector<uint8_t, 32> Packed(Bytes.size() * 6 / 8);
  for (size_t Bit = 0; Bit != Packed.size() * 8; ++Bit)
    Packed[Bit / 8] |= (Bytes[Bit / 6] >> Bit % 6 & 1) << Bit % 8;
  return Packed;
}

StringRef typeOf(TensorElement E) {
  switch (E) {
  case TensorElement::U32:
    return "u32";
  case TensorElement::S32:
    return "s32";
  case TensorElement::U64:
    return "u64";
  case TensorElement::S64:
    return "s64";
  case TensorElement::F16:
    return "f16";
  case TensorElement::BF16:
    return "bf16";
  case TensorElement::F32:
  case TensorElement::F32Ftz:
    return "f32";
  case TensorElement::F64:
    return "f64";
  default:
    return "";
  }
}

/// Copies the units of a box between shared memory and a tensor.
class BoxCopy {
public:
  BoxCopy(Thread &T, const InstReader &R, const Box &B, uint64_t Shared)
      : T(T), R(R), B(B), Unit(tensorUnitOf(B.Map)), Shared(uint32_t(Shared)) {}

  /// To shared memory; false after a fault.
  bool load();
  /// To the tensor, or reduces what is there.
  bool store();
  /// Whether a load found what is to be reported.
  bool foundReported() const { return Found; }

private:
  using Bytes = SmallVector<uint8_t, 32>;

  /// The places of a unit's bytes in shared memory; false after a fault.
  bool placesOf(uint64_t Number, unsigned Count, bool IsWrite,
                SmallVectorImpl<uint8_t *> &Places);
  Bytes loaded(const uint8_t *From);
  void look(uint64_t Number, const uint8_t *From, bool IsFirst);

  Thread &T;
  const InstReader &R;
  const Box &B;
  TensorUnit Unit;
  uint32_t Shared;
  bool Found = false;
};

bool BoxCopy::placesOf(uint64_t Number, unsigned Count, bool IsWrite,
                       SmallVectorImpl<uint8_t *> &Places) {
  for (unsigned N = 0; N != Count; ++N) {
    uint32_t Address =
        swizzled(Shared + uint32_t(Number) * Unit.SharedBytes + N, B.Map);
    uint8_t *Place = T.access(Space::Shared_cluster, Address, 1, 1, IsWrite);
    if (!Place)
      return false;
    Places.push_back(Place);
  }
  return true;
}

/// The bytes of a unit as shared memory gets them; null is outside.
BoxCopy::Bytes BoxCopy::loaded(const uint8_t *From) {
  Bytes Data(Unit.GlobalBytes);
  bool IsTF32 = B.Map.Element == TensorElement::TF32 ||
                B.Map.Element == TensorElement::TF32Ftz;
  for (unsigned N = 0; N != Data.size(); ++N)
    if (From)
      Data[N] = From[N];
    else if (B.Map.fill() == TensorFill::NaN)
      Data[N] = N % 2 ? 0x7F : 0xF7;
  for (unsigned N = 0; IsTF32 && From && N != Data.size(); N += 4)
    writeElement(&Data[N], 4,
                 roundedToTF32(uint32_t(readElement(&Data[N], 4))));
  return Data;
}

/// Looks for what is to be reported: of each 16 bytes in shared memory at those
/// that the tensor has.
void BoxCopy::look(uint64_t Number, const uint8_t *From, bool IsFirst) {
  std::optional<unsigned> Bits = reportedBits(R);
  uint64_t At = Number * Unit.SharedBytes;
  for (unsigned N = 0; Bits && N < Unit.GlobalBytes; N += 16) {
    bool IsLooked = *Bits == 0 || IsFirst || (At + N) % 16 == 0;
    unsigned Bytes = std::min(Unit.GlobalBytes - N, 16u);
    Found |= IsLooked && isReported(From + N, Bytes, *Bits);
  }
}

bool BoxCopy::load() {
  bool WasInside = false;
  for (uint64_t N = 0; N != B.units(); ++N) {
    std::optional<uint64_t> Address = B.addressOf(B.unit(N));
    const uint8_t *From = nullptr;
    if (Address) {
      From = T.access(Space::Global, *Address, Unit.GlobalBytes, 1,
                      /*IsWrite=*/false);
      if (!From)
        return false;
      look(N, From, !WasInside);
    }
    WasInside = From != nullptr;
    Bytes Data = loaded(From);
    SmallVector<uint8_t *, 32> Places;
    if (!placesOf(N, Data.size(), /*IsWrite=*/true, Places))
      return false;
    for (auto [Place, Byte] : zip(Places, Data))
      *Place = Byte;
  }
  return true;
}

bool BoxCopy::store() {
  StringRef Op = operationOf(R), Type = typeOf(B.Map.Element);
  if (!Op.empty() && Type.empty()) {
    T.fault(rt::FaultKind::InvalidHandle,
            "a reduction of a tensor of this type");
    return false;
  }
  for (uint64_t N = 0; N != B.units(); ++N) {
    std::optional<uint64_t> Address = B.addressOf(B.unit(N));
    if (!Address)
      continue;
    SmallVector<uint8_t *, 32> Places;
    uint8_t *To = T.access(Space::Global, *Address, Unit.GlobalBytes, 1,
                           /*IsWrite=*/true);
    if (!To || !placesOf(N, Unit.SharedBytes, /*IsWrite=*/false, Places))
      return false;
    Bytes Data;
    for (const uint8_t *Place : Places)
      Data.push_back(*Place);
    if (B.Map.Element == TensorElement::B6x16P32)
      Data = packedSixBits(Data);
    if (Op.empty())
      std::memcpy(To, Data.data(), Unit.GlobalBytes);
    else
      reduceInto(Op, elementOf(Type), To, Data);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool isBoxAligned(Thread &T, uint64_t Shared) {
  if (Shared % 16 == 0)
    return true;
  T.fault(rt::FaultKind::Misaligned, "a box of a tensor in shared memory",
          Shared);
  return false;
}

/// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor to global memory.
Outcome executeTensorStore(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  OperandReader O(T, I);
  Box B;
  unsigned NumCoords = 0;
  if (!readPlace(T, R, O, B, NumCoords) || !checkBox(T, R, B, NumCoords))
    return Outcome::Stopped;
  uint64_t Shared = O.next();
  if (!isBoxAligned(T, Shared) || !BoxCopy(T, R, B, Shared).store())
    return Outcome::Stopped;
  return Outcome::Next;
}

/// The mbarrier for a copy to the CTA of a rank. Of a pair it is that of the
/// CTA whose rank has the parity that the given address has.
uint64_t barrierAt(Thread &T, const InstReader &R, uint64_t Barrier,
                   uint32_t Rank) {
  if (!R.has("cta_group::2"))
    return atRank(Barrier, Rank);
  uint32_t Holder = uint32_t(Barrier) >> ClusterShift;
  Holder = Holder ? Holder ^ RankMark : T.Owner.Rank;
  return atRank(Barrier, (Rank & ~1u) | (Holder & 1));
}

/// A load to one CTA.
Outcome loadTo(Thread &T, const InstReader &R, const Box &B, uint64_t Shared,
               uint64_t Barrier) {
  uint8_t *Place =
      T.access(Space::Shared_cluster, Barrier, 8, 8, /*IsWrite=*/true);
  if (!Place || !isBoxAligned(T, Shared))
    return Outcome::Stopped;
  BoxCopy Copy(T, R, B, Shared);
  if (!Copy.load())
    return Outcome::Stopped;
  return completeAt(T, Place, B.units() * tensorUnitOf(B.Map).SharedBytes,
                    {Copy.foundReported(), 0});
}

Outcome executeTensorLoad(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  OperandReader O(T, I);
  uint64_t Shared = O.next();
  Box B;
  unsigned NumCoords = 0;
  if (!readPlace(T, R, O, B, NumCoords))
    return Outcome::Stopped;
  uint64_t Barrier = O.next();
  readColumn(R, O, B);
  if (!checkBox(T, R, B, NumCoords))
    return Outcome::Stopped;
  if (!I.Mods.To)
    return loadTo(T, R, B, Shared, Barrier);
  auto Ranks = uint32_t(O.next());
  for (uint32_t Rank = 0; Rank != 32; ++Rank) {
    if (!(Ranks >> Rank & 1))
      continue;
    if (Outcome Done = loadTo(T, R, B, atRank(Shared, Rank),
                              barrierAt(T, R, Barrier, Rank));
        Done != Outcome::Next)
      return Done;
  }
  return Outcome::Next;
}

/// A prefetch or a priority: what the box has of the tensor has to be there.
Outcome executeTensorHint(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  OperandReader O(T, I);
  Box B;
  unsigned NumCoords = 0;
  if (!readPlace(T, R, O, B, NumCoords))
    return Outcome::Stopped;
  readColumn(R, O, B);
  if (!checkBox(T, R, B, NumCoords))
    return Outcome::Stopped;
  for (uint64_t N = 0; N != B.units(); ++N)
    if (std::optional<uint64_t> Address = B.addressOf(B.unit(N)))
      if (!T.access(Space::Global, *Address, tensorUnitOf(B.Map).GlobalBytes, 1,
                    /*IsWrite=*/false))
        return Outcome::Stopped;
  return Outcome::Next;
}

bool decodeTensor(const InstReader &R, Instruction &I) {
  I.Mods.To = any_of(R.parts(), [](StringRef Part) {
    return Part.starts_with("multicast::");
  });
  StringRef Opcode = R.getOp().getOpcode();
  bool IsHint = Opcode.contains("prefetch") || Opcode.contains("priority");
  I.Execute = IsHint       ? executeTensorHint
              : isStore(R) ? executeTensorStore
                           : executeTensorLoad;
  return true;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

Space mapSpaceOf(const InstReader &R) {
  if (R.has("global"))
    return Space::Global;
  if (R.has("shared::cta"))
    return Space::Shared_cluster;
  return Space::Generic;
}

/// Puts a number into the field that the instruction names.
void replaceField(TensorMap &Map, StringRef Field, unsigned Ordinal,
                  uint64_t Value) {
  auto Less = uint32_t(Value - 1);
  if (Field == "global_address")
    Map.Address = Value;
  else if (Field == "rank")
    Map.RankMinusOne = uint8_t(Value);
  else if (Field == "box_dim")
    Map.BoxMinusOne[Ordinal] = Less;
  else if (Field == "global_dim")
    Map.Extent[Ordinal] = Less;
  else if (Field == "element_stride")
    Map.ElementStrideMinusOne[Ordinal] = Less;
  else if (Field == "global_stride")
    Map.Stride[Ordinal] = Value;
  else if (Field == "elemtype")
    Map.Element = static_cast<TensorElement>(Value);
  else if (Field == "interleave_layout")
    Map.Interleave = static_cast<TensorInterleave>(Value);
  else if (Field == "swizzle_mode")
    Map.Swizzle = static_cast<TensorSwizzle>(Value);
  else if (Field == "fill_mode")
    Map.Options = (Map.Options & ~0xFFu) | uint8_t(Value);
  else if (Field == "swizzle_atomicity")
    Map.Options = (Map.Options & ~0xFF00u) | uint32_t(uint8_t(Value)) << 8;
}

/// tensormap.replace. The fields of lists have their dimension as an operand.
Outcome executeReplace(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  OperandReader O(T, I);
  uint8_t *Place = T.access(I.Mods.Space, O.next(), TensorMapBytes, 1,
                            /*IsWrite=*/true);
  if (!Place)
    return Outcome::Stopped;
  TensorMap Map;
  std::memcpy(&Map, Place, sizeof(Map));
  adoptTensorMap(Map);
  if (R.has("alloc_large") || R.has("alloc_small"))
    Map.setLargeClass(R.has("alloc_large"));
  if (!I.Mods.Name.empty()) {
    StringRef Field = I.Mods.Name;
    bool IsList = Field.ends_with("_dim") || Field.ends_with("_stride");
    auto Ordinal = unsigned(IsList ? O.next() : 0);
    replaceField(Map, Field, Ordinal, O.next());
  }
  std::memcpy(Place, &Map, sizeof(Map));
  return Outcome::Next;
}

bool decodeReplace(const InstReader &R, Instruction &I) {
  I.Mods.Space = mapSpaceOf(R);
  I.Mods.Name.clear();
  for (StringRef Part : R.parts())
    if (is_contained({"global_address", "rank", "box_dim", "global_dim",
                      "global_stride", "element_stride", "elemtype",
                      "interleave_layout", "swizzle_mode", "swizzle_atomicity",
                      "fill_mode"},
                     Part))
      I.Mods.Name = Part.str();
  I.Execute = executeReplace;
  return true;
}

Outcome executeClassQuery(Thread &T, const Instruction &I) {
  OperandReader O(T, I, /*First=*/1);
  const uint8_t *Place = T.access(I.Mods.Space, O.next(), TensorMapBytes, 1,
                                  /*IsWrite=*/false);
  if (!Place)
    return Outcome::Stopped;
  TensorMap Map;
  std::memcpy(&Map, Place, sizeof(Map));
  adoptTensorMap(Map);
  T.setResult(I, 0, Map.isOfLargeClass());
  return Outcome::Next;
}

bool decodeClassQuery(const InstReader &R, Instruction &I) {
  if (R.has("const") || R.has("param"))
    return false;
  I.Mods.Space = mapSpaceOf(R);
  I.Execute = executeClassQuery;
  return true;
}

/// tensormap.cp_fenceproxy: the warp copies a map, which is there for all.
void copyMap(Warp &W, uint32_t Lanes) {
  Thread &T = W.lane(countr_zero(Lanes));
  OperandReader O(T, T.current());
  uint64_t To = O.next(), From = O.next();
  const uint8_t *Source = T.access(Space::Shared_cluster, From, TensorMapBytes,
                                   4, /*IsWrite=*/false);
  uint8_t *Place = Source ? T.access(Space::Global, To, TensorMapBytes, 4,
                                     /*IsWrite=*/true)
                          : nullptr;
  if (Place)
    std::memcpy(Place, Source, TensorMapBytes);
}

bool decodeMapCopy(const InstReader &, Instruction &I) {
  I.Mods.WholeWarp = true;
  I.Together = copyMap;
  return true;
}

} // namespace

void addTensorSemantics(SemanticsTable &T) {
  T.inst("tensormap.replace", decodeReplace);
  T.inst("tensormap.query.alloc_class_large", decodeClassQuery);
  T.inst("tensormap.cp_fenceproxy", decodeMapCopy);
  for (const char *Name :
       {"cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor",
        "cp.async.bulk.prefetch.tensor", "applypriority.async.bulk.tensor"})
    T.inst(Name, decodeTensor);
}

} // namespace heddle::interp
