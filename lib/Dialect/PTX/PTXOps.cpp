//===- PTXOps.cpp - Operations of the ptx dialect ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, branch interfaces, and the syntax that declarative formats cannot
// express.
//
//===----------------------------------------------------------------------===//

#include "InstSyntax.h"
#include "heddle/Dialect/PTX/PTX.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxir;

//===----------------------------------------------------------------------===//
// Helpers for verifiers
//===----------------------------------------------------------------------===//

static LogicalResult wantWidth(Operation *Op, Value V, unsigned Width,
                               StringRef What) {
  if (bitWidth(V.getType()) == Width)
    return success();
  return Op->emitOpError() << What << " must have " << Width << " bits, but is "
                           << V.getType();
}

LogicalResult ptxir::detail::verifyUniformWidth(Operation *Op, ScalarType Ty) {
  for (Value V : Op->getOperands())
    if (failed(wantWidth(Op, V, bitWidth(Ty), "operand")))
      return failure();
  for (Value V : Op->getResults())
    if (failed(wantWidth(Op, V, bitWidth(Ty), "result")))
      return failure();
  return success();
}

static LogicalResult verifyWidths(Operation *Op, ValueRange Values,
                                  unsigned Width, StringRef What) {
  for (Value V : Values)
    if (failed(wantWidth(Op, V, Width, What)))
      return failure();
  return success();
}

/// Registers of loads, stores and conversions may be wider than the type.
static LogicalResult verifyHolds(Operation *Op, ValueRange Values,
                                 ScalarType Ty, StringRef What) {
  for (Value V : Values)
    if (bitWidth(V.getType()) < bitWidth(Ty))
      return Op->emitOpError() << What << " of type " << V.getType()
                               << " cannot hold a ." << stringifyEnum(Ty);
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// mul and mad: with .wide the result, and c, have twice the operands' width.
static LogicalResult verifyProduct(Operation *Op, ScalarType Ty, MulMode Mode,
                                   Value A, Value B, ValueRange Wides) {
  if (isFloat(Ty) && Mode != MulMode::None)
    return Op->emitOpError("a floating-point product has no .lo, .hi or .wide");
  if (isInt(Ty) && !isPacked(Ty) && Mode == MulMode::None)
    return Op->emitOpError("an integer product needs .lo, .hi or .wide");
  unsigned Width = bitWidth(Ty);
  if (Mode == MulMode::Wide && Width > 32)
    return Op->emitOpError(".wide takes 16- and 32-bit types");
  if (failed(verifyWidths(Op, {A, B}, Width, "operand")))
    return failure();
  return verifyWidths(Op, Wides, Mode == MulMode::Wide ? 2 * Width : Width,
                      "result or addend");
}

LogicalResult MulOp::verify() {
  return verifyProduct(*this, getTy(), getMode(), getA(), getB(), {getD()});
}
LogicalResult MadOp::verify() {
  return verifyProduct(*this, getTy(), getMode(), getA(), getB(),
                       {getC(), getD()});
}

LogicalResult TestpOp::verify() {
  return wantWidth(*this, getA(), bitWidth(getTy()), "operand");
}

static LogicalResult verifyCarry(Operation *Op, ScalarType Ty,
                                 ValueRange Registers) {
  if (bitWidth(Ty) != 32 && bitWidth(Ty) != 64)
    return Op->emitOpError("extended precision takes 32- and 64-bit types");
  return verifyWidths(Op, Registers, bitWidth(Ty), "register");
}
LogicalResult AddCarryOp::verify() {
  return verifyCarry(*this, getTy(), {getA(), getB(), getD()});
}
LogicalResult SubCarryOp::verify() {
  return verifyCarry(*this, getTy(), {getA(), getB(), getD()});
}
LogicalResult MadCarryOp::verify() {
  if (getMode() != MulMode::Lo && getMode() != MulMode::Hi)
    return emitOpError("needs .lo or .hi");
  return verifyCarry(*this, getTy(), {getA(), getB(), getC(), getD()});
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyCount(OpT Op) {
  unsigned Width = bitWidth(Op.getTy());
  if (Width != 32 && Width != 64)
    return Op.emitOpError("takes 32- and 64-bit types");
  if (failed(wantWidth(Op, Op.getA(), Width, "operand")))
    return failure();
  return wantWidth(Op, Op.getD(), 32, "result");
}
LogicalResult PopcOp::verify() { return verifyCount(*this); }
LogicalResult ClzOp::verify() { return verifyCount(*this); }
LogicalResult BfindOp::verify() { return verifyCount(*this); }

LogicalResult BfeOp::verify() {
  return verifyWidths(*this, {getA(), getD()}, bitWidth(getTy()), "register");
}
LogicalResult BfiOp::verify() {
  return verifyWidths(*this, {getA(), getB(), getD()}, bitWidth(getTy()),
                      "register");
}
LogicalResult ShlOp::verify() {
  return verifyWidths(*this, {getA(), getD()}, bitWidth(getTy()), "register");
}
LogicalResult ShrOp::verify() {
  if (isFloat(getTy()))
    return emitOpError("takes integer and untyped operands");
  return verifyWidths(*this, {getA(), getD()}, bitWidth(getTy()), "register");
}

//===----------------------------------------------------------------------===//
// Comparison, selection, moves
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyBoolOp(OpT Op) {
  if ((Op.getBoolop() == BoolOp::None) == bool(Op.getC()))
    return Op.emitOpError("a predicate operand and its operation go together");
  return success();
}

static bool isUnsignedOnly(Cmp C) {
  return C == Cmp::Lo || C == Cmp::Ls || C == Cmp::Hi || C == Cmp::Hs;
}
static bool isFloatOnly(Cmp C) { return C >= Cmp::Equ; }

static LogicalResult verifyCmp(Operation *Op, Cmp C, ScalarType Ty) {
  bool EqNe = C == Cmp::Eq || C == Cmp::Ne;
  if ((isFloatOnly(C) && !isFloat(Ty)) ||
      (isUnsignedOnly(C) && (isFloat(Ty) || isSigned(Ty))) ||
      (isBits(Ty) && !EqNe && !isUnsignedOnly(C)))
    return Op->emitOpError() << "." << stringifyEnum(C) << " does not compare ."
                             << stringifyEnum(Ty);
  return success();
}

LogicalResult SetpOp::verify() {
  if (failed(verifyBoolOp(*this)) ||
      failed(verifyCmp(*this, getCmp(), getTy())))
    return failure();
  return verifyWidths(*this, {getA(), getB()}, bitWidth(getTy()), "operand");
}
LogicalResult SetOp::verify() {
  if (failed(verifyBoolOp(*this)) ||
      failed(verifyCmp(*this, getCmp(), getSty())))
    return failure();
  if (failed(wantWidth(*this, getD(), bitWidth(getTy()), "result")))
    return failure();
  return verifyWidths(*this, {getA(), getB()}, bitWidth(getSty()), "operand");
}
LogicalResult SelpOp::verify() {
  return verifyWidths(*this, {getA(), getB(), getD()}, bitWidth(getTy()),
                      "register");
}
LogicalResult SlctOp::verify() {
  if (getSty() != ScalarType::S32 && getSty() != ScalarType::F32)
    return emitOpError("selects by an .s32 or .f32");
  if (failed(wantWidth(*this, getC(), 32, "selector")))
    return failure();
  return verifyWidths(*this, {getA(), getB(), getD()}, bitWidth(getTy()),
                      "register");
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

static LogicalResult verifyParts(Operation *Op, ValueRange Parts, Value Whole,
                                 ScalarType Ty) {
  unsigned Sum = 0;
  for (Value Part : Parts)
    Sum += bitWidth(Part.getType());
  if (Parts.size() < 2 || Sum != bitWidth(Ty))
    return Op->emitOpError()
           << "parts have " << Sum << " bits, the type " << bitWidth(Ty);
  return wantWidth(Op, Whole, bitWidth(Ty), "register");
}
LogicalResult PackOp::verify() {
  return verifyParts(*this, getParts(), getD(), getTy());
}
LogicalResult UnpackOp::verify() {
  return verifyParts(*this, getParts(), getA(), getTy());
}

LogicalResult CvtOp::verify() {
  if (getB() && bitWidth(getTy()) < 16)
    return emitOpError("two operands need a packed result type");
  if (failed(verifyHolds(*this, {getA()}, getSty(), "operand")))
    return failure();
  return verifyHolds(*this, {getD()}, getTy(), "result");
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

LogicalResult AddrOfOp::verifySymbolUses(SymbolTableCollection &Tables) {
  Operation *Symbol = Tables.lookupNearestSymbolFrom(*this, getSymbolAttr());
  if (!isa_and_present<GlobalOp, FuncOp, EntryOp>(Symbol))
    return emitOpError() << getSymbolAttr() << " is not a variable or function";
  return success();
}

LogicalResult ParamAddrOp::verify() {
  auto Entry = (*this)->getParentOfType<EntryOp>();
  if (getIndex() >= Entry.getParams().size())
    return emitOpError() << "there is no parameter " << getIndex();
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static LogicalResult verifyOrder(Operation *Op, MemSem Sem, Scope S) {
  bool Scoped = Sem != MemSem::Weak && Sem != MemSem::Volatile;
  if (Scoped != (S != Scope::None))
    return Op->emitOpError("a scope goes with an ordering, and only with one");
  return success();
}

template <typename OpT> static LogicalResult verifyAccess(OpT Op) {
  size_t N = Op.getValues().size();
  if (N != 1 && N != 2 && N != 4 && N != 8)
    return Op.emitOpError("accesses 1, 2, 4 or 8 registers");
  if (failed(verifyOrder(Op, Op.getSem(), Op.getScope())))
    return failure();
  return verifyHolds(Op, Op.getValues(), Op.getTy(), "register");
}

LogicalResult LdOp::verify() {
  if (getNc() && getSem() != MemSem::Weak)
    return emitOpError(".nc takes no ordering");
  return verifyAccess(*this);
}
LogicalResult StOp::verify() { return verifyAccess(*this); }

LogicalResult AtomOp::verify() {
  if ((getKind() == AtomKind::Cas) != bool(getC()))
    return emitOpError("cas, and only cas, takes a third operand");
  if (getC() && failed(wantWidth(*this, getC(), bitWidth(getTy()), "operand")))
    return failure();
  return verifyWidths(*this, {getB(), getD()}, bitWidth(getTy()), "register");
}
LogicalResult RedOp::verify() {
  if (getKind() == AtomKind::Cas || getKind() == AtomKind::Exch)
    return emitOpError("has no cas and no exch");
  return wantWidth(*this, getB(), bitWidth(getTy()), "operand");
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

LogicalResult ShflOp::verify() {
  return verifyWidths(*this, {getA(), getD()}, 32, "register");
}
LogicalResult VoteOp::verify() {
  return wantWidth(*this, getD(), getMode() == VoteMode::Ballot ? 32 : 1,
                   "result");
}
LogicalResult BarrierOp::verify() {
  bool Reduces = getMode() >= BarrierMode::Red_popc;
  if (Reduces != bool(getPred()) || Reduces != bool(getD()))
    return emitOpError(
        "a reduction, and only one, has a predicate and a result");
  if (getMode() == BarrierMode::Arrive && !getCount())
    return emitOpError("arrive needs a thread count");
  if (!Reduces)
    return success();
  return wantWidth(*this, getD(), getMode() == BarrierMode::Red_popc ? 32 : 1,
                   "result");
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SuccessorOperands BraOp::getSuccessorOperands(unsigned) {
  return SuccessorOperands(getDestOperandsMutable());
}
SuccessorOperands CondBraOp::getSuccessorOperands(unsigned Index) {
  return SuccessorOperands(Index == 0 ? getTrueOperandsMutable()
                                      : getFalseOperandsMutable());
}
SuccessorOperands BrxOp::getSuccessorOperands(unsigned Index) {
  return SuccessorOperands(getDestOperandsMutable()[Index]);
}
LogicalResult BrxOp::verify() {
  if (getDests().empty())
    return emitOpError("needs a target");
  return success();
}

static ParseResult parseBrxTargets(
    OpAsmParser &Parser, SmallVectorImpl<Block *> &Dests,
    SmallVectorImpl<SmallVector<OpAsmParser::UnresolvedOperand>> &Operands,
    SmallVectorImpl<SmallVector<Type>> &Types) {
  return Parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
        auto &Ops = Operands.emplace_back();
        auto &Tys = Types.emplace_back();
        if (Parser.parseSuccessor(Dests.emplace_back()))
          return failure();
        if (failed(Parser.parseOptionalLParen()))
          return success();
        if (Parser.parseOperandList(Ops) || Parser.parseColonTypeList(Tys))
          return failure();
        return Parser.parseRParen();
      });
}

static void printBrxTargets(OpAsmPrinter &P, Operation *, SuccessorRange Dests,
                            OperandRangeRange Operands,
                            const TypeRangeRange &) {
  P << '[';
  llvm::interleaveComma(llvm::zip(Dests, Operands), P, [&](auto Pair) {
    auto [Dest, Ops] = Pair;
    P.printSuccessor(Dest);
    if (Ops.empty())
      return;
    P << '(' << Ops << " : " << Ops.getTypes() << ')';
  });
  P << ']';
}

LogicalResult RetOp::verify() {
  TypeRange Want;
  if (auto Func = dyn_cast<FuncOp>((*this)->getParentOp()))
    Want = Func.getResultTypes();
  if (TypeRange(getValues().getTypes()) != Want)
    return emitOpError("values do not match the function's results");
  return success();
}

//===----------------------------------------------------------------------===//
// Calls and functions
//===----------------------------------------------------------------------===//

static LogicalResult verifyAggregates(Operation *Op,
                                      std::optional<ArrayAttr> Aggregates,
                                      ValueRange Args) {
  if (!Aggregates)
    return success();
  if (Aggregates->size() != Args.size())
    return Op->emitOpError("aggregates need an element for each argument");
  for (auto [I, Attr] : llvm::enumerate(*Aggregates)) {
    auto Aggregate = dyn_cast<AggregateAttr>(Attr);
    if (!Aggregate && !isa<UnitAttr>(Attr))
      return Op->emitOpError("element of aggregates is of the wrong kind");
    if (Aggregate && Aggregate.getResult() && I != 0)
      return Op->emitOpError("only the first argument can be the result");
  }
  return success();
}

LogicalResult CallOp::verify() {
  return verifyAggregates(*this, getAggregates(), getArgs());
}
LogicalResult CallIndirectOp::verify() {
  return verifyAggregates(*this, getAggregates(), getArgs());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &Tables) {
  auto Func = Tables.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!Func)
    return emitOpError() << getCalleeAttr() << " is not a function";
  if (TypeRange(getArgs().getTypes()) != TypeRange(Func.getArgumentTypes()) ||
      TypeRange(getValues().getTypes()) != TypeRange(Func.getResultTypes()))
    return emitOpError() << "does not match the type of " << getCalleeAttr();
  return success();
}

ParseResult FuncOp::parse(OpAsmParser &Parser, OperationState &Result) {
  auto BuildType = [](Builder &B, ArrayRef<Type> Args, ArrayRef<Type> Results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return B.getFunctionType(Args, Results);
  };
  StringRef Keyword;
  if (succeeded(Parser.parseOptionalKeyword(
          &Keyword, {"visible", "external", "weak", "common"})))
    Result.addAttribute(
        getLinkageAttrName(Result.name),
        LinkageAttr::get(Parser.getContext(), *symbolizeLinkage(Keyword)));
  if (succeeded(Parser.parseOptionalKeyword("noreturn")))
    Result.addAttribute(getNoreturnAttrName(Result.name),
                        Parser.getBuilder().getUnitAttr());
  return function_interface_impl::parseFunctionOp(
      Parser, Result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(Result.name), BuildType,
      getArgAttrsAttrName(Result.name), getResAttrsAttrName(Result.name));
}

void FuncOp::print(OpAsmPrinter &P) {
  if (getLinkage() != Linkage::Internal)
    P << ' ' << stringifyEnum(getLinkage());
  if (getNoreturn())
    P << " noreturn";
  P << ' ';
  P.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      P, *this, getArgumentTypes(), /*isVariadic=*/false, getResultTypes());
  function_interface_impl::printFunctionAttributes(
      P, *this,
      {getFunctionTypeAttrName(), getArgAttrsAttrName(), getResAttrsAttrName(),
       getLinkageAttrName(), getNoreturnAttrName()});
  if (!getBody().empty()) {
    P << ' ';
    P.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  }
}

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

SmallVector<uint64_t> EntryOp::getParamOffsets() {
  SmallVector<EntryParamAttr> Params(getParams().getAsRange<EntryParamAttr>());
  return layOutParams(Params);
}

LogicalResult EntryOp::verify() {
  for (auto Param : getParams().getAsRange<EntryParamAttr>())
    if (!llvm::isPowerOf2_64(Param.getAlignment()))
      return emitOpError() << "alignment of parameter " << Param.getName()
                           << " is not a power of two";
  for (std::optional<ArrayRef<int32_t>> Extent :
       {getMaxntid(), getReqntid(), getReqnctapercluster()})
    if (Extent && Extent->size() != 3)
      return emitOpError("launch extents have three components");
  if (!getBody().empty() && getBody().getNumArguments() != 0)
    return emitOpError("an entry has no block arguments");
  return success();
}

LogicalResult AliasOp::verifySymbolUses(SymbolTableCollection &Tables) {
  if (Tables.lookupNearestSymbolFrom<FuncOp>(*this, getAliaseeAttr()))
    return success();
  return emitOpError() << getAliaseeAttr() << " is not a function";
}

LogicalResult GlobalOp::verify() {
  Space S = getSpace();
  if (S != Space::Global && S != Space::Const && S != Space::Shared)
    return emitOpError("variables are in .global, .const or .shared");
  if (!llvm::isPowerOf2_64(getAlignment()))
    return emitOpError("alignment is not a power of two");
  if (getUnified() && getUnified()->size() != 2)
    return emitOpError("an identifier has two halves");
  if (S == Space::Shared && (getInit() || getRelocs()))
    return emitOpError("a .shared variable has no initial value");
  if (getInit() && getInit()->size() > getSize())
    return emitOpError("initial value is longer than the variable");
  uint64_t Last = 0;
  if (auto Relocs = getRelocs())
    for (auto Reloc : Relocs->getAsRange<RelocAttr>()) {
      uint64_t End = Reloc.getOffset() + bitWidth(getTy()) / 8;
      if (Reloc.getMask() == 0 && bitWidth(getTy()) != 32 &&
          bitWidth(getTy()) != 64)
        return emitOpError("an address needs elements of 32 or 64 bits");
      if (Reloc.getOffset() < Last || End > getSize())
        return emitOpError("relocations overlap, are not in order, or lie "
                           "outside of the variable");
      Last = End;
    }
  return success();
}

#define GET_OP_CLASSES
#include "heddle/Dialect/PTX/PTXOps.cpp.inc"
