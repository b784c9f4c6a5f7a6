//===- SourceTypes.cpp - Types of the source --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the debugger's types of entries of .debug_info.
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "SourceVariables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

using namespace llvm;

namespace heddle::debug {

static uint64_t numberOf(const DWARFDie &Die, dwarf::Attribute Attr,
                         uint64_t Default = 0) {
  auto Value = Die.find(Attr);
  if (!Value)
    return Default;
  if (auto Number = Value->getAsUnsignedConstant())
    return *Number;
  return uint64_t(Value->getAsSignedConstant().value_or(int64_t(Default)));
}

static std::string nameOf(const DWARFDie &Die) {
  const char *Name = Die.getShortName();
  return Name ? Name : "";
}

std::string qualifiedName(const DWARFDie &Die) {
  std::string Name = sourceName(nameOf(Die));
  bool IsWhole = Name != nameOf(Die); // Mangled names are.
  for (DWARFDie Scope = Die.getParent(); Scope && !IsWhole && !Name.empty();
       Scope = Scope.getParent()) {
    dwarf::Tag Tag = Scope.getTag();
    bool IsScope =
        Tag == dwarf::DW_TAG_namespace || Tag == dwarf::DW_TAG_structure_type ||
        Tag == dwarf::DW_TAG_class_type || Tag == dwarf::DW_TAG_union_type;
    if (!IsScope)
      break;
    std::string Outer = nameOf(Scope);
    Name = (Outer.empty() ? "(anonymous namespace)" : Outer) + "::" + Name;
  }
  return Name;
}

/// nvcc has a name of its own for a union or a structure without one.
static bool isUnnamed(const DWARFDie &Die) {
  std::string Whole = nameOf(Die);
  StringRef Name = Whole;
  return Name.consume_front("__C") && !Name.empty() && all_of(Name, isDigit);
}

std::string enumeratorName(const DWARFDie &Enumeration,
                           const DWARFDie &Enumerator) {
  std::string Name = nameOf(Enumerator);
  if (sourceName(Name) != Name)
    return sourceName(Name);
  if (Enumeration.find(dwarf::DW_AT_enum_class))
    return qualifiedName(Enumeration) + "::" + Name;
  std::string Scope = qualifiedName(Enumeration);
  size_t End = Scope.rfind("::");
  return End == std::string::npos ? Name : Scope.substr(0, End + 2) + Name;
}

const Type *SourceVariables::typeOf(const SourceVariable &V, TypePool &Types) {
  return attributeType(V.Die, Types);
}

const Type *SourceVariables::attributeType(const DWARFDie &User,
                                           TypePool &Types) {
  DWARFDie Die = User.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
  if (!Die)
    if (DWARFDie Origin =
            User.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin))
      Die = Origin.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
  return Die ? type(Die, Types) : Types.VoidType;
}

const Type *SourceVariables::type(const DWARFDie &Die, TypePool &Types) {
  // A circle that no structure ends has no type.
  auto [It, IsNew] = Known.try_emplace(Die.getOffset(), Types.VoidType);
  if (!IsNew)
    return It->second;
  const Type *T = makeType(Die, Types);
  Known[Die.getOffset()] = T;
  return T;
}

/// The same type under another name. A structure that is still being made gets
/// its members later: `struct Node { const Node *Next; }`.
Type *SourceVariables::renamed(const Type *T, std::string Name,
                               TypePool &Types) {
  Type Copy = *T;
  Copy.Name = std::move(Name);
  Copy.Aliased = nullptr;
  Type *Result = Types.add(std::move(Copy));
  if (OpenRecords && T->Kind == Type::Struct)
    Unfinished.push_back({Result, T});
  return Result;
}

/// A typedef: the type of another name.
const Type *SourceVariables::makeAlias(const DWARFDie &Die, TypePool &Types) {
  const Type *Of = attributeType(Die, Types);
  Type *T = renamed(Of, qualifiedName(Die), Types);
  T->Aliased = Of;
  return T;
}

/// Of a function's type there are only pointers.
const Type *SourceVariables::makeFunction(const DWARFDie &Die,
                                          TypePool &Types) {
  Type T;
  T.Name = attributeType(Die, Types)->Name + " (";
  bool IsFirst = true;
  for (const DWARFDie &Child : Die.children())
    if (Child.getTag() == dwarf::DW_TAG_formal_parameter) {
      T.Name += (IsFirst ? "" : ", ") + attributeType(Child, Types)->Name;
      IsFirst = false;
    }
  T.Name += IsFirst ? "void)" : ")";
  return Types.add(std::move(T));
}

const Type *SourceVariables::makeBase(const DWARFDie &Die, TypePool &Types) {
  Type T;
  T.Name = nameOf(Die);
  T.Size = numberOf(Die, dwarf::DW_AT_byte_size);
  switch (numberOf(Die, dwarf::DW_AT_encoding)) {
  case dwarf::DW_ATE_float:
    T.Kind = Type::Float;
    T.IsBFloat = StringRef(T.Name).contains("bf");
    break;
  case dwarf::DW_ATE_boolean:
    T.Kind = Type::Integer;
    T.IsBool = true;
    break;
  case dwarf::DW_ATE_signed_char:
    T.IsChar = T.Signed = true;
    T.Kind = Type::Integer;
    break;
  case dwarf::DW_ATE_unsigned_char:
    T.IsChar = true;
    T.Kind = Type::Integer;
    break;
  case dwarf::DW_ATE_signed:
    T.Signed = true;
    T.Kind = Type::Integer;
    break;
  default:
    T.Kind = Type::Integer;
    break;
  }
  if (T.Size > 8 || T.Size == 0 ||
      (T.Kind == Type::Float && T.Size != 2 && T.Size != 4 && T.Size != 8)) {
    T.Kind = Type::Array; // Of bytes: no arithmetic has such numbers.
    T.Element = Types.find("u8");
    T.Count = T.Size;
  }
  return Types.add(std::move(T));
}

const Type *SourceVariables::makeArray(const DWARFDie &Die, TypePool &Types) {
  const Type *T = attributeType(Die, Types);
  SmallVector<uint64_t> Counts;
  for (const DWARFDie &Child : Die.children())
    if (Child.getTag() == dwarf::DW_TAG_subrange_type)
      Counts.push_back(Child.find(dwarf::DW_AT_upper_bound)
                           ? numberOf(Child, dwarf::DW_AT_upper_bound) + 1
                           : numberOf(Child, dwarf::DW_AT_count));
  for (uint64_t Count : reverse(Counts))
    T = Types.arrayOf(T, Count);
  return T;
}

const Type *SourceVariables::makeEnumeration(const DWARFDie &Die,
                                             TypePool &Types) {
  Type T;
  T.Kind = Type::Integer;
  T.Tag = "enum";
  T.Name = qualifiedName(Die);
  if (T.Name.empty())
    T.Name = "enum {...}";
  T.Size = numberOf(Die, dwarf::DW_AT_byte_size, 4);
  T.Signed =
      Die.find(dwarf::DW_AT_type) ? attributeType(Die, Types)->Signed : true;
  for (const DWARFDie &Child : Die.children())
    if (Child.getTag() == dwarf::DW_TAG_enumerator)
      T.Enumerators.push_back(
          {enumeratorName(Die, Child),
           int64_t(numberOf(Child, dwarf::DW_AT_const_value))});
  return Types.add(std::move(T));
}

const Type *SourceVariables::makeRecord(const DWARFDie &Die, TypePool &Types) {
  ++OpenRecords;
  Type *T = makeRecordItself(Die, Types);
  if (--OpenRecords == 0)
    for (auto [Copy, Of] : std::exchange(Unfinished, {})) {
      Copy->Fields = Of->Fields;
      Copy->AsNumber = Of->AsNumber;
    }
  return T;
}

Type *SourceVariables::makeRecordItself(const DWARFDie &Die, TypePool &Types) {
  Type *T = Types.add({});
  T->Kind = Type::Struct;
  T->Name = isUnnamed(Die) ? std::string() : qualifiedName(Die);
  T->Tag = Die.getTag() == dwarf::DW_TAG_union_type   ? "union"
           : Die.getTag() == dwarf::DW_TAG_class_type ? "class"
                                                      : "struct";
  if (T->Name.empty())
    T->Name = T->Tag + " {...}";
  // What computes with them are functions.
  if (is_contained({"__half", "__nv_bfloat16"}, T->Name))
    T->AsNumber = Types.find(T->Name);
  T->Size = numberOf(Die, dwarf::DW_AT_byte_size);
  Known[Die.getOffset()] = T; // Members may point to it.
  for (const DWARFDie &Child : Die.children()) {
    // nvcc makes members of what a structure derives from.
    bool IsBase = Child.getTag() == dwarf::DW_TAG_inheritance ||
                  StringRef(nameOf(Child)).starts_with("__b_");
    if (Child.getTag() != dwarf::DW_TAG_inheritance &&
        (Child.getTag() != dwarf::DW_TAG_member ||
         Child.find(dwarf::DW_AT_external)))
      continue;
    Type::Field F;
    F.Of = attributeType(Child, Types);
    F.Name = IsBase ? F.Of->Name : nameOf(Child);
    F.IsBase = IsBase;
    F.Offset = numberOf(Child, dwarf::DW_AT_data_member_location);
    F.Bits = numberOf(Child, dwarf::DW_AT_bit_size);
    if (F.Bits) {
      uint64_t First =
          Child.find(dwarf::DW_AT_data_bit_offset)
              ? numberOf(Child, dwarf::DW_AT_data_bit_offset)
              : 8 * (F.Offset +
                     numberOf(Child, dwarf::DW_AT_byte_size, F.Of->Size)) -
                    numberOf(Child, dwarf::DW_AT_bit_offset) - F.Bits;
      F.Offset = First / 8;
      F.FirstBit = First % 8;
    }
    if (F.Offset + (F.Bits ? 1 : F.Of->Size) <= T->Size &&
        F.FirstBit + F.Bits <= 64)
      T->Fields.push_back(std::move(F));
  }
  return T;
}

const Type *SourceVariables::makeType(const DWARFDie &Die, TypePool &Types) {
  switch (Die.getTag()) {
  case dwarf::DW_TAG_base_type:
    return makeBase(Die, Types);
  case dwarf::DW_TAG_pointer_type:
    return Types.pointerTo(
        attributeType(Die, Types),
        spaceOfClass(numberOf(Die, dwarf::DW_AT_address_class)));
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type: {
    Type T = *Types.pointerTo(attributeType(Die, Types));
    T.IsReference = true;
    T.Name = T.Element->Name +
             (Die.getTag() == dwarf::DW_TAG_reference_type ? " &" : " &&");
    return Types.add(std::move(T));
  }
  case dwarf::DW_TAG_const_type:
  case dwarf::DW_TAG_volatile_type: {
    const Type *T = attributeType(Die, Types);
    StringRef Word =
        Die.getTag() == dwarf::DW_TAG_const_type ? "const" : "volatile";
    return renamed(T,
                   T->Kind == Type::Pointer ? T->Name + " " + Word.str()
                                            : Word.str() + " " + T->Name,
                   Types);
  }
  case dwarf::DW_TAG_restrict_type:
    return attributeType(Die, Types);
  case dwarf::DW_TAG_typedef:
    return makeAlias(Die, Types);
  case dwarf::DW_TAG_subroutine_type:
    return makeFunction(Die, Types);
  case dwarf::DW_TAG_array_type:
    return makeArray(Die, Types);
  case dwarf::DW_TAG_enumeration_type:
    return makeEnumeration(Die, Types);
  case dwarf::DW_TAG_structure_type:
  case dwarf::DW_TAG_class_type:
  case dwarf::DW_TAG_union_type:
    return makeRecord(Die, Types);
  default:
    return Types.VoidType;
  }
}

} // namespace heddle::debug
