//===- Copy.cpp - Copies between places of CUDA programs --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides for each side whether it is memory of the host, and carries pageable
// memory as CUDA promises: when a call returns, the program may reuse it.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Copy.h"
#include "Process.h"
#include "Runtime/Arrays.h"
#include "Runtime/RuntimeGraphs.h"

#include <cstring>

using namespace llvm;

namespace heddle::cuda {

/// Whether Pointer is to be used as an address of the host. Kind says so,
/// unless it leaves it to the address itself.
static bool isHost(const void *Pointer, bool KindSaysHost,
                   cudaMemcpyKind Kind) {
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (B) // mapped memory is both; the host's way needs no device
    return B->Type != cudaMemoryTypeDevice;
  return Kind == cudaMemcpyDefault || KindSaysHost;
}

/// The bytes from the first to the last of a box.
static uint64_t extentOf(uint64_t RowBytes, uint64_t Rows, uint64_t Pitch,
                         uint64_t Slices = 1, uint64_t SlicePitch = 0) {
  return (Slices - 1) * SlicePitch + (Rows - 1) * Pitch + RowBytes;
}

/// Whether the device has memory there: where nothing is, a call fails at once,
/// and the program can go on. Of what the program did not allocate, such as
/// variables, only the device knows the size.
static bool isOnDevice(uint64_t Address, uint64_t Size) {
  PointerTable &Pointers = Process::get().Pointers;
  std::optional<Block> B = Pointers.find(pointerOf(Address));
  if (!B) {
    Expected<rt::Context &> C = Process::get().context();
    return C ? !errorToBool(C->device().copyFromDevice({}, Address))
             : errorToBool(C.takeError());
  }
  for (;;) {
    uint64_t Here = B->Address + B->Size - Address;
    if (Size <= Here)
      return true;
    Address += Here;
    Size -= Here;
    // Virtual memory is mapped in pieces.
    bool WasFixed = B->IsFixed;
    B = Pointers.find(pointerOf(Address));
    if (!WasFixed || !B || !B->IsFixed)
      return false;
  }
}

cudaError_t operationOf(const Copy &C, std::optional<rt::CopyOp> &Op) {
  Op.reset();
  if (C.Kind < cudaMemcpyHostToHost || C.Kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (C.Width == 0 || C.Height == 0 || C.Depth == 0)
    return cudaSuccess;
  if (!C.To.Pointer || !C.From.Pointer)
    return cudaErrorInvalidValue;
  if (C.Height > 1 && (C.Width > C.To.Pitch || C.Width > C.From.Pitch))
    return cudaErrorInvalidPitchValue;
  bool ToHost =
      isHost(C.To.Pointer,
             C.Kind == cudaMemcpyDeviceToHost || C.Kind == cudaMemcpyHostToHost,
             C.Kind);
  bool FromHost =
      isHost(C.From.Pointer,
             C.Kind == cudaMemcpyHostToDevice || C.Kind == cudaMemcpyHostToHost,
             C.Kind);
  Op.emplace();
  Op->Destination = {addressOf(C.To.Pointer), ToHost, C.To.Pitch, C.To.Slice};
  Op->Source = {addressOf(C.From.Pointer), FromHost, C.From.Pitch,
                C.From.Slice};
  Op->RowBytes = C.Width;
  Op->Rows = C.Height;
  Op->Slices = C.Depth;
  for (const rt::CopyPlace &P : {Op->Destination, Op->Source})
    if (!P.IsHost && !isOnDevice(P.Address, extentOf(C.Width, C.Height, P.Pitch,
                                                     C.Depth, P.SlicePitch)))
      return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// Memory of the host that the device was not told of.
static bool isPageable(const rt::CopyPlace &P) {
  return P.IsHost && !Process::get().Pointers.find(pointerOf(P.Address));
}

/// The other devices' default streams that a copy in a default stream is
/// ordered with, since their memory takes part.
static SmallVector<rt::Stream *, 2> otherStreams(const rt::CopyOp &Op,
                                                 const rt::Stream &S) {
  SmallVector<rt::Stream *, 2> Others;
  if (S.kind() != rt::Stream::Kind::Default)
    return Others;
  for (const rt::CopyPlace &P : {Op.Destination, Op.Source}) {
    std::optional<Block> B = Process::get().Pointers.find(pointerOf(P.Address));
    if (!B || B->Type != cudaMemoryTypeDevice)
      continue;
    ProcessDevice *D = Process::get().device(B->Device);
    rt::Context *C = D ? D->opened() : nullptr;
    if (C && C != &S.context())
      Others.push_back(&C->defaultStream());
  }
  return Others;
}

/// Makes what follows in one stream wait for what is in another by now.
static Error follow(rt::Stream &Later, rt::Stream &Earlier) {
  auto Point = std::make_shared<rt::Event>();
  if (Error E = Earlier.enqueue(rt::RecordOp{Point}))
    return E;
  return Later.enqueue(rt::WaitOp{Point});
}

/// Enqueues a copy. Between devices a copy in the default stream begins when
/// both have done what they were given, and comes before what they are given
/// later.
static Error enqueueCopy(rt::Stream &S, rt::CopyOp Op) {
  SmallVector<rt::Stream *, 2> Others = otherStreams(Op, S);
  for (rt::Stream *Other : Others)
    if (Error E = follow(S, *Other))
      return E;
  if (Error E = S.enqueue(std::move(Op)))
    return E;
  for (rt::Stream *Other : Others)
    if (Error E = follow(*Other, S))
      return E;
  return Error::success();
}

/// From here on waiting for a copy costs less than making another one.
static constexpr uint64_t LargeBytes = 64 * 1024;

/// Makes the source a copy of what it is now.
static void stage(rt::CopyOp &Op) {
  std::shared_ptr<char[]> Staged =
      std::make_shared_for_overwrite<char[]>(Op.RowBytes * Op.Rows * Op.Slices);
  char *Next = Staged.get();
  for (uint64_t Slice = 0; Slice != Op.Slices; ++Slice)
    for (uint64_t Row = 0; Row != Op.Rows; ++Row, Next += Op.RowBytes)
      std::memcpy(Next,
                  pointerOf(Op.Source.Address + Slice * Op.Source.SlicePitch +
                            Row * Op.Source.Pitch),
                  Op.RowBytes);
  Op.Source = {addressOf(Staged.get()), /*IsHost=*/true, Op.RowBytes,
               Op.RowBytes * Op.Rows};
  Op.Keep = std::move(Staged);
}

cudaError_t copyAsync(const Copy &C, cudaStream_t Stream,
                      bool SourceIsEphemeral) {
  std::optional<rt::CopyOp> Op;
  if (cudaError_t Code = operationOf(C, Op); Code != cudaSuccess || !Op)
    return Code;
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return cudaErrorInvalidResourceHandle;
  // A graph copies from where the memory is, when it is launched.
  bool Waits = false;
  if (!S->capture()) {
    bool Reads = isPageable(Op->Source) || SourceIsEphemeral;
    // What the copy waits for might wait for this thread.
    Waits = isPageable(Op->Destination) || (Reads && !Op->Source.IsHost) ||
            (Reads && Op->RowBytes * Op->Rows * Op->Slices >= LargeBytes &&
             S->isReady());
    if (!Waits && Reads)
      stage(*Op);
  }
  if (Error E = enqueueCopy(*S, std::move(*Op)))
    return convert(std::move(E), cudaErrorInvalidValue);
  return Waits ? convert(S->synchronize(), cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t doNow(function_ref<cudaError_t()> Enqueue) {
  cudaError_t Code = refuseWorkDuringCapture();
  if (Code == cudaSuccess)
    Code = Enqueue();
  return Code != cudaSuccess
             ? Code
             : convert(Process::get().stream(nullptr)->synchronize(),
                       cudaErrorInvalidValue);
}

cudaError_t copyNow(const Copy &C) {
  std::optional<rt::CopyOp> Op;
  if (cudaError_t Code = operationOf(C, Op); Code != cudaSuccess || !Op)
    return Code;
  return doNow([&] {
    rt::Stream *S = Process::get().stream(nullptr);
    return S ? convert(enqueueCopy(*S, std::move(*Op)), cudaErrorInvalidValue)
             : cudaErrorInitializationError;
  });
}

/// One side of a three-dimensional copy.
static cudaError_t placeOf(const ArrayHandle *Array,
                           const cudaPitchedPtr &Pitched, const cudaPos &At,
                           const cudaExtent &Extent, Place &P) {
  if (Array)
    return Process::get().Arrays.place(Array, At, Extent, P);
  P = {static_cast<char *>(Pitched.ptr) +
           (At.z * Pitched.ysize + At.y) * Pitched.pitch + At.x,
       Pitched.pitch, Pitched.pitch * Pitched.ysize};
  return Pitched.ptr ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t boxOf(const cudaMemcpy3DParms *P, Copy &C) {
  if (!P || (P->srcArray && P->srcPtr.ptr) || (P->dstArray && P->dstPtr.ptr))
    return cudaErrorInvalidValue;
  C = {};
  if (cudaError_t Code =
          placeOf(P->dstArray, P->dstPtr, P->dstPos, P->extent, C.To);
      Code != cudaSuccess)
    return Code;
  if (cudaError_t Code =
          placeOf(P->srcArray, P->srcPtr, P->srcPos, P->extent, C.From);
      Code != cudaSuccess)
    return Code;
  const ArrayHandle *Array = P->srcArray ? P->srcArray : P->dstArray;
  C.Width = P->extent.width * (Array ? Array->texelBytes() : 1);
  C.Height = P->extent.height;
  C.Depth = P->extent.depth;
  C.Kind = P->kind;
  return cudaSuccess;
}

cudaError_t fillOf(void *To, size_t Pitch, uint64_t Pattern,
                   unsigned PatternBytes, size_t Width, size_t Height,
                   std::optional<rt::FillOp> &Op) {
  Op.reset();
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  if (Height > 1 && Pitch < Width * PatternBytes)
    return cudaErrorInvalidPitchValue;
  if (!isOnDevice(addressOf(To), extentOf(Width * PatternBytes, Height, Pitch)))
    return cudaErrorInvalidValue;
  Op.emplace();
  Op->Destination = addressOf(To);
  Op->Pattern = Pattern;
  Op->PatternBytes = PatternBytes;
  Op->Count = Width;
  Op->Rows = Height;
  Op->Pitch = Pitch;
  return cudaSuccess;
}

} // namespace heddle::cuda
