//===- LowerTcgen05.cpp - Lowering of tcgen05 -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are found by their names in lib/PTX/PTXTcgen05.td. Loads and stores
// of tensor memory become an instruction for each four registers. Which buffer
// may keep a matrix (`.collector`) is a hint.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "MemoryAccess.h"
#include "Packed/LowerSparse.h"
#include "heddle/ISA/TensorMemory.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

static Value word(Emitter &E, Value V) {
  return E.resize(E.asInt(V), 32, /*Signed=*/false);
}

/// An operand `[base + offset]` of tensor memory.
static Value tensorAddress(Emitter &E, const InstView &I, StringRef Name) {
  auto [Base, Offset] = I.address(*I.find(Name));
  Value Address = word(E, Base);
  return Offset ? E.make<LLVM::AddOp>(Address, E.constInt(32, Offset))
                : Address;
}

static bool isPair(const InstView &I) {
  return I.get<ptx::CtaGroup>() == ptx::CtaGroup::CtaGroup2;
}

//===----------------------------------------------------------------------===//
// Management
//===----------------------------------------------------------------------===//

using isa::TensorMemoryOp;

static LogicalResult manage(Emitter &E, const InstView &I, TensorMemoryOp O,
                            Value Address, Value Columns) {
  E.warpBuiltin("tensor_memory", {},
                {Address, Columns, modifier(E, O), modifier(E, isPair(I)),
                 modifier(E, I.has<ptx::Exclusive>())},
                LLVM::ModRefInfo::ModRef);
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerAlloc(Emitter &E, const InstView &I) {
  return manage(E, I, TensorMemoryOp::Alloc,
                sharedAddress(E, I, *I.find("dst")),
                word(E, I.value(*I.find("nCols"))));
}

static LogicalResult lowerDealloc(Emitter &E, const InstView &I) {
  return manage(E, I, TensorMemoryOp::Free, word(E, I.value(*I.find("taddr"))),
                word(E, I.value(*I.find("nCols"))));
}

template <TensorMemoryOp O>
static LogicalResult lowerManagement(Emitter &E, const InstView &I) {
  return manage(E, I, O, E.constInt(32, 0), E.constInt(32, 0));
}

/// What is ordered is what a thread begins, in the order in which it does.
static LogicalResult lowerTensorFence(Emitter &E, const InstView &I) {
  LLVM::FenceOp::create(E.B, E.Loc, LLVM::AtomicOrdering::acq_rel,
                        "singlethread");
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static tensor::Shape shapeOf(const InstView &I) {
  switch (I.get<ptx::TmemShape>()) {
  case ptx::TmemShape::N16x64b:
    return tensor::Shape::L16x64b;
  case ptx::TmemShape::N16x128b:
    return tensor::Shape::L16x128b;
  case ptx::TmemShape::N16x256b:
    return tensor::Shape::L16x256b;
  case ptx::TmemShape::N16x32bx2:
    return tensor::Shape::L16x32bx2;
  default:
    return tensor::Shape::L32x32b;
  }
}

/// The operands of a load or store of registers from \p First on.
static SmallVector<Value> accessOperands(Emitter &E, const InstView &I,
                                         unsigned First) {
  auto Half = I.find("half");
  return {tensorAddress(E, I, "taddr"), E.constInt(32, First),
          E.constInt(32, Half ? I.immediate(*Half) : 0)};
}

static void addModifiers(Emitter &E, const InstView &I, unsigned Count,
                         SmallVectorImpl<Value> &Args) {
  Args.append({modifier(E, shapeOf(I)), E.constInt(32, llvm::Log2_32(Count)),
               modifier(E, I.has<ptx::TmemPack>())});
}

static SmallVector<Value> loadRegisters(Emitter &E, const InstView &I,
                                        unsigned Count) {
  SmallVector<Value> Registers;
  while (Registers.size() < Count) {
    unsigned First = Registers.size(), N = std::min(Count - First, 4u);
    SmallVector<Value> Args = accessOperands(E, I, First);
    addModifiers(E, I, N, Args);
    Value Group =
        E.warpBuiltin("tensor_load", wideTy(E), Args, LLVM::ModRefInfo::Ref);
    Registers.append(registersOf(E, Group, N));
  }
  return Registers;
}

static LogicalResult lowerTensorLoad(Emitter &E, const InstView &I) {
  return E.replace(I.getOp(), I.resultsOf(loadRegisters(E, I, I.numResults())));
}

/// The least or the greatest of what a thread has loaded.
static Value reduceRegisters(Emitter &E, const InstView &I,
                             ArrayRef<Value> Registers) {
  bool IsMax = I.get<ptx::TmemReduce>() == ptx::TmemReduce::Max;
  bool IsFloat = ptx::getTypeName(I.type()) == "f32";
  bool IsSigned = ptx::getTypeName(I.type()) == "s32";
  Type Ty = IsFloat ? E.typeOf(ptxir::ScalarType::F32) : E.intTy(32);
  auto Combine = [&](Value A, Value B) -> Value {
    if (IsFloat && I.has<ptx::NanMode>())
      return E.intrinsic(IsMax ? "nvvm.fmax.nan.f" : "nvvm.fmin.nan.f", Ty,
                         {A, B});
    if (IsFloat)
      return E.intrinsic(IsMax ? "maximumnum" : "minimumnum", Ty, {A, B});
    if (IsSigned)
      return IsMax ? E.make<LLVM::SMaxOp>(A, B) : E.make<LLVM::SMinOp>(A, B);
    return IsMax ? E.make<LLVM::UMaxOp>(A, B) : E.make<LLVM::UMinOp>(A, B);
  };
  Value Result;
  for (Value V : Registers) {
    V = E.cast(V, Ty);
    if (I.has<ptx::AbsMode>())
      V = E.make<LLVM::FAbsOp>(V);
    Result = Result ? Combine(Result, V) : V;
  }
  return Result;
}

static LogicalResult lowerTensorLoadReduce(Emitter &E, const InstView &I) {
  SmallVector<Value> All = loadRegisters(E, I, I.numResults() - 1);
  All.push_back(reduceRegisters(E, I, All));
  return E.replace(I.getOp(), I.resultsOf(All));
}

/// Two of every four registers, which .rowop and .abs choose.
static Compressed compressRegisters(Emitter &E, const InstView &I,
                                    ArrayRef<Value> Registers) {
  // As descriptors of spcompress number the operations.
  unsigned Operation =
      (I.get<ptx::TmemReduce>() == ptx::TmemReduce::Max ? 0 : 2) |
      unsigned(I.has<ptx::AbsMode>());
  return compress(E, Registers, 32, 2, [&](Value Element) {
    return E.builtin("sparse_key_f32", E.intTy(32),
                     {Element, E.constInt(32, Operation)});
  });
}

static LogicalResult lowerTensorLoadCompressed(Emitter &E, const InstView &I) {
  unsigned Count = 0;
  I.spelling(ptx::ModKind::TmemCount).drop_front().getAsInteger(10, Count);
  SmallVector<Value> Registers = loadRegisters(E, I, Count);
  SmallVector<Value> All = compressRegisters(E, I, Registers).all();
  if (I.getOp().getOpcode() == "tcgen05.ld.red.spcompress")
    All.push_back(reduceRegisters(E, I, Registers));
  return E.replace(I.getOp(), I.resultsOf(All));
}

static LogicalResult lowerTensorStore(Emitter &E, const InstView &I) {
  ArrayRef<Value> Registers = I.values(*I.find("r"));
  for (unsigned First = 0; First < Registers.size(); First += 4) {
    unsigned N = std::min<unsigned>(Registers.size() - First, 4);
    SmallVector<Value> Args = accessOperands(E, I, First);
    Args.push_back(groupOfFour(E, Registers.slice(First, N)));
    addModifiers(E, I, N, Args);
    E.warpBuiltin("tensor_store", {}, Args, LLVM::ModRefInfo::ModRef);
  }
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// What a thread begins
//===----------------------------------------------------------------------===//

static tensor::Copy copyOf(const InstView &I) {
  switch (I.get<ptx::TmemCopy>()) {
  case ptx::TmemCopy::N128x256b:
    return tensor::Copy::Rows128x256b;
  case ptx::TmemCopy::N4x256b:
    return tensor::Copy::Rows4x256b;
  case ptx::TmemCopy::N128x128b:
    return tensor::Copy::Rows128x128b;
  case ptx::TmemCopy::N64x128b:
    return I.get<ptx::WarpCast>() == ptx::WarpCast::Warpx20213
               ? tensor::Copy::Rows64x128bTo02And13
               : tensor::Copy::Rows64x128bTo01And23;
  case ptx::TmemCopy::N32x128b:
    return tensor::Copy::Rows32x128b;
  default:
    return tensor::Copy::Shift;
  }
}

static matrix::Unpack unpackOf(const InstView &I) {
  if (!I.has<ptx::UnpackFrom>())
    return matrix::Unpack::None;
  return I.spelling(ptx::ModKind::UnpackFrom).starts_with("b6")
             ? matrix::Unpack::From6Bits
             : matrix::Unpack::From4Bits;
}

/// Copies and shifts.
static LogicalResult lowerTensorCopyRows(Emitter &E, const InstView &I) {
  auto Descriptor = I.find("sDesc");
  E.memoryBuiltin(
      "tensor_copy", {},
      {tensorAddress(E, I, "taddr"),
       Descriptor ? E.asInt(I.value(*Descriptor)) : E.constInt(64, 0),
       modifier(E, copyOf(I)), modifier(E, unpackOf(I)),
       modifier(E, isPair(I))});
  return E.replace(I.getOp(), {});
}

/// An arrival when A has been read may also come when all is done.
static LogicalResult lowerTensorCommit(Emitter &E, const InstView &I) {
  auto Mask = I.find("ctaMask");
  E.memoryBuiltin("tensor_commit", {},
                  {sharedAddress(E, I, *I.find("mbar")),
                   Mask ? word(E, I.value(*Mask)) : E.constInt(32, 0),
                   modifier(E, I.has<ptx::Multicast>())});
  return E.replace(I.getOp(), {});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static tensor::Kind kindOf(const InstView &I) {
  switch (I.get<ptx::Tcgen05Kind>()) {
  case ptx::Tcgen05Kind::KindTf32:
    return tensor::Kind::TF32;
  case ptx::Tcgen05Kind::KindF8f6f4:
    return tensor::Kind::F8F6F4;
  case ptx::Tcgen05Kind::KindI8:
    return tensor::Kind::I8;
  case ptx::Tcgen05Kind::KindMxf8f6f4:
    return tensor::Kind::MXF8F6F4;
  case ptx::Tcgen05Kind::KindMxf4:
    return tensor::Kind::MXF4;
  case ptx::Tcgen05Kind::KindMxf4nvf4:
    return tensor::Kind::MXF4NVF4;
  case ptx::Tcgen05Kind::KindTi16:
    return tensor::Kind::TI16;
  default:
    return tensor::Kind::F16;
  }
}

static isa::MatrixScale scalesOf(const InstView &I, tensor::Kind K) {
  switch (K) {
  case tensor::Kind::MXF8F6F4:
    return isa::MatrixScale::X1;
  case tensor::Kind::MXF4:
    return isa::MatrixScale::X2;
  case tensor::Kind::MXF4NVF4:
    return I.get<ptx::Tcgen05Scale>() == ptx::Tcgen05Scale::ScaleVec4X ||
                   I.get<ptx::Tcgen05Scale>() == ptx::Tcgen05Scale::Block16
               ? isa::MatrixScale::X4
               : isa::MatrixScale::X2;
  default:
    return isa::MatrixScale::None;
  }
}

/// Words of the mask of lanes that are not written, four of each CTA.
static Value disabledLanes(Emitter &E, const InstView &I, unsigned CTA) {
  SmallVector<Value> Words(4, E.constInt(32, 0));
  if (auto Mask = I.find("disable"))
    for (auto [N, V] : llvm::enumerate(I.values(*Mask)))
      if (N / 4 == CTA)
        Words[N % 4] = word(E, V);
  return groupOfFour(E, Words);
}

static Value optionalTensorAddress(Emitter &E, const InstView &I,
                                   StringRef Name) {
  return I.find(Name) ? tensorAddress(E, I, Name) : E.constInt(32, 0);
}

static LogicalResult lowerTensorProduct(Emitter &E, const InstView &I) {
  tensor::Kind Kind = kindOf(I);
  auto ADesc = I.find("aDesc"), Zeros = I.find("zeroMask");
  auto ScaleD = I.find("scaleD");
  Value A = ADesc ? E.asInt(I.value(*ADesc))
                  : E.resize(tensorAddress(E, I, "a"), 64, /*Signed=*/false);
  Value Adds = E.resize(I.value(*I.find("enable")), 32, /*Signed=*/false);
  Value ZeroColumns = Zeros ? E.asInt(I.value(*Zeros)) : E.constInt(64, 0);
  Value High = E.make<LLVM::LShrOp>(ZeroColumns, E.constInt(64, 32));
  StringRef Opcode = I.getOp().getOpcode();
  E.memoryBuiltin(
      "tensor_mma", {},
      {A, E.asInt(I.value(*I.find("bDesc"))),
       groupOfFour(
           E,
           {tensorAddress(E, I, "d"), word(E, I.value(*I.find("idesc"))), Adds,
            optionalTensorAddress(E, I, I.find("table") ? "table" : "spMeta")}),
       groupOfFour(E, {optionalTensorAddress(E, I, "scaleA"),
                       optionalTensorAddress(E, I, "scaleB"),
                       E.resize(ZeroColumns, 32, false),
                       E.resize(High, 32, false)}),
       disabledLanes(E, I, 0), disabledLanes(E, I, 1), modifier(E, Kind),
       modifier(E, !ADesc), modifier(E, Opcode.contains(".ws")),
       modifier(E, isPair(I)), modifier(E, I.has<ptx::AShift>()),
       E.constInt(32, ScaleD ? I.immediate(*ScaleD) : 0),
       modifier(E, scalesOf(I, Kind)), modifier(E, Opcode.ends_with(".sp")),
       modifier(E, I.has<ptx::LookUpB>())});
  return E.replace(I.getOp(), {});
}

void lowering::addTcgen05Lowerings(LoweringTable &Table) {
  Table.addInst("tcgen05.alloc", lowerAlloc);
  Table.addInst("tcgen05.dealloc", lowerDealloc);
  Table.addInst("tcgen05.relinquish_alloc_permit",
                lowerManagement<TensorMemoryOp::GiveUp>);
  Table.addInst("tcgen05.wait::ld", lowerManagement<TensorMemoryOp::WaitLoads>);
  Table.addInst("tcgen05.wait::st",
                lowerManagement<TensorMemoryOp::WaitStores>);
  Table.addInst("tcgen05.fence::before_thread_sync", lowerTensorFence);
  Table.addInst("tcgen05.fence::after_thread_sync", lowerTensorFence);
  Table.addInst("tcgen05.ld", lowerTensorLoad);
  Table.addInst("tcgen05.ld.red", lowerTensorLoadReduce);
  Table.addInst("tcgen05.ld.spcompress", lowerTensorLoadCompressed);
  Table.addInst("tcgen05.ld.red.spcompress", lowerTensorLoadCompressed);
  Table.addInst("tcgen05.st", lowerTensorStore);
  Table.addInst("tcgen05.cp", lowerTensorCopyRows);
  Table.addInst("tcgen05.shift", lowerTensorCopyRows);
  Table.addInst("tcgen05.commit", lowerTensorCommit);
  for (const char *Opcode :
       {"tcgen05.mma", "tcgen05.mma.sp", "tcgen05.mma.ws", "tcgen05.mma.ws.sp"})
    Table.addInst(Opcode, lowerTensorProduct);
}
