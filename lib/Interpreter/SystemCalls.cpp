//===- SystemCalls.cpp - What kernels ask of the runtime --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vprintf, malloc, free, __assertfail and cudaGraphSetConditional, as CUDA
// declares them.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "heddle/Runtime/Printf.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

uint64_t argument(Thread &T, const Instruction &Call, unsigned N) {
  return uint64_t(T.operand(Call, N));
}

/// The arguments of a vprintf in the memory of the thread.
class ThreadArguments : public rt::PrintfArguments {
public:
  ThreadArguments(Thread &T, uint64_t Address) : T(T), Address(Address) {}

  std::optional<uint64_t> next(unsigned Bytes) override {
    Address = (Address + Bytes - 1) / Bytes * Bytes;
    const uint8_t *Place =
        T.access(Space::Generic, Address, Bytes, Bytes, /*IsWrite=*/false);
    if (!Place)
      return std::nullopt;
    Address += Bytes;
    uint64_t Value = 0;
    for (unsigned N = 0; N != Bytes; ++N)
      Value |= uint64_t(Place[N]) << (8 * N);
    return Value;
  }
  std::optional<std::string> string(uint64_t At) override {
    return T.readString(At);
  }

private:
  Thread &T;
  uint64_t Address;
};

/// int vprintf(const char *Format, void *Arguments)
Outcome callPrintf(Thread &T, const Instruction &Call) {
  std::optional<std::string> Format = T.readString(argument(T, Call, 0));
  if (!Format)
    return Outcome::Stopped;
  ThreadArguments Arguments(T, argument(T, Call, 1));
  rt::PrintfResult Result = rt::formatPrintf(*Format, Arguments);
  LaunchState &Launch = T.Owner.Launch;
  if (Launch.Fault)
    return Outcome::Stopped;
  if (Launch.Sink)
    Launch.Sink(Result.Text);
  T.setResult(Call, 0, Result.Arguments);
  return Outcome::Next;
}

/// void *malloc(size_t Size)
Outcome callMalloc(Thread &T, const Instruction &Call) {
  T.setResult(Call, 0,
              T.Owner.Launch.Memory.heapAllocate(argument(T, Call, 0)));
  return Outcome::Next;
}

/// void free(void *Address)
Outcome callFree(Thread &T, const Instruction &Call) {
  uint64_t Address = argument(T, Call, 0);
  if (Address && !T.Owner.Launch.Memory.heapFree(Address))
    return T.fault(
        rt::FaultKind::OutOfBounds,
        "free of an address that malloc did not return, or freed before",
        Address);
  return Outcome::Next;
}

/// void __assertfail(const char *Message, const char *File, unsigned Line,
///                   const char *Function, size_t CharSize)
Outcome callAssertFail(Thread &T, const Instruction &Call) {
  std::optional<std::string> Message = T.readString(argument(T, Call, 0));
  std::optional<std::string> File = T.readString(argument(T, Call, 1));
  std::optional<std::string> Function = T.readString(argument(T, Call, 3));
  if (!Message || !File || !Function)
    return Outcome::Stopped;
  return T.fault(rt::FaultKind::Assert,
                 *File + ":" + Twine(argument(T, Call, 2)) + ": " + *Function +
                     ": assertion '" + *Message + "' failed");
}

/// void cudaGraphSetConditional(uint64_t Handle, unsigned Value)
Outcome callSetConditional(Thread &T, const Instruction &Call) {
  uint8_t *Place = T.access(Space::Global, argument(T, Call, 0), 4, 4,
                            /*IsWrite=*/true);
  if (!Place)
    return Outcome::Stopped;
  uint64_t Value = argument(T, Call, 1);
  for (unsigned N = 0; N != 4; ++N)
    Place[N] = uint8_t(Value >> (8 * N));
  return Outcome::Next;
}

/// A runtime function with the number of its arguments checked.
template <SystemCall Call, unsigned NumArguments>
Outcome checked(Thread &T, const Instruction &I) {
  if (I.Operands.size() < NumArguments)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "a call of '" + I.Callee->Name + "' with too few arguments");
  return Call(T, I);
}

} // namespace

SystemCall findSystemCall(StringRef Name) {
  return StringSwitch<SystemCall>(Name)
      .Case("vprintf", checked<callPrintf, 2>)
      .Case("malloc", checked<callMalloc, 1>)
      .Case("free", checked<callFree, 1>)
      .Case("__assertfail", checked<callAssertFail, 4>)
      .Case("cudaGraphSetConditional", checked<callSetConditional, 2>)
      .Default(nullptr);
}

} // namespace heddle::interp
