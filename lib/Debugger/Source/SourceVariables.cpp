//===- SourceVariables.cpp - Variables of the source ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds variables by scopes, and evaluates their location expressions. What an
// expression does that is not known here makes the variable unavailable.
//
//===----------------------------------------------------------------------===//

#include "SourceVariables.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/DebugSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

using namespace llvm;

namespace heddle::debug {

PlaceReader::~PlaceReader() = default;

std::optional<DebugRegister> registerOf(uint64_t N) {
  // As HeddleRegisters.td numbers them.
  using File = emu::RegisterFile;
  if (N < 255)
    return DebugRegister{File::Vector, unsigned(N)};
  if (N >= 256 && N < 263)
    return DebugRegister{File::Predicate, unsigned(N - 256)};
  if (N >= 264 && N < 327)
    return DebugRegister{File::Uniform, unsigned(N - 264)};
  if (N >= 328 && N < 335)
    return DebugRegister{File::UniformPredicate, unsigned(N - 328)};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

static std::string nameOf(const DWARFDie &Die) {
  const char *Name = Die.getShortName();
  return Name ? Name : "";
}

static bool isIn(const DWARFDie &Die, uint64_t Address) {
  Expected<DWARFAddressRangesVector> Ranges = Die.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return false;
  }
  return any_of(*Ranges, [&](const DWARFAddressRange &R) {
    return R.LowPC <= Address && Address < R.HighPC;
  });
}

/// Whether a variable has one place for all threads of a block or more.
static bool isGlobal(const DWARFDie &Die) {
  auto Value = Die.find(dwarf::DW_AT_location);
  auto Block = Value ? Value->getAsBlock() : std::nullopt;
  return Block && !Block->empty() && Block->front() == dwarf::DW_OP_addr;
}

static void collect(const DWARFDie &Scope, uint64_t Address,
                    std::vector<SourceVariable> &To) {
  // Inner scopes come first.
  for (const DWARFDie &Child : Scope.children())
    if (Child.getTag() == dwarf::DW_TAG_lexical_block && isIn(Child, Address))
      collect(Child, Address, To);
  size_t Outer = To.size();
  for (const DWARFDie &Child : Scope.children()) {
    bool IsParameter = Child.getTag() == dwarf::DW_TAG_formal_parameter;
    if (!IsParameter && Child.getTag() != dwarf::DW_TAG_variable)
      continue;
    std::string Name = nameOf(Child);
    if (!Name.empty())
      To.push_back({std::move(Name), Child, IsParameter, isGlobal(Child)});
  }
  // The compiler has them in the order in which it gives them values.
  auto Order = [](const SourceVariable &V) {
    return std::pair(V.Die.getDeclLine(), V.Die.getOffset());
  };
  llvm::sort(To.begin() + Outer, To.end(),
             [&](const SourceVariable &A, const SourceVariable &B) {
               return Order(A) < Order(B);
             });
}

/// What only the abstract entry of a function has is nowhere in this copy.
static void collectAbstract(const DWARFDie &Scope,
                            std::vector<SourceVariable> &To) {
  std::vector<SourceVariable> Found = To;
  for (const DWARFDie &Child : Scope.children()) {
    if (Child.getTag() != dwarf::DW_TAG_formal_parameter &&
        Child.getTag() != dwarf::DW_TAG_variable)
      continue;
    std::string Name = nameOf(Child);
    bool IsKnown =
        any_of(Found, [&](const SourceVariable &V) { return V.Name == Name; });
    if (!IsKnown && !Name.empty())
      To.push_back({Name, Child,
                    Child.getTag() == dwarf::DW_TAG_formal_parameter,
                    isGlobal(Child)});
  }
}

std::vector<SourceVariable> SourceVariables::visible(const SourceFrames &In,
                                                     uint32_t Section,
                                                     uint64_t Offset,
                                                     size_t Frame) {
  std::vector<SourceVariable> Result;
  std::vector<DWARFDie> Entries = In.entries(Section, Offset);
  if (Frame >= Entries.size())
    return Result;
  const DWARFDie &Die = Entries[Frame];
  collect(Die, In.addressOf(Section, Offset), Result);
  if (DWARFDie Origin =
          Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin))
    collectAbstract(Origin, Result);
  return Result;
}

std::vector<SourceVariable> SourceVariables::globals(const SourceFrames &In) {
  std::vector<SourceVariable> Result;
  if (!In.dwarf())
    return Result;
  for (const auto &Unit : In.dwarf()->compile_units())
    for (const DWARFDebugInfoEntry &Entry : Unit->dies()) {
      DWARFDie Die(Unit.get(), &Entry);
      if (Die.getTag() != dwarf::DW_TAG_variable || !isGlobal(Die))
        continue;
      dwarf::Tag Parent = Die.getParent().getTag();
      if (Parent == dwarf::DW_TAG_compile_unit ||
          Parent == dwarf::DW_TAG_namespace)
        Result.push_back({qualifiedName(Die), Die, false, true});
    }
  return Result;
}

std::string SourceVariables::linkageName(const SourceVariable &V) {
  const char *Name = V.Die.getLinkageName();
  return Name ? Name : nameOf(V.Die);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {

/// The machine of location expressions.
class PlaceMachine {
public:
  PlaceMachine(PlaceReader &Reader, bool HasFrame)
      : Reader(Reader), HasFrame(HasFrame) {}

  std::vector<VariablePart> run(ArrayRef<uint8_t> Bytes);

private:
  bool step(const DWARFExpression::Operation &Op);
  bool pushConstant(const DWARFExpression::Operation &Op);
  bool apply(uint8_t Code);
  bool pushRegister(uint64_t Number, int64_t Offset);
  bool dereference(unsigned Bytes);
  void endPart(uint64_t Bytes);
  std::optional<uint64_t> pop() {
    if (Stack.empty())
      return std::nullopt;
    return Stack.pop_back_val();
  }

  PlaceReader &Reader;
  const bool HasFrame;
  SmallVector<uint64_t> Stack;
  VariablePart Now;
  bool IsMemory = true; ///< What is left on the stack is an address.
  MemorySpace Space = MemorySpace::Local;
  std::vector<VariablePart> Parts;
};

} // namespace

bool PlaceMachine::pushRegister(uint64_t Number, int64_t Offset) {
  auto R = registerOf(Number);
  if (!R || (R->File == emu::RegisterFile::Vector &&
             R->Number == isa::abi::StackPointer && !HasFrame))
    return false;
  auto Value = Reader.readRegister(*R);
  if (!Value)
    return false;
  // A register has 32 bits, and so has an address in local memory.
  Stack.push_back(uint32_t(*Value + uint64_t(Offset)));
  return true;
}

bool PlaceMachine::dereference(unsigned Bytes) {
  auto Address = pop();
  auto Value =
      Address ? Reader.readMemory(Space, *Address, Bytes) : std::nullopt;
  if (Value)
    Stack.push_back(*Value);
  return Value.has_value();
}

bool PlaceMachine::pushConstant(const DWARFExpression::Operation &Op) {
  uint8_t Code = Op.getCode();
  if (Code >= dwarf::DW_OP_lit0 && Code <= dwarf::DW_OP_lit31) {
    Stack.push_back(Code - dwarf::DW_OP_lit0);
    return true;
  }
  bool IsConstant =
      (Code >= dwarf::DW_OP_const1u && Code <= dwarf::DW_OP_consts) ||
      Code == dwarf::DW_OP_addr;
  if (IsConstant)
    Stack.push_back(Op.getRawOperand(0));
  return IsConstant;
}

/// Operations on two numbers.
bool PlaceMachine::apply(uint8_t Code) {
  auto B = pop(), A = pop();
  if (!A || !B)
    return false;
  switch (Code) {
  case dwarf::DW_OP_plus:
    *A += *B;
    break;
  case dwarf::DW_OP_minus:
    *A -= *B;
    break;
  case dwarf::DW_OP_mul:
    *A *= *B;
    break;
  case dwarf::DW_OP_and:
    *A &= *B;
    break;
  case dwarf::DW_OP_or:
    *A |= *B;
    break;
  case dwarf::DW_OP_xor:
    *A ^= *B;
    break;
  case dwarf::DW_OP_shl:
    *A = *B < 64 ? *A << *B : 0;
    break;
  case dwarf::DW_OP_shr:
    *A = *B < 64 ? *A >> *B : 0;
    break;
  default:
    return false;
  }
  Stack.push_back(*A);
  return true;
}

MemorySpace spaceOfClass(uint64_t Class) {
  switch (DebugSpace(Class)) {
  case DebugSpace::Const:
    return MemorySpace::Constant;
  case DebugSpace::Local:
    return MemorySpace::Local;
  case DebugSpace::Param:
    return MemorySpace::Param;
  case DebugSpace::Shared:
    return MemorySpace::Shared;
  default:
    return MemorySpace::Generic;
  }
}

void PlaceMachine::endPart(uint64_t Bytes) {
  if (Now.Kind == VariablePart::Nowhere && !Stack.empty()) {
    Now.Kind = IsMemory ? VariablePart::Memory : VariablePart::Constant;
    Now.Space = Space;
    Now.Address = Stack.back();
  }
  Now.Bytes = Bytes;
  Parts.push_back(Now);
  Now = {};
  Stack.clear();
  IsMemory = true;
  Space = MemorySpace::Local;
}

bool PlaceMachine::step(const DWARFExpression::Operation &Op) {
  uint8_t Code = Op.getCode();
  if (pushConstant(Op))
    return true;
  if (Code >= dwarf::DW_OP_breg0 && Code <= dwarf::DW_OP_breg31)
    return pushRegister(Code - dwarf::DW_OP_breg0,
                        int64_t(Op.getRawOperand(0)));
  bool IsShort = Code >= dwarf::DW_OP_reg0 && Code <= dwarf::DW_OP_reg31;
  if (IsShort || Code == dwarf::DW_OP_regx) {
    auto R =
        registerOf(IsShort ? Code - dwarf::DW_OP_reg0 : Op.getRawOperand(0));
    if (!R)
      return false;
    Now.Kind = VariablePart::Register;
    Now.Reg = *R;
    return true;
  }
  switch (Code) {
  case dwarf::DW_OP_bregx:
    return pushRegister(Op.getRawOperand(0), int64_t(Op.getRawOperand(1)));
  case dwarf::DW_OP_fbreg:
    return pushRegister(isa::abi::StackPointer, int64_t(Op.getRawOperand(0)));
  case dwarf::DW_OP_plus_uconst:
    if (Stack.empty())
      return false;
    Stack.back() += Op.getRawOperand(0);
    return true;
  case dwarf::DW_OP_deref:
    return dereference(4);
  case dwarf::DW_OP_stack_value:
    // Behind a place in a space it says nothing that the space does not.
    IsMemory = IsMemory && Space != MemorySpace::Local;
    return true;
  case dwarf::DW_OP_swap:
    if (Stack.size() < 2)
      return false;
    std::swap(Stack.back(), Stack[Stack.size() - 2]);
    return true;
  case dwarf::DW_OP_xderef: {
    // The address, and behind it the space: together they are the place.
    auto Address = pop(), Class = pop();
    if (!Address || !Class)
      return false;
    Stack.push_back(*Address);
    Space = spaceOfClass(*Class);
    return true;
  }
  case dwarf::DW_OP_piece:
    endPart(Op.getRawOperand(0));
    return true;
  default:
    return apply(Code);
  }
}

std::vector<VariablePart> PlaceMachine::run(ArrayRef<uint8_t> Bytes) {
  DataExtractor Data(toStringRef(Bytes), /*IsLittleEndian=*/true,
                     sizeof(uint64_t));
  bool HasOnlyConstant = true;
  for (const DWARFExpression::Operation &Op :
       DWARFExpression(Data, sizeof(uint64_t))) {
    if (Op.isError() || !step(Op))
      return {};
    uint8_t Code = Op.getCode();
    HasOnlyConstant &=
        (Code >= dwarf::DW_OP_const1u && Code <= dwarf::DW_OP_consts) ||
        (Code >= dwarf::DW_OP_lit0 && Code <= dwarf::DW_OP_lit31);
  }
  // Old DWARF has no mark for a value that is no address.
  if (HasOnlyConstant)
    IsMemory = false;
  if (Parts.empty())
    endPart(0);
  return std::move(Parts);
}

namespace {

/// Without a thread there are neither registers nor memory.
class NoThread : public PlaceReader {
public:
  std::optional<uint32_t> readRegister(DebugRegister) override {
    return std::nullopt;
  }
  std::optional<uint64_t> readMemory(MemorySpace, uint64_t, unsigned) override {
    return std::nullopt;
  }
};

} // namespace

bool SourceVariables::isShared(const SourceVariable &V) {
  auto Value = V.Die.find(dwarf::DW_AT_location);
  auto Block = Value ? Value->getAsBlock() : std::nullopt;
  if (!Block)
    return false;
  NoThread Reader;
  std::vector<VariablePart> Parts =
      PlaceMachine(Reader, /*HasFrame=*/false).run(*Block);
  return Parts.size() == 1 && Parts.front().Space == MemorySpace::Shared;
}

std::vector<VariablePart> SourceVariables::locate(const SourceFrames &In,
                                                  const SourceVariable &V,
                                                  uint32_t Section,
                                                  uint64_t Offset,
                                                  PlaceReader &Reader) {
  if (auto Value = V.Die.find(dwarf::DW_AT_const_value)) {
    VariablePart Part;
    Part.Kind = VariablePart::Constant;
    auto Signed = Value->getAsSignedConstant();
    auto Unsigned = Value->getAsUnsignedConstant();
    if (!Signed && !Unsigned)
      return {};
    Part.Address = Signed ? uint64_t(*Signed) : *Unsigned;
    return {Part};
  }
  Expected<DWARFLocationExpressionsVector> Places =
      V.Die.getLocations(dwarf::DW_AT_location);
  if (!Places) {
    consumeError(Places.takeError());
    return {};
  }
  uint64_t Address = In.addressOf(Section, Offset);
  for (const DWARFLocationExpression &L : *Places) {
    if (L.Range && !(L.Range->LowPC <= Address && Address < L.Range->HighPC))
      continue;
    // One place for all of the function counts from where the frame is made.
    bool HasFrame = L.Range || !In.isInPrologue(Section, Offset);
    return PlaceMachine(Reader, HasFrame).run(L.Expr);
  }
  return {};
}

} // namespace heddle::debug
