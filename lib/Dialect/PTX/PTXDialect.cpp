//===- PTXDialect.cpp - Dialect, types and locations of ptx -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect's attributes and operations, and answers questions
// about PTX types, parameter layout and locations.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/Support/Check.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxir;

#include "heddle/Dialect/PTX/PTXDialect.cpp.inc"

#include "heddle/Dialect/PTX/PTXEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace heddle::ptxir::detail {
struct PlaceAttrStorage : AttributeStorage {
  PlaceAttrStorage(const AbstractAttribute &Kind, StringAttr File,
                   unsigned Line, unsigned Column, LocationAttr Source)
      : File(File), Line(Line), Column(Column), Source(Source) {
    // Else the context's tables do so when they make an attribute.
    initializeAbstractAttribute(Kind);
  }
  StringAttr File;
  unsigned Line, Column;
  LocationAttr Source;
};
} // namespace heddle::ptxir::detail

#define GET_ATTRDEF_CLASSES
#include "heddle/Dialect/PTX/PTXAttrs.cpp.inc"

StringAttr PlaceAttr::getFile() const { return getImpl()->File; }
unsigned PlaceAttr::getLine() const { return getImpl()->Line; }
unsigned PlaceAttr::getColumn() const { return getImpl()->Column; }
LocationAttr PlaceAttr::getSource() const { return getImpl()->Source; }

PlaceAttr PlaceAttr::create(Arena &Memory, StringAttr File, unsigned Line,
                            unsigned Column, LocationAttr Source) {
  const auto &Kind =
      AbstractAttribute::lookup(PlaceAttr::getTypeID(), File.getContext());
  return PlaceAttr(
      new (Memory.Allocate<detail::PlaceAttrStorage>())
          detail::PlaceAttrStorage(Kind, File, Line, Column, Source));
}

void PlaceAttr::print(AsmPrinter &Printer) const {
  Printer << "<" << getFile() << ", " << getLine() << ", " << getColumn();
  if (getSource())
    Printer << ", " << getSource();
  Printer << ">";
}

mlir::Attribute PlaceAttr::parse(AsmParser &Parser, mlir::Type) {
  StringAttr File;
  unsigned Line, Column;
  LocationAttr Source;
  if (Parser.parseLess() || Parser.parseAttribute(File) ||
      Parser.parseComma() || Parser.parseInteger(Line) || Parser.parseComma() ||
      Parser.parseInteger(Column) ||
      (succeeded(Parser.parseOptionalComma()) &&
       Parser.parseAttribute(Source)) ||
      Parser.parseGreater())
    return {};
  auto *Dialect = Parser.getContext()->getLoadedDialect<PTXDialect>();
  return create(Dialect->newPlaces(), File, Line, Column, Source);
}

Arena &PTXDialect::newPlaces() {
  std::lock_guard Lock(PlacesMutex);
  return *Places.emplace_back(std::make_unique<Arena>());
}

void PTXDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "heddle/Dialect/PTX/PTXAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "heddle/Dialect/PTX/PTXOps.cpp.inc"
      >();
}

namespace {
enum class Class : uint8_t { Bits, Unsigned, Signed, Float };
struct TypeInfo {
  unsigned Width;
  Class Kind;
  bool Packed = false;
};

TypeInfo infoOf(ScalarType Ty) {
  using enum ScalarType;
  switch (Ty) {
  case Pred:
    return {1, Class::Bits};
  case B8:
    return {8, Class::Bits};
  case B16:
    return {16, Class::Bits};
  case B32:
    return {32, Class::Bits};
  case B64:
    return {64, Class::Bits};
  case B128:
    return {128, Class::Bits};
  case U8:
    return {8, Class::Unsigned};
  case U16:
    return {16, Class::Unsigned};
  case U32:
    return {32, Class::Unsigned};
  case U64:
    return {64, Class::Unsigned};
  case S8:
    return {8, Class::Signed};
  case S16:
    return {16, Class::Signed};
  case S32:
    return {32, Class::Signed};
  case S64:
    return {64, Class::Signed};
  case F16:
  case Bf16:
    return {16, Class::Float};
  case Tf32:
  case F32:
    return {32, Class::Float};
  case F64:
    return {64, Class::Float};
  case U16x2:
    return {32, Class::Unsigned, true};
  case S16x2:
    return {32, Class::Signed, true};
  case F16x2:
  case Bf16x2:
    return {32, Class::Float, true};
  case F32x2:
    return {64, Class::Float, true};
  case Texref:
  case Samplerref:
  case Surfref:
    return {64, Class::Bits};
  }
  HEDDLE_UNREACHABLE("all types are listed");
}
} // namespace

unsigned ptxir::bitWidth(ScalarType Ty) { return infoOf(Ty).Width; }
unsigned ptxir::bitWidth(mlir::Type Register) {
  return Register.getIntOrFloatBitWidth();
}
bool ptxir::isSigned(ScalarType Ty) { return infoOf(Ty).Kind == Class::Signed; }
bool ptxir::isInt(ScalarType Ty) {
  Class C = infoOf(Ty).Kind;
  return C == Class::Signed || C == Class::Unsigned;
}
bool ptxir::isBits(ScalarType Ty) { return infoOf(Ty).Kind == Class::Bits; }
bool ptxir::isFloat(ScalarType Ty) { return infoOf(Ty).Kind == Class::Float; }
bool ptxir::isPacked(ScalarType Ty) { return infoOf(Ty).Packed; }

uint64_t ptxir::sizeOf(EntryParamAttr Param) {
  return bitWidth(Param.getType()) / 8 *
         std::max<uint64_t>(Param.getCount(), 1);
}

llvm::SmallVector<uint64_t>
ptxir::layOutParams(llvm::ArrayRef<EntryParamAttr> Params) {
  llvm::SmallVector<uint64_t> Offsets;
  uint64_t End = 0;
  for (EntryParamAttr Param : Params) {
    Offsets.push_back(llvm::alignTo(End, Param.getAlignment()));
    End = Offsets.back() + sizeOf(Param);
  }
  return Offsets;
}

// In MLIR's kinds, an operation that .loc covers has FusedLoc [PTX place, .loc
// place].
static Location printable(Location Loc) {
  auto Place = dyn_cast<PlaceAttr>(Loc);
  if (!Place)
    return Loc;
  Location PTXLoc = getPTXLoc(Loc);
  if (!Place.getSource())
    return PTXLoc;
  return FusedLoc::get(Loc.getContext(), {PTXLoc, Location(Place.getSource())});
}

/// Changes the locations of all operations and block arguments.
template <typename FnT> static void changeLocations(Operation *Root, FnT Fn) {
  Root->walk([&](Operation *Op) {
    Op->setLoc(Fn(Op->getLoc()));
    for (Region &R : Op->getRegions())
      for (Block &B : R)
        for (BlockArgument Arg : B.getArguments())
          Arg.setLoc(Fn(Arg.getLoc()));
  });
}

void ptxir::replacePlaces(Operation *Root) { changeLocations(Root, printable); }

void ptxir::dropPlaces(Operation *Root) {
  Location Unknown = UnknownLoc::get(Root->getContext());
  changeLocations(
      Root, [&](Location Loc) { return isa<PlaceAttr>(Loc) ? Unknown : Loc; });
}

FileLineColLoc ptxir::getPTXLoc(Location Loc) {
  if (auto Place = dyn_cast<PlaceAttr>(Loc))
    return FileLineColLoc::get(Place.getFile(), Place.getLine(),
                               Place.getColumn());
  if (auto Fused = dyn_cast<FusedLoc>(Loc))
    return getPTXLoc(Fused.getLocations().front());
  if (auto File = dyn_cast<FileLineColLoc>(Loc))
    return File;
  return FileLineColLoc::get(Loc.getContext(), "<unknown>", 0, 0);
}

LocationAttr ptxir::getSourceLoc(Location Loc) {
  if (auto Place = dyn_cast<PlaceAttr>(Loc))
    return Place.getSource();
  auto Fused = dyn_cast<FusedLoc>(Loc);
  if (!Fused || Fused.getLocations().size() != 2)
    return {};
  return Fused.getLocations()[1];
}
