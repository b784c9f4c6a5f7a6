//===- LowerAsync.cpp - Lowering of asynchronous operations -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier, cp.async, copies in bulk and st.async. Operands are found by their
// names in lib/PTX/PTXAsync.td. Addresses of shared memory become the ISA's,
// with a rank where they have one.
//
//===----------------------------------------------------------------------===//

#include "AsyncOperands.h"
#include "MatrixFragments.h"
#include "MemberLoop.h"
#include "MemoryAccess.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

using isa::CopyGroupOp;
using isa::MBarrierOp;
using isa::MBarrierTest;
using isa::TensorDirection;

Value lowering::sharedOperand(Emitter &E, const InstView &I, StringRef Name) {
  return lowering::sharedAddress(E, I, *I.find(Name));
}

Value lowering::wordOperand(Emitter &E, const InstView &I, StringRef Name,
                            uint64_t Default) {
  auto N = I.find(Name);
  if (!N)
    return E.constInt(32, Default);
  return E.resize(E.asInt(I.value(*N)), 32, /*Signed=*/false);
}

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

/// Null where no state is to be had, of barriers in several CTAs.
static Value barrier(Emitter &E, const InstView &I, MBarrierOp O, Value Count) {
  if (I.has<ptx::Multicast>())
    return E.memoryBuiltin("mbarrier_multicast", {},
                           {sharedOperand(E, I, "addr"), Count,
                            wordOperand(E, I, "ctaMask"), modifier(E, O)});
  return E.memoryBuiltin("mbarrier", E.intTy(64),
                         {sharedOperand(E, I, "addr"), Count, modifier(E, O)});
}

template <MBarrierOp O>
static LogicalResult lowerCount(Emitter &E, const InstView &I) {
  barrier(E, I, O, wordOperand(E, I, "count"));
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerInit(Emitter &E, const InstView &I) {
  bool IsLayout1 = I.get<ptx::BarrierLayout>() == ptx::BarrierLayout::LayoutV1;
  barrier(E, I, IsLayout1 ? MBarrierOp::InitLayout1 : MBarrierOp::Init,
          wordOperand(E, I, "count"));
  return E.replace(I.getOp(), {});
}

template <MBarrierOp O>
static LogicalResult lowerBytes(Emitter &E, const InstView &I) {
  Value State = barrier(E, I, O, wordOperand(E, I, "txCount"));
  return E.replace(I.getOp(), I.resultsOf(State));
}

template <MBarrierOp O>
static LogicalResult lowerArrive(Emitter &E, const InstView &I) {
  Value State = barrier(E, I, O, wordOperand(E, I, "count", 1));
  return E.replace(I.getOp(), I.resultsOf(State));
}

/// The arrivals that were missing stand in the low bits of a state.
static LogicalResult lowerPendingCount(Emitter &E, const InstView &I) {
  constexpr uint64_t CountMask = (1 << 20) - 1;
  Value State = E.resize(E.asInt(I.value(*I.find("state"))), 32, false);
  return E.replace(I.getOp(), I.resultsOf(E.make<LLVM::AndOp>(
                                  State, E.constInt(32, CountMask))));
}

/// A report is in the other bits of the result.
template <MBarrierTest Test>
static LogicalResult lowerWait(Emitter &E, const InstView &I) {
  constexpr unsigned ReportBit = 2, ValueShift = 8;
  constexpr bool ByParity =
      Test == MBarrierTest::TestParity || Test == MBarrierTest::TryParity;
  constexpr bool Tries =
      Test == MBarrierTest::Try || Test == MBarrierTest::TryParity;
  constexpr MBarrierTest Conditional =
      Tries ? MBarrierTest::TryConditional : MBarrierTest::TestConditional;
  bool IsConditional =
      I.get<ptx::PhaseType>() == ptx::PhaseType::PhaseTypeConditional;
  Value Phase = I.value(*I.find(ByParity ? "phaseParity" : "state"));
  Value Over = E.memoryBuiltin(
      "mbarrier_try", E.intTy(32),
      {sharedOperand(E, I, "addr"), E.resize(E.asInt(Phase), 64, false),
       modifier(E, IsConditional ? Conditional : Test)});
  SmallVector<Value> Results = {
      E.icmp(LLVM::ICmpPredicate::ne, Over, E.constInt(32, 0))};
  if (I.numResults() > 1)
    Results.push_back(
        E.icmp(LLVM::ICmpPredicate::ne,
               E.make<LLVM::AndOp>(Over, E.constInt(32, ReportBit)),
               E.constInt(32, 0)));
  if (I.numResults() > 2)
    Results.push_back(
        E.resize(E.make<LLVM::LShrOp>(Over, E.constInt(32, ValueShift)), 8,
                 /*Signed=*/false));
  return E.replace(I.getOp(), I.resultsOf(Results));
}

static LogicalResult lowerCheckLayout(Emitter &E, const InstView &I) {
  bool IsLayout1 = I.get<ptx::BarrierLayout>() == ptx::BarrierLayout::LayoutV1;
  Value Is =
      E.memoryBuiltin("mbarrier_try", E.intTy(32),
                      {sharedOperand(E, I, "addr"), E.constInt(64, IsLayout1),
                       modifier(E, MBarrierTest::Layout)});
  return E.replace(I.getOp(), I.resultsOf(E.icmp(LLVM::ICmpPredicate::ne, Is,
                                                 E.constInt(32, 0))));
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

void lowering::copyGroup(Emitter &E, CopyGroupOp O, Value Address,
                         int64_t Count) {
  E.memoryBuiltin("cp_group", {},
                  {Address, E.constInt(32, Count), modifier(E, O)});
}

static LogicalResult lowerCpAsync(Emitter &E, const InstView &I) {
  uint64_t Size = I.immediate(*I.find("cp_size"));
  // Of a source that is ignored nothing is read, and zeros are written.
  auto Ignore = I.find("ignore_src");
  Value Given = Ignore ? E.select(I.value(*Ignore), E.constInt(32, 0),
                                  E.constInt(32, Size))
                       : wordOperand(E, I, "src_size", Size);
  auto [Base, Offset] = I.address(*I.find("src"));
  Value From =
      E.address(E.pointer(Base, addrspace::Global, Offset), E.intTy(64));
  E.memoryBuiltin("cp_async", {},
                  {sharedOperand(E, I, "dst"), From, Given,
                   E.constInt(32, llvm::Log2_64(Size))});
  return E.replace(I.getOp(), {});
}

template <CopyGroupOp O>
static LogicalResult lowerGroup(Emitter &E, const InstView &I) {
  auto Count = I.find("n");
  copyGroup(E, O, E.constInt(32, 0), Count ? I.immediate(*Count) : 0);
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerBulkWait(Emitter &E, const InstView &I) {
  copyGroup(
      E, I.has<ptx::BulkRead>() ? CopyGroupOp::BulkRead : CopyGroupOp::BulkWait,
      E.constInt(32, 0), I.immediate(*I.find("n")));
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerCopyArrive(Emitter &E, const InstView &I) {
  copyGroup(
      E, I.has<ptx::NoInc>() ? CopyGroupOp::ArriveNoInc : CopyGroupOp::Arrive,
      sharedOperand(E, I, "addr"), 0);
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// Bulk
//===----------------------------------------------------------------------===//

isa::AtomOp lowering::operationOf(StringRef Name) {
  using isa::AtomOp;
  return llvm::StringSwitch<AtomOp>(Name)
      .Case("min", AtomOp::Min)
      .Case("max", AtomOp::Max)
      .Case("inc", AtomOp::Inc)
      .Case("dec", AtomOp::Dec)
      .Case("and", AtomOp::And)
      .Case("or", AtomOp::Or)
      .Case("xor", AtomOp::Xor)
      .Case("exch", AtomOp::Exchange)
      .Default(AtomOp::Add);
}

isa::BulkType lowering::bulkTypeOf(StringRef Name) {
  using isa::BulkType;
  return llvm::StringSwitch<BulkType>(Name)
      .Cases({"u32", "b32"}, BulkType::U32)
      .Case("s32", BulkType::S32)
      .Cases({"u64", "b64"}, BulkType::U64)
      .Case("s64", BulkType::S64)
      .Cases({"f16", "f16x2"}, BulkType::F16)
      .Cases({"bf16", "bf16x2"}, BulkType::BF16)
      .Case("f32", BulkType::F32)
      .Case("f64", BulkType::F64)
      .Default(BulkType::U32);
}

Value lowering::genericOperand(Emitter &E, const InstView &I, StringRef Name,
                               unsigned AddressSpace) {
  auto [Base, Offset] = I.address(*I.find(Name));
  return lowering::genericAddress(E, Base, AddressSpace, Offset);
}

/// The bytes at both ends that a copy leaves alone, 8 bits each.
static Value bulkEdges(Emitter &E, const InstView &I) {
  Value Right =
      E.make<LLVM::ShlOp>(wordOperand(E, I, "ignoreRight"), E.constInt(32, 8));
  return E.make<LLVM::OrOp>(wordOperand(E, I, "ignoreLeft"), Right);
}

/// A report that is disabled is none. The others stand in the same order.
static isa::DataReport reportOf(const InstView &I) {
  using isa::DataReport;
  auto R = unsigned(I.get<ptx::Report>());
  return R > unsigned(ptx::Report::MbarrierReportDisabled) ? DataReport(R - 1)
                                                           : DataReport::None;
}

/// The members of a multimem instruction's address; of another instruction
/// none.
static std::optional<MemberLoop> membersOf(Emitter &E, const InstView &I,
                                           Value Address) {
  if (!I.getOp().getOpcode().starts_with("multimem."))
    return std::nullopt;
  return MemberLoop(E, I.getOp(), Address);
}

/// With an order, elements of 16 bytes are read and written as wholes, which
/// they are without one as well.
static LogicalResult lowerBulk(Emitter &E, const InstView &I) {
  bool HasEdges = I.has<ptx::IgnoreOob>();
  bool ToGlobal = I.get<ptx::StateSpace>() == ptx::StateSpace::Global;
  bool FromGlobal = I.get<ptx::SourceSpace>() == ptx::SourceSpace::Global;
  auto SpaceOf = [](bool Global) {
    return Global ? addrspace::Global : addrspace::Shared;
  };
  bool Reduces = I.has<ptx::BulkOp>();
  StringRef Type = Reduces ? ptx::getTypeName(I.type()) : "u32";
  StringRef Operation =
      Reduces ? I.spelling(ptx::ModKind::BulkOp) : StringRef("add");
  Value Barrier = ToGlobal ? E.constInt(32, 0) : sharedOperand(E, I, "mbar");
  Value To = genericOperand(E, I, "dst", SpaceOf(ToGlobal));
  std::optional<MemberLoop> Members = membersOf(E, I, To);
  E.memoryBuiltin(
      "cp_bulk", {},
      {Members ? Members->address() : To,
       genericOperand(E, I, "src", SpaceOf(FromGlobal)),
       wordOperand(E, I, "size"), Barrier,
       HasEdges ? bulkEdges(E, I) : wordOperand(E, I, "ctaMask"),
       wordOperand(E, I, "byteMask"), modifier(E, Reduces),
       modifier(E, operationOf(Operation)), modifier(E, bulkTypeOf(Type)),
       modifier(E, I.has<ptx::Multicast>()),
       modifier(E, I.has<ptx::ByteMask>()), modifier(E, ToGlobal),
       modifier(E, HasEdges), modifier(E, reportOf(I)), modifier(E, false)});
  if (Members)
    Members->finish();
  return E.replace(I.getOp(), {});
}

/// Bytes that come to the second-level cache, or whose priority changes there.
static LogicalResult lowerBulkHint(Emitter &E, const InstView &I) {
  bool IsPriority = !I.has<ptx::L2Level>();
  bool IsGlobal = I.has<ptx::StateSpace>() || I.has<ptx::SourceSpace>();
  Value Zero = E.constInt(32, 0), Nowhere = E.constInt(64, 0);
  Value Place =
      genericOperand(E, I, IsPriority ? "a" : "src",
                     IsGlobal ? addrspace::Global : addrspace::Generic);
  SmallVector<Value> Args = {IsPriority ? Place : Nowhere,
                             IsPriority ? Nowhere : Place,
                             wordOperand(E, I, "size")};
  constexpr unsigned UnusedOperands = 8; // From the mbarrier to the mask.
  Args.append(UnusedOperands, Zero);
  Args.append({modifier(E, IsPriority), Zero, Zero, modifier(E, true)});
  E.memoryBuiltin("cp_bulk", {}, Args);
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static isa::TensorMode tensorModeOf(ptx::TensorMode Mode) {
  switch (Mode) {
  case ptx::TensorMode::TileGather4:
    return isa::TensorMode::Gather4;
  case ptx::TensorMode::TileScatter4:
    return isa::TensorMode::Scatter4;
  case ptx::TensorMode::Im2col:
  case ptx::TensorMode::Im2colNoOffs:
    return isa::TensorMode::Im2col;
  case ptx::TensorMode::Im2colW:
  case ptx::TensorMode::Im2colNoOffsW:
    return isa::TensorMode::Im2colW;
  case ptx::TensorMode::Im2colW128:
    return isa::TensorMode::Im2colW128;
  default:
    return isa::TensorMode::Tile;
  }
}

/// What an instruction says of a column, 16 bits each.
static Value columnInfo(Emitter &E, const InstView &I) {
  auto N = I.find("offsets");
  if (!N)
    N = I.find("info");
  Value Packed = E.constInt(64, 0);
  if (!N)
    return Packed;
  unsigned Shift = 0;
  for (Value V : I.values(*N)) {
    Value Part = E.resize(E.resize(E.asInt(V), 16, false), 64, false);
    Packed = E.make<LLVM::OrOp>(
        Packed, E.make<LLVM::ShlOp>(Part, E.constInt(64, Shift)));
    Shift += 16;
  }
  return Packed;
}

static TensorDirection directionOf(const InstView &I) {
  if (I.has<ptx::BulkOp>())
    return TensorDirection::Reduce;
  StringRef Opcode = I.getOp().getOpcode();
  bool IsStore = Opcode == "cp.async.bulk.tensor"
                     ? I.get<ptx::StateSpace>() == ptx::StateSpace::Global
                     : Opcode.starts_with("applypriority.") ||
                           Opcode.starts_with("fabric.try_put.");
  return IsStore ? TensorDirection::Store : TensorDirection::Load;
}

/// Extents, 8 bits each, and the upper parts of strides that stand for those of
/// the tensor map.
static Value extentsAndUpper(Emitter &E, const InstView &I) {
  constexpr unsigned UpperShift = 48;
  Value Packed = E.constInt(64, 0);
  auto Add = [&](Value Part, unsigned Bits, unsigned Shift) {
    Part = E.resize(E.resize(E.asInt(Part), Bits, false), 64, false);
    Packed = E.make<LLVM::OrOp>(
        Packed, E.make<LLVM::ShlOp>(Part, E.constInt(64, Shift)));
  };
  unsigned Shift = 0;
  for (Value V : I.values(*I.find("size"))) {
    Add(V, 8, Shift);
    Shift += 8;
  }
  if (auto Upper = I.find("upper"))
    Add(I.value(*Upper), 16, UpperShift);
  return Packed;
}

/// Registers of 32 bits in a group of four, zeros where there are fewer.
static Value groupOfWords(Emitter &E, ArrayRef<Value> Given) {
  SmallVector<Value> Words;
  for (Value V : Given)
    Words.push_back(E.resize(E.asInt(V), 32, false));
  Words.resize(4, E.constInt(32, 0));
  return groupOfFour(E, Words);
}

/// What takes the place of the tensor map's values, and who is behind the
/// fabric.
static void appendElsewhere(Emitter &E, const InstView &I, bool HasExtents,
                            SmallVectorImpl<Value> &Args) {
  auto Lower = I.find("lower");
  Args.push_back(groupOfWords(E, Lower ? I.values(*Lower) : ArrayRef<Value>()));
  auto Address = I.find("gaddr");
  Value Start = I.value(Address ? *Address : *I.find("offset"));
  Args.push_back(E.resize(E.asInt(Start), 64, false));
  auto Counter = I.find("counter");
  Value Count = Counter ? E.resize(E.asInt(I.value(*Counter)), 64, false)
                        : E.constInt(64, 0);
  Value High = E.make<LLVM::LShrOp>(Count, E.constInt(64, 32));
  // The size of a box that is sent; the name is also that of extents.
  bool IsSent =
      I.has<ptx::FabricReport>() && directionOf(I) != TensorDirection::Load;
  Args.push_back(
      groupOfFour(E, {E.resize(Count, 32, false), E.resize(High, 32, false),
                      IsSent ? wordOperand(E, I, "bytes") : E.constInt(32, 0),
                      E.constInt(32, 0)}));
  Args.push_back(modifier(E, I.has<ptx::FabricReport>()));
}

static LogicalResult lowerTensorCopy(Emitter &E, const InstView &I) {
  TensorDirection Direction = directionOf(I);
  bool IsFabric = I.has<ptx::FabricReport>();
  bool IsElsewhere = I.has<ptx::OverrideAddress>();
  bool HasExtents = I.has<ptx::OverrideShape>();
  SmallVector<Value> Coordinates;
  for (Value V : I.values(*I.find("c")))
    Coordinates.push_back(E.asInt(V));
  Coordinates.resize(5, E.constInt(32, 0));
  auto SharedOrZero = [&](StringRef Name) {
    return I.find(Name) ? sharedOperand(E, I, Name) : E.constInt(32, 0);
  };
  bool IsLoad = Direction == TensorDirection::Load;
  SmallVector<Value> Args = {
      genericOperand(E, I, "map", addrspace::Generic),
      groupOfFour(E, ArrayRef(Coordinates).take_front(4)),
      groupOfFour(E, {Coordinates[4], SharedOrZero(IsLoad ? "dst" : "src"),
                      SharedOrZero("mbar"),
                      wordOperand(E, I, IsFabric ? "endpoint" : "ctaMask")}),
      HasExtents ? extentsAndUpper(E, I) : columnInfo(E, I)};
  if (IsElsewhere)
    appendElsewhere(E, I, HasExtents, Args);
  bool Pair = I.get<ptx::CtaGroup>() == ptx::CtaGroup::CtaGroup2;
  bool IsHint = I.has<ptx::L2Level>() || I.has<ptx::L2Eviction>();
  StringRef Operation = Direction == TensorDirection::Reduce
                            ? I.spelling(ptx::ModKind::BulkOp)
                            : StringRef("add");
  Args.append({modifier(E, Direction),
               E.constInt(32, unsigned(I.get<ptx::TensorDim>())),
               modifier(E, tensorModeOf(I.get<ptx::TensorMode>())),
               modifier(E, operationOf(Operation)),
               modifier(E, I.has<ptx::Multicast>() || I.has<ptx::Multimem>()),
               modifier(E, Pair), modifier(E, reportOf(I)),
               modifier(E, IsHint)});
  if (IsElsewhere)
    Args.append({modifier(E, I.has<ptx::Counted>()), modifier(E, HasExtents)});
  E.memoryBuiltin(IsElsewhere ? "cp_tensor_elsewhere" : "cp_tensor", {}, Args);
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// st.async, red.async
//===----------------------------------------------------------------------===//

/// Stores or adds to one place.
static void accessAtOnce(Emitter &E, const InstView &I, Value Address,
                         int64_t Offset) {
  auto Sem = semanticsOf(I, ptxir::MemSem::Release);
  ptxir::Scope Scope = scopeOf(I);
  unsigned AS = *addressSpaceOf(I);
  Value V = E.asInt(I.values(*I.find("b")).front());
  unsigned Bytes = ptx::getTypeBits(I.type()) / 8;
  if (Bytes == 16) {
    E.memoryBuiltin("st_b128", {},
                    {genericAddress(E, Address, AS, Offset),
                     E.cast(V, wideTy(E)), modifier(E, memOrderOf(Sem)),
                     modifier(E, memScopeOf(Sem, Scope))});
    return;
  }
  V = E.resize(V, 8 * Bytes, /*Signed=*/false);
  Value Pointer = E.pointer(Address, AS, Offset);
  if (I.has<ptx::AtomOp>()) {
    E.make<LLVM::AtomicRMWOp>(LLVM::AtomicBinOp::add, Pointer, V, ordering(Sem),
                              syncScope(Scope));
    return;
  }
  auto Store = LLVM::StoreOp::create(E.B, E.Loc, V, Pointer, Bytes);
  Store.setVolatile_(I.has<ptx::Mmio>());
  Store.setOrdering(ordering(Sem));
  Store.setSyncscope(syncScope(Scope));
}

/// In global memory an asynchronous store or addition may be there at once.
static LogicalResult lowerGlobalAsync(Emitter &E, const InstView &I) {
  auto [Base, Offset] = I.address(*I.find("a"));
  Value Address = genericOperand(E, I, "a", *addressSpaceOf(I));
  if (std::optional<MemberLoop> Members = membersOf(E, I, Address)) {
    accessAtOnce(E, I, Members->address(), 0);
    Members->finish();
  } else {
    accessAtOnce(E, I, Base, Offset);
  }
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerStoreAsync(Emitter &E, const InstView &I) {
  if (!I.has<ptx::Completion>())
    return lowerGlobalAsync(E, I);
  SmallVector<Value> Values(I.values(*I.find("b")));
  ptx::Type Ty = I.type();
  if (Ty == ptx::Type::B128) {
    Ty = ptx::Type::B64;
    Value High = E.make<LLVM::LShrOp>(Values[0], E.constInt(128, 64));
    Values = {E.resize(Values[0], 64, false), E.resize(High, 64, false)};
  }
  bool Reduces = I.has<ptx::AtomOp>();
  unsigned Bytes = Values.size() * ptx::getTypeBits(Ty) / 8;
  if (Bytes > 16)
    return E.unsupported(I.getOp(), "st.async of more than 128 bits");
  StringRef Operation =
      Reduces ? I.spelling(ptx::ModKind::AtomOp) : StringRef("add");
  E.memoryBuiltin("st_async", {},
                  {sharedOperand(E, I, "a"), groupOfFour(E, Values),
                   sharedOperand(E, I, "mbar"),
                   E.constInt(32, llvm::Log2_32(Bytes)), modifier(E, Reduces),
                   modifier(E, operationOf(Operation)),
                   modifier(E, bulkTypeOf(ptx::getTypeName(Ty))),
                   modifier(E, false), modifier(E, false)});
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// clusterlaunchcontrol
//===----------------------------------------------------------------------===//

/// A response is the number of the first CTA, a word a dimension, and a word
/// that is 1 if a cluster has been cancelled.
static LogicalResult lowerTryCancel(Emitter &E, const InstView &I) {
  constexpr unsigned ResponseBytes = 16;
  SmallVector<Value> Nothing(4, E.constInt(32, 0));
  E.memoryBuiltin("st_async", {},
                  {sharedOperand(E, I, "addr"), groupOfFour(E, Nothing),
                   sharedOperand(E, I, "mbar"),
                   E.constInt(32, llvm::Log2_32(ResponseBytes)),
                   E.constInt(32, 0), E.constInt(32, 0), E.constInt(32, 0),
                   modifier(E, I.has<ptx::Multicast>()), modifier(E, true)});
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerQueryCancel(Emitter &E, const InstView &I) {
  Value Response = E.cast(E.asInt(I.value(*I.find("response"))), wideTy(E));
  SmallVector<Value> Words = registersOf(E, Response, 4);
  switch (I.get<ptx::CancelQuery>()) {
  case ptx::CancelQuery::IsCanceled:
    return E.replace(I.getOp(),
                     I.resultsOf(E.icmp(LLVM::ICmpPredicate::ne, Words[3],
                                        E.constInt(32, 0))));
  case ptx::CancelQuery::GetFirstCtaid:
    return E.replace(I.getOp(), I.resultsOf(Words));
  case ptx::CancelQuery::GetFirstCtaidY:
    return E.replace(I.getOp(), I.resultsOf(Words[1]));
  case ptx::CancelQuery::GetFirstCtaidZ:
    return E.replace(I.getOp(), I.resultsOf(Words[2]));
  default:
    return E.replace(I.getOp(), I.resultsOf(Words[0]));
  }
}

/// A fence that need not order all accesses orders more than it has to.
/// fence.alias also orders accesses by other addresses of the same memory.
static LogicalResult lowerRestrictedFence(Emitter &E, const InstView &I) {
  bool IsAlias = I.has<ptx::Proxy>();
  LLVM::FenceOp::create(E.B, E.Loc, LLVM::AtomicOrdering::acq_rel,
                        IsAlias ? syncScope(ptxir::Scope::Sys) : "cluster");
  if (IsAlias)
    E.memoryBuiltin(
        "fence_proxy", {},
        {modifier(E, memScopeOf(ptxir::MemSem::Relaxed, ptxir::Scope::Sys))});
  return E.replace(I.getOp(), {});
}

void lowering::addAsyncLowerings(LoweringTable &Table) {
  Table.addInst("mbarrier.init", lowerInit);
  Table.addInst("mbarrier.inval", lowerCount<MBarrierOp::Invalidate>);
  Table.addInst("mbarrier.arrive", lowerArrive<MBarrierOp::Arrive>);
  Table.addInst("mbarrier.arrive.noComplete", lowerArrive<MBarrierOp::Arrive>);
  Table.addInst("mbarrier.arrive_drop", lowerArrive<MBarrierOp::Drop>);
  Table.addInst("mbarrier.arrive_drop.noComplete",
                lowerArrive<MBarrierOp::Drop>);
  Table.addInst("mbarrier.arrive.expect_tx",
                lowerBytes<MBarrierOp::ArriveExpect>);
  Table.addInst("mbarrier.arrive_drop.expect_tx",
                lowerBytes<MBarrierOp::DropExpect>);
  Table.addInst("mbarrier.expect_tx", lowerBytes<MBarrierOp::Expect>);
  Table.addInst("mbarrier.complete_tx", lowerBytes<MBarrierOp::Complete>);
  Table.addInst("mbarrier.pending_count", lowerPendingCount);
  Table.addInst("mbarrier.check_layout", lowerCheckLayout);
  Table.addInst("mbarrier.test_wait", lowerWait<MBarrierTest::Test>);
  Table.addInst("mbarrier.test_wait.parity",
                lowerWait<MBarrierTest::TestParity>);
  Table.addInst("mbarrier.try_wait", lowerWait<MBarrierTest::Try>);
  Table.addInst("mbarrier.try_wait.parity", lowerWait<MBarrierTest::TryParity>);
  Table.addInst("fence.mbarrier_init", lowerRestrictedFence);
  Table.addInst("fence", lowerRestrictedFence);
  Table.addInst("cp.async", lowerCpAsync);
  Table.addInst("cp.async.commit_group", lowerGroup<CopyGroupOp::Commit>);
  Table.addInst("cp.async.wait_group", lowerGroup<CopyGroupOp::Wait>);
  Table.addInst("cp.async.wait_all", lowerGroup<CopyGroupOp::WaitAll>);
  Table.addInst("cp.async.mbarrier.arrive", lowerCopyArrive);
  for (const char *Opcode :
       {"cp.async.bulk", "cp.reduce.async.bulk", "multimem.cp.async.bulk",
        "multimem.cp.reduce.async.bulk"})
    Table.addInst(Opcode, lowerBulk);
  Table.addInst("cp.async.bulk.commit_group",
                lowerGroup<CopyGroupOp::BulkCommit>);
  Table.addInst("cp.async.bulk.wait_group", lowerBulkWait);
  Table.addInst("cp.async.bulk.prefetch", lowerBulkHint);
  Table.addInst("applypriority.async.bulk", lowerBulkHint);
  for (const char *Opcode :
       {"cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor",
        "cp.async.bulk.prefetch.tensor", "applypriority.async.bulk.tensor",
        "fabric.try_get.async.tensor", "fabric.try_put.async.tensor",
        "fabric.try_red.async.tensor"})
    Table.addInst(Opcode, lowerTensorCopy);
  for (const char *Opcode : {"st.async", "red.async"})
    Table.addInst(Opcode, lowerStoreAsync);
  for (const char *Opcode : {"multimem.st.async", "multimem.red.async"})
    Table.addInst(Opcode, lowerGlobalAsync);
  Table.addInst("clusterlaunchcontrol.try_cancel", lowerTryCancel);
  Table.addInst("clusterlaunchcontrol.query_cancel", lowerQueryCancel);
}
