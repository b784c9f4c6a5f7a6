//===- Wire.h - What hosts of a group tell each other -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sockets between hosts, and the messages on them, which have a fixed size and
// bytes behind them. All hosts have the same order of bytes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_WIRE_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_WIRE_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::cuda::collectives {

/// Where a host listens.
struct HostAddress {
  uint32_t IPv4 = 0; ///< As it is on the wire; 0: nowhere.
  uint16_t Port = 0; ///< The same.
  uint16_t Reserved = 0;
};

enum class MessageKind : uint32_t {
  Joined,  ///< Rank is there.
  Left,    ///< Rank is gone.
  Arrived, ///< Rank at barrier Number; behind it what it has staged.
  Sent,    ///< Rank to Peer piece Number, which is behind it.
  Taken,   ///< Peer has taken piece Number of Rank.
  Split,   ///< Rank announces split Number; a Segment::Announcement is behind.
  Aborted,
};

struct Message {
  MessageKind Kind;
  uint32_t Rank = 0, Peer = 0, Number = 0;
  uint64_t Bytes = 0; ///< Behind the message.
};

/// Owns a socket. Nothing raises a signal.
class Socket {
public:
  explicit Socket(int Descriptor = -1) : Descriptor(Descriptor) {}
  Socket(Socket &&Other) : Descriptor(std::exchange(Other.Descriptor, -1)) {}
  Socket &operator=(Socket &&Other) {
    std::swap(Descriptor, Other.Descriptor);
    return *this;
  }
  ~Socket();

  /// Listens at a port that is free, at the address that other hosts know;
  /// NCCL_SOCKET_IFNAME says of which interface. Invalid if there is none.
  static Socket listen(HostAddress &Where);
  static Socket connect(const HostAddress &To);
  /// Who connects; invalid if nobody does for that time.
  Socket accept(int Milliseconds) const;

  /// How long receive waits; 0: for ever.
  void setPatience(unsigned Seconds) const;

  bool isValid() const { return Descriptor >= 0; }
  int descriptor() const { return Descriptor; }
  /// Whether there is something to receive, or an end.
  bool isReady() const;
  /// All of the bytes; false at the end, and if it fails.
  bool send(const void *From, size_t Bytes) const;
  bool receive(void *To, size_t Bytes) const;
  template <typename T> bool send(const T &Value) const {
    return send(&Value, sizeof(T));
  }
  template <typename T> bool receive(T &Value) const {
    return receive(&Value, sizeof(T));
  }

private:
  int Descriptor;
};

/// Tells hosts apart: ranks with the same share memory. NCCL_HOSTID says what
/// host a process is on, in place of the host's name.
uint64_t hostHash();

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_WIRE_H
