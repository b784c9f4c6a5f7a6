//===- CallFrames.cpp - From a function to its caller -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The subset of DWARF's call frame information that compilers write, and chains
// of frame pointers for code without any, such as a compiler's in the process.
//
//===----------------------------------------------------------------------===//

#include "Trace/Sampling/CallFrames.h"
#include "Trace/Sampling/FrameRules.h"
#include "llvm/Support/Endian.h"

#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

std::optional<uint64_t> StackCopy::read(uint64_t At) const {
  uint64_t Offset = At - Address;
  if (At < Address || Bytes.size() < sizeof(uint64_t) ||
      Offset > Bytes.size() - sizeof(uint64_t))
    return std::nullopt;
  return support::endian::read64le(Bytes.data() + Offset);
}

namespace {
enum class Step { Done, IsOutermost, Failed };
} // namespace

/// The value of a register in the caller; \p Frame is the frame's address.
static std::optional<uint64_t> valueOf(const RegisterRule &Rule,
                                       unsigned Register, uint64_t Frame,
                                       const MachineState &S,
                                       const StackCopy &Stack) {
  switch (Rule.Kind) {
  case RegisterRule::Same:
    return S.Registers[Register];
  case RegisterRule::Undefined:
    return std::nullopt;
  case RegisterRule::AtOffset:
    return Stack.read(Frame + Rule.Number);
  case RegisterRule::Offset:
    return Frame + Rule.Number;
  case RegisterRule::InRegister:
    return S.Registers[Rule.Number];
  case RegisterRule::AtExpression:
    if (std::optional<uint64_t> At = evaluate(Rule.Expression, S, Stack, Frame))
      return Stack.read(*At);
    return std::nullopt;
  case RegisterRule::ByExpression:
    return evaluate(Rule.Expression, S, Stack, Frame);
  }
  return std::nullopt;
}

static Step stepByRules(MachineState &S, const FrameRules &Rules,
                        const StackCopy &Stack) {
  std::optional<uint64_t> Frame;
  if (!Rules.FrameExpression.empty())
    Frame = evaluate(Rules.FrameExpression, S, Stack, std::nullopt);
  else if (Rules.FrameRegister < NumRegisters)
    Frame = S.Registers[Rules.FrameRegister] + Rules.FrameOffset;
  if (!Frame)
    return Step::Failed;
  const RegisterRule &Return = Rules.Registers[Rules.ReturnRegister];
  if (Return.Kind == RegisterRule::Undefined)
    return Step::IsOutermost;
  std::optional<uint64_t> PC =
      valueOf(Return, std::min(Rules.ReturnRegister, NumRegisters - 1), *Frame,
              S, Stack);
  if (!PC)
    return Step::Failed;
  MachineState Caller = S;
  Caller.Registers[StackPointer] = *Frame;
  for (unsigned R = 0; R != NumRegisters; ++R)
    if (Rules.Registers[R].Kind != RegisterRule::Same)
      Caller.Registers[R] =
          valueOf(Rules.Registers[R], R, *Frame, S, Stack).value_or(0);
  Caller.PC = *PC & AddressMask;
  bool IsStuck = Caller.PC == S.PC && *Frame == S.Registers[StackPointer];
  S = Caller;
  if (!S.PC)
    return Step::IsOutermost;
  return IsStuck ? Step::Failed : Step::Done;
}

/// The caller's frame pointer and the return address lie where the frame
/// pointer points.
static Step stepByFramePointer(MachineState &S, const StackCopy &Stack) {
  constexpr uint64_t Word = sizeof(uint64_t);
  uint64_t Frame = S.Registers[FramePointer];
  std::optional<uint64_t> Outer = Stack.read(Frame),
                          PC = Stack.read(Frame + Word);
  if (!Outer || !PC || !*PC || Frame < S.Registers[StackPointer])
    return Step::Failed;
  S.Registers[FramePointer] = *Outer;
  S.Registers[StackPointer] = Frame + 2 * Word;
  S.PC = *PC & AddressMask;
  return Step::Done;
}

/// The bytes that a function takes off the stack before it returns, if the
/// instructions at \p PC do just that.
static std::optional<uint64_t> bytesBeforeReturn(uint64_t PC) {
#if defined(__x86_64__)
  uint8_t Code[5];
  iovec To = {Code, sizeof(Code)};
  iovec From = {reinterpret_cast<void *>(PC), sizeof(Code)};
  if (process_vm_readv(getpid(), &To, 1, &From, 1, 0) != sizeof(Code))
    return std::nullopt;
  // add $N, %rsp; ret
  if (Code[0] == 0x48 && Code[1] == 0x83 && Code[2] == 0xC4 && Code[4] == 0xC3)
    return Code[3];
#endif
  return std::nullopt;
}

/// Code of the process' own that only calls, and has no frame: Python's
/// trampolines are such.
static Step stepByReturn(MachineState &S, uint64_t Bytes,
                         const StackCopy &Stack) {
  uint64_t Frame = S.Registers[StackPointer] + Bytes;
  std::optional<uint64_t> PC = Stack.read(Frame);
  if (!PC || !*PC)
    return Step::Failed;
  S.Registers[StackPointer] = Frame + sizeof(uint64_t);
  S.PC = *PC & AddressMask;
  return Step::Done;
}

static Step stepWithoutRules(MachineState &S, bool IsOfFile,
                             const StackCopy &Stack) {
  std::optional<uint64_t> Bytes =
      IsOfFile ? std::nullopt : bytesBeforeReturn(S.PC);
  return Bytes ? stepByReturn(S, *Bytes, Stack) : stepByFramePointer(S, Stack);
}

CallStack unwind(MachineState S, const StackCopy &Stack, CodeMap &Code) {
  constexpr size_t Deepest = 256;
  CallStack Result;
  // An address to which a function returns may be behind the caller's end.
  bool IsCall = false;
  while (Result.PCs.size() != Deepest) {
    uint64_t At = IsCall ? S.PC - 1 : S.PC;
    Result.PCs.push_back(At);
    const CodeFile *File = Code.fileAt(At);
    std::optional<uint64_t> Description =
        File ? File->descriptionAt(At - File->bias()) : std::nullopt;
    std::optional<FrameRules> Rules =
        Description ? findRules(*File, *Description, At - File->bias())
                    : std::nullopt;
    Step Next = Rules ? stepByRules(S, *Rules, Stack)
                      : stepWithoutRules(S, File != nullptr, Stack);
    if (Next == Step::IsOutermost)
      Result.IsWhole = true;
    if (Next != Step::Done)
      break;
    IsCall = !Rules || !Rules->IsSignal;
  }
  return Result;
}

} // namespace heddle::cuda::trace
