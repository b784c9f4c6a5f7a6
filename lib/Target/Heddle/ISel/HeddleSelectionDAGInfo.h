//===- HeddleSelectionDAGInfo.h - Our selection nodes ----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives LLVM the table of our selection nodes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESELECTIONDAGINFO_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESELECTIONDAGINFO_H

#include "llvm/CodeGen/SelectionDAGTargetInfo.h"

#define GET_SDNODE_ENUM
#include "HeddleGenSDNodeInfo.inc"

namespace llvm {

class HeddleSelectionDAGInfo : public SelectionDAGGenTargetInfo {
public:
  HeddleSelectionDAGInfo();
  ~HeddleSelectionDAGInfo() override;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESELECTIONDAGINFO_H
