//===- ExecuteTensor.cpp - Operations on tensor memory ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrTensor.td but for products. What a
// thread begins is carried out as late as copies in bulk are, in order.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteTensor.h"
#include "Execute/ExecuteMatrix.h"
#include "SharedAddress.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace heddle::emu {

using isa::Op;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

uint32_t *findTensorCell(Warp &W, CTA &C, uint32_t Lane, uint32_t Column) {
  TensorMemory &T = tensorMemoryOf(C);
  if (Lane < tensor::Lanes && T.isAllocated(Column))
    return &T.cell(Lane, Column);
  W.fault(rt::FaultKind::OutOfBounds, W.anyLane(),
          "lane " + std::to_string(Lane) + ", column " +
              std::to_string(Column) + " of tensor memory is not allocated");
  return nullptr;
}

std::optional<TensorGroup> findTensorGroup(Warp &W, bool Pair) {
  Cluster &Owner = W.Owner->Owner;
  uint32_t Rank = Owner.rankOf(*W.Owner);
  TensorGroup G;
  if (!Pair) {
    G.CTAs[0] = W.Owner;
    G.Ranks[0] = Rank;
    G.Count = 1;
    return G;
  }
  for (uint32_t N = 0; N < 2; ++N) {
    G.Ranks[N] = (Rank & ~1u) | N;
    G.CTAs[N] = Owner.find(G.Ranks[N]);
  }
  G.Count = 2;
  if (G.CTAs[1])
    return G;
  W.fault(rt::FaultKind::IllegalInstruction, W.anyLane(),
          "the CTA is none of a pair");
  return std::nullopt;
}

std::optional<uint32_t> readShared(Warp &W, uint32_t Rank,
                                   const SharedMatrix &M, unsigned Outer,
                                   unsigned K, unsigned Bits) {
  uint32_t Address = SharedAddress(M.address(Outer, K)).atRank(Rank).bits();
  auto Read = [&](unsigned Bytes) -> uint8_t * {
    uint8_t *Host = W.resolveShared(W.anyLane(), Address, Bytes, false);
    if (Host && W.Launch->Relaxed)
      W.Launch->Relaxed->settle(Host, Bytes);
    return Host;
  };
  if (Bits >= 8) {
    uint8_t *Host = Read(Bits / 8);
    if (!Host)
      return std::nullopt;
    return Bits == 32   ? read<uint32_t>(Host)
           : Bits == 16 ? read<uint16_t>(Host)
                        : read<uint8_t>(Host);
  }
  unsigned First = M.bit(Outer, K);
  uint8_t *Host = Read(1);
  if (!Host)
    return std::nullopt;
  uint32_t Value = read<uint8_t>(Host);
  if (First + Bits > 8) { // The rest is in the next byte.
    ++Address;
    Host = Read(1);
    if (!Host)
      return std::nullopt;
    Value |= uint32_t(read<uint8_t>(Host)) << 8;
  }
  return Value >> First & ((1u << Bits) - 1);
}

namespace {

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

using isa::TensorMemoryOp;

void misuse(Warp &W, const char *What) {
  W.fault(rt::FaultKind::IllegalInstruction, W.anyLane(), What);
}

/// The value of a register that all lanes must have; none after a fault.
std::optional<uint32_t> common(Warp &W, unsigned Row) {
  uint32_t Value = W.R[Row][0];
  for (unsigned L = 1; L < WarpSize; ++L)
    if (W.R[Row][L] != Value) {
      misuse(W, "the lanes of the warp name different tensor memory");
      return std::nullopt;
    }
  return Value;
}

/// What a warp asks the tensor memory of its CTA, or of both of a pair, for.
class MemoryRequest {
public:
  MemoryRequest(Warp &W, const TensorGroup &G, TensorMemory::Request Wanted)
      : W(W), G(G), Wanted(Wanted), Own(tensorMemoryOf(*W.Owner)) {}

  /// The first column; none while that is not possible, or after a fault.
  std::optional<uint32_t> tryToMeet() {
    if (G.Count == 1)
      return perform();
    if (Own.Wanted && Own.Wanted->Warp != Wanted.Warp)
      return std::nullopt; // Another warp's request is first.
    Own.Wanted = Wanted;
    if (Own.Answer) {
      std::optional<uint32_t> First = std::exchange(Own.Answer, std::nullopt);
      Own.Wanted.reset();
      return First;
    }
    CTA &Other = *G.CTAs[G.CTAs[0] == W.Owner];
    TensorMemory &Peer = tensorMemoryOf(Other);
    // An answer that is still there is to what the other CTA wanted before.
    if (!Peer.Wanted || Peer.Answer)
      return std::nullopt;
    if (Peer.Wanted->Allocates != Wanted.Allocates ||
        Peer.Wanted->Columns != Wanted.Columns ||
        Peer.Wanted->First != Wanted.First ||
        Peer.Wanted->IsExclusive != Wanted.IsExclusive) {
      misuse(W, "the CTAs of a pair ask for different tensor memory");
      return std::nullopt;
    }
    std::optional<uint32_t> First = perform();
    if (First) {
      Peer.Answer = First;
      Own.Wanted.reset();
    }
    return First;
  }

private:
  std::optional<uint32_t> perform() {
    if (!Wanted.Allocates) {
      bool Done = true;
      for (unsigned N = 0; N < G.Count; ++N)
        Done &= tensorMemoryOf(*G.CTAs[N])
                    .release(Wanted.First, Wanted.Columns, Wanted.IsExclusive);
      if (Done)
        return Wanted.First;
      misuse(W, "these columns of tensor memory are no allocation");
      return std::nullopt;
    }
    auto Find = [&](const TensorMemory &T, uint32_t From) {
      return Wanted.IsExclusive ? T.findAllFree()
                                : T.findFree(Wanted.Columns, From);
    };
    std::optional<uint32_t> First = Find(Own, 0);
    // Columns that are free in both.
    for (unsigned N = 0; First && N < G.Count; ++N) {
      auto At = Find(tensorMemoryOf(*G.CTAs[N]), *First);
      if (At != First) {
        First = At;
        N = -1u;
      }
    }
    for (unsigned N = 0; First && N < G.Count; ++N)
      tensorMemoryOf(*G.CTAs[N])
          .allocate(*First, Wanted.Columns, W.Current, Wanted.IsExclusive);
    return First;
  }

  Warp &W;
  const TensorGroup &G;
  TensorMemory::Request Wanted;
  TensorMemory &Own;
};

const char *checkColumns(const TensorMemory &T, bool Allocates,
                         uint32_t Columns, bool IsExclusive) {
  if (IsExclusive) {
    if (!Columns || Columns % tensor::ColumnGranule ||
        Columns > tensor::ExclusiveColumns)
      return "columns of tensor memory that are no multiple of 32 up to 576";
  } else if (!std::has_single_bit(Columns) || Columns < tensor::ColumnGranule ||
             Columns > tensor::Columns)
    return "columns of tensor memory that are no power of two from 32 to 512";
  if (!Allocates)
    return nullptr;
  if (T.GaveUp)
    return "the CTA has given up the right to allocate tensor memory";
  if (!IsExclusive && Columns > T.LastColumns)
    return "more columns of tensor memory than the last time";
  return nullptr;
}

void changeAllocation(Warp &W, Inst I, LaneMask Exec, bool Allocates) {
  auto Group = findTensorGroup(W, I.Tensor.Pair);
  auto Columns = Group ? common(W, I.B) : std::nullopt;
  auto Address = Columns ? common(W, I.A) : std::nullopt;
  if (!Address)
    return;
  TensorMemory &T = tensorMemoryOf(*W.Owner);
  if (const char *Error =
          checkColumns(T, Allocates, *Columns, I.Tensor.Exclusive))
    return misuse(W, Error);
  uint8_t *Host =
      Allocates ? W.resolveShared(W.anyLane(), *Address, sizeof(uint32_t), true)
                : nullptr;
  if (Allocates && !Host)
    return;
  uint32_t Released = Allocates ? 0 : TensorAddress(*Address).Column;
  auto First = MemoryRequest(
                   W, *Group,
                   {W.Index, Allocates, Released, *Columns, I.Tensor.Exclusive})
                   .tryToMeet();
  if (W.faulted())
    return;
  AsyncUnit &Async = W.Owner->Owner.Async;
  if (First) {
    if (Host && W.Launch->Relaxed)
      W.Launch->Relaxed->settle(Host, sizeof(uint32_t));
    if (Host)
      write<uint32_t>(Host, *First);
    return Async.progress();
  }
  // Look again when others have run.
  Async.lookedInVain(W, Exec,
                     std::string(Allocates ? "" : "the release of ") +
                         std::to_string(*Columns) +
                         " columns of tensor memory" +
                         (I.Tensor.Pair ? " with the other CTA" : ""));
  if (W.faulted())
    return;
  W.Next = W.Current;
  W.yield();
}

void manageMemory(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  auto Fn = static_cast<TensorMemoryOp>(I.Select);
  switch (Fn) {
  case TensorMemoryOp::Alloc:
  case TensorMemoryOp::Free:
    return changeAllocation(W, I, Exec, Fn == TensorMemoryOp::Alloc);
  case TensorMemoryOp::GiveUp:
    tensorMemoryOf(*W.Owner).GaveUp = true;
    return;
  case TensorMemoryOp::WaitStores:
    return tensorMemoryOf(*W.Owner).performStores(W.Index);
  default: // A load has been done when its registers are there.
    return;
  }
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The first lane of an address: one below 32 counts from the warp's own lanes.
/// Kernels of libraries give all four warps of a group the same address.
uint32_t firstLane(const Warp &W, uint32_t Lane) {
  return Lane < tensor::WarpLanes ? Lane + W.Index % 4 * tensor::WarpLanes
                                  : Lane;
}

/// Calls Visit with a register's number, a lane and the cells (the second only
/// with PACK) that the shape names; stops after a fault.
template <typename Fn> void forCells(Warp &W, Inst I, Fn Visit) {
  auto Address = common(W, I.A);
  if (!Address)
    return;
  const TensorModifiers &T = I.Tensor;
  const matrix::Layout &L = matrix::Layout::of(tensor::fragmentOf(T.Shape), 1);
  // The result may be in the same registers.
  uint32_t Distance[WarpSize] = {};
  if (T.Shape == tensor::Shape::L16x32bx2)
    std::copy_n(W.R[I.B] + WarpSize / 2, WarpSize / 2, Distance + WarpSize / 2);
  for (unsigned N = 0; N < I.Matrix.Count; ++N)
    for (unsigned Lane = 0; Lane < WarpSize; ++Lane) {
      TensorAddress A(*Address + Distance[Lane]);
      auto [Row, Column] = L(Lane, uint32_t(I.Offset) + N, 0);
      uint32_t InLane = firstLane(W, A.Lane) + Row;
      if (InLane / tensor::WarpLanes != W.Index % 4)
        return W.fault(rt::FaultKind::IllegalInstruction, Lane,
                       "lane " + std::to_string(InLane) +
                           " of tensor memory belongs to another warp");
      uint32_t First = A.Column + Column * (T.Pack ? 2 : 1);
      uint32_t *Low = findTensorCell(W, *W.Owner, InLane, First);
      if (!Low || (T.Pack && !findTensorCell(W, *W.Owner, InLane, First + 1)))
        return;
      Visit(N, Lane, InLane, First, Low);
    }
}

void loadTensor(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  forCells(W, I,
           [&](unsigned N, unsigned Lane, uint32_t, uint32_t, uint32_t *Cell) {
             W.R[I.D + N][Lane] =
                 I.Tensor.Pack ? (Cell[0] & 0xFFFF) | Cell[1] << 16 : Cell[0];
           });
}

void storeTensor(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  TensorMemory &T = tensorMemoryOf(*W.Owner);
  forCells(W, I,
           [&](unsigned N, unsigned Lane, uint32_t InLane, uint32_t Column,
               uint32_t *) {
             uint32_t Value = W.R[I.C + N][Lane];
             if (!I.Tensor.Pack)
               return T.addStore(W.Index, {InLane, Column, Value});
             T.addStore(W.Index, {InLane, Column, Value & 0xFFFF});
             T.addStore(W.Index, {InLane, Column + 1, Value >> 16});
           });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

constexpr unsigned UnitBytes = 16, UnitWords = UnitBytes / 4;

/// Sixteen bytes of a row in the shared memory of the CTA with that rank.
bool readUnit(Warp &W, uint32_t Rank, const SharedMatrix &M, unsigned Row,
              unsigned Unit, uint8_t *Bytes) {
  for (unsigned N = 0; N < UnitBytes; ++N) {
    auto Byte = readShared(W, Rank, M, Row, UnitBytes * Unit + N, 8);
    if (!Byte)
      return false;
    Bytes[N] = static_cast<uint8_t>(*Byte);
  }
  return true;
}

void copyRows(Warp &W, Inst I, CTA &C, uint32_t Rank, TensorAddress To,
              const SharedLayout &Layout) {
  SharedMatrix M(Layout, 8, UnitBytes, /*Transposed=*/false);
  const tensor::CopyRows &Rows = tensor::rowsOf(I.Tensor.Copy);
  for (unsigned Row = 0; Row < Rows.Rows; ++Row)
    for (unsigned Unit = 0; Unit < Rows.Bytes / UnitBytes; ++Unit) {
      uint8_t Bytes[UnitBytes];
      if (!readUnit(W, Rank, M, Row, Unit, Bytes))
        return;
      unpackElements(I.Matrix.Unpack, Bytes);
      for (unsigned Copy = 0; Copy < Rows.Copies; ++Copy)
        for (unsigned N = 0; N < UnitWords; ++N) {
          uint32_t *Cell = findTensorCell(W, C, To.Lane + Rows.lane(Row, Copy),
                                          To.Column + UnitWords * Unit + N);
          if (!Cell)
            return;
          std::memcpy(Cell, Bytes + size_t(4) * N, 4);
        }
    }
}

/// Each of a warp's lanes but the last takes 32 bytes from the next.
void shiftRows(Warp &W, CTA &C, TensorAddress At) {
  for (uint32_t Lane = 0; Lane + 1 < tensor::WarpLanes; ++Lane)
    for (uint32_t N = 0; N < 8; ++N) {
      uint32_t *To = findTensorCell(W, C, At.Lane + Lane, At.Column + N);
      uint32_t *From = findTensorCell(W, C, At.Lane + Lane + 1, At.Column + N);
      if (!To || !From)
        return;
      *To = *From;
    }
}

void copyTensorRows(Warp &W, Inst I, LaneMask Exec) {
  auto Group = findTensorGroup(W, I.Tensor.Pair);
  if (!Group)
    return;
  for (unsigned L : lanes(Exec)) {
    TensorAddress To(W.R[I.A][L]);
    SharedLayout Layout;
    bool Shifts = I.Tensor.Copy == tensor::Copy::Shift;
    if (Shifts && To.Lane % tensor::WarpLanes)
      return misuse(W, "a shift in tensor memory from within a warp's lanes");
    const char *Error =
        Shifts ? nullptr : tensorLayout(W.reg64(I.B, L), Layout);
    if (Error)
      return misuse(W, Error);
    auto Perform = [&W, &I, Group, To, Layout, Shifts] {
      for (unsigned N = 0; N < Group->Count && !W.faulted(); ++N) {
        CTA &C = *Group->CTAs[N];
        if (Shifts)
          shiftRows(W, C, To);
        else
          copyRows(W, I, C, Group->Ranks[N], To, Layout);
      }
    };
    W.Owner->Owner.Async.enqueue(W, Perform, onTensorMemory(0));
  }
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void commitOperations(Warp &W, Inst I, LaneMask Exec) {
  constexpr unsigned BarrierBytes = 8;
  AsyncUnit &Async = W.Owner->Owner.Async;
  auto Commit = [&](unsigned L, uint32_t Address) {
    uint8_t *Host = W.resolveShared(L, Address, BarrierBytes, true);
    if (Host)
      Async.enqueue(
          W, [&W, L, Host, &Async] { Async.arrive(W, L, Host, 1); },
          onTensorMemory(0));
    return Host != nullptr;
  };
  for (unsigned L : lanes(Exec)) {
    uint32_t Address = W.R[I.A][L];
    if (!I.Async.Multicast) {
      if (!Commit(L, Address))
        return;
      continue;
    }
    for (unsigned Rank : lanes(W.R[I.B][L]))
      if (!Commit(L, SharedAddress(Address).atRank(Rank).bits()))
        return;
  }
}

} // namespace

ExecFn tensorExecutor(Op O) {
  switch (O) {
  case Op::TMEM:
    return manageMemory;
  case Op::LDT:
    return loadTensor;
  case Op::STT:
    return storeTensor;
  case Op::TMMA:
    return multiplyTensors;
  case Op::TCOPY:
    return copyTensorRows;
  case Op::TCOMMIT:
    return commitOperations;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
