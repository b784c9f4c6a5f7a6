//===- HeddleSelectionDAGInfo.cpp - Our selection nodes --------*- C++ -*--===//
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

#include "ISel/HeddleSelectionDAGInfo.h"

#define GET_SDNODE_DESC
#include "HeddleGenSDNodeInfo.inc"

using namespace llvm;

HeddleSelectionDAGInfo::HeddleSelectionDAGInfo()
    : SelectionDAGGenTargetInfo(HeddleGenSDNodeInfo) {}

HeddleSelectionDAGInfo::~HeddleSelectionDAGInfo() = default;
