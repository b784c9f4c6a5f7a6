//===- Thread.cpp - One thread of the machine -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its instructions, calls, memory and faults.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

/// Addresses below this are the null page.
static constexpr uint64_t NullBytes = 64 * 1024;
/// Longest string that a kernel can hand to the runtime.
static constexpr uint64_t MaxStringBytes = 1 << 16;

Thread::Thread(CTA &Owner, Warp &W, uint32_t Number)
    : Owner(Owner), W(W), Number(Number), Lane(Number % WarpSize) {
  const rt::Dim3 &Block = Owner.Launch.Config.Block;
  Index = {Number % Block.X, Number / Block.X % Block.Y,
           Number / Block.X / Block.Y};
  enter(*Owner.Launch.Entry.F);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Thread::compute(const Instruction &I) {
  Bits In[MaxOperands], Out[MaxOperands] = {};
  for (size_t N = 0, E = I.Operands.size(); N != E; ++N)
    In[N] = Registers[Top + I.Operands[N]];
  I.Evaluate(I, In, Out);
  for (size_t N = 0, E = I.Results.size(); N != E; ++N)
    Registers[Top + I.Results[N]] = lowBits(Out[N], I.ResultWidths[N]);
}

uint64_t Thread::run(uint64_t Count) {
  uint64_t Ran = 0;
  while (Ran != Count && Status == State::Ready) {
    const Instruction &I = F->Code[PC];
    ++Ran;
    ++Steps;
    if (I.Evaluate) {
      compute(I);
      ++PC;
      continue;
    }
    Outcome Result;
    if (I.Together) {
      Mask =
          I.Mods.WholeWarp ? ~0u : uint32_t(operand(I, I.Operands.size() - 1));
      if (!(Mask >> Lane & 1)) {
        fault(rt::FaultKind::IllegalInstruction,
              "the thread's own lane is not in the member mask 0x" +
                  Twine::utohexstr(Mask) + " of " +
                  I.Op->getName().getStringRef());
        return Ran;
      }
      Status = State::InWarp;
      W.tryTogether(*this);
      Result = Outcome::Waiting;
    } else {
      Result = I.Execute(*this, I);
    }
    if (Result == Outcome::Next)
      ++PC;
    else if (Result == Outcome::Stopped)
      return Ran;
  }
  return Ran;
}

void Thread::follow(const Edge &E) {
  SmallVector<Bits, 16> Values;
  for (auto [From, To] : E.Moves)
    Values.push_back(reg(From));
  for (auto [Move, Value] : zip_equal(E.Moves, Values))
    Registers[Top + Move.second] = Value;
  PC = E.Target;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Thread::enter(const Function &Callee) {
  Top = Registers.size();
  Registers.insert(Registers.end(), Callee.Initial.begin(),
                   Callee.Initial.end());
  F = &Callee;
  PC = 0;
}

Outcome Thread::call(const Function &Callee, const Instruction &I,
                     ArrayRef<Bits> Arguments) {
  if (Callee.System)
    return Callee.System(*this, I);
  if (Callee.Arguments.size() != Arguments.size() || Callee.IsEntry ||
      Callee.Code.empty())
    return fault(rt::FaultKind::IllegalInstruction,
                 "a call of '" + Callee.Name +
                     "' with arguments that it does not take");
  if (Frames.size() >= Owner.Launch.Options.CallDepth)
    return fault(rt::FaultKind::OutOfBounds,
                 "the calls are more than " +
                     Twine(Owner.Launch.Options.CallDepth) + " deep");
  SmallVector<Bits> Values(Arguments);
  uint64_t SavedTop = StackTop;
  // Arrays are passed by value: the callee gets copies.
  for (auto [A, Value] : zip_equal(Callee.Aggregates, Values)) {
    if (A.Size == 0 || A.IsResult)
      continue;
    std::optional<uint64_t> Copy = allocateLocal(A.Size, A.Alignment);
    uint8_t *From =
        Copy ? access(Space::Local, uint64_t(Value), A.Size, 1, false)
             : nullptr;
    if (!From)
      return Outcome::Stopped;
    std::copy_n(From, A.Size, Local.data() + *Copy);
    Value = *Copy;
  }
  Frames.push_back({F, PC, Top, SavedTop});
  enter(Callee);
  for (auto [Register, Value] : zip_equal(Callee.Arguments, Values))
    Registers[Top + Register] = Value;
  return Outcome::Jumped;
}

Outcome Thread::returnFrom(const Instruction &I) {
  if (Frames.empty()) {
    end();
    return Outcome::Stopped;
  }
  SmallVector<Bits> Values;
  for (unsigned N = 0; N != I.Operands.size(); ++N)
    Values.push_back(operand(I, N));
  Frame Caller = Frames.back();
  Frames.pop_back();
  Registers.resize(Top);
  F = Caller.F;
  PC = Caller.PC;
  Top = Caller.FirstRegister;
  StackTop = Caller.StackTop;
  const Instruction &Call = current();
  if (Call.Results.size() != Values.size())
    return fault(rt::FaultKind::IllegalInstruction,
                 "a call through a pointer whose prototype is not that of the "
                 "function");
  for (auto [N, Value] : enumerate(Values))
    setResult(Call, N, Value);
  return Outcome::Next;
}

void Thread::end() {
  Status = State::Done;
  Registers = {};
  Frames = {};
  Local = {};
  Owner.threadEnded(*this);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<uint64_t> Thread::allocateLocal(uint64_t Size, uint64_t Align) {
  // PTX has no null address in .local, but programs test for one.
  uint64_t Address =
      alignTo(std::max<uint64_t>(StackTop, 16), std::max<uint64_t>(Align, 1));
  uint64_t Limit = Owner.Launch.Options.LocalBytes;
  if (Address > Limit || Size > Limit - Address) {
    fault(rt::FaultKind::OutOfBounds, "the thread needs more than " +
                                          Twine(Limit) +
                                          " bytes of local memory");
    return std::nullopt;
  }
  StackTop = Address + Size;
  if (Local.size() < StackTop) {
    size_t Old = Local.size();
    Local.resize(StackTop);
    poison(MutableArrayRef(Local).drop_front(Old & ~size_t(1)));
  }
  return Address;
}

uint8_t *Thread::local(uint64_t Address, uint64_t Size) {
  if (Address > StackTop || Size > StackTop - Address)
    return nullptr;
  return Local.data() + Address;
}

uint8_t *Thread::generic(uint64_t Address, uint64_t Size, bool IsWrite) {
  uint64_t Offset = uint32_t(Address);
  switch (Window(Address >> 32)) {
  case Window::Shared:
    return access(Space::Shared_cluster, Offset, Size, 1, IsWrite);
  case Window::Local:
    return access(Space::Local, Offset, Size, 1, IsWrite);
  case Window::Constant:
    return access(Space::Const, Offset, Size, 1, IsWrite);
  case Window::Parameters:
    return access(Space::Param_entry, Offset, Size, 1, IsWrite);
  }
  return access(Space::Global, Address, Size, 1, IsWrite);
}

static uint8_t *part(MutableArrayRef<uint8_t> Data, uint64_t Address,
                     uint64_t Size) {
  if (Address > Data.size() || Size > Data.size() - Address)
    return nullptr;
  return Data.data() + Address;
}

static uint8_t *sharedPart(CTA &Own, uint64_t Address, uint64_t Size) {
  uint64_t Holder = Address >> ClusterShift, Rank = Holder ^ RankMark;
  if (Holder && Rank >= Own.Group.CTAs.size())
    return nullptr;
  CTA &Owner = Holder ? *Own.Group.CTAs[Rank] : Own;
  return part(Owner.Shared, Address & maskTrailingOnes<uint64_t>(ClusterShift),
              Size);
}

uint8_t *Thread::access(Space Space, uint64_t Address, uint64_t Size,
                        uint64_t Align, bool IsWrite) {
  if (Address % Align != 0) {
    fault(rt::FaultKind::Misaligned, "an access of " + Twine(Size) + " bytes",
          Address);
    return nullptr;
  }
  LaunchState &Launch = Owner.Launch;
  uint8_t *Place = nullptr;
  switch (Space) {
  case Space::Generic:
    return generic(Address, Size, IsWrite);
  case Space::Global:
    if (Address < NullBytes) {
      fault(rt::FaultKind::Null, "an access of " + Twine(Size) + " bytes",
            Address);
      return nullptr;
    }
    Place = Launch.Memory.find(Address, Size);
    break;
  case Space::Shared:
  case Space::Shared_cluster:
    Place = sharedPart(Owner, Address, Size);
    break;
  case Space::Const:
    if (!IsWrite && Address <= Launch.Code.ConstantBytes &&
        Size <= Launch.Code.ConstantBytes - Address)
      Place = Launch.Memory.find(Launch.Code.ConstantBase + Address, Size);
    break;
  case Space::Local:
  case Space::Param_func:
    Place = local(Address, Size);
    break;
  case Space::Param_entry:
    if (!IsWrite) {
      ArrayRef<uint8_t> P = Launch.Config.Params;
      Place = part({const_cast<uint8_t *>(P.data()), P.size()}, Address, Size);
    }
    break;
  }
  if (!Place)
    fault(rt::FaultKind::OutOfBounds,
          Twine(IsWrite ? "a write" : "a read") + " of " + Twine(Size) +
              " bytes in ." + stringifyEnum(Space),
          Address);
  return Place;
}

std::optional<std::string> Thread::readString(uint64_t Address) {
  std::string Text;
  while (Text.size() < MaxStringBytes) {
    const uint8_t *Byte =
        access(Space::Generic, Address + Text.size(), 1, 1, false);
    if (!Byte)
      return std::nullopt;
    if (*Byte == 0)
      return Text;
    Text.push_back(char(*Byte));
  }
  return Text;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

Outcome Thread::fault(rt::FaultKind Kind, const Twine &Message,
                      std::optional<uint64_t> Address) {
  if (Owner.Launch.Fault)
    return Outcome::Stopped;
  rt::Fault Result;
  Result.Kind = Kind;
  Result.Kernel = Owner.Launch.Entry.F->Name;
  Result.Section = F->Name;
  Result.PC = PC;
  Result.Block = Owner.Index;
  Result.Thread = Index;
  Result.Address = Address;
  Result.Message = Message.str();
  if (PC < F->Code.size())
    if (mlir::FileLineColLoc Loc = getPTXLoc(current().Op->getLoc())) {
      Result.SourceFile = Loc.getFilename().str();
      Result.SourceLine = Loc.getLine();
    }
  Owner.Launch.Fault = std::move(Result);
  return Outcome::Stopped;
}

} // namespace heddle::interp
