//===- Peer.h - Who is at the other end of a socket -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernel says of a client, which the client cannot make up.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEVICESERVICE_PEER_H
#define HEDDLE_LIB_DEVICESERVICE_PEER_H

#include "heddle/DeviceService/Protocol.h"

namespace heddle::deviced {

struct Peer {
  int64_t Process = 0; ///< 0: in a name space that is none of the service's.
  uint32_t User = 0;
  std::string Program; ///< Its name; the program can choose that.

  std::string text() const;
};

Peer peerOf(int Socket);
/// What can be read once the process has ended; none where the kernel does not
/// tell.
Descriptor processOf(int Socket, const Peer &Who);
/// What the process calls itself, in letters that harm no terminal.
std::string programOf(const Peer &Who);

} // namespace heddle::deviced

#endif // HEDDLE_LIB_DEVICESERVICE_PEER_H
