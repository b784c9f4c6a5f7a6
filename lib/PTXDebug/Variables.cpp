//===- Variables.cpp - Places of variables in PTX ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes location expressions. A register of PTX is DW_OP_regx of its name,
// whose letters are the bytes of the number, the first letter the highest.
//
//===----------------------------------------------------------------------===//

#include "heddle/PTXDebug/DebugInfo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLoc.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

using namespace llvm;

namespace heddle::ptx {

/// What register a number names; empty if none.
static std::string registerName(uint64_t Number) {
  std::string Name;
  for (unsigned Shift = 64; Shift;) {
    Shift -= 8;
    char C = char(Number >> Shift);
    if (C == 0 && Name.empty())
      continue;
    if (!isPrint(C))
      return {};
    Name.push_back(C);
  }
  return Name;
}

/// The number that an operation pushes, if it pushes a constant.
static std::optional<int64_t> constantOf(const DWARFExpression::Operation &Op) {
  unsigned Code = Op.getCode();
  if (Code >= dwarf::DW_OP_lit0 && Code <= dwarf::DW_OP_lit31)
    return Code - dwarf::DW_OP_lit0;
  switch (Code) {
  case dwarf::DW_OP_const1u:
  case dwarf::DW_OP_const2u:
  case dwarf::DW_OP_const4u:
  case dwarf::DW_OP_const8u:
  case dwarf::DW_OP_constu:
  case dwarf::DW_OP_const1s:
  case dwarf::DW_OP_const2s:
  case dwarf::DW_OP_const4s:
  case dwarf::DW_OP_const8s:
  case dwarf::DW_OP_consts:
    return int64_t(Op.getRawOperand(0));
  default:
    return std::nullopt;
  }
}

/// A single operation says where a piece is, or a symbol's address and what is
/// added to it.
DebugPlace DebugInfo::decode(ArrayRef<uint8_t> Bytes) const {
  DebugPlace Place;
  DataExtractor Data(toStringRef(Bytes), /*IsLittleEndian=*/true,
                     M.AddressSize / 8);
  DWARFExpression Expression(Data, M.AddressSize / 8);
  unsigned Count = 0;
  for (const DWARFExpression::Operation &Op : Expression) {
    if (Op.isError())
      return {};
    bool IsFirst = Count++ == 0;
    unsigned Code = Op.getCode();
    if (IsFirst && Code == dwarf::DW_OP_regx) {
      Place.Name = registerName(Op.getRawOperand(0));
      Place.Kind =
          Place.Name.empty() ? DebugPlace::Unknown : DebugPlace::Register;
    } else if (IsFirst && Code == dwarf::DW_OP_addr) {
      uint64_t Number = Op.getRawOperand(0) >> 32;
      if (Number == 0 || Number > Symbols.size())
        return {};
      Place.Kind = DebugPlace::Memory;
      Place.Name = Symbols[Number - 1].str();
      Place.Offset = uint32_t(Op.getRawOperand(0));
    } else if (auto Number = constantOf(Op); IsFirst && Number) {
      Place.Kind = DebugPlace::Constant;
      Place.Offset = *Number;
    } else if (Code == dwarf::DW_OP_plus_uconst &&
               Place.Kind == DebugPlace::Memory) {
      Place.Offset += int64_t(Op.getRawOperand(0));
    } else if (Code != dwarf::DW_OP_stack_value ||
               Place.Kind != DebugPlace::Constant) {
      return {};
    }
  }
  return Place;
}

/// The places of the pieces, behind each of which the expression says how many
/// bytes it has. One without a place is nowhere.
std::vector<DebugPlace> DebugInfo::decodePieces(ArrayRef<uint8_t> Bytes) const {
  std::vector<DebugPlace> Result;
  DataExtractor Data(toStringRef(Bytes), /*IsLittleEndian=*/true,
                     M.AddressSize / 8);
  uint64_t Begin = 0, Offset = 0, At = 0;
  for (const DWARFExpression::Operation &Op :
       DWARFExpression(Data, M.AddressSize / 8)) {
    if (Op.isError())
      return {};
    uint64_t OpBegin = std::exchange(At, Op.getEndOffset());
    if (Op.getCode() != dwarf::DW_OP_piece)
      continue;
    DebugPiece Piece{Offset, Op.getRawOperand(0)};
    Offset += Piece.Bytes;
    DebugPlace Place = decode(Bytes.slice(Begin, OpBegin - Begin));
    Begin = At;
    Place.Piece = Piece;
    if (Piece.Bytes && Place.Kind != DebugPlace::Unknown)
      Result.push_back(std::move(Place));
  }
  if (Begin == 0)
    Result.push_back(decode(Bytes));
  return Result;
}

DebugPlace DebugInfo::staticPlaceOf(const DWARFDie &Variable) const {
  auto Value = Variable.find(dwarf::DW_AT_location);
  auto Block = Value ? Value->getAsBlock() : std::nullopt;
  return Block ? decode(*Block) : DebugPlace();
}

std::vector<DebugPlace> DebugInfo::placesOf(const DWARFDie &Variable,
                                            ArrayRef<DebugRange> Scope) const {
  std::vector<DebugPlace> Result;
  auto Everywhere = [&](DebugPlace Place) {
    for (const DebugRange &R : Scope) {
      Place.Begin = R.Begin;
      Place.End = R.End;
      Result.push_back(Place);
    }
  };
  if (auto Value = Variable.find(dwarf::DW_AT_const_value)) {
    DebugPlace Place;
    auto Number = Value->getAsSignedConstant();
    auto Unsigned = Value->getAsUnsignedConstant();
    if (Number || Unsigned) {
      Place.Kind = DebugPlace::Constant;
      Place.Offset = Number ? *Number : int64_t(*Unsigned);
    }
    Everywhere(Place);
    return Result;
  }
  if (auto Value = Variable.find(dwarf::DW_AT_location);
      Value && Value->getAsBlock()) {
    for (const DebugPlace &Place : decodePieces(*Value->getAsBlock()))
      Everywhere(Place);
    return Result;
  }
  auto Value = Variable.find(dwarf::DW_AT_location);
  std::optional<uint64_t> At =
      Value ? Value->getAsSectionOffset() : std::nullopt;
  if (!At)
    return Result;
  // Addresses are labels in PTX, and relative to nothing. Compilers leave the
  // unit's own away, without which the library resolves none.
  uint64_t Offset = *At;
  Error Failed = Variable.getDwarfUnit()->getLocationTable().visitLocationList(
      &Offset, [&](const DWARFLocationEntry &E) {
        if (E.Kind != dwarf::DW_LLE_offset_pair &&
            E.Kind != dwarf::DW_LLE_start_end)
          return true;
        for (DebugPlace &Place : decodePieces(E.Loc)) {
          Place.Begin = E.Value0;
          Place.End = E.Value1;
          Result.push_back(std::move(Place));
        }
        return true;
      });
  // What was read so far holds.
  consumeError(std::move(Failed));
  return Result;
}

/// Adds a variable, once for each piece that it is ever in.
static void addPieces(const DWARFDie &Die, std::vector<DebugPlace> Places,
                      std::vector<DebugVariable> &To) {
  DebugVariable V;
  V.Die = Die.getOffset();
  if (const char *Name = Die.getName(DINameKind::ShortName))
    V.Name = Name;
  MapVector<std::pair<uint64_t, uint64_t>, std::vector<DebugPlace>> ByPiece;
  for (DebugPlace &Place : Places)
    ByPiece[{Place.Piece.Offset, Place.Piece.Bytes}].push_back(
        std::move(Place));
  for (auto &[Piece, OfPiece] : ByPiece) {
    V.Piece = {Piece.first, Piece.second};
    V.Places = std::move(OfPiece);
    To.push_back(V);
  }
}

void DebugInfo::collect(const DWARFDie &Die,
                        const std::vector<DebugRange> &Scope,
                        std::vector<DebugVariable> &To) const {
  for (const DWARFDie &Child : Die.children()) {
    switch (Child.getTag()) {
    case dwarf::DW_TAG_formal_parameter:
    case dwarf::DW_TAG_variable:
      addPieces(Child, placesOf(Child, Scope), To);
      break;
    case dwarf::DW_TAG_lexical_block:
    case dwarf::DW_TAG_inlined_subroutine: {
      std::vector<DebugRange> Own = rangesOf(Child);
      collect(Child, Own.empty() ? Scope : Own, To);
      break;
    }
    default:
      break;
    }
  }
}

std::vector<DebugVariable> DebugInfo::variablesOf(StringRef Function) const {
  std::vector<DebugVariable> Result;
  if (DWARFDie Die = subprogramOf(Function))
    collect(Die, rangesOf(Die), Result);
  return Result;
}

} // namespace heddle::ptx
