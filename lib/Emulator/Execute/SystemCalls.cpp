//===- SystemCalls.cpp - What kernels ask of the runtime --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vprintf, malloc, free, __assertfail and what device-side launches are made
// of: isa-defs/HeddleABI.td.
//
//===----------------------------------------------------------------------===//

#include "Execute/SystemCalls.h"
#include "CTA.h"
#include "Execute/DeviceWork.h"
#include "Execute/Execute.h"
#include "heddle/Runtime/Printf.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace heddle::emu {

namespace {

constexpr unsigned Arg0 = isa::abi::FirstArgument;

/// Reads the arguments of a vprintf from a lane's memory.
class LaneArguments : public rt::PrintfArguments {
public:
  LaneArguments(Warp &W, unsigned Lane, uint64_t Address)
      : W(W), Lane(Lane), Address(Address) {}

  std::optional<uint64_t> next(unsigned Bytes) override {
    Address = (Address + Bytes - 1) / Bytes * Bytes;
    const uint8_t *Host = W.resolveGeneric(Lane, Address, Bytes, false);
    if (!Host)
      return std::nullopt;
    Address += Bytes;
    return Bytes == 8
               ? __atomic_load_n(reinterpret_cast<const uint64_t *>(Host),
                                 __ATOMIC_RELAXED)
               : __atomic_load_n(reinterpret_cast<const uint32_t *>(Host),
                                 __ATOMIC_RELAXED);
  }
  std::optional<std::string> string(uint64_t At) override {
    std::string Text;
    if (!W.readString(Lane, At, Text))
      return std::nullopt;
    return Text;
  }

private:
  Warp &W;
  unsigned Lane;
  uint64_t Address;
};

void callPrintf(Warp &W, unsigned Lane) {
  std::string Format;
  if (!W.readString(Lane, W.reg64(Arg0, Lane), Format))
    return;
  LaneArguments Arguments(W, Lane, W.reg64(Arg0 + 2, Lane));
  rt::PrintfResult Result = rt::formatPrintf(Format, Arguments);
  if (W.faulted())
    return;
  W.Owner->Output += Result.Text;
  W.R[Arg0][Lane] = Result.Arguments;
}

void callFree(Warp &W, unsigned Lane) {
  uint64_t Address = W.reg64(Arg0, Lane);
  if (W.Launch->Relaxed)
    if (const Allocation *A = W.Launch->Memory.find(Address); A && A->Live)
      W.Launch->Relaxed->forget(A->Host, A->Reach);
  if (Address && !W.Launch->Memory.heapFree(Address))
    W.fault(rt::FaultKind::OutOfBounds, Lane,
            "free of an address that malloc did not return, or freed before",
            Address);
}

void callAssertFail(Warp &W, unsigned Lane) {
  std::string Message, File, Function;
  if (!W.readString(Lane, W.reg64(Arg0, Lane), Message) ||
      !W.readString(Lane, W.reg64(Arg0 + 2, Lane), File) ||
      !W.readString(Lane, W.reg64(Arg0 + 6, Lane), Function))
    return;
  W.fault(rt::FaultKind::Assert, Lane,
          File + ":" + std::to_string(W.R[Arg0 + 4][Lane]) + ": " + Function +
              ": assertion '" + Message + "' failed");
}

/// The function that a system call is; empty if there is none.
StringRef functionOf(const DecodedInst &I) {
  for (const isa::SystemCallInfo &S : isa::systemCalls())
    if (S.Number == I.Imm)
      return StringRef(S.Function.data(), S.Function.size());
  return "";
}

} // namespace

StringRef unrepeatableCall(const DecodedInst &I) {
  if (I.Info->Operation != isa::Op::SYSCALL)
    return "";
  StringRef Function = functionOf(I);
  return Function == "vprintf" || Function == "__assertfail" ? "" : Function;
}

void executeSystemCall(Warp &W, const DecodedInst &I, LaneMask Exec) {
  StringRef Function = functionOf(I);
  for (unsigned L : lanes(Exec)) {
    if (Function == "vprintf")
      callPrintf(W, L);
    else if (Function == "malloc")
      W.setReg64(Arg0, L, W.Launch->Memory.heapAllocate(W.reg64(Arg0, L)));
    else if (Function == "free")
      callFree(W, L);
    else if (Function == "__assertfail")
      callAssertFail(W, L);
    else if (Function == "__heddle_device_query")
      callDeviceQuery(W, L);
    else if (Function == "__heddle_device_enqueue")
      callDeviceEnqueue(W, L);
    else
      W.fault(rt::FaultKind::IllegalInstruction, L,
              "there is no system call " + std::to_string(I.Imm));
    if (W.faulted())
      return;
  }
}

} // namespace heddle::emu
