//===- LowerControl.cpp - Control flow, functions, variables ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches, calls, and what stands at module level.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "heddle/Dialect/PTX/Modifiers.h"
#include "heddle/Object/Format.h"
#include "heddle/Support/Attributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static LogicalResult lowerBra(Emitter &E, BraOp Op) {
  LLVM::BrOp::create(E.B, E.Loc, Op.getDestOperands(), Op.getDest());
  return E.replace(Op, {});
}

static LogicalResult lowerCondBra(Emitter &E, CondBraOp Op) {
  LLVM::CondBrOp::create(E.B, E.Loc, Op.getGuard(), Op.getTrueDest(),
                         Op.getTrueOperands(), Op.getFalseDest(),
                         Op.getFalseOperands());
  return E.replace(Op, {});
}

namespace {
/// Targets of a branch on an index. One that has arguments and stands in the
/// list more than once gets a block before it, to which all its places lead:
/// MLIR's translation would make a block for each place, in an order that
/// depends on addresses of memory.
class IndexedTargets {
public:
  IndexedTargets(Emitter &E, BrxOp Op) : E(E), Op(Op) {
    for (auto [Dest, Args] :
         llvm::zip_equal(Op.getDests(), Op.getDestOperands()))
      add(Dest, Args);
  }

  SmallVector<Block *> Dests;
  SmallVector<ValueRange> Operands;

private:
  void add(Block *Dest, ValueRange Args) {
    if (Args.empty() || llvm::count(Op.getDests(), Dest) == 1) {
      Dests.push_back(Dest);
      Operands.push_back(Args);
      return;
    }
    Dests.push_back(blockBefore(Dest, Args));
    Operands.emplace_back();
  }

  Block *blockBefore(Block *Dest, ValueRange Args) {
    for (Block *B : Before) {
      auto Jump = cast<LLVM::BrOp>(B->getTerminator());
      if (Jump.getDest() == Dest && Jump.getDestOperands() == Args)
        return B;
    }
    OpBuilder::InsertionGuard Guard(E.B);
    Block *After = Before.empty() ? Op->getBlock() : Before.back();
    Before.push_back(
        E.B.createBlock(After->getParent(), std::next(After->getIterator())));
    LLVM::BrOp::create(E.B, E.Loc, Args, Dest);
    return Before.back();
  }

  Emitter &E;
  BrxOp Op;
  SmallVector<Block *> Before;
};
} // namespace

/// An index beyond the list is undefined in PTX; it takes the last target.
static LogicalResult lowerBrx(Emitter &E, BrxOp Op) {
  IndexedTargets Targets(E, Op);
  SmallVector<int32_t> Cases(Targets.Dests.size() - 1);
  std::iota(Cases.begin(), Cases.end(), 0);
  LLVM::SwitchOp::create(E.B, E.Loc, Op.getIndex(), Targets.Dests.back(),
                         Targets.Operands.back(), Cases,
                         ArrayRef(Targets.Dests).drop_back(),
                         ArrayRef(Targets.Operands).drop_back());
  return E.replace(Op, {});
}

static LogicalResult lowerExit(Emitter &E, ExitOp Op) {
  E.intrinsic("nvvm.exit", {}, {});
  LLVM::UnreachableOp::create(E.B, E.Loc);
  return E.replace(Op, {});
}

/// Several results are returned as one struct.
static Type resultType(Emitter &E, TypeRange Types) {
  if (Types.empty())
    return LLVM::LLVMVoidType::get(E.B.getContext());
  if (Types.size() == 1)
    return Types.front();
  return E.structTy(SmallVector<Type>(Types));
}

static LogicalResult lowerRet(Emitter &E, RetOp Op) {
  auto Values = Op.getValues();
  if (Values.size() < 2) {
    LLVM::ReturnOp::create(E.B, E.Loc, Values);
    return E.replace(Op, {});
  }
  Value All = E.make<LLVM::PoisonOp>(resultType(E, Values.getTypes()));
  for (auto [I, V] : llvm::enumerate(Values))
    All = E.make<LLVM::InsertValueOp>(All, V, int64_t(I));
  LLVM::ReturnOp::create(E.B, E.Loc, All);
  return E.replace(Op, {});
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The attributes of a pointer argument that stands for a .param array.
static DictionaryAttr aggregateAttrs(Emitter &E, AggregateAttr Aggregate) {
  Type Bytes = LLVM::LLVMArrayType::get(E.intTy(8), Aggregate.getSize());
  StringRef Name = Aggregate.getResult()
                       ? LLVM::LLVMDialect::getStructRetAttrName()
                       : LLVM::LLVMDialect::getByValAttrName();
  return E.B.getDictionaryAttr(
      {E.B.getNamedAttr(Name, TypeAttr::get(Bytes)),
       E.B.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                        E.B.getI64IntegerAttr(Aggregate.getAlignment()))});
}

/// Calls with the callee's pointer in front of \p Args when it is indirect.
static LogicalResult emitCall(Emitter &E, Operation *Op, Value CalleePointer,
                              FlatSymbolRefAttr Callee, ValueRange Args,
                              std::optional<ArrayAttr> Aggregates) {
  SmallVector<Value> Operands;
  SmallVector<Type> Types;
  SmallVector<Attribute> Attrs;
  for (auto [I, Arg] : llvm::enumerate(Args)) {
    auto Aggregate = Aggregates ? dyn_cast<AggregateAttr>((*Aggregates)[I])
                                : AggregateAttr();
    Value V = Aggregate ? E.pointer(Arg, addrspace::Local) : Value(Arg);
    Operands.push_back(V);
    Types.push_back(V.getType());
    Attrs.push_back(Aggregate ? aggregateAttrs(E, Aggregate)
                              : E.B.getDictionaryAttr({}));
  }
  if (CalleePointer)
    Operands.insert(Operands.begin(), CalleePointer);
  auto FuncTy = LLVM::LLVMFunctionType::get(resultType(E, Op->getResultTypes()),
                                            Types, /*isVarArg=*/false);
  auto Call = LLVM::CallOp::create(E.B, E.Loc, FuncTy, Callee, Operands);
  if (Aggregates)
    Call.setArgAttrsAttr(E.B.getArrayAttr(Attrs));
  Call.setConvergent(true);
  if (Op->getNumResults() < 2)
    return E.replace(Op, Call.getResults());
  SmallVector<Value> Results;
  for (unsigned I = 0; I != Op->getNumResults(); ++I)
    Results.push_back(E.extract(Call.getResult(), I));
  return E.replace(Op, Results);
}

static LogicalResult lowerCall(Emitter &E, ptxir::CallOp Op) {
  return emitCall(E, Op, {}, Op.getCalleeAttr(), Op.getArgs(),
                  Op.getAggregates());
}

static LogicalResult lowerCallIndirect(Emitter &E, CallIndirectOp Op) {
  return emitCall(E, Op, E.pointer(Op.getCallee(), addrspace::Generic), {},
                  Op.getArgs(), Op.getAggregates());
}

void lowering::addControlLowerings(LoweringTable &Table) {
  Table.add<lowerBra>();
  Table.add<lowerCondBra>();
  Table.add<lowerBrx>();
  Table.add<lowerExit>();
  Table.add<lowerRet>();
  Table.add<lowerCall>();
  Table.add<lowerCallIndirect>();
}

//===----------------------------------------------------------------------===//
// Functions and entries
//===----------------------------------------------------------------------===//

static LLVM::Linkage llvmLinkage(ptxir::Linkage L) {
  switch (L) {
  case ptxir::Linkage::Internal:
    return LLVM::Linkage::Internal;
  case ptxir::Linkage::Weak:
    return LLVM::Linkage::WeakODR;
  case ptxir::Linkage::Common:
    // Zeros, of which one definition is kept; a code object has no ELF commons.
    return LLVM::Linkage::Weak;
  case ptxir::Linkage::Visible:
  case ptxir::Linkage::External:
    return LLVM::Linkage::External;
  }
  return LLVM::Linkage::External;
}

static LLVM::LLVMFuncOp makeFunction(Emitter &E, Operation *Op, StringRef Name,
                                     Type Result, ArrayRef<Type> Args,
                                     ptxir::Linkage Linkage, bool HasBody) {
  // A declaration is external whatever PTX says.
  auto Kind = HasBody ? llvmLinkage(Linkage) : LLVM::Linkage::External;
  auto Func = LLVM::LLVMFuncOp::create(
      E.B, Op->getLoc(), Name, LLVM::LLVMFunctionType::get(Result, Args), Kind);
  Func.setConvergent(true);
  Func.setNoUnwind(true);
  return Func;
}

static AggregateAttr aggregateOf(FuncOp Func, unsigned Arg) {
  return Func.getArgAttrOfType<AggregateAttr>(Arg, FuncOp::AggregateAttrName);
}

/// The arguments that are arrays become pointers; the body keeps seeing their
/// addresses.
static void convertArguments(Emitter &E, FuncOp Op, Block &Entry) {
  E.B.setInsertionPointToStart(&Entry);
  for (BlockArgument Arg : Entry.getArguments()) {
    if (!aggregateOf(Op, Arg.getArgNumber()))
      continue;
    Type AddressTy = Arg.getType();
    Arg.setType(E.ptrTy(addrspace::Local));
    E.Loc = Arg.getLoc();
    auto Address = LLVM::PtrToIntOp::create(E.B, E.Loc, AddressTy, Arg);
    Arg.replaceAllUsesExcept(Address, Address);
  }
}

/// Whether the pragmas of a function, or those of the module, want none of its
/// loops unrolled.
static bool forbidsUnrolling(Emitter &E, ArrayAttr Pragmas) {
  auto OfModule = E.Module->getAttrOfType<ArrayAttr>("ptx.pragmas");
  return llvm::any_of(ArrayRef{Pragmas, OfModule}, [](ArrayAttr Strings) {
    return Strings && llvm::is_contained(Strings.getAsValueRange<StringAttr>(),
                                         "nounroll");
  });
}

static void lowerFunction(Emitter &E, FuncOp Op) {
  SmallVector<Type> Args;
  SmallVector<DictionaryAttr> ArgAttrs;
  for (auto [I, Ty] : llvm::enumerate(Op.getArgumentTypes())) {
    AggregateAttr Aggregate = aggregateOf(Op, I);
    Args.push_back(Aggregate ? E.ptrTy(addrspace::Local) : Ty);
    ArgAttrs.push_back(Aggregate ? aggregateAttrs(E, Aggregate)
                                 : E.B.getDictionaryAttr({}));
  }
  E.start(Op);
  auto Func =
      makeFunction(E, Op, Op.getSymName(), resultType(E, Op.getResultTypes()),
                   Args, Op.getLinkage(), !Op.isExternal());
  if (!ArgAttrs.empty())
    Func.setAllArgAttrs(ArgAttrs);
  SmallVector<StringRef> Attrs;
  if (Op.getNoreturn())
    Attrs.push_back("noreturn");
  if (forbidsUnrolling(E, Op.getPragmasAttr()))
    Attrs.push_back(attr::NoUnroll);
  if (!Attrs.empty())
    Func.setPassthroughAttr(E.B.getStrArrayAttr(Attrs));
  if (!Op.isExternal()) {
    convertArguments(E, Op, Op.getBody().front());
    Func.getBody().takeBody(Op.getBody());
  }
  Op.erase();
}

/// name:offset:size:align:type for each parameter, joined by semicolons.
static std::string describeParams(ArrayRef<EntryParamAttr> Params) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  auto Offsets = layOutParams(Params);
  for (auto [I, P] : llvm::enumerate(Params)) {
    OS << (I ? ";" : "") << P.getName().getValue() << ':' << Offsets[I] << ':'
       << sizeOf(P) << ':' << P.getAlignment() << ':'
       << stringifyEnum(P.getType());
    if (P.getCount())
      OS << '[' << P.getCount() << ']';
  }
  return Text;
}

static SmallVector<Attribute> entryAttributes(Emitter &E, EntryOp Op,
                                              ArrayRef<EntryParamAttr> Params) {
  SmallVector<Attribute> Attrs;
  auto Add = [&](StringRef Key, const Twine &Value) {
    Attrs.push_back(E.B.getStrArrayAttr({Key, Value.str()}));
  };
  auto AddExtent = [&](StringRef Key, std::optional<ArrayRef<int32_t>> V) {
    if (V)
      Add(Key, llvm::join(llvm::map_range(*V,
                                          [](int32_t N) {
                                            return std::to_string(uint32_t(N));
                                          }),
                          ","));
  };
  auto AddNumber = [&](StringRef Key, std::optional<uint32_t> V) {
    if (V)
      Add(Key, Twine(*V));
  };
  Add(attr::Params, describeParams(Params));
  AddExtent(attr::MaxNTid, Op.getMaxntid());
  AddExtent(attr::ReqNTid, Op.getReqntid());
  AddExtent(attr::ReqNCTAPerCluster, Op.getReqnctapercluster());
  AddNumber(attr::MinCTAs, Op.getMinnctapersm());
  AddNumber(attr::MaxNReg, Op.getMaxnreg());
  AddNumber(attr::MaxClusterRank, Op.getMaxclusterrank());
  if (Op.getExplicitcluster())
    Add(attr::ExplicitCluster, "1");
  if (forbidsUnrolling(E, Op.getPragmasAttr()))
    Attrs.push_back(E.B.getStringAttr(attr::NoUnroll));
  return Attrs;
}

static void lowerEntry(Emitter &E, EntryOp Op) {
  SmallVector<EntryParamAttr> Params(
      Op.getParams().getAsRange<EntryParamAttr>());
  E.start(Op);
  bool HasBody = !Op.getBody().empty();
  // A kernel is launched by its name, so it is never internal.
  auto Linkage = Op.getLinkage() == ptxir::Linkage::Internal
                     ? ptxir::Linkage::Visible
                     : Op.getLinkage();
  auto Func = makeFunction(E, Op, Op.getSymName(),
                           LLVM::LLVMVoidType::get(E.B.getContext()), {},
                           Linkage, HasBody);
  Func.setCConv(LLVM::CConv::PTX_Kernel);
  Func.setPassthroughAttr(E.B.getArrayAttr(entryAttributes(E, Op, Params)));
  SmallVector<int64_t> Offsets(llvm::map_range(
      layOutParams(Params), [](uint64_t N) { return int64_t(N); }));
  Func->setAttr("ptx.param_offsets", E.B.getDenseI64ArrayAttr(Offsets));
  Func.getBody().takeBody(Op.getBody());
  Op.erase();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Members of a struct: its value is built one by one, and is copied each time.
static constexpr size_t MaxParts = 256;

/// Bytes of an address in a variable's value.
static uint64_t relocSize(GlobalOp Op) { return bitWidth(Op.getTy()) / 8; }

/// A variable with addresses in its value is a packed struct: bytes, an
/// address, bytes, and so on; one of such structs if there are many.
static LLVM::LLVMStructType relocatedType(Emitter &E, GlobalOp Op,
                                          ArrayRef<Type> Addresses) {
  SmallVector<Type> Parts;
  uint64_t End = 0;
  auto AddBytes = [&](uint64_t UpTo) {
    if (UpTo != End)
      Parts.push_back(LLVM::LLVMArrayType::get(E.intTy(8), UpTo - End));
  };
  for (auto [Reloc, Ty] :
       llvm::zip(Op.getRelocs()->getAsRange<RelocAttr>(), Addresses)) {
    AddBytes(Reloc.getOffset());
    Parts.push_back(Ty);
    End = Reloc.getOffset() + relocSize(Op);
  }
  AddBytes(Op.getSize());
  auto Struct = [&](ArrayRef<Type> Members) {
    return LLVM::LLVMStructType::getLiteral(E.B.getContext(), Members,
                                            /*isPacked=*/true);
  };
  if (Parts.size() <= MaxParts)
    return Struct(Parts);
  SmallVector<Type> Groups;
  for (ArrayRef<Type> Left = Parts; !Left.empty();
       Left = Left.drop_front(std::min(Left.size(), MaxParts)))
    Groups.push_back(Struct(Left.take_front(MaxParts)));
  return Struct(Groups);
}

/// The position of a part in what relocatedType gives.
static SmallVector<int64_t, 2> positionOf(LLVM::LLVMStructType Ty,
                                          size_t Part) {
  if (isa<LLVM::LLVMStructType>(Ty.getBody().front()))
    return {int64_t(Part / MaxParts), int64_t(Part % MaxParts)};
  return {int64_t(Part)};
}

/// What a relocation stores: a pointer, or for an address in .const the integer
/// that it is, since pointers to there have 32 bits. Null if the address does
/// not fit.
static Type storedType(Emitter &E, GlobalOp Op, RelocAttr Reloc) {
  unsigned AS = E.symbol(Reloc.getSymbol().getAttr()).AS;
  bool IsShort = AS == addrspace::Const && !Reloc.getGeneric();
  if (IsShort)
    return E.intTy(relocSize(Op) * 8);
  if (relocSize(Op) != 8)
    return {};
  return E.ptrTy(Reloc.getGeneric() ? unsigned(addrspace::Generic) : AS);
}

static std::string bytesOf(GlobalOp Op, uint64_t From, uint64_t To) {
  std::string Bytes = Op.getInit().value_or("").str();
  Bytes.resize(Op.getSize(), '\0');
  return Bytes.substr(From, To - From);
}

/// Builds the value of a variable with relocations in its initializer region.
static void emitRelocatedValue(Emitter &E, GlobalOp Op, LLVM::LLVMStructType Ty,
                               ArrayRef<Type> Addresses) {
  Value All = E.make<LLVM::UndefOp>(Ty);
  uint64_t End = 0;
  size_t Index = 0;
  auto AddBytes = [&](uint64_t UpTo) {
    if (UpTo == End)
      return;
    Value Bytes = E.make<LLVM::ConstantOp>(
        LLVM::LLVMArrayType::get(E.intTy(8), UpTo - End),
        E.B.getStringAttr(bytesOf(Op, End, UpTo)));
    All = E.make<LLVM::InsertValueOp>(All, Bytes, positionOf(Ty, Index++));
  };
  for (auto [Reloc, Stored] :
       llvm::zip(Op.getRelocs()->getAsRange<RelocAttr>(), Addresses)) {
    AddBytes(Reloc.getOffset());
    unsigned SymbolAS = E.symbol(Reloc.getSymbol().getAttr()).AS;
    Value P = E.make<LLVM::AddressOfOp>(E.ptrTy(SymbolAS),
                                        Reloc.getSymbol().getValue());
    if (Reloc.getAddend())
      P = E.make<LLVM::GEPOp>(
          P.getType(), E.intTy(8), P,
          ArrayRef<LLVM::GEPArg>{E.constInt(64, Reloc.getAddend())});
    if (Stored.isInteger())
      P = E.make<LLVM::PtrToIntOp>(Stored, P);
    else if (Stored != P.getType())
      P = E.make<LLVM::AddrSpaceCastOp>(Stored, P);
    All = E.make<LLVM::InsertValueOp>(All, P, positionOf(Ty, Index++));
    End = Reloc.getOffset() + relocSize(Op);
  }
  AddBytes(Op.getSize());
  LLVM::ReturnOp::create(E.B, E.Loc, All);
}

static LogicalResult lowerGlobal(Emitter &E, GlobalOp Op) {
  E.start(Op);
  unsigned AS = *addressSpaceOf(Op.getSpace());
  Type Ty = LLVM::LLVMArrayType::get(E.intTy(8), Op.getSize());
  SmallVector<Type> Addresses;
  if (Op.getRelocs()) {
    for (auto Reloc : Op.getRelocs()->getAsRange<RelocAttr>()) {
      if (Reloc.getMask())
        return E.unsupported(Op, "a part of an address as initial value");
      Addresses.push_back(storedType(E, Op, Reloc));
      if (!Addresses.back())
        return E.unsupported(Op, "the address of " +
                                     Reloc.getSymbol().getValue() + " in " +
                                     Twine(relocSize(Op) * 8) + " bits");
    }
    Ty = relocatedType(E, Op, Addresses);
  }
  bool Extern = Op.getLinkage() == ptxir::Linkage::External;
  Attribute Init;
  if (!Extern && Addresses.empty())
    Init = Op.getInit()
               ? Attribute(E.B.getStringAttr(bytesOf(Op, 0, Op.getSize())))
               : Attribute(LLVM::ZeroAttr::get(E.B.getContext()));
  if (!Extern && Op.getSpace() == Space::Shared)
    Init = LLVM::UndefAttr::get(E.B.getContext());
  // The runtime binds textures, samplers and surfaces by name.
  bool Handle = Op.getTy() >= ScalarType::Texref;
  auto Linkage = Handle && Op.getLinkage() == ptxir::Linkage::Internal
                     ? ptxir::Linkage::Visible
                     : Op.getLinkage();
  auto Global = LLVM::GlobalOp::create(
      E.B, Op.getLoc(), Ty, /*isConstant=*/Op.getSpace() == Space::Const,
      llvmLinkage(Linkage), Op.getSymName(), Init, Op.getAlignment(), AS);
  if (Handle)
    Global->setAttr(HandleAttrName, E.B.getUnitAttr());
  if (Op.getTy() == ScalarType::Samplerref && Op.getInit())
    Global.setSection(SamplerSectionName);
  if (Op.getManaged() && !Extern)
    Global.setSection(ManagedSectionName);
  if (Op.getSpace() == Space::Const) // The host may copy into it.
    Global.setExternallyInitialized(true);
  if (!Addresses.empty()) {
    Block *Body = E.B.createBlock(&Global.getInitializerRegion());
    E.B.setInsertionPointToStart(Body);
    emitRelocatedValue(E, Op, cast<LLVM::LLVMStructType>(Ty), Addresses);
  }
  Op.erase();
  return success();
}

/// Other modules see an alias that is not internal under its own name; the
/// translation to LLVM IR makes it.
static void lowerAlias(Emitter &E, AliasOp Op) {
  Operation *Aliasee = E.Module.lookupSymbol(Op.getAliasee());
  if (isa<LLVM::LLVMFuncOp>(Aliasee) &&
      (Op.getLinkage() == ptxir::Linkage::Visible ||
       Op.getLinkage() == ptxir::Linkage::Weak)) {
    SmallVector<Attribute> Names;
    if (auto Known = Aliasee->getAttrOfType<ArrayAttr>(AliasesAttrName))
      append_range(Names, Known);
    Names.push_back(E.B.getStringAttr(Op.getSymName()));
    Aliasee->setAttr(AliasesAttrName, E.B.getArrayAttr(Names));
  }
  Op.erase();
}

LogicalResult lowering::lowerSymbols(Emitter &E) {
  for (Operation &Op : llvm::make_early_inc_range(*E.Module.getBody())) {
    if (auto Func = dyn_cast<FuncOp>(Op))
      lowerFunction(E, Func);
    else if (auto Entry = dyn_cast<EntryOp>(Op))
      lowerEntry(E, Entry);
    else if (auto Global = dyn_cast<GlobalOp>(Op)) {
      if (failed(lowerGlobal(E, Global)))
        return failure();
    } else if (auto Alias = dyn_cast<AliasOp>(Op)) {
      lowerAlias(E, Alias);
    } else if (isa<SectionOp>(Op)) {
      Op.erase(); // What debuggers see is not there yet.
    }
  }
  return success();
}
