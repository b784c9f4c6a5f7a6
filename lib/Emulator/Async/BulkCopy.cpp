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

#include "Async/BulkCopy.h"
#include "Execute/AtomicArithmetic.h"
#include "Execute/ExecuteMemory.h"

#include <algorithm>
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

static void reduceElement(AtomOp O, BulkType Type, uint8_t *To,
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

/// Of 16 bytes the low 6 bits each, side by side.
static void packSixBits(uint8_t *To, const uint8_t *From) {
  constexpr size_t Bits = 6, Group = 4; // Of four bytes become three.
  for (size_t G = 0; G < BulkCopy::PieceBytes / Group; ++G) {
    uint32_t Packed = 0;
    for (size_t N = 0; N < Group; ++N)
      Packed |= (read<uint8_t>(From + Group * G + N) & ((1u << Bits) - 1))
                << Bits * N;
    for (size_t N = 0; N < Bits * Group / 8; ++N)
      write<uint8_t>(To + Bits * Group / 8 * G + N, uint8_t(Packed >> 8 * N));
  }
}

/// To nearest, ties away from zero; a NaN becomes the canonical one.
static uint32_t roundToTF32(uint32_t Bits) {
  constexpr uint32_t Infinity = 0x7F800000, DroppedBits = 13;
  constexpr uint32_t Kept = ~uint32_t(0) << DroppedBits;
  if ((Bits & 0x7FFFFFFF) > Infinity)
    return 0x7FFFFFFF & Kept;
  if ((Bits & Infinity) == Infinity)
    return Bits;
  return (Bits + (1u << (DroppedBits - 1))) & Kept;
}

/// Moves the whole words from byte \p Done on, and says up to where.
template <typename T>
static unsigned moveWords(const BulkCopy::Piece &P, uint64_t Fill,
                          unsigned Done) {
  uintptr_t Places =
      reinterpret_cast<uintptr_t>(P.To) | reinterpret_cast<uintptr_t>(P.From);
  if (Places % sizeof(T) != 0)
    return Done;
  UInt128 Filling = Fill | static_cast<UInt128>(Fill) << 64;
  for (; Done + sizeof(T) <= P.Bytes; Done += sizeof(T))
    write<T>(P.To + Done, P.From ? read<T>(P.From + Done)
                                 : static_cast<T>(Filling >> 8 * (Done % 8)));
  return Done;
}

void BulkCopy::move(const Piece &P) const {
  if (PacksSixBits)
    return packSixBits(P.To, P.From);
  if (RoundsToTF32 && P.From) {
    for (unsigned N = 0; N < P.Bytes; N += sizeof(uint32_t))
      write<uint32_t>(P.To + N, roundToTF32(read<uint32_t>(P.From + N)));
    return;
  }
  unsigned N = 0;
  N = moveWords<UInt128>(P, Fill, N);
  N = moveWords<uint64_t>(P, Fill, N);
  N = moveWords<uint32_t>(P, Fill, N);
  for (; N < P.Bytes; ++N)
    write<uint8_t>(P.To + N, P.From ? read<uint8_t>(P.From + N)
                                    : uint8_t(Fill >> (8 * (N % 8))));
}

void BulkCopy::perform(RelaxedMemory *Relaxed) const {
  unsigned Element = bytesOf(Type);
  for (const Piece &P : Pieces) {
    if (Relaxed) {
      Relaxed->settle(P.To, P.Bytes);
      if (P.From && Taken.empty())
        Relaxed->settle(P.From, sourceBytes(P));
    }
    if (!Reduces) {
      move(P);
      continue;
    }
    for (unsigned N = 0; N < P.Bytes; N += Element)
      reduceElement(Operation, Type, P.To + N, P.From + N);
  }
}

/// Whether data begin with a -0 of so many bits.
static bool beginsWithMinusZero(const uint8_t *From, unsigned Bits) {
  uint32_t Value = 0;
  for (unsigned N = 0; N < (Bits + 7) / 8; ++N)
    Value |= uint32_t(read<uint8_t>(From + N)) << 8 * N;
  uint32_t Mask = ~uint32_t(0) >> (32 - Bits);
  return (Value & Mask) == uint32_t(1) << (Bits - 1);
}

static bool holdsOnes(const uint8_t *From, unsigned Bytes) {
  for (unsigned N = 0; N < Bytes; ++N)
    if (read<uint8_t>(From + N) == 0xFF)
      return true;
  return false;
}

bool BulkCopy::findsReported() const {
  if (Report == DataReport::None)
    return false;
  unsigned Bits = 32 >> (unsigned(Report) - unsigned(DataReport::MinusZero32));
  return std::any_of(Pieces.begin(), Pieces.end(), [&](const Piece &P) {
    if (!P.From)
      return false;
    if (Report == DataReport::Ones)
      return holdsOnes(P.From, P.Bytes);
    // Blocks of memory begin at multiples of more than 16 bytes.
    return reinterpret_cast<uintptr_t>(P.From) % PieceBytes == 0 &&
           beginsWithMinusZero(P.From, Bits);
  });
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
      Relaxed->settle(P.From, sourceBytes(P));
    uint8_t *To = &Taken[N * PieceBytes];
    for (unsigned B = 0; B < sourceBytes(P); ++B)
      To[B] = read<uint8_t>(P.From + B);
    P.From = To;
  }
}

} // namespace heddle::emu
