//===- LogicalEndpoints.cpp - Endpoints of the fabric -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers, members and bindings of logical endpoints.
//
//===----------------------------------------------------------------------===//

#include "Driver/LogicalEndpoints.h"
#include "Process.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::cuda {

static bool isAligned(uint64_t Value) {
  return Value % LogicalEndpoints::Alignment == 0;
}

cudaError_t LogicalEndpoints::check(const EndpointProp &P) {
  if (P.Type != Unicast && P.Type != Multicast)
    return cudaErrorInvalidValue;
  if (P.HandleTypes)
    return cudaErrorNotSupported;
  if (P.Flags & ~CountedOps)
    return cudaErrorInvalidValue;
  if (P.Type == Unicast)
    return P.DeviceOrCount == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  return P.DeviceOrCount == 1 ? cudaSuccess : cudaErrorInvalidValue;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The lowest numbers that are free; 0 is none.
cudaError_t LogicalEndpoints::reserve(uint32_t Count, uint32_t &First) {
  if (Count == 0)
    return cudaErrorInvalidValue;
  std::lock_guard Lock(Mutex);
  uint64_t Next = 1;
  for (const auto &[Base, Taken] : Reserved) {
    if (Base - Next >= Count)
      break;
    Next = uint64_t(Base) + Taken;
  }
  if (Next + Count > UINT32_MAX)
    return cudaErrorMemoryAllocation;
  First = static_cast<uint32_t>(Next);
  Reserved[First] = Count;
  return cudaSuccess;
}

/// A part of what was reserved, or several reservations in a row.
cudaError_t LogicalEndpoints::release(uint32_t First, uint32_t Count) {
  std::lock_guard Lock(Mutex);
  uint64_t End = uint64_t(First) + Count, At = First;
  auto Begin = Reserved.upper_bound(First);
  if (Count == 0 || Begin == Reserved.begin())
    return cudaErrorInvalidValue;
  --Begin;
  auto It = Begin;
  for (; It != Reserved.end() && It->first <= At && At < End; ++It)
    At = std::max<uint64_t>(At, uint64_t(It->first) + It->second);
  auto Used = Endpoints.lower_bound(First);
  if (At < End || (Used != Endpoints.end() && Used->first < End))
    return cudaErrorInvalidValue;
  uint32_t Head = First - Begin->first;
  uint32_t Base = Begin->first;
  Reserved.erase(Begin, It);
  if (Head)
    Reserved[Base] = Head;
  if (At > End)
    Reserved[static_cast<uint32_t>(End)] = static_cast<uint32_t>(At - End);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Endpoints
//===----------------------------------------------------------------------===//

cudaError_t LogicalEndpoints::publish(uint32_t Id, const Endpoint &E) {
  Expected<rt::Context &> C = Process::get().context(0);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  rt::EndpointDesc D;
  D.IsMulticast = E.Properties.Type == Multicast;
  D.Counts = E.Properties.Flags & CountedOps;
  std::vector<rt::EndpointRange> &Member = D.Members.emplace_back();
  Member.reserve(E.Bindings.size());
  for (const auto &[Offset, B] : E.Bindings)
    Member.push_back({Offset, B.Address, B.Size});
  return convert(C->device().setEndpoint(Id, D), cudaErrorInvalidValue);
}

cudaError_t LogicalEndpoints::create(uint32_t Id, const EndpointProp &P) {
  if (cudaError_t Code = check(P); Code != cudaSuccess)
    return Code;
  if (P.Size == 0 || !isAligned(P.Size) ||
      P.Size > Process::get().properties().MemoryBytes)
    return cudaErrorInvalidValue;
  std::lock_guard Lock(Mutex);
  auto It = Reserved.upper_bound(Id);
  if (It == Reserved.begin() || Endpoints.count(Id))
    return cudaErrorInvalidValue;
  --It;
  if (Id - It->first >= It->second)
    return cudaErrorInvalidValue;
  Endpoint E = {P, P.Type == Unicast, false, {}};
  if (cudaError_t Code = publish(Id, E); Code != cudaSuccess)
    return Code;
  Endpoints.emplace(Id, std::move(E));
  return cudaSuccess;
}

cudaError_t LogicalEndpoints::addDevice(uint32_t Id) {
  std::lock_guard Lock(Mutex);
  auto It = Endpoints.find(Id);
  if (It == Endpoints.end() || It->second.HasDevice)
    return cudaErrorInvalidValue;
  It->second.HasDevice = true;
  return cudaSuccess;
}

cudaError_t LogicalEndpoints::destroy(uint32_t Id) {
  std::lock_guard Lock(Mutex);
  auto It = Endpoints.find(Id);
  if (It == Endpoints.end())
    return cudaErrorInvalidValue;
  Expected<rt::Context &> C = Process::get().context(0);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  if (Error E = C->device().removeEndpoint(Id))
    return convert(std::move(E), cudaErrorInvalidValue);
  for (const auto &[Offset, B] : It->second.Bindings)
    if (cudaError_t Code = closeWindow(B); Code != cudaSuccess)
      return Code;
  Endpoints.erase(It);
  return cudaSuccess;
}

cudaError_t LogicalEndpoints::query(uint32_t First, uint32_t Count,
                                    int &IsComplete) {
  std::lock_guard Lock(Mutex);
  uint64_t End = uint64_t(First) + Count;
  if (Count == 0 || End > UINT32_MAX)
    return cudaErrorInvalidValue;
  IsComplete = 1;
  uint64_t At = First;
  for (auto It = Endpoints.lower_bound(First);
       It != Endpoints.end() && It->first < End; ++It) {
    if (It->first != At++)
      return cudaErrorInvalidValue;
    It->second.IsQueried |= It->second.HasDevice;
    IsComplete &= It->second.HasDevice;
  }
  return At == End ? cudaSuccess : cudaErrorInvalidValue;
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

cudaError_t LogicalEndpoints::bindable(uint32_t Id, uint64_t Offset,
                                       uint64_t Size, Endpoint *&E) {
  auto It = Endpoints.find(Id);
  if (It == Endpoints.end() || !It->second.IsQueried)
    return cudaErrorInvalidValue;
  E = &It->second;
  uint64_t Whole = E->Properties.Size;
  if (Size == 0 || !isAligned(Size) || !isAligned(Offset) || Offset > Whole ||
      Size > Whole - Offset)
    return cudaErrorInvalidValue;
  auto Next = E->Bindings.lower_bound(Offset);
  if (Next != E->Bindings.end() && Next->first - Offset < Size)
    return cudaErrorInvalidValue;
  if (Next != E->Bindings.begin()) {
    const auto &[Before, B] = *std::prev(Next);
    if (Offset - Before < B.Size)
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t LogicalEndpoints::addBinding(uint32_t Id, Endpoint &E,
                                         uint64_t Offset, const Binding &B) {
  E.Bindings[Offset] = B;
  cudaError_t Code = publish(Id, E);
  if (Code != cudaSuccess)
    E.Bindings.erase(Offset);
  return Code;
}

/// Whether bytes are memory of the device, of which there may be several
/// mappings in a row.
static bool isDeviceMemory(uint64_t Address, uint64_t Size) {
  uint64_t End = Address + Size;
  while (Address < End) {
    std::optional<Block> B = Process::get().Pointers.find(pointerOf(Address));
    if (!B || B->Type != cudaMemoryTypeDevice)
      return false;
    Address = B->Address + B->Size;
  }
  return true;
}

cudaError_t LogicalEndpoints::bindAddress(uint32_t Id, uint64_t Offset,
                                          uint64_t Address, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  Endpoint *E = nullptr;
  if (cudaError_t Code = bindable(Id, Offset, Size, E); Code != cudaSuccess)
    return Code;
  if (!isAligned(Address) || !isDeviceMemory(Address, Size))
    return cudaErrorInvalidValue;
  return addBinding(Id, *E, Offset, {Address, Size, 0, 0});
}

cudaError_t LogicalEndpoints::bindMemory(uint32_t Id, uint64_t Offset,
                                         MemHandle Handle, uint64_t From,
                                         uint64_t Size) {
  constexpr uint64_t Piece = VirtualMemory::Granularity;
  std::lock_guard Lock(Mutex);
  Endpoint *E = nullptr;
  if (cudaError_t Code = bindable(Id, Offset, Size, E); Code != cudaSuccess)
    return Code;
  if (!isAligned(From) || From > UINT64_MAX - Size - Piece)
    return cudaErrorInvalidValue;
  VirtualMemory &Memory = Process::get().Virtual;
  uint64_t First = alignDown(From, Piece);
  Binding B = {0, Size, 0, alignTo(From + Size, Piece) - First};
  if (cudaError_t Code = Memory.reserve(B.WindowSize, 0, 0, B.Window);
      Code != cudaSuccess)
    return Code;
  B.Address = B.Window + (From - First);
  cudaError_t Code = Memory.map(B.Window, B.WindowSize, First, Handle);
  if (Code != cudaSuccess) {
    Memory.release(B.Window, B.WindowSize);
    return Code;
  }
  Code = Memory.setAccess(B.Window, B.WindowSize, /*Device=*/0,
                          VirtualMemory::ReadWrite);
  if (Code == cudaSuccess)
    Code = addBinding(Id, *E, Offset, B);
  if (Code != cudaSuccess)
    closeWindow(B);
  return Code;
}

cudaError_t LogicalEndpoints::closeWindow(const Binding &B) {
  if (!B.WindowSize)
    return cudaSuccess;
  VirtualMemory &Memory = Process::get().Virtual;
  if (cudaError_t Code = Memory.unmap(B.Window, B.WindowSize);
      Code != cudaSuccess)
    return Code;
  return Memory.release(B.Window, B.WindowSize);
}

cudaError_t LogicalEndpoints::unbind(uint32_t Id, uint64_t Offset,
                                     uint64_t Size) {
  std::lock_guard Lock(Mutex);
  auto Found = Endpoints.find(Id);
  if (Found == Endpoints.end() || Size == 0)
    return cudaErrorInvalidValue;
  Endpoint &E = Found->second;
  auto Begin = E.Bindings.find(Offset), It = Begin;
  uint64_t End = Offset;
  for (; It != E.Bindings.end() && It->first - Offset < Size; ++It)
    End = It->first + It->second.Size;
  if (Begin == It || End - Offset > Size)
    return cudaErrorInvalidValue;
  std::map<uint64_t, Binding> Gone(Begin, It);
  E.Bindings.erase(Begin, It);
  if (cudaError_t Code = publish(Id, E); Code != cudaSuccess)
    return Code;
  for (const auto &[At, B] : Gone)
    if (cudaError_t Code = closeWindow(B); Code != cudaSuccess)
      return Code;
  return cudaSuccess;
}

std::optional<uint64_t> LogicalEndpoints::resolve(uint32_t Id, uint64_t Offset,
                                                  uint64_t Size) {
  std::lock_guard Lock(Mutex);
  auto Found = Endpoints.find(Id);
  if (Found == Endpoints.end())
    return std::nullopt;
  auto It = Found->second.Bindings.upper_bound(Offset);
  if (It == Found->second.Bindings.begin())
    return std::nullopt;
  const auto &[At, B] = *std::prev(It);
  if (Offset - At > B.Size || Size > B.Size - (Offset - At))
    return std::nullopt;
  return B.Address + (Offset - At);
}

bool LogicalEndpoints::isMulticast(uint32_t Id) {
  std::lock_guard Lock(Mutex);
  auto It = Endpoints.find(Id);
  return It != Endpoints.end() && It->second.Properties.Type == Multicast;
}

void LogicalEndpoints::clear() {
  std::lock_guard Lock(Mutex);
  Endpoints.clear();
  Reserved.clear();
}

} // namespace heddle::cuda
