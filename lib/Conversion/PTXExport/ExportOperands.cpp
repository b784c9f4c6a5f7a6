//===- ExportOperands.cpp - Registers, constants and addresses --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of values. A constant or a symbol stands in an operand itself where
// the row of the table allows it, else it is moved to a register first.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxexport;

ptx::Type ptxexport::untypedOf(unsigned Bits) {
  switch (Bits) {
  case 1:
    return ptx::Type::Pred;
  case 8:
    return ptx::Type::B8;
  case 16:
    return ptx::Type::B16;
  case 32:
    return ptx::Type::B32;
  case 64:
    return ptx::Type::B64;
  default:
    return ptx::Type::B128;
  }
}

/// A register in the text of a body until all are named: \x01 number \x02.
std::string BodyExporter::mark(unsigned Class) {
  Mentioned.try_emplace(Class, Mentioned.size());
  return "\x01" + std::to_string(Class) + "\x02";
}

std::string BodyExporter::immediate(TypedAttr Value, ptx::Type Ty) {
  llvm::APInt Bits;
  if (auto Float = dyn_cast<FloatAttr>(Value))
    Bits = Float.getValue().bitcastToAPInt();
  else
    Bits = cast<IntegerAttr>(Value).getValue();
  uint64_t Pattern = Bits.zextOrTrunc(64).getZExtValue();
  bool IsFloat =
      isa<FloatAttr>(Value) || ptx::getTypeClass(Ty) == ptx::TypeClass::Float;
  bool TakesFloat = ptx::getTypeClass(Ty) == ptx::TypeClass::Float ||
                    ptx::getTypeClass(Ty) == ptx::TypeClass::Bits;
  if (IsFloat && TakesFloat && Bits.getBitWidth() == 32)
    return llvm::formatv("0f{0:X-8}", uint32_t(Pattern));
  if (IsFloat && TakesFloat && Bits.getBitWidth() == 64)
    return llvm::formatv("0d{0:X-16}", Pattern);
  if (ptx::getTypeClass(Ty) == ptx::TypeClass::UInt ||
      ptx::getTypeClass(Ty) == ptx::TypeClass::Pred)
    return std::to_string(Pattern);
  return std::to_string(Bits.sextOrTrunc(64).getSExtValue());
}

std::string BodyExporter::symbolName(Value V) {
  if (auto It = VariableNames.find(V); It != VariableNames.end())
    return It->second;
  if (auto Address = V.getDefiningOp<ptxir::AddrOfOp>())
    return Address.getSymbol().str();
  if (auto Param = V.getDefiningOp<ptxir::ParamAddrOp>()) {
    auto Entry = cast<ptxir::EntryOp>(Function);
    return cast<ptxir::EntryParamAttr>(Entry.getParams()[Param.getIndex()])
        .getName()
        .str();
  }
  return {};
}

std::string BodyExporter::inRegister(Value V) {
  if (!isNamed(V) && symbolName(V).empty())
    return reg(V);
  std::string Text = symbolName(V);
  auto Constant = V.getDefiningOp<ptxir::ConstantOp>();
  if (Constant)
    Text =
        immediate(Constant.getValue(), untypedOf(ptxir::bitWidth(V.getType())));
  std::string Register = temporary(V.getType());
  if (Constant && ptxir::bitWidth(V.getType()) > 64) {
    // No constant of PTX has more than 64 bits.
    llvm::APInt Bits = cast<IntegerAttr>(Constant.getValue()).getValue();
    Type I64 = IntegerType::get(V.getContext(), 64);
    std::string Low = temporary(I64), High = temporary(I64);
    line("mov.b64 " + Low + ", " +
         std::to_string(Bits.trunc(64).getSExtValue()) + ";");
    line("mov.b64 " + High + ", " +
         std::to_string(Bits.lshr(64).trunc(64).getSExtValue()) + ";");
    line("mov.b128 " + Register + ", {" + Low + ", " + High + "};");
    return Register;
  }
  std::vector<std::string> Moves;
  moveTo(Moves, Register, V.getType(), Text);
  for (const std::string &Move : Moves)
    line(Move);
  return Register;
}

/// A value as a source operand of type \p Ty, any type when there is none.
std::string BodyExporter::source(Value V, std::optional<ptx::Type> Ty,
                                 bool AddressOf) {
  auto Constant = V.getDefiningOp<ptxir::ConstantOp>();
  if (Constant && Ty && ptx::hasConstants(*Ty) &&
      ptxir::bitWidth(V.getType()) <= 64)
    return immediate(Constant.getValue(), *Ty);
  if (AddressOf)
    if (std::string Name = symbolName(V); !Name.empty())
      return Name;
  return inRegister(V);
}

static std::string withOffset(std::string Base, int64_t Offset) {
  if (Offset == 0)
    return Base;
  return Base + "+" + std::to_string(Offset); // PTX writes +-8.
}

/// A constant stands in a register: only .local has constant addresses.
std::string BodyExporter::address(Value Base, int64_t Offset) {
  std::string Name = symbolName(Base);
  return withOffset(Name.empty() ? inRegister(Base) : Name, Offset);
}

/// A move between registers, or of a constant or symbol, of any width.
void BodyExporter::moveTo(std::vector<std::string> &Out,
                          const std::string &Dest, Type Ty,
                          const std::string &Source) {
  switch (ptxir::bitWidth(Ty)) {
  case 1:
    Out.push_back("mov.pred " + Dest + ", " + Source + ";");
    return;
  case 8: // There is no mov of bytes.
    Out.push_back("cvt.u8.u8 " + Dest + ", " + Source + ";");
    return;
  default:
    Out.push_back(
        ("mov" + memoryTypeName(Ty) + " " + Dest + ", " + Source + ";").str());
  }
}

//===----------------------------------------------------------------------===//
// Registers of a function
//===----------------------------------------------------------------------===//

namespace {
/// How registers of a type are declared and named.
struct RegisterKind {
  StringLiteral Type;
  StringLiteral Prefix;
};
constexpr RegisterKind RegisterKinds[] = {
    {".pred", "%p"}, {".b8", "%rb"},  {".b16", "%rs"},
    {".f16", "%h"},  {".b32", "%r"},  {".f32", "%f"},
    {".b64", "%rd"}, {".f64", "%fd"}, {".b128", "%rq"}};
} // namespace

static unsigned kindOf(Type Ty) {
  if (Ty.isF16())
    return 3;
  if (Ty.isF32())
    return 5;
  if (Ty.isF64())
    return 7;
  switch (ptxir::bitWidth(Ty)) {
  case 1:
    return 0;
  case 8:
    return 1;
  case 16:
    return 2;
  case 32:
    return 4;
  case 64:
    return 6;
  default:
    return 8;
  }
}

StringRef ptxexport::registerTypeName(Type Ty) {
  return RegisterKinds[kindOf(Ty)].Type;
}

StringRef ptxexport::memoryTypeName(Type Ty) {
  if (Ty.isInteger(1))
    return ".b32";
  return Ty.isF16() ? ".b16" : registerTypeName(Ty);
}

unsigned ptxexport::registerOrder(Type Ty) { return kindOf(Ty); }

/// Replaces the marks of registers and labels by names, which are numbered in
/// the order of their first mention in the text.
void BodyExporter::finish(llvm::raw_ostream &OS) {
  llvm::DenseMap<unsigned, std::string> Names;
  unsigned Count[std::size(RegisterKinds)] = {};
  llvm::DenseSet<unsigned> UsedLabels = NeededLabels;
  auto EachMark = [](StringRef Text, char Open, char Close, auto Fn) {
    for (size_t At = Text.find(Open); At != StringRef::npos;
         At = Text.find(Open, At + 1)) {
      unsigned Number;
      if (!Text.slice(At + 1, Text.find(Close, At)).getAsInteger(10, Number))
        Fn(Number);
    }
  };
  for (const Line &L : Lines) {
    EachMark(L.Text, '\x01', '\x02', [&](unsigned Class) {
      auto [It, New] = Names.try_emplace(Class);
      if (!New)
        return;
      unsigned Kind = kindOf(Registers.typeOf(Class));
      It->second = (RegisterKinds[Kind].Prefix + Twine(++Count[Kind])).str();
    });
    EachMark(L.Text, '\x03', '\x04',
             [&](unsigned Label) { UsedLabels.insert(Label); });
  }
  llvm::DenseMap<unsigned, std::string> LabelNames = GivenNames;
  std::string LabelBase = (M.labelPrefix() + Twine(M.NumFunctions) + "_").str();
  NextName[LabelBase] = 1;
  for (const Line &L : Lines)
    if (L.Label != NoLabel && UsedLabels.contains(L.Label) &&
        !LabelNames.contains(L.Label))
      LabelNames[L.Label] = freshName(LabelBase);
  for (auto [Kind, N] : llvm::zip(RegisterKinds, Count))
    if (N != 0)
      OS << "\t.reg " << Kind.Type << " \t" << Kind.Prefix << '<' << N + 1
         << ">;\n";
  for (const Line &L : Lines) {
    if (L.Label != NoLabel) {
      if (UsedLabels.contains(L.Label))
        OS << LabelNames[L.Label] << ":\n";
      continue;
    }
    StringRef Rest = L.Text;
    for (size_t At; (At = Rest.find_first_of("\x01\x03")) != StringRef::npos;) {
      bool IsRegister = Rest[At] == '\x01';
      size_t End = Rest.find(IsRegister ? '\x02' : '\x04', At);
      unsigned Number = 0;
      (void)Rest.slice(At + 1, End).getAsInteger(10, Number);
      OS << Rest.take_front(At)
         << (IsRegister ? Names[Number] : LabelNames[Number]);
      Rest = Rest.drop_front(End + 1);
    }
    OS << Rest << '\n';
  }
}
