//===- Decode.cpp - From the dialect to instructions ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers the values of a function, lays its blocks out one after another and
// reads every modifier. A modifier that is not known here is an error, so that
// none is passed over in silence.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Program.h"
#include "heddle/Dialect/PTX/DebugPiece.h"
#include "heddle/Dialect/PTX/Instruction.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

const SemanticsTable &semantics() {
  static const SemanticsTable Table = [] {
    SemanticsTable T;
    addIntegerSemantics(T);
    addBitSemantics(T);
    addFloatSemantics(T);
    addCompareSemantics(T);
    addConvertSemantics(T);
    addVideoSemantics(T);
    addNarrowSemantics(T);
    addMixedSemantics(T);
    addQuadSemantics(T);
    addSparseSemantics(T);
    addMemorySemantics(T);
    addWarpSemantics(T);
    addControlSemantics(T);
    addMatrixSemantics(T);
    addAsyncSemantics(T);
    addFabricSemantics(T);
    addReductionSemantics(T);
    addTensorSemantics(T);
    return T;
  }();
  return Table;
}

} // namespace

static void computeInst(const Instruction &I, const Bits *In, Bits *Out) {
  I.Compute(In, Out);
}

bool SemanticsTable::decodeInst(const InstReader &Reader,
                                Instruction &I) const {
  auto It = Decoders.find(Reader.getOp().getOpcode());
  if (It == Decoders.end() ||
      none_of(It->second, [&](InstDecoder D) { return D(Reader, I); }))
    return false;
  if (I.Together)
    I.Mods.WholeWarp = true;
  else if (I.Compute)
    I.Evaluate = computeInst;
  return true;
}

namespace {

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

int64_t number(mlir::Attribute A) {
  return cast<mlir::IntegerAttr>(A).getInt();
}

/// Reads an attribute into its field; the type of the field tells how.
template <auto Field> void read(Modifiers &M, mlir::Attribute A) {
  using Type = std::remove_reference_t<decltype(M.*Field)>;
  if constexpr (std::is_same_v<Type, bool>)
    M.*Field = true;
  else if constexpr (std::is_same_v<Type, std::string>)
    M.*Field = cast<mlir::StringAttr>(A).getValue().str();
  else
    M.*Field = static_cast<Type>(number(A));
}

void readSourceType(Modifiers &M, mlir::Attribute A) {
  read<&Modifiers::SrcTy>(M, A);
  M.HasSrcTy = true;
}

/// What is no modifier of a value: hints to caches, orders and scopes, which
/// mean nothing where each access is carried out at once, and what the decoder
/// reads itself.
void pass(Modifiers &, mlir::Attribute) {}

void readPiece(Modifiers &M, mlir::Attribute Value) {
  auto Piece = cast<mlir::DenseI64ArrayAttr>(Value);
  M.PieceOffset = Piece[0];
  M.PieceBytes = Piece[1];
}

using Reader = void (*)(Modifiers &, mlir::Attribute);

Reader findReader(StringRef Name) {
  return StringSwitch<Reader>(Name)
      .Case("ty", read<&Modifiers::Ty>)
      .Case("sty", readSourceType)
      .Case("rnd", read<&Modifiers::Rnd>)
      .Case("cmp", read<&Modifiers::Cmp>)
      .Case("boolop", read<&Modifiers::BoolOp>)
      .Case("test", read<&Modifiers::Test>)
      .Case("space", read<&Modifiers::Space>)
      .Case("kind", read<&Modifiers::Kind>)
      .Case("wrap", read<&Modifiers::Wrap>)
      .Case("dir", read<&Modifiers::Dir>)
      .Case("mode", read<&Modifiers::RawMode>)
      .Case("ftz", read<&Modifiers::Ftz>)
      .Case("sat", read<&Modifiers::Sat>)
      .Case("satfinite", read<&Modifiers::Satfinite>)
      .Case("relu", read<&Modifiers::Relu>)
      .Case("oob", read<&Modifiers::Oob>)
      .Case("turns", read<&Modifiers::Turns>)
      .Case("nan", read<&Modifiers::NaN>)
      .Case("abs", read<&Modifiers::Abs>)
      .Case("xorsign_abs", read<&Modifiers::XorsignAbs>)
      .Case("approx", read<&Modifiers::Approx>)
      .Case("full", read<&Modifiers::Full>)
      .Case("shiftamt", read<&Modifiers::ShiftAmount>)
      .Case("to", read<&Modifiers::To>)
      .Case("relaxed", read<&Modifiers::Relaxed>)
      .Case("noreturn", read<&Modifiers::NoReturn>)
      .Case("noftz", read<&Modifiers::NoFtz>)
      .Case("lut", read<&Modifiers::Lut>)
      .Case("offset", read<&Modifiers::Offset>)
      .Case("size", read<&Modifiers::Size>)
      .Case("alignment", read<&Modifiers::Alignment>)
      .Case("index", read<&Modifiers::Index>)
      .Case("name", read<&Modifiers::Name>)
      .Case("entry", read<&Modifiers::Entry>)
      .Case(DebugPieceName, readPiece)
      .Cases({"cache", "evict", "l2_evict", "prefetch_size", "nc", "unified",
              "sem", "scope", "uni", "aligned", "wait", "mask", "level",
              "count", "dec", "uniform", "targets"},
             pass)
      .Cases({"operandSegmentSizes", "segments", "aggregates", "callee",
              "symbol", "value", "opcode", "modifiers", "forms"},
             pass)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

class FunctionDecoder {
public:
  FunctionDecoder(Program &P, mlir::Operation *Op, Function &Result)
      : P(P), Op(Op), Result(Result) {}
  Error run();

private:
  void numberValues();
  uint32_t newRegister(mlir::Value V, Bits Initial);
  Error decode(mlir::Operation &Inner);
  Error readModifiers(mlir::Operation &Inner, Instruction &I);
  Error pickSemantics(mlir::Operation &Inner, Instruction &I);
  Error pickInstSemantics(InstOp Inst, Instruction &I);
  void addOperands(mlir::Operation &Inner, Instruction &I);
  Error addCallee(mlir::Operation &Inner, Instruction &I);
  Edge edgeTo(mlir::Block *Target, mlir::ValueRange Values);
  void addEdges(mlir::Operation &Inner, Instruction &I);
  void addAggregates(std::optional<mlir::ArrayAttr> Attrs, size_t NumArgs,
                     std::vector<Aggregate> &Aggregates);
  uint32_t registerOf(mlir::Value V) const { return Registers.lookup(V); }
  Error notCovered(mlir::Operation &Inner, const Twine &What) {
    return createStringError(placeOf(&Inner) +
                             ": error: the interpreter does not cover " + What);
  }

  Program &P;
  mlir::Operation *Op;
  Function &Result;
  DenseMap<mlir::Value, uint32_t> Registers;
  DenseMap<mlir::Block *, uint32_t> Starts;
};

uint32_t FunctionDecoder::newRegister(mlir::Value V, Bits Initial) {
  uint32_t Number = Result.Initial.size();
  Registers[V] = Number;
  Result.Initial.push_back(lowBits(Initial, bitWidth(V.getType())));
  return Number;
}

/// The content of a register that was not written.
Bits poisonBits() {
  uint64_t Half = 0x0001000100010001 * uint64_t(rt::PoisonPattern);
  return Bits(Half) << 64 | Half;
}

Bits constantBits(mlir::Attribute Value) {
  APInt Raw = llvm::isa<mlir::FloatAttr>(Value)
                  ? cast<mlir::FloatAttr>(Value).getValue().bitcastToAPInt()
                  : cast<mlir::IntegerAttr>(Value).getValue();
  Raw = Raw.zextOrTrunc(128);
  return Bits(Raw.extractBitsAsZExtValue(64, 64)) << 64 |
         Raw.extractBitsAsZExtValue(64, 0);
}

/// Constants are registers that are never written; they need no instruction,
/// and neither do those that hold any value, nor the marks of a place.
/// Variables are followed in local memory.
bool needsNoInstruction(mlir::Operation &Inner) {
  if (auto Place = dyn_cast<DebugPlaceOp>(Inner))
    return !Place.getAddress().getDefiningOp<AllocaOp>();
  return llvm::isa<ConstantOp, UndefOp, LabelOp, PragmaOp, LocIntermediateOp>(
      Inner);
}

void FunctionDecoder::numberValues() {
  uint32_t Next = 0;
  for (mlir::Block &Block : Op->getRegion(0)) {
    Starts[&Block] = Next;
    for (mlir::Value Arg : Block.getArguments())
      newRegister(Arg, poisonBits());
    for (mlir::Operation &Inner : Block) {
      auto Constant = dyn_cast<ConstantOp>(Inner);
      Bits Initial =
          Constant ? constantBits(Constant.getValue()) : poisonBits();
      for (mlir::Value V : Inner.getResults())
        newRegister(V, Initial);
      Next += !needsNoInstruction(Inner);
    }
  }
}

Error FunctionDecoder::readModifiers(mlir::Operation &Inner, Instruction &I) {
  for (mlir::NamedAttribute A : Inner.getAttrDictionary()) {
    Reader Read = findReader(A.getName());
    if (!Read)
      return notCovered(Inner, "'" + A.getName().strref() + "' of " +
                                   Inner.getName().getStringRef());
    Read(I.Mods, A.getValue());
  }
  return Error::success();
}

/// The offset of the address that a ptx.inst has, if it has one.
int64_t addressOffset(InstOp Inst) {
  for (auto Form : Inst.getForms().getAsRange<OperandAttr>())
    if (Form.getKind() == OperandKind::Address)
      return Form.getValue();
  return 0;
}

Error FunctionDecoder::pickInstSemantics(InstOp Inst, Instruction &I) {
  I.Mods.Offset = addressOffset(Inst);
  InstReader Reader(Inst);
  std::string Name = Inst.getOpcode().str();
  for (StringRef Part : Reader.parts())
    Name += ("." + Part).str();
  // An unused state of an mbarrier is no result.
  bool MayHaveSink = Inst.getOpcode().starts_with("mbarrier.");
  bool HasSink =
      any_of(Inst.getForms().getAsRange<OperandAttr>(), [](OperandAttr Form) {
        return Form.getKind() == OperandKind::Sink;
      });
  // What reads its operands itself may have any number of them.
  bool IsSmall = Inst.getNumOperands() <= MaxOperands;
  if ((!HasSink || MayHaveSink) && semantics().decodeInst(Reader, I) &&
      (IsSmall || (!I.Evaluate && !I.Together))) {
    if (I.Together)
      I.Mods.Name = Name;
    return Error::success();
  }
  return notCovered(*Inst, Name);
}

Error FunctionDecoder::pickSemantics(mlir::Operation &Inner, Instruction &I) {
  if (auto Inst = dyn_cast<InstOp>(Inner))
    return pickInstSemantics(Inst, I);
  const OpSemantics *S = semantics().find(Inner.getName().getStringRef());
  if (!S)
    return notCovered(Inner, Inner.getName().getStringRef());
  if (auto Shuffle = dyn_cast<ShflOp>(Inner); Shuffle && !Shuffle.getMask())
    return notCovered(Inner, "shfl without a member mask");
  if (auto Vote = dyn_cast<VoteOp>(Inner); Vote && !Vote.getMask())
    return notCovered(Inner, "vote without a member mask");
  I.Execute = S->Execute;
  I.Together = S->Together;
  if (S->Choose) {
    I.Evaluate = S->Choose(I.Mods);
    if (!I.Evaluate || Inner.getNumOperands() > MaxOperands ||
        Inner.getNumResults() > MaxOperands)
      return notCovered(Inner, Inner.getName().getStringRef() + " of type ." +
                                   stringifyEnum(I.Mods.Ty));
  }
  return Error::success();
}

/// Operands that may be absent keep their places where several can be.
void FunctionDecoder::addOperands(mlir::Operation &Inner, Instruction &I) {
  auto Add = [&](mlir::Value V) {
    I.Operands.push_back(V ? registerOf(V) : NoRegister);
    I.OperandWidths.push_back(V ? bitWidth(V.getType()) : 0);
  };
  if (auto Barrier = dyn_cast<BarrierOp>(Inner)) {
    Add(Barrier.getId());
    Add(Barrier.getCount());
    Add(Barrier.getPred());
  } else if (auto Store = dyn_cast<StOp>(Inner)) {
    Add(Store.getAddr());
    for_each(Store.getValues(), Add);
  } else if (auto Load = dyn_cast<LdOp>(Inner)) {
    Add(Load.getAddr());
  } else if (auto Branch = dyn_cast<CondBraOp>(Inner)) {
    Add(Branch.getGuard());
  } else if (auto Branch = dyn_cast<BrxOp>(Inner)) {
    Add(Branch.getIndex());
  } else if (!llvm::isa<BraOp>(Inner)) {
    for_each(Inner.getOperands(), Add);
  }
  for (mlir::Value V : Inner.getResults()) {
    I.Results.push_back(registerOf(V));
    I.ResultWidths.push_back(bitWidth(V.getType()));
  }
}

Edge FunctionDecoder::edgeTo(mlir::Block *Target, mlir::ValueRange Values) {
  Edge E;
  E.Target = Starts.lookup(Target);
  for (auto [From, To] : zip_equal(Values, Target->getArguments()))
    E.Moves.push_back({registerOf(From), registerOf(To)});
  return E;
}

void FunctionDecoder::addEdges(mlir::Operation &Inner, Instruction &I) {
  auto Branch = dyn_cast<mlir::BranchOpInterface>(Inner);
  if (!Branch)
    return;
  for (unsigned N = 0; N != Inner.getNumSuccessors(); ++N)
    I.Edges.push_back(
        edgeTo(Inner.getSuccessor(N),
               Branch.getSuccessorOperands(N).getForwardedOperands()));
}

void FunctionDecoder::addAggregates(std::optional<mlir::ArrayAttr> Attrs,
                                    size_t NumArgs,
                                    std::vector<Aggregate> &Aggregates) {
  Aggregates.resize(NumArgs);
  if (!Attrs)
    return;
  for (auto [A, Attr] : zip_equal(Aggregates, *Attrs))
    if (auto Array = dyn_cast<AggregateAttr>(Attr))
      A = {Array.getSize(), Array.getAlignment(), Array.getResult()};
}

Error FunctionDecoder::addCallee(mlir::Operation &Inner, Instruction &I) {
  if (auto Call = dyn_cast<ptxir::CallOp>(Inner)) {
    I.Callee = P.FunctionsByName.lookup(Call.getCallee());
    if (!I.Callee)
      return createStringError(placeOf(&Inner) + ": error: '" +
                               Call.getCallee() + "' is not defined");
    addAggregates(Call.getAggregates(), Call.getArgs().size(), I.Aggregates);
  } else if (auto Call = dyn_cast<CallIndirectOp>(Inner)) {
    addAggregates(Call.getAggregates(), Call.getArgs().size(), I.Aggregates);
  } else if (auto Address = dyn_cast<AddrOfOp>(Inner)) {
    I.Mods.Name = Address.getSymbol().str();
    if (!P.Places.count(I.Mods.Name))
      return createStringError(placeOf(&Inner) + ": error: '" + I.Mods.Name +
                               "' is not defined");
    SymbolPlace Place = P.Places.lookup(I.Mods.Name);
    I.Mods.Space = Place.Space;
    I.Mods.Offset = int64_t(Place.Address);
  } else if (auto Param = dyn_cast<ParamAddrOp>(Inner)) {
    auto Offsets = cast<EntryOp>(Op).getParamOffsets();
    I.Mods.Offset = int64_t(Offsets[Param.getIndex()]);
  }
  return Error::success();
}

Error FunctionDecoder::decode(mlir::Operation &Inner) {
  Instruction I;
  I.Op = &Inner;
  if (Error E = readModifiers(Inner, I))
    return E;
  addOperands(Inner, I);
  if (Error E = pickSemantics(Inner, I))
    return E;
  addEdges(Inner, I);
  if (Error E = addCallee(Inner, I))
    return E;
  Result.Code.push_back(std::move(I));
  return Error::success();
}

Error FunctionDecoder::run() {
  numberValues();
  if (auto Func = dyn_cast<FuncOp>(Op)) {
    for (mlir::BlockArgument Arg : Op->getRegion(0).front().getArguments()) {
      Result.Arguments.push_back(registerOf(Arg));
      Aggregate A;
      if (auto Array = Func.getArgAttrOfType<AggregateAttr>(
              Arg.getArgNumber(), FuncOp::AggregateAttrName))
        A = {Array.getSize(), Array.getAlignment(), Array.getResult()};
      Result.Aggregates.push_back(A);
    }
  }
  Error All = Error::success();
  for (mlir::Block &Block : Op->getRegion(0))
    for (mlir::Operation &Inner : Block)
      if (!needsNoInstruction(Inner))
        All = joinErrors(std::move(All), decode(Inner));
  return All;
}

} // namespace

std::string placeOf(mlir::Operation *Op) {
  mlir::FileLineColLoc Loc = getPTXLoc(Op->getLoc());
  if (!Loc)
    return "?";
  return (Loc.getFilename().getValue() + ":" + Twine(Loc.getLine()) + ":" +
          Twine(Loc.getColumn()))
      .str();
}

Error decodeFunction(Program &P, mlir::Operation *Op, Function &Result) {
  return FunctionDecoder(P, Op, Result).run();
}

} // namespace heddle::interp
