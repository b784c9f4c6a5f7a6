//===- BulkCopy.cpp - Copies of many bytes ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves and reduces bytes, element by element where other host threads may
// reduce them, too.
//
//===----------------------------------------------------------------------===//

#include "BulkCopy.h"
#include "AtomicArithmetic.h"
#include "ExecuteMemory.h"

#include <cstring>

namespace heddle::emu {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename T, typename Fn>
static void update(uint8_t *To, const uint8_t *From, Fn Compute) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  T *Place = reinterpret_cast<T *>(To);
  T Old = __atomic_load_n(Place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(Place, &Old, T(Compute(Old, Value)),
                                      false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
}

static unsigned bytesOf(BulkType Type) {
  switch (Type) {
  case BulkType::F16:
  case BulkType::BF16:
    return 2;
  case BulkType::U64:
  case BulkType::S64:
  case BulkType::F64:
    return 8;
  default:
    return 4;
  }
}

static void reduceElement(AtomicOp O, BulkType Type, uint8_t *To,
                          const uint8_t *From) {
  auto Integer = [&](bool Signed) {
    return [O, Signed](auto Old, auto Value) {
      return applyToInteger(O, Old, Value, Signed);
    };
  };
  auto Float = [&](FloatFormat F) {
    return [O, F](uint64_t Old, uint64_t Value) {
      return applyToFloat(O, Old, Value, F);
    };
  };
  switch (Type) {
  case BulkType::U32:
    return update<uint32_t>(To, From, Integer(false));
  case BulkType::S32:
    return update<uint32_t>(To, From, Integer(true));
  case BulkType::U64:
    return update<uint64_t>(To, From, Integer(false));
  case BulkType::S64:
    return update<uint64_t>(To, From, Integer(true));
  case BulkType::F16:
    return update<uint16_t>(To, From, Float(F16Format));
  case BulkType::BF16:
    return update<uint16_t>(To, From, Float(BF16Format));
  case BulkType::F32:
    return update<uint32_t>(To, From, Float(F32Format));
  case BulkType::F64:
    return update<uint64_t>(To, From, Float(F64Format));
  }
}

void BulkCopy::perform(RelaxedMemory *Relaxed) const {
  unsigned Element = bytesOf(Type);
  for (const Piece &P : Pieces) {
    if (Relaxed) {
      Relaxed->settle(P.To, P.Bytes);
      if (P.From && Taken.empty())
        Relaxed->settle(P.From, P.Bytes);
    }
    if (Reduces) {
      for (unsigned N = 0; N < P.Bytes; N += Element)
        reduceElement(Operation, Type, P.To + N, P.From + N);
      continue;
    }
    for (unsigned N = 0; N < P.Bytes; ++N)
      if (ByteMask >> (N % PieceBytes) & 1)
        write<uint8_t>(P.To + N, P.From ? read<uint8_t>(P.From + N)
                                        : uint8_t(Fill >> (8 * (N % 8))));
  }
}

void BulkCopy::touch(uint64_t Address, unsigned Bytes) {
  constexpr uint64_t SectorBytes = 32; // Of every chip.
  for (uint64_t S = Address / SectorBytes;
       S <= (Address + Bytes - 1) / SectorBytes; ++S)
    if (Sectors.empty() || Sectors.back() != S)
      Sectors.push_back(S);
}

void BulkCopy::readSources(RelaxedMemory *Relaxed) {
  Taken.resize(Pieces.size() * PieceBytes);
  for (size_t N = 0; N < Pieces.size(); ++N) {
    Piece &P = Pieces[N];
    if (!P.From)
      continue;
    if (Relaxed)
      Relaxed->settle(P.From, P.Bytes);
    uint8_t *To = &Taken[N * PieceBytes];
    for (unsigned B = 0; B < P.Bytes; ++B)
      To[B] = read<uint8_t>(P.From + B);
    P.From = To;
  }
}

//===----------------------------------------------------------------------===//
// Boxes of tensors
//===----------------------------------------------------------------------===//

unsigned TensorRequest::count(unsigned Dimension) const {
  if (FourRows && Dimension == 1)
    return 4;
  unsigned Elements = Dimension == 0 ? tensorUnitOf(Map.Element).Elements : 1;
  return (Map.Box[Dimension] / Elements + Map.ElementStride[Dimension] - 1) /
         Map.ElementStride[Dimension];
}

uint32_t TensorRequest::boxBytes() const {
  uint32_t Bytes = tensorUnitOf(Map.Element).SharedBytes;
  for (unsigned D = 0; D < Map.rank(); ++D)
    Bytes *= count(D);
  return Bytes;
}

bool readTensorRequest(Warp &W, const DecodedInst &I, unsigned Lane,
                       TensorRequest &R) {
  uint64_t Address = W.reg64(I.A, Lane);
  auto *Bytes = reinterpret_cast<uint8_t *>(&R.Map);
  for (unsigned N = 0; N < TensorMapBytes; N += 8) {
    const uint8_t *Host = W.resolveGeneric(Lane, Address + N, 8, false);
    if (!Host)
      return false;
    uint64_t Part = read<uint64_t>(Host);
    std::memcpy(Bytes + N, &Part, 8);
  }
  const char *Error = checkTensorMap(R.Map);
  if (!Error && R.Map.Interleave != TensorInterleave::None)
    Error = "interleaved tensors are not supported yet";
  if (!Error && R.Map.access() != TensorAccess::Tile)
    Error = "it is for copies by columns, the instruction for tiles";
  if (!Error && R.Map.rank() != I.Async.Rank)
    Error = "the tensor has another rank than the instruction";
  if (Error) {
    W.fault(rt::FaultKind::InvalidHandle, Lane,
            std::string("the tensor map: ") + Error, Address);
    return false;
  }
  uint32_t Coordinates[MaxTensorRank];
  for (unsigned N = 0; N < 4; ++N)
    Coordinates[N] = W.R[I.B + N][Lane];
  Coordinates[4] = W.R[I.C][Lane];
  R.FourRows = I.Async.FourRows;
  for (unsigned D = 0; D < MaxTensorRank; ++D)
    R.At[D] = static_cast<int32_t>(Coordinates[D]);
  for (unsigned N = 0; N < 4; ++N)
    R.Rows[N] = Coordinates[N + 1];
  R.ToShared = I.Async.Direction == TensorDirection::Load;
  R.Reduces = I.Async.Direction == TensorDirection::Reduce;
  R.Operation = static_cast<AtomicOp>(I.AtomOp);
  return true;
}

/// The type of the elements of a reduction.
static std::optional<BulkType> reduceTypeOf(TensorElement E) {
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

/// What stands outside of a tensor.
static uint64_t fillOf(const TensorMap &Map) {
  if (Map.fill() == TensorFill::Zero)
    return 0;
  switch (Map.Element) {
  case TensorElement::F16:
  case TensorElement::BF16:
    return 0x7FFF7FFF7FFF7FFF;
  case TensorElement::F64:
    return 0x7FFFFFFFFFFFFFFF;
  default:
    return 0x7FFFFFFF7FFFFFFF;
  }
}

bool planTensorCopy(Warp &W, unsigned Lane, const TensorRequest &R,
                    uint32_t Shared, BulkCopy &Copy) {
  const TensorMap &Map = R.Map;
  TensorUnit Unit = tensorUnitOf(Map.Element);
  unsigned Bytes = Unit.GlobalBytes;
  if (R.At[0] % int(Unit.Elements) ||
      (!R.ToShared && Map.Element == TensorElement::B6x16P32)) {
    W.fault(rt::FaultKind::InvalidHandle, Lane,
            R.ToShared ? "elements of less than a byte from within sixteen"
                       : "not supported yet: a store of elements of 6 bits");
    return false;
  }
  Copy.Fill = fillOf(Map);
  Copy.Reduces = R.Reduces;
  Copy.Operation = R.Operation;
  if (R.Reduces) {
    auto Type = reduceTypeOf(Map.Element);
    if (!Type) {
      W.fault(rt::FaultKind::InvalidHandle, Lane,
              "a reduction of a tensor of this type");
      return false;
    }
    Copy.Type = *Type;
  }
  // Twelve bytes are no access; they are in 16 that are.
  unsigned AccessBytes = Bytes == 12 ? 4 : Bytes;
  uint32_t Total = R.boxBytes() / Unit.SharedBytes;
  unsigned Index[MaxTensorRank] = {};
  for (uint32_t N = 0; N < Total; ++N) {
    uint64_t Address = Map.Address;
    bool Inside = true;
    for (unsigned D = 0; D < Map.rank(); ++D) {
      unsigned Elements = D == 0 ? Unit.Elements : 1;
      int64_t At = int64_t(R.At[D]) / Elements +
                   int64_t(Index[D]) * Map.ElementStride[D];
      if (R.FourRows && D == 1)
        At = int32_t(R.Rows[Index[D]]);
      Inside &= At >= 0 && At <= int64_t(Map.Extent[D]) / Elements;
      Address += uint64_t(At) * (D == 0 ? Bytes : Map.Stride[D - 1]);
    }
    uint8_t *InShared = W.resolveShared(
        Lane,
        swizzleAddress(Shared + N * Unit.SharedBytes, Map.Swizzle, Map.atom()),
        AccessBytes, R.ToShared);
    if (!InShared)
      return false;
    uint8_t *InTensor = nullptr;
    if (Inside &&
        !(InTensor = W.resolveGlobal(Lane, Address, AccessBytes, !R.ToShared)))
      return false;
    if (Inside)
      Copy.touch(Address, Bytes);
    if (R.ToShared)
      Copy.Pieces.push_back({InShared, InTensor, Bytes});
    else if (Inside)
      Copy.Pieces.push_back({InTensor, InShared, Bytes});
    for (unsigned D = 0; D < Map.rank() && ++Index[D] == R.count(D); ++D)
      Index[D] = 0;
  }
  return true;
}

} // namespace heddle::emu
