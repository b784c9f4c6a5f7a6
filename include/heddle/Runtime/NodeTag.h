//===- NodeTag.h - Nodes of graphs in the tags of work ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lower half of WorkTag is what the program's side knows a call by. The
// upper half tells which node of a graph submitted the work.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_NODETAG_H
#define HEDDLE_RUNTIME_NODETAG_H

#include <cstdint>

namespace heddle::rt {

/// The node of a graph that submitted work, counted from 1; 0: there is none.
inline uint32_t nodeOfTag(uint64_t Tag) {
  return static_cast<uint32_t>(Tag >> 32);
}

/// The same tag with a node.
inline uint64_t tagWithNode(uint64_t Tag, uint32_t Node) {
  return static_cast<uint32_t>(Tag) | uint64_t(Node) << 32;
}

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_NODETAG_H
