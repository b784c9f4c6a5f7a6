//===- TensorBox.cpp - Boxes of tensors -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads tensor maps, goes through the pixels of a box, and plans the copy of
// each pixel's channels.
//
//===----------------------------------------------------------------------===//

#include "Async/TensorBox.h"
#include "Execute/ExecuteAsync.h"
#include "Execute/ExecuteMemory.h"
#include "heddle/ISA/ForeignTensorMap.h"

#include <cstring>

namespace heddle::emu {

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

/// Pixels of a column with a halo for each group of them.
constexpr unsigned WidePixels = 128, WideGroup = 32;

unsigned TensorRequest::count(unsigned Dimension) const {
  if (FourRows && Dimension == 1)
    return 4;
  unsigned Step = unsigned(Map.elementStride(Dimension));
  return (unsigned(Map.box(Dimension)) + Step - 1) / Step;
}

unsigned TensorRequest::unitsPerPixel() const {
  unsigned Elements = tensorUnitOf(Map).Elements;
  unsigned Units = (unsigned(Map.box(0)) + Elements - 1) / Elements;
  if (Map.Interleave == TensorInterleave::None)
    return Units;
  unsigned Step = unsigned(Map.elementStride(0));
  return (Units + Step - 1) / Step;
}

unsigned TensorRequest::numPixels() const {
  switch (Map.access()) {
  case TensorAccess::Im2col:
    return unsigned(Map.pixelsPerColumn());
  case TensorAccess::Im2colW:
    return unsigned(Map.pixelsPerColumn()) + Halo;
  case TensorAccess::Im2colW128:
    return WidePixels + WidePixels / WideGroup * Halo;
  case TensorAccess::Tile:
    break;
  }
  unsigned Pixels = 1;
  for (unsigned D = 1; D < Map.rank(); ++D)
    Pixels *= count(D);
  return Pixels;
}

uint32_t TensorRequest::boxBytes() const {
  return unitsPerPixel() * numPixels() * tensorUnitOf(Map).SharedBytes;
}

std::vector<TensorRequest::Pixel> TensorRequest::pixels() const {
  return isColumn() ? columnPixels() : tilePixels();
}

std::vector<TensorRequest::Pixel> TensorRequest::tilePixels() const {
  std::vector<Pixel> Result(numPixels());
  unsigned Index[MaxTensorRank] = {};
  for (Pixel &P : Result) {
    for (unsigned D = 1; D < Map.rank(); ++D)
      P[D] = FourRows && D == 1
                 ? int64_t(int32_t(Rows[Index[D]]))
                 : int64_t(At[D]) +
                       int64_t(Index[D]) * int64_t(Map.elementStride(D));
    for (unsigned D = 1; D < Map.rank() && ++Index[D] == count(D); ++D)
      Index[D] = 0;
  }
  return Result;
}

/// The box that a column goes through, by W, H, D; both ends are in it.
static std::pair<int64_t, int64_t> columnBounds(const TensorRequest &R,
                                                unsigned S) {
  // Along W only the box has one row.
  if (S > 0 && R.Map.access() != TensorAccess::Im2col)
    return {R.At[S + 1], R.At[S + 1]};
  return {R.Map.LowerCorner[S],
          int64_t(R.Map.Extent[S + 1]) + R.Map.UpperCorner[S]};
}

std::vector<TensorRequest::Pixel> TensorRequest::columnPixels() const {
  unsigned Images = Map.rank() - 1;
  Pixel At = {};
  for (unsigned D = 1; D < Map.rank(); ++D)
    At[D] = this->At[D];
  auto Advance = [&] {
    for (unsigned S = 0; S < Map.spatialRank(); ++S) {
      auto [First, Last] = columnBounds(*this, S);
      At[S + 1] += int64_t(Map.elementStride(S + 1));
      if (At[S + 1] <= Last)
        return;
      At[S + 1] = First;
    }
    ++At[Images];
  };
  // Groups end in pixels that the next one begins with.
  bool Grouped = Map.access() == TensorAccess::Im2colW128;
  unsigned Total = Grouped ? WidePixels + Halo : numPixels();
  std::vector<Pixel> Line(Total);
  for (Pixel &P : Line) {
    P = At;
    for (unsigned S = 0; S < Map.spatialRank(); ++S)
      P[S + 1] += Offset[S];
    Advance();
  }
  if (!Grouped)
    return Line;
  std::vector<Pixel> Result;
  for (unsigned G = 0; G < WidePixels; G += WideGroup)
    Result.insert(Result.end(), Line.begin() + G,
                  Line.begin() + G + WideGroup + Halo);
  return Result;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Whether an instruction of a mode can use a map.
static bool accessFits(const DecodedInst &I, TensorAccess Access) {
  switch (I.Async.Mode) {
  case TensorMode::Tile:
  case TensorMode::Gather4:
  case TensorMode::Scatter4:
    return Access == TensorAccess::Tile;
  case TensorMode::Im2col:
    // What is stored has no halo, so that all columns are alike.
    return I.Async.Direction == TensorDirection::Load
               ? Access == TensorAccess::Im2col
               : Access != TensorAccess::Tile;
  case TensorMode::Im2colW:
    return Access == TensorAccess::Im2colW;
  case TensorMode::Im2colW128:
    return Access == TensorAccess::Im2colW128;
  }
  return false;
}

static const char *checkUse(const DecodedInst &I, const TensorMap &Map) {
  if (const char *Error = checkTensorMap(Map))
    return Error;
  if (Map.rank() != I.Async.Rank)
    return "the tensor has another rank than the instruction";
  if (!accessFits(I, Map.access()))
    return "the tensor is accessed in another way than by the instruction";
  if ((I.Async.Mode == TensorMode::Gather4 ||
       I.Async.Mode == TensorMode::Scatter4) &&
      Map.Interleave != TensorInterleave::None)
    return "four rows of an interleaved tensor";
  return nullptr;
}

/// What of the offsets and coordinates of a column is not in its range.
static const char *checkColumn(const TensorRequest &R) {
  constexpr unsigned MaxHalo = 512, MaxGroupHalo = WideGroup, MaxOffset = 32;
  const TensorMap &Map = R.Map;
  bool Wide = Map.access() != TensorAccess::Im2col;
  unsigned Limit = Wide ? MaxOffset
                        : 1u << (Map.spatialRank() == 1   ? 16
                                 : Map.spatialRank() == 2 ? 8
                                                          : 5);
  for (unsigned S = 0; S < Map.spatialRank(); ++S)
    if (R.Offset[S] >= Limit)
      return "an offset of a column is too large";
  if (R.Halo >=
      (Map.access() == TensorAccess::Im2colW128 ? MaxGroupHalo : MaxHalo))
    return "the halo of a column is too large";
  for (unsigned S = 0; S < Map.spatialRank(); ++S) {
    auto [First, Last] = columnBounds(R, S);
    if (R.At[S + 1] > Last || (!Wide && R.At[S + 1] < First))
      return "a column that begins outside of its box";
  }
  return nullptr;
}

static const char *checkElements(const TensorRequest &R) {
  const TensorMap &Map = R.Map;
  TensorUnit Unit = tensorUnitOf(Map);
  if (R.At[0] % int(Unit.Elements))
    return Map.Interleave == TensorInterleave::None
               ? "elements of less than a byte from within sixteen"
               : "channels from within a slice";
  if (!R.ToShared && Map.Element == TensorElement::B4x16P64)
    return "a store of elements of 4 bits that are padded";
  return nullptr;
}

/// What an instruction puts in place of a map's values; null, or what is wrong
/// with it.
static const char *overrideMap(const Warp &W, const DecodedInst &I,
                               unsigned Lane, TensorMap &Map) {
  constexpr unsigned StrideUnit = 16, UpperShift = 48, UpperBits = 4;
  Map.Address = W.reg64(I.G, Lane);
  if (Map.Address % BulkCopy::PieceBytes)
    return "it begins at no multiple of 16";
  // A map of no rank is found out later.
  if (!I.Async.HasExtents || Map.rank() > MaxTensorRank)
    return nullptr;
  uint64_t Info = W.reg64(I.E, Lane);
  for (unsigned D = 0; D < Map.rank(); ++D) {
    uint32_t Extent = Info >> 8 * D & 0xFF;
    if (Extent == 0)
      return "it has no element along a dimension";
    Map.Extent[D] = Extent - 1;
  }
  for (unsigned D = 0; D + 1 < Map.rank(); ++D) {
    uint64_t Upper =
        Info >> (UpperShift + UpperBits * D) & ((1u << UpperBits) - 1);
    Map.Stride[D] = (W.R[I.F + D][Lane] | Upper << 32) * StrideUnit;
  }
  return nullptr;
}

static bool readMap(Warp &W, unsigned Lane, uint64_t Address, TensorMap &Map) {
  auto *Bytes = reinterpret_cast<uint8_t *>(&Map);
  for (unsigned N = 0; N < TensorMapBytes; N += 8) {
    const uint8_t *Host = W.resolveGeneric(Lane, Address + N, 8, false);
    if (!Host)
      return false;
    uint64_t Part = read<uint64_t>(Host);
    std::memcpy(Bytes + N, &Part, 8);
  }
  adoptTensorMap(Map);
  return true;
}

/// The operands of a lane.
static void readOperands(const Warp &W, const DecodedInst &I, unsigned Lane,
                         TensorRequest &R) {
  uint32_t Coordinates[MaxTensorRank];
  for (unsigned N = 0; N < 4; ++N)
    Coordinates[N] = W.R[I.B + N][Lane];
  Coordinates[4] = W.R[I.C][Lane];
  R.FourRows = I.Async.Mode == TensorMode::Gather4 ||
               I.Async.Mode == TensorMode::Scatter4;
  for (unsigned D = 0; D < MaxTensorRank; ++D)
    R.At[D] = static_cast<int32_t>(Coordinates[D]);
  for (unsigned N = 0; N < 4; ++N)
    R.Rows[N] = Coordinates[N + 1];
  uint64_t Info = W.reg64(I.E, Lane);
  if (I.Async.Mode == TensorMode::Im2col)
    for (unsigned S = 0; S < MaxSpatialRank; ++S)
      R.Offset[S] = static_cast<uint16_t>(Info >> 16 * S);
  if (I.Async.Mode == TensorMode::Im2colW ||
      I.Async.Mode == TensorMode::Im2colW128) {
    R.Halo = static_cast<uint16_t>(Info);
    R.Offset[0] = static_cast<uint16_t>(Info >> 16);
  }
  R.ToShared = I.Async.Direction == TensorDirection::Load;
  R.OnlyTouches = I.Async.IsHint;
  R.Reduces = I.Async.Direction == TensorDirection::Reduce;
  R.Operation = I.AtomOp;
}

bool readTensorRequest(Warp &W, const DecodedInst &I, unsigned Lane,
                       TensorRequest &R) {
  uint64_t Address = W.reg64(I.A, Lane);
  if (!readMap(W, Lane, Address, R.Map))
    return false;
  const char *Wrong = nullptr;
  if (I.Info->Operation == isa::Op::TMAX)
    Wrong = overrideMap(W, I, Lane, R.Map);
  if (!Wrong)
    Wrong = checkUse(I, R.Map);
  if (Wrong) {
    W.fault(rt::FaultKind::InvalidHandle, Lane,
            std::string("the tensor map: ") + Wrong, Address);
    return false;
  }
  readOperands(W, I, Lane, R);
  const char *Error = checkElements(R);
  if (!Error && R.isColumn())
    Error = checkColumn(R);
  if (I.Async.HasExtents &&
      std::any_of(R.At, R.At + R.Map.rank(), [](int32_t C) { return C != 0; }))
    Error = "a box of a tensor whose extents the instruction gives begins "
            "elsewhere than at its first element";
  if (Error)
    W.fault(rt::FaultKind::InvalidHandle, Lane, Error);
  return !Error;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {

/// The type of the elements of a reduction.
std::optional<BulkType> reduceTypeOf(TensorElement E) {
  switch (E) {
  case TensorElement::U32:
    return BulkType::U32;
  case TensorElement::S32:
    return BulkType::S32;
  case TensorElement::U64:
    return BulkType::U64;
  case TensorElement::S64:
    return BulkType::S64;
  case TensorElement::F16:
    return BulkType::F16;
  case TensorElement::BF16:
    return BulkType::BF16;
  case TensorElement::F32:
  case TensorElement::F32Ftz:
    return BulkType::F32;
  case TensorElement::F64:
    return BulkType::F64;
  default:
    return std::nullopt;
  }
}

/// What stands outside of a tensor; a NaN of any type.
uint64_t fillOf(const TensorMap &Map) {
  return Map.fill() == TensorFill::Zero ? 0 : 0x7FF77FF77FF77FF7;
}

/// Adds the pieces of a box to a copy.
class BoxPlanner {
public:
  BoxPlanner(Warp &W, unsigned Lane, const TensorRequest &R, uint32_t Shared,
             BulkCopy &Copy)
      : W(W), Lane(Lane), R(R), Map(R.Map), Unit(tensorUnitOf(R.Map)),
        Shared(Shared), Copy(Copy) {}

  /// False after a fault.
  bool plan();

private:
  bool addPixel(const TensorRequest::Pixel &P);
  bool addSlice(const TensorRequest::Pixel &P, unsigned Slice);
  bool addRun(std::optional<uint64_t> Global, unsigned Units);
  bool addBytes(std::optional<uint64_t> Global, unsigned Bytes);
  uint8_t *globalRun(uint64_t Global, unsigned Bytes);
  void touch(uint64_t Global, unsigned Bytes) {
    Copy.touch(R.Member ? *rt::addressIn(*R.Member, Global, Bytes) : Global,
               Bytes);
  }
  uint8_t *sharedPlace(uint32_t Address);
  bool isInside(const TensorRequest::Pixel &P) const;
  uint64_t addressOf(const TensorRequest::Pixel &P) const;
  void addPiece(uint8_t *InShared, uint8_t *InTensor, unsigned Bytes);

  Warp &W;
  unsigned Lane;
  const TensorRequest &R;
  const TensorMap &Map;
  TensorUnit Unit;
  uint32_t Shared; ///< Where the next unit stands, not swizzled.
  BulkCopy &Copy;
};

bool BoxPlanner::isInside(const TensorRequest::Pixel &P) const {
  for (unsigned D = 1; D < Map.rank(); ++D)
    if (P[D] < 0 || P[D] > int64_t(Map.Extent[D]))
      return false;
  return true;
}

/// Of a pixel's first channel.
uint64_t BoxPlanner::addressOf(const TensorRequest::Pixel &P) const {
  uint64_t Address = Map.Address;
  for (unsigned D = 1; D < Map.rank(); ++D)
    Address += uint64_t(P[D]) * Map.Stride[D - 1];
  return Address;
}

void BoxPlanner::addPiece(uint8_t *InShared, uint8_t *InTensor,
                          unsigned Bytes) {
  if (R.ToShared)
    Copy.Pieces.push_back({InShared, InTensor, Bytes});
  else if (InTensor)
    Copy.Pieces.push_back({InTensor, InShared, Bytes});
}

/// What is swizzled moves in pieces of 16 bytes, whose halves may change
/// places.
uint8_t *BoxPlanner::sharedPlace(uint32_t Address) {
  constexpr uint32_t InPiece = BulkCopy::PieceBytes - 1;
  uint32_t Place = swizzleAddress(Address, Map.Swizzle, Map.atom());
  uint8_t *Piece =
      W.resolveShared(Lane, Place & ~InPiece, BulkCopy::PieceBytes, R.ToShared);
  return Piece ? Piece + (Place & InPiece) : nullptr;
}

/// The host's place of bytes in one allocation, or null after a fault, which
/// names the first byte that is in none.
uint8_t *BoxPlanner::globalRun(uint64_t Global, unsigned Bytes) {
  if (R.Member) {
    auto Bound = rt::addressIn(*R.Member, Global, Bytes);
    if (!Bound) {
      W.fault(rt::FaultKind::OutOfBounds, Lane,
              "a row at an offset of a logical endpoint, where no memory is "
              "bound",
              Global);
      return nullptr;
    }
    Global = *Bound;
  }
  const Allocation *Block = W.Owner->findBlock(Global);
  if (Block && Block->reaches(Global, Bytes))
    return W.resolveGlobal(Lane, Global, 1, !R.ToShared);
  for (unsigned N = 0; N < Bytes; ++N)
    if (!W.resolveGlobal(Lane, Global + N, 1, !R.ToShared))
      return nullptr;
  W.fault(rt::FaultKind::OutOfBounds, Lane, "a row across two allocations",
          Global);
  return nullptr;
}

/// Adds bytes that stand side by side in both memories; without an address they
/// are outside of the tensor.
bool BoxPlanner::addBytes(std::optional<uint64_t> Global, unsigned Bytes) {
  unsigned Atom =
      Map.atom() == TensorAtom::Bytes32Flip8 ? 8u : BulkCopy::PieceBytes;
  uint8_t *Host = Global ? globalRun(*Global, Bytes) : nullptr;
  if (Global && !Host)
    return false;
  if (Global)
    touch(*Global, Bytes);
  for (unsigned N = 0; N < Bytes && !R.OnlyTouches;) {
    unsigned Part = std::min(Bytes - N, Atom - (Shared + N) % Atom);
    uint8_t *InShared = sharedPlace(Shared + N);
    if (!InShared)
      return false;
    addPiece(InShared, Host ? Host + N : nullptr, Part);
    N += Part;
  }
  Shared += Bytes;
  return true;
}

bool BoxPlanner::addRun(std::optional<uint64_t> Global, unsigned Units) {
  if (Unit.GlobalBytes == Unit.SharedBytes)
    return addBytes(Global, Units * Unit.GlobalBytes);
  for (unsigned N = 0; N < Units; ++N) {
    uint64_t At = Global.value_or(0) + uint64_t(N) * Unit.GlobalBytes;
    uint8_t *Host = Global ? globalRun(At, Unit.GlobalBytes) : nullptr;
    if (Global && !Host)
      return false;
    if (Global)
      touch(At, Unit.GlobalBytes);
    uint8_t *InShared = R.OnlyTouches ? nullptr : sharedPlace(Shared);
    if (!R.OnlyTouches && !InShared)
      return false;
    if (InShared)
      addPiece(InShared, Host, Unit.GlobalBytes);
    Shared += Unit.SharedBytes;
  }
  return true;
}

/// All channels of a pixel: those before the tensor's first, those that it has,
/// those behind.
bool BoxPlanner::addPixel(const TensorRequest::Pixel &P) {
  int64_t Elements = Unit.Elements;
  int64_t Units = R.unitsPerPixel(), First = R.At[0] / Elements,
          Last = (int64_t(Map.Extent[0]) + 1) / Elements;
  if (!isInside(P))
    return addRun(std::nullopt, unsigned(Units));
  int64_t From = std::clamp<int64_t>(-First, 0, Units),
          To = std::clamp<int64_t>(Last - First, From, Units);
  uint64_t Address =
      addressOf(P) + uint64_t(First + From) * uint64_t(Unit.GlobalBytes);
  return addRun(std::nullopt, unsigned(From)) &&
         (From == To || addRun(Address, unsigned(To - From))) &&
         addRun(std::nullopt, unsigned(Units - To));
}

/// A slice of a pixel's channels; \p Slice counts those of the box.
bool BoxPlanner::addSlice(const TensorRequest::Pixel &P, unsigned Slice) {
  int64_t Elements = Unit.Elements;
  int64_t At =
      R.At[0] / Elements + int64_t(Slice) * int64_t(Map.elementStride(0));
  if (!isInside(P) || At < 0 || At > int64_t(Map.Extent[0]) / Elements)
    return addRun(std::nullopt, 1);
  unsigned Outermost = Map.rank() - 2; // Of the pixels of an image.
  uint64_t Distance =
      Map.Stride[Outermost - 1] * (uint64_t(Map.Extent[Outermost]) + 1);
  return addRun(addressOf(P) + uint64_t(At) * Distance, 1);
}

bool BoxPlanner::plan() {
  std::vector<TensorRequest::Pixel> Pixels = R.pixels();
  if (Map.Interleave == TensorInterleave::None) {
    for (const TensorRequest::Pixel &P : Pixels)
      if (!addPixel(P))
        return false;
    return true;
  }
  // A slice has all pixels of a column, or those of a tile in one image.
  size_t Run = Pixels.size();
  if (!R.isColumn()) {
    Run = 0;
    while (Run < Pixels.size() &&
           Pixels[Run][Map.rank() - 1] == Pixels[0][Map.rank() - 1])
      ++Run;
  }
  for (size_t Image = 0; Image < Pixels.size(); Image += Run)
    for (unsigned Slice = 0; Slice < R.unitsPerPixel(); ++Slice)
      for (size_t N = Image; N < Image + Run; ++N)
        if (!addSlice(Pixels[N], Slice))
          return false;
  return true;
}

} // namespace

bool planTensorCopy(Warp &W, unsigned Lane, const TensorRequest &R,
                    uint32_t Shared, BulkCopy &Copy) {
  Copy.Fill = fillOf(R.Map);
  Copy.RoundsToTF32 = R.ToShared && (R.Map.Element == TensorElement::TF32 ||
                                     R.Map.Element == TensorElement::TF32Ftz);
  Copy.Reduces = R.Reduces;
  Copy.Operation = R.Operation;
  Copy.PacksSixBits = !R.ToShared && R.Map.Element == TensorElement::B6x16P32;
  if (R.Reduces) {
    auto Type = reduceTypeOf(R.Map.Element);
    if (!Type) {
      W.fault(rt::FaultKind::InvalidHandle, Lane,
              "a reduction of a tensor of this type");
      return false;
    }
    Copy.Type = *Type;
  }
  if (Shared % BulkCopy::PieceBytes) {
    W.fault(rt::FaultKind::Misaligned, Lane,
            "a box of a tensor in shared memory", Shared);
    return false;
  }
  return BoxPlanner(W, Lane, R, Shared, Copy).plan();
}

} // namespace heddle::emu
