//===- PeerLinks.h - Links between devices of a space -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How far the memory of one device is from the kernels of another one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_EMULATOR_PEERLINKS_H
#define HEDDLE_EMULATOR_PEERLINKS_H

#include <cstdint>

namespace heddle::emu {

class AddressSpace;

/// What a link does in each direction.
struct PeerLink {
  uint64_t BytesPerSecond = 0; ///< Not 0.
  uint32_t LatencyNs = 0;
};

/// Accesses of launches of the device with the ordinal \p From that are timed,
/// to memory of \p To, take that link. Without one they take as long as in
/// memory of their own. Before either device is made.
void setPeerLink(AddressSpace &Space, unsigned From, unsigned To,
                 PeerLink Link);

} // namespace heddle::emu

#endif // HEDDLE_EMULATOR_PEERLINKS_H
