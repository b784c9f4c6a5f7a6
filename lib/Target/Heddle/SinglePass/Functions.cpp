//===- Functions.cpp - Calls of functions, arguments, results ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of a call. What lives over a call in a register that the callee
// may write is kept elsewhere meanwhile.
//
//===----------------------------------------------------------------------===//

#include "Convention.h"
#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"

using namespace llvm;

namespace heddle::singlepass {

//===----------------------------------------------------------------------===//
// Moves all at once
//===----------------------------------------------------------------------===//

static bool overlap(unsigned A, unsigned CountA, unsigned B, unsigned CountB) {
  return A < B + CountB && B < A + CountA;
}

void Selector::moveAll(SmallVectorImpl<RegisterMove> &Moves) {
  erase_if(Moves, [](const RegisterMove &M) { return M.To == M.From; });
  while (!Moves.empty() && !failed()) {
    auto IsRead = [&](const RegisterMove &M) {
      return any_of(Moves, [&](const RegisterMove &Other) {
        return &Other != &M && overlap(M.To, M.Count, Other.From, Other.Count);
      });
    };
    auto Next =
        find_if(Moves, [&](const RegisterMove &M) { return !IsRead(M); });
    if (Next == Moves.end()) {
      // A circle: one of its values steps aside.
      RegisterMove &M = Moves.front();
      unsigned Aside = temporary(M.Count);
      move(Aside, M.From, M.Count);
      M.From = Aside;
      continue;
    }
    move(Next->To, Next->From, Next->Count);
    Moves.erase(Next);
  }
}

//===----------------------------------------------------------------------===//
// The callee's side
//===----------------------------------------------------------------------===//

/// Takes the registers that arguments come in; those of values that are used
/// become the values' own where that is possible.
void Selector::receiveArguments() {
  auto All = placesOf(DL, F);
  if (!All)
    return fail("an argument of another type");
  if (F.isVarArg())
    return fail("a variable number of arguments");
  for (const Place &P : All->Places)
    if (P.Register)
      Registers.takeAt(*P.Register, P.Count);
  const Place *Next = All->Places.begin();
  for (const Argument &Arg : F.args()) {
    unsigned Count = All->Counts[Arg.getArgNo()];
    receiveArgument(Arg, ArrayRef(Next, Count));
    Next += Count;
  }
}

void Selector::receiveArgument(const Argument &Arg, ArrayRef<Place> Places) {
  if (Arg.hasByValAttr()) {
    FrameObjects[&Arg] = Places.front().Stack;
    return;
  }
  auto Release = [&] {
    for (const Place &P : Places)
      if (P.Register)
        Registers.give(*P.Register, P.Count);
  };
  if (!A.isUsed(Arg))
    return Release();
  const Place &First = Places.front();
  if (isPredicate(Arg.getType())) {
    constexpr unsigned True = 7;
    unsigned R = First.Register ? *First.Register : temporary(1);
    if (!First.Register)
      loadArgument(R, First.Stack, 1);
    Home H = homeOf(Arg);
    unsigned P =
        H.K == Home::Predicate ? H.Number : RegisterFile::ScratchPredicate;
    W.emit(Heddle::ISETP_i,
           {P, R, 1, isa::CmpI::Any, 0, isa::BoolOp::And, True, 0});
    if (H.K == Home::Registers)
      predicateToRegister(H.Number, {P, false});
    return Release();
  }
  if (Places.size() == 1 && First.Register) {
    Homes[&Arg] = {Home::Registers, static_cast<uint8_t>(First.Count),
                   static_cast<uint8_t>(*First.Register)};
    return;
  }
  unsigned To = homeOf(Arg).Number;
  for (const Place &P : Places)
    if (P.Register)
      move(To + P.Offset, *P.Register, P.Count);
    else
      loadArgument(To + P.Offset, P.Stack, P.Count);
  Release();
}

/// The values that become a function's result, one for each element.
static SmallVector<const Value *, 4> elementsOf(const Value *Result) {
  const auto *T = dyn_cast<StructType>(Result->getType());
  if (!T)
    return {Result};
  SmallVector<const Value *, 4> Elements;
  for (unsigned N = 0; N != T->getNumElements(); ++N)
    Elements.push_back(elementOf(Result, N));
  return Elements;
}

void Selector::selectReturn(const ReturnInst &I) {
  if (IsKernel)
    return W.emitDrained(Heddle::EXIT, {});
  if (const Value *Result = I.getReturnValue()) {
    auto Places = resultPlaces(DL, Result->getType());
    if (!Places)
      return fail("a result that is not in registers");
    SmallVector<Passed, 8> Values;
    const Place *Next = Places->begin();
    for (const Value *V : elementsOf(Result)) {
      if (!V)
        return fail("a result of several values");
      unsigned Count = V->getType()->isIntegerTy(128) ? 2 : 1;
      for (unsigned N = 0; N != Count; ++N)
        Values.push_back({V, *Next++});
    }
    auto Taken = takeArgumentRegisters();
    passInRegisters(Values);
    releaseRegisters(Taken);
  }
  W.emitDrained(Heddle::BRA, {Operand::label(EpilogueLabel)});
}

//===----------------------------------------------------------------------===//
// The caller's side
//===----------------------------------------------------------------------===//

const isa::SystemCallInfo *Selector::systemCallOf(const CallInst &I) {
  const Function *Callee = I.getCalledFunction();
  // A definition in the module comes before the runtime's function.
  if (!Callee || !Callee->isDeclaration())
    return nullptr;
  for (const isa::SystemCallInfo &S : isa::systemCalls())
    if (StringRef(S.Function.data(), S.Function.size()) == Callee->getName())
      return &S;
  return nullptr;
}

/// Argument registers that are free are nobody's until the call is over.
SmallVector<unsigned, 12> Selector::takeArgumentRegisters() {
  SmallVector<unsigned, 12> Taken;
  for (unsigned R = isa::abi::FirstArgument; R <= isa::abi::LastArgument; ++R)
    if (Registers.isFree(R, 1)) {
      Registers.takeAt(R, 1);
      Taken.push_back(R);
    }
  return Taken;
}

void Selector::releaseRegisters(ArrayRef<unsigned> Taken) {
  for (unsigned R : Taken)
    Registers.give(R, 1);
}

/// Moves first what is in registers, which the moves may write.
void Selector::passInRegisters(ArrayRef<Passed> Values) {
  SmallVector<RegisterMove, 12> Moves;
  auto IsMoved = [&](const Passed &P) {
    const Value *Root = root(P.V);
    return Homes.lookup(Root).K == Home::Registers;
  };
  for (const Passed &P : Values)
    if (P.To.Register && IsMoved(P))
      Moves.push_back({*P.To.Register,
                       Homes.lookup(root(P.V)).Number + P.To.Offset,
                       P.To.Count});
  moveAll(Moves);
  for (const Passed &P : Values)
    if (P.To.Register && !IsMoved(P))
      putValue(*P.To.Register, P);
}

/// A value that is not in general registers.
void Selector::putValue(unsigned To, const Passed &P) {
  const Value *V = root(P.V);
  if (isPredicate(V->getType()))
    return predicateToRegister(To, usePredicate(V));
  if (std::optional<Operand> Offset = frameOffset(V, 0))
    return frameAddress(To, *Offset);
  const auto *C = dyn_cast<Constant>(V);
  if (!C)
    return fail("a value that is not in a register");
  if (llvm::isa<UndefValue>(C))
    return;
  if (P.To.Count == sizeOf(V))
    return putConstant(To, P.To.Count, *C);
  move(To, usePart(V, P.To.Offset), P.To.Count);
}

void Selector::passInMemory(const CallInst &I, const Passed &P) {
  if (P.To.ByVal != 0 || I.isByValArgument(P.Argument))
    return copyToFrame(P.V, P.To.Stack, P.To.ByVal,
                       I.getParamAlign(P.Argument).valueOrOne().value());
  const Value *V = root(P.V);
  unsigned R;
  if (isPredicate(V->getType())) {
    R = temporary(1);
    predicateToRegister(R, usePredicate(V));
  } else if (sizeOf(V) == P.To.Count) {
    R = use(V);
  } else {
    R = usePart(V, P.To.Offset);
  }
  storeWords(P.To.Stack, R, P.To.Count);
}

/// Stores an argument that is passed in memory.
void Selector::storeWords(int64_t Offset, unsigned R, unsigned Count) {
  constexpr unsigned SP = isa::abi::StackPointer;
  if (Count == 1)
    return W.emit(Heddle::STL_r,
                  {SP, 0, Offset, R, isa::MemSize::Word, isa::MemOrder::Weak});
  W.emit(Count == 2 ? Heddle::STL64_r : Heddle::STL128_r,
         {SP, 0, Offset, R, isa::MemOrder::Weak});
}

void Selector::copyToFrame(const Value *From, int64_t To, uint64_t Bytes,
                           uint64_t Align) {
  constexpr unsigned SP = isa::abi::StackPointer;
  using namespace Heddle;
  Address At = addressOf(DL, From);
  int64_t FirstByte = 0;
  std::optional<Operand> InFrame = frameOffset(At.Base, At.Offset);
  unsigned Base = InFrame ? FrameBase : use(At.Base);
  unsigned R = temporary(4);
  for (uint64_t Step; Bytes != 0 && !failed(); Bytes -= Step) {
    Step = std::min<uint64_t>({16, Align, bit_floor(Bytes)});
    Operand Source = InFrame ? *InFrame : Operand(At.Offset);
    Source.Number += FirstByte;
    int64_t Target = To + FirstByte;
    if (Step > 4) {
      W.emit(Step == 8 ? LDL64_r : LDL128_r,
             {R, Base, 0, Source, isa::MemOrder::Weak});
      W.emit(Step == 8 ? STL64_r : STL128_r,
             {SP, 0, Target, R, isa::MemOrder::Weak});
    } else {
      isa::MemSize Size = Step == 4   ? isa::MemSize::Word
                          : Step == 2 ? isa::MemSize::U16
                                      : isa::MemSize::U8;
      W.emit(LDL_r, {R, Base, 0, Source, Size, isa::MemOrder::Weak});
      W.emit(STL_r, {SP, 0, Target, R, Size, isa::MemOrder::Weak});
    }
    FirstByte += Step;
  }
}

/// Keeps what lives over the call and may be written by the callee, in
/// registers that the callee keeps, or in memory.
SmallVector<Selector::Kept, 16> Selector::keepOverCall(bool IsSystemCall) {
  SmallVector<Kept, 16> All;
  auto IsWritten = [&](unsigned R) {
    if (IsSystemCall)
      return R >= isa::abi::FirstArgument && R <= isa::abi::LastArgument;
    return R < isa::abi::FirstCalleeSaved || R > isa::abi::LastCalleeSaved;
  };
  for (const auto &[V, H] : Homes) {
    const LifeTime &L = A.lifeOf(*V);
    if (L.End <= Position && !L.EndsWithBlock)
      continue;
    bool MayChange = H.K == Home::Predicate && !IsSystemCall;
    if (H.K == Home::Registers)
      for (unsigned N = 0; N != H.Count; ++N)
        MayChange |= IsWritten(H.Number + N);
    if (MayChange)
      All.push_back({H, std::nullopt, 0});
  }
  llvm::sort(All, [](const Kept &A, const Kept &B) {
    return std::pair(A.Of.K, A.Of.Number) < std::pair(B.Of.K, B.Of.Number);
  });
  constexpr int64_t Word = 4;
  int64_t Offset = FirstSaved;
  for (Kept &K : All) {
    unsigned Count = K.Of.K == Home::Predicate ? 1 : K.Of.Count;
    K.Aside = Registers.takeIn(isa::abi::FirstCalleeSaved,
                               isa::abi::LastCalleeSaved + 1, Count);
    if (!K.Aside) {
      Offset = alignTo(Offset, Word * Count);
      K.Offset = Offset;
      Offset += Word * Count;
    }
    save(K, Count);
  }
  FrameBytes = std::max<uint64_t>(FrameBytes, Offset);
  return All;
}

void Selector::save(const Kept &K, unsigned Count) {
  if (K.Of.K == Home::Predicate) {
    unsigned R = K.Aside ? *K.Aside : temporary(1);
    predicateToRegister(R, {K.Of.Number, false});
    if (!K.Aside)
      saveInFrame(K.Offset, R, 1);
    return;
  }
  if (K.Aside)
    return move(*K.Aside, K.Of.Number, Count);
  saveInFrame(K.Offset, K.Of.Number, Count);
}

void Selector::restore(const Kept &K) {
  constexpr unsigned True = 7;
  bool IsPredicate = K.Of.K == Home::Predicate;
  unsigned Count = IsPredicate ? 1 : K.Of.Count;
  unsigned R = K.Aside ? *K.Aside : IsPredicate ? temporary(1) : K.Of.Number;
  if (!K.Aside)
    restoreFromFrame(R, K.Offset, Count);
  if (IsPredicate)
    W.emit(Heddle::ISETP_r,
           {K.Of.Number, R, RegisterFile::Zero, isa::CmpI::NotEqual, 0,
            isa::BoolOp::And, True, 0});
  else if (K.Aside)
    move(K.Of.Number, R, Count);
  if (K.Aside)
    Registers.give(*K.Aside, Count);
}

/// Threads of a call may come back one after the other.
void Selector::transfer(const CallInst &I, unsigned Opcode, Operand Target) {
  constexpr unsigned AllBarriers = 16;
  unsigned B = countr_one(A.barriersAround(CurrentBlock));
  unsigned Meet = W.makeLabel();
  if (B < AllBarriers) {
    BarriersInUse |= 1u << B;
    W.emit(Heddle::BSSY, {B, Operand::label(Meet)});
  }
  W.emitDrained(Opcode, {isa::abi::ReturnAddress, Target});
  W.place(Meet);
  if (B < AllBarriers) {
    W.emit(Heddle::BSYNC, {B, /*bounded*/ 1});
    W.drain();
  }
  const Function *Callee = I.getCalledFunction();
  bool IsKnown = Callee && !Callee->isDeclaration();
  Out.CallsPointers |= !Callee;
  Out.CallsUnknown |= !IsKnown;
  if (IsKnown && !is_contained(Out.Callees, Callee))
    Out.Callees.push_back(Callee);
}

void Selector::takeResults(const CallInst &I) {
  if (I.getType()->isVoidTy())
    return;
  auto Places = resultPlaces(DL, I.getType());
  if (!Places)
    return fail("a result that is not in registers");
  SmallVector<RegisterMove, 4> Moves;
  SmallVector<std::pair<const Value *, unsigned>, 2> Predicates;
  const Place *Next = Places->begin();
  auto *Struct = dyn_cast<StructType>(I.getType());
  for (unsigned N = 0; N != (Struct ? Struct->getNumElements() : 1); ++N) {
    const Value *V = Struct ? partOf(I, N) : &I;
    Type *T = Struct ? Struct->getElementType(N) : I.getType();
    unsigned Count = T->isIntegerTy(128) ? 2 : 1;
    ArrayRef<Place> Own(Next, Count);
    Next += Count;
    if (!V || !A.isUsed(*V))
      continue;
    if (isPredicate(T)) {
      Predicates.push_back({V, *Own.front().Register});
      continue;
    }
    unsigned To = homeOf(*V).Number;
    for (const Place &P : Own)
      Moves.push_back({To + P.Offset, *P.Register, P.Count});
  }
  for (auto [V, R] : Predicates) {
    constexpr unsigned True = 7;
    Home H = homeOf(*V);
    unsigned P =
        H.K == Home::Predicate ? H.Number : RegisterFile::ScratchPredicate;
    W.emit(Heddle::ISETP_i,
           {P, R, 1, isa::CmpI::Any, 0, isa::BoolOp::And, True, 0});
    if (H.K == Home::Registers)
      predicateToRegister(H.Number, {P, false});
  }
  moveAll(Moves);
}

bool Selector::selectFunctionCall(const CallInst &I) {
  const isa::SystemCallInfo *System = systemCallOf(I);
  auto Places = placesOf(DL, I);
  if (!Places || I.getFunctionType()->isVarArg())
    return false;
  unsigned Pointer = 0;
  if (!System && !I.getCalledFunction()) {
    // Neither an argument's register nor one of the return address.
    auto Taken = takeArgumentRegisters();
    Pointer = temporary(2);
    releaseRegisters(Taken);
    move(Pointer, use(I.getCalledOperand()), 2);
  }
  auto AllKept = keepOverCall(System);
  auto Taken = takeArgumentRegisters();
  SmallVector<Passed, 12> Values;
  const Place *Next = Places->Places.begin();
  for (unsigned N = 0; N != I.arg_size(); ++N)
    for (unsigned P = 0; P != Places->Counts[N]; ++P)
      Values.push_back({I.getArgOperand(N), *Next++, N});
  for (const Passed &P : Values)
    if (!P.To.Register)
      passInMemory(I, P);
  passInRegisters(Values);
  if (failed())
    return true;
  if (System) {
    W.drain();
    W.emit(Heddle::SYSCALL, {int64_t(System->Number)});
  } else if (!I.getCalledFunction()) {
    transfer(I, Heddle::CALLR, Pointer);
  } else {
    transfer(I, Heddle::CALL, Operand::symbol(*I.getCalledFunction(), 0));
  }
  takeResults(I);
  releaseRegisters(Taken);
  for (const Kept &K : AllKept)
    restore(K);
  return true;
}

} // namespace heddle::singlepass
