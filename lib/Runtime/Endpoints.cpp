//===- Endpoints.cpp - Logical endpoints of the fabric ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of a device's endpoints.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Endpoints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace heddle::rt {

/// What ranges, offsets and sizes are multiples of.
static constexpr uint64_t RangeUnit = 16;

static Error makeError(uint32_t Id, const Twine &Why) {
  return createStringError(inconvertibleErrorCode(),
                           "logical endpoint " + Twine(Id) + " " + Why);
}

std::optional<uint64_t> addressIn(ArrayRef<EndpointRange> Member,
                                  uint64_t Offset, uint64_t Bytes) {
  for (const EndpointRange &R : Member)
    if (Offset >= R.Offset && Offset - R.Offset <= R.Size &&
        Bytes <= R.Size - (Offset - R.Offset))
      return R.Address + (Offset - R.Offset);
  return std::nullopt;
}

static bool overlap(const EndpointRange &A, const EndpointRange &B) {
  return A.Offset < B.Offset ? B.Offset - A.Offset < A.Size
                             : A.Offset - B.Offset < B.Size;
}

Error EndpointTable::set(uint32_t Id, const EndpointDesc &Endpoint) {
  if (Endpoint.Members.empty())
    return makeError(Id, "has no member");
  if (!Endpoint.IsMulticast && Endpoint.Members.size() > 1)
    return makeError(Id, "has several members, and is not one for multicast");
  for (ArrayRef<EndpointRange> Member : Endpoint.Members)
    for (auto [N, R] : enumerate(Member)) {
      if (R.Offset % RangeUnit || R.Address % RangeUnit || R.Size % RangeUnit)
        return makeError(Id, "has a range that is no multiple of " +
                                 Twine(RangeUnit));
      if (R.Offset + R.Size < R.Offset)
        return makeError(Id, "has a range that ends behind all offsets");
      for (const EndpointRange &Other : Member.take_front(N))
        if (overlap(R, Other))
          return makeError(Id, "has two ranges at one offset");
    }
  Endpoints[Id] = Endpoint;
  return Error::success();
}

Error EndpointTable::remove(uint32_t Id) {
  if (!Endpoints.erase(Id))
    return makeError(Id, "does not exist");
  return Error::success();
}

const EndpointDesc *EndpointTable::find(uint32_t Id) const {
  auto It = Endpoints.find(Id);
  return It == Endpoints.end() ? nullptr : &It->second;
}

} // namespace heddle::rt
