//===- InfoMemory.cpp - Mbarriers and tensor memory in tables ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `info cuda` says of the barriers that a CTA has in its shared memory,
// and of its tensor memory.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "Table.h"

using namespace llvm;

namespace heddle::debug {

static std::string hexText(uint64_t Number) {
  return "0x" + utohexstr(Number, /*LowerCase=*/true);
}

/// What stands at an address as an mbarrier; none if that is something else.
static std::optional<emu::MBarrierState> readMBarrier(emu::DebuggedGrid &G,
                                                      const Focus &At,
                                                      MemorySpace Space,
                                                      uint64_t Address) {
  uint64_t Bits = 0;
  MutableArrayRef<uint8_t> Bytes(reinterpret_cast<uint8_t *>(&Bits),
                                 sizeof(Bits));
  if (!G.read(Space, At.Warp, At.Lane, Address, Bytes))
    return std::nullopt;
  return emu::readMBarrier(Bits);
}

static std::string reportText(const emu::MBarrierState &B) {
  if (!B.IsLayout1)
    return "";
  return ", layout 1" +
         (B.Report ? ", report " + std::to_string(*B.Report) : "");
}

Error DebugSession::infoMBarrier(StringRef Text) {
  Expected<Value> V = evaluate(Text);
  if (!V)
    return V.takeError();
  if (V->At.Kind != Place::Memory)
    return createStringError("'" + Text + "' is not in memory");
  auto B = readMBarrier(*Grid, *At, V->At.Space, V->At.Address);
  if (!B)
    return createStringError("there is no mbarrier at '" + Text + "'");
  print("mbarrier at " + hexText(V->At.Address) + ": phase " + Twine(B->Phase) +
        ", " + Twine(B->Pending) + " of " + Twine(B->Expected) +
        " arrivals and " + Twine(B->Bytes) + " bytes are missing" +
        reportText(*B) + "\n");
  return Error::success();
}

/// The lanes that wait, by warp: `warp 1 0xffffffff`.
std::string DebugSession::waitingText(const emu::MBarrierUse &U) const {
  std::string Text;
  for (auto [W, Lanes] : U.Waiting) {
    Text += Text.empty() ? "" : ", ";
    if (W.CTA != At->Warp.CTA)
      Text += "block " + dimText(Grid->coordinates(W.CTA)) + " ";
    Text += "warp " + std::to_string(W.Warp) + " " + maskText(Lanes);
  }
  return Text.empty() ? "-" : Text;
}

void DebugSession::infoMBarriers() {
  Table T({"Address", "Phase", "Arrivals missing", "Bytes missing",
           "Initialised at", "Waiting"});
  bool IsAny = false;
  for (const emu::MBarrierUse &U : Grid->mbarriers(At->Warp.CTA)) {
    auto B = readMBarrier(*Grid, *At, MemorySpace::Shared, U.Address);
    if (!B) // Something else has been written there.
      continue;
    IsAny = true;
    auto Line = Code->lineOf(U.PC);
    T.add({hexText(U.Address), std::to_string(B->Phase),
           std::to_string(B->Pending) + " of " + std::to_string(B->Expected),
           std::to_string(B->Bytes) + reportText(*B),
           Line ? (Line->File + ":" + Twine(Line->Line)).str()
                : Code->describe(U.PC),
           waitingText(U)});
  }
  print(IsAny ? "Block " + dimText(Grid->coordinates(At->Warp.CTA)) + "\n" +
                    T.text()
              : "The block has no mbarrier.\n");
}

void DebugSession::infoTensorMemory() {
  std::vector<emu::TensorAllocation> All = Grid->tensorMemory(At->Warp.CTA);
  if (All.empty())
    return print("The block has no tensor memory.\n");
  Table T({"Columns", "Count", "Allocated at"});
  for (const emu::TensorAllocation &A : All) {
    auto Line = Code->lineOf(A.PC);
    T.add({hexText(A.First), std::to_string(A.Columns),
           Line ? (Line->File + ":" + Twine(Line->Line)).str()
                : Code->describe(A.PC)});
  }
  print("Block " + dimText(Grid->coordinates(At->Warp.CTA)) + "\n" + T.text());
}

} // namespace heddle::debug
