//===- Endpoints.h - Logical endpoints of the fabric ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that kernels name by the number of an endpoint and an offset in it, in
// place of an address. A multicast endpoint has the memories of several
// members, one behind the other at each offset.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_ENDPOINTS_H
#define HEDDLE_RUNTIME_ENDPOINTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace heddle::rt {

/// Some offsets of an endpoint, and the device memory behind them.
struct EndpointRange {
  uint64_t Offset = 0;  ///< A multiple of 16, as the others.
  uint64_t Address = 0; ///< On the device.
  uint64_t Size = 0;    ///< In bytes.
};

struct EndpointDesc {
  /// The ranges of each member; a unicast endpoint has one member.
  std::vector<std::vector<EndpointRange>> Members;
  bool IsMulticast = false;
  bool Counts = false; ///< Counters of arriving bytes are allowed.
  /// Operations fail, and say so in their reports: the endpoint is out of
  /// reach.
  bool Fails = false;
};

/// The address of \p Bytes bytes at an offset, if they are in one range.
std::optional<uint64_t> addressIn(llvm::ArrayRef<EndpointRange> Member,
                                  uint64_t Offset, uint64_t Bytes);

/// The endpoints of a device, by number.
class EndpointTable {
public:
  /// Makes or replaces an endpoint. Ranges that overlap, or are no multiples
  /// of 16, are an error.
  llvm::Error set(uint32_t Id, const EndpointDesc &Endpoint);
  llvm::Error remove(uint32_t Id);
  /// Null if there is none.
  const EndpointDesc *find(uint32_t Id) const;

private:
  std::map<uint32_t, EndpointDesc> Endpoints;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_ENDPOINTS_H
