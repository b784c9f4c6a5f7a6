//===- LogicalEndpoints.h - Endpoints of the fabric -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The endpoints that a program has made, by number, and what is bound to them.
// Each change is told the device at once.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_LOGICALENDPOINTS_H
#define HEDDLE_LIB_CUDA_LOGICALENDPOINTS_H

#include "ABI.h"
#include "Runtime/VirtualMemory.h"

#include <map>
#include <mutex>
#include <optional>

namespace heddle::cuda {

/// CUlogicalEndpointProp.
struct EndpointProp {
  int Type;
  int DeviceOrCount; ///< The owner of a unicast one; how many of a multicast.
  unsigned long long Size;
  unsigned HandleTypes, Flags;
};
static_assert(sizeof(EndpointProp) == 24);

/// All endpoints of a process. Any thread may call anything at any time. There
/// is one device that has them, so that each endpoint has one member.
class LogicalEndpoints {
public:
  /// What sizes, offsets and addresses are multiples of: device memory is
  /// allocated so, and counters of arriving bytes stand so.
  static constexpr uint64_t Alignment = 256;
  /// Numbers of CUlogicalEndpointType, and CUlogicalEndpointFlag.
  enum Type : int { Unicast = 1, Multicast = 2 };
  static constexpr unsigned CountedOps = 1;

  /// Why an endpoint with such properties cannot be.
  static cudaError_t check(const EndpointProp &P);

  /// Numbers in a row, for endpoints.
  cudaError_t reserve(uint32_t Count, uint32_t &First);
  /// They may have no endpoint.
  cudaError_t release(uint32_t First, uint32_t Count);

  cudaError_t create(uint32_t Id, const EndpointProp &P);
  /// Makes the device the member of a multicast endpoint.
  cudaError_t addDevice(uint32_t Id);
  /// Unbinds what is bound, too; the device no longer uses it.
  cudaError_t destroy(uint32_t Id);
  /// Whether all endpoints of a range are complete, who may be bound from then
  /// on.
  cudaError_t query(uint32_t First, uint32_t Count, int &IsComplete);

  cudaError_t bindAddress(uint32_t Id, uint64_t Offset, uint64_t Address,
                          uint64_t Size);
  /// Bound memory stays until it is unbound.
  cudaError_t bindMemory(uint32_t Id, uint64_t Offset, MemHandle Handle,
                         uint64_t From, uint64_t Size);
  /// The range begins where a binding does, and consists of whole ones.
  cudaError_t unbind(uint32_t Id, uint64_t Offset, uint64_t Size);

  /// The address of bytes at an offset, which one binding has; none elsewhere.
  std::optional<uint64_t> resolve(uint32_t Id, uint64_t Offset, uint64_t Size);
  /// Whether there is such an endpoint, and only writes may name it.
  bool isMulticast(uint32_t Id);

  /// Forgets everything; the device is gone.
  void clear();

private:
  struct Binding {
    uint64_t Address, Size;
    /// The addresses that were reserved for it; none of the program's memory.
    uint64_t Window = 0, WindowSize = 0;
  };
  struct Endpoint {
    EndpointProp Properties;
    bool HasDevice, IsQueried = false;
    std::map<uint64_t, Binding> Bindings; ///< By offset.
  };

  /// The endpoint, if it may be bound at such an offset.
  cudaError_t bindable(uint32_t Id, uint64_t Offset, uint64_t Size,
                       Endpoint *&E);
  cudaError_t addBinding(uint32_t Id, Endpoint &E, uint64_t Offset,
                         const Binding &B);
  static cudaError_t publish(uint32_t Id, const Endpoint &E);
  static cudaError_t closeWindow(const Binding &B);

  std::mutex Mutex;                      ///< Of everything.
  std::map<uint32_t, uint32_t> Reserved; ///< Counts by the first number.
  std::map<uint32_t, Endpoint> Endpoints;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_LOGICALENDPOINTS_H
