//===- Types.cpp - Types of the source as LLVM's metadata -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type may contain itself through pointers: records are entered before their
// members are made.
//
//===----------------------------------------------------------------------===//

#include "DebugMetadata/MetadataBuilder.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::lowering;

DIType *MetadataBuilder::typeOf(const DWARFDie &User) {
  DWARFDie Die = User.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
  if (!Die)
    if (DWARFDie Origin = originOf(User);
        Origin && Origin.getOffset() != User.getOffset())
      Die = Origin.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
  return Die ? type(Die) : nullptr;
}

DIType *MetadataBuilder::type(const DWARFDie &Die) {
  // While it is being made it is none, which ends a circle without a record.
  auto [It, IsNew] = Types.try_emplace(Die.getOffset(), nullptr);
  if (!IsNew)
    return It->second;
  DIType *T = makeType(Die);
  Types[Die.getOffset()] = T;
  return T;
}

DIScope *MetadataBuilder::scopeOf(const DWARFDie &Die) {
  DWARFDie Parent = Die.getParent();
  if (!Parent)
    return nullptr;
  switch (Parent.getTag()) {
  case dwarf::DW_TAG_namespace:
    return Builder.createNameSpace(scopeOf(Parent), nameOf(Parent), false);
  case dwarf::DW_TAG_structure_type:
  case dwarf::DW_TAG_class_type:
  case dwarf::DW_TAG_union_type:
    return type(Parent);
  case dwarf::DW_TAG_compile_unit:
    return unit(Parent);
  case dwarf::DW_TAG_subprogram:
    return subprogram(Parent);
  default:
    return scopeOf(Parent);
  }
}

static uint64_t bitsOf(const DWARFDie &Die) {
  return 8 * numberOf(Die, dwarf::DW_AT_byte_size);
}

DIType *MetadataBuilder::makeBasicType(const DWARFDie &Die) {
  return Builder.createBasicType(
      nameOf(Die), bitsOf(Die),
      numberOf(Die, dwarf::DW_AT_encoding, dwarf::DW_ATE_unsigned));
}

/// The dimensions of an array; an unknown one is -1.
static SmallVector<int64_t> dimensionsOf(const DWARFDie &Die) {
  SmallVector<int64_t> Result;
  for (const DWARFDie &Child : Die.children()) {
    if (Child.getTag() != dwarf::DW_TAG_subrange_type)
      continue;
    if (Child.find(dwarf::DW_AT_count))
      Result.push_back(int64_t(numberOf(Child, dwarf::DW_AT_count)));
    else if (Child.find(dwarf::DW_AT_upper_bound))
      Result.push_back(int64_t(numberOf(Child, dwarf::DW_AT_upper_bound)) + 1);
    else
      Result.push_back(-1);
  }
  return Result;
}

DIType *MetadataBuilder::makeArray(const DWARFDie &Die) {
  DIType *Element = typeOf(Die);
  uint64_t Bits = Element ? Element->getSizeInBits() : 0;
  // A typedef has no size of its own.
  for (DIType *T = Element; Bits == 0 && T;) {
    auto *Derived = dyn_cast<DIDerivedType>(T);
    T = Derived ? Derived->getBaseType() : nullptr;
    Bits = T ? T->getSizeInBits() : 0;
  }
  SmallVector<Metadata *> Subscripts;
  for (int64_t Count : dimensionsOf(Die)) {
    Subscripts.push_back(Builder.getOrCreateSubrange(0, Count));
    Bits *= Count < 0 ? 0 : Count;
  }
  return Builder.createArrayType(Bits, 0, Element,
                                 Builder.getOrCreateArray(Subscripts));
}

DIType *MetadataBuilder::makeEnumeration(const DWARFDie &Die) {
  SmallVector<Metadata *> Elements;
  for (const DWARFDie &Child : Die.children())
    if (Child.getTag() == dwarf::DW_TAG_enumerator)
      Elements.push_back(Builder.createEnumerator(
          nameOf(Child), numberOf(Child, dwarf::DW_AT_const_value)));
  return Builder.createEnumerationType(
      scopeOf(Die), nameOf(Die), file(numberOf(Die, dwarf::DW_AT_decl_file)),
      numberOf(Die, dwarf::DW_AT_decl_line), bitsOf(Die), 0,
      Builder.getOrCreateArray(Elements), typeOf(Die));
}

/// Bytes from the start of the record: a number, or in old DWARF an expression
/// that adds one.
static uint64_t memberOffset(const DWARFDie &Member) {
  auto Value = Member.find(dwarf::DW_AT_data_member_location);
  if (!Value)
    return 0;
  if (auto Block = Value->getAsBlock()) {
    if (Block->size() < 2 || Block->front() != dwarf::DW_OP_plus_uconst)
      return 0;
    return decodeULEB128(Block->data() + 1, nullptr,
                         Block->data() + Block->size());
  }
  return Value->getAsUnsignedConstant().value_or(0);
}

Metadata *MetadataBuilder::makeMember(const DWARFDie &Member,
                                      DICompositeType *Of) {
  DIType *T = typeOf(Member);
  uint64_t Offset = 8 * memberOffset(Member);
  if (Member.getTag() == dwarf::DW_TAG_inheritance)
    return Builder.createInheritance(Of, T, Offset, 0, DINode::FlagZero);
  DIFile *File = file(numberOf(Member, dwarf::DW_AT_decl_file));
  unsigned Line = numberOf(Member, dwarf::DW_AT_decl_line);
  if (!Member.find(dwarf::DW_AT_bit_size))
    return Builder.createMemberType(Of, nameOf(Member), File, Line,
                                    T ? T->getSizeInBits() : 0, 0, Offset,
                                    DINode::FlagZero, T);
  uint64_t Bits = numberOf(Member, dwarf::DW_AT_bit_size);
  uint64_t Storage = 8 * numberOf(Member, dwarf::DW_AT_byte_size,
                                  T ? T->getSizeInBits() / 8 : 4);
  // Old DWARF counts from the highest bit of the storage.
  uint64_t First =
      Member.find(dwarf::DW_AT_data_bit_offset)
          ? numberOf(Member, dwarf::DW_AT_data_bit_offset)
          : Offset + Storage - numberOf(Member, dwarf::DW_AT_bit_offset) - Bits;
  return Builder.createBitFieldMemberType(Of, nameOf(Member), File, Line, Bits,
                                          First, Offset, DINode::FlagZero, T);
}

DIType *MetadataBuilder::makeRecord(const DWARFDie &Die) {
  DIScope *Scope = scopeOf(Die);
  auto *Record = DICompositeType::getDistinct(
      context(), Die.getTag(), nameOf(Die),
      file(numberOf(Die, dwarf::DW_AT_decl_file)),
      numberOf(Die, dwarf::DW_AT_decl_line), Scope, nullptr, bitsOf(Die), 0, 0,
      Die.find(dwarf::DW_AT_declaration) ? DINode::FlagFwdDecl
                                         : DINode::FlagZero,
      nullptr, 0, std::nullopt, nullptr);
  Types[Die.getOffset()] = Record;
  SmallVector<Metadata *> Elements;
  for (const DWARFDie &Child : Die.children())
    if ((Child.getTag() == dwarf::DW_TAG_member &&
         !Child.find(dwarf::DW_AT_external)) ||
        Child.getTag() == dwarf::DW_TAG_inheritance)
      Elements.push_back(makeMember(Child, Record));
  Record->replaceElements(Builder.getOrCreateArray(Elements));
  DINodeArray Parameters = templateParameters(Die);
  if (!Parameters.empty())
    Record->replaceTemplateParams(
        DITemplateParameterArray(cast<MDTuple>(Parameters.get())));
  return Record;
}

DINodeArray MetadataBuilder::templateParameters(const DWARFDie &Die) {
  SmallVector<Metadata *> Result;
  for (const DWARFDie &Child : Die.children()) {
    if (Child.getTag() == dwarf::DW_TAG_template_type_parameter)
      Result.push_back(Builder.createTemplateTypeParameter(
          nullptr, nameOf(Child), typeOf(Child), false));
    if (Child.getTag() != dwarf::DW_TAG_template_value_parameter)
      continue;
    auto Value = Child.find(dwarf::DW_AT_const_value);
    // Compilers write the sign where the type has one.
    auto Number = Value ? Value->getAsUnsignedConstant() : std::nullopt;
    if (auto Signed = Value ? Value->getAsSignedConstant() : std::nullopt)
      Number = *Signed;
    Constant *C = Number
                      ? ConstantInt::get(Type::getInt64Ty(context()), *Number)
                      : nullptr;
    Result.push_back(Builder.createTemplateValueParameter(
        nullptr, nameOf(Child), typeOf(Child), false, C));
  }
  return Builder.getOrCreateArray(Result);
}

DISubroutineType *MetadataBuilder::makeSignature(const DWARFDie &Die) {
  SmallVector<Metadata *> Parts = {typeOf(Die)};
  for (const DWARFDie &Child : Die.children())
    if (Child.getTag() == dwarf::DW_TAG_formal_parameter)
      Parts.push_back(typeOf(Child));
  return Builder.createSubroutineType(Builder.getOrCreateTypeArray(Parts));
}

DIType *MetadataBuilder::makeType(const DWARFDie &Die) {
  constexpr uint64_t PointerBits = 64;
  switch (Die.getTag()) {
  case dwarf::DW_TAG_base_type:
    return makeBasicType(Die);
  case dwarf::DW_TAG_unspecified_type:
    return nameOf(Die) == "void" ? nullptr
                                 : Builder.createUnspecifiedType(nameOf(Die));
  case dwarf::DW_TAG_pointer_type: {
    uint64_t Space = numberOf(Die, dwarf::DW_AT_address_class,
                              uint64_t(ptx::DebugSpace::Generic));
    bool IsGeneric = Space == uint64_t(ptx::DebugSpace::Generic);
    return Builder.createPointerType(
        typeOf(Die), PointerBits, 0,
        IsGeneric ? std::nullopt : std::optional<unsigned>(Space), nameOf(Die));
  }
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type:
    return Builder.createReferenceType(Die.getTag(), typeOf(Die), PointerBits);
  case dwarf::DW_TAG_const_type:
  case dwarf::DW_TAG_volatile_type:
  case dwarf::DW_TAG_restrict_type:
    return Builder.createQualifiedType(Die.getTag(), typeOf(Die));
  case dwarf::DW_TAG_typedef:
    return Builder.createTypedef(
        typeOf(Die), nameOf(Die), file(numberOf(Die, dwarf::DW_AT_decl_file)),
        numberOf(Die, dwarf::DW_AT_decl_line), scopeOf(Die));
  case dwarf::DW_TAG_array_type:
    return makeArray(Die);
  case dwarf::DW_TAG_enumeration_type:
    return makeEnumeration(Die);
  case dwarf::DW_TAG_structure_type:
  case dwarf::DW_TAG_class_type:
  case dwarf::DW_TAG_union_type:
    return makeRecord(Die);
  case dwarf::DW_TAG_subroutine_type:
    return makeSignature(Die);
  default:
    return Builder.createUnspecifiedType(dwarf::TagString(Die.getTag()).str());
  }
}
