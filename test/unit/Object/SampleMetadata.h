//===- SampleMetadata.h - Metadata that the tests share ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module with two kernels in which every field has a value of its own.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_OBJECT_SAMPLEMETADATA_H
#define HEDDLE_TEST_UNIT_OBJECT_SAMPLEMETADATA_H

#include "heddle/Object/Metadata.h"

inline heddle::ModuleMetadata sampleMetadata() {
  heddle::KernelMetadata Full;
  Full.Name = "full";
  Full.Registers = 40;
  Full.UniformRegisters = 12;
  Full.SpillStoreBytes = 16;
  Full.SpillLoadBytes = 24;
  Full.SharedBytes = 70000;
  Full.LocalBytes = 32;
  Full.Barriers = 2;
  Full.ParamBytes = 40;
  Full.DynamicShared = true;
  Full.DynamicStack = true;
  Full.Params = {{"p", 0, 8, 8, "u64"}, {"q", 8, 24, 4, "b8[24]"}};
  Full.MaxBlock = heddle::Extents{128, 2, 1};
  Full.RequiredBlock = heddle::Extents{64, 1, 1};
  Full.RequiredCluster = heddle::Extents{2, 1, 1};
  Full.MaxClusterRank = 8;
  Full.ExplicitCluster = true;
  Full.MinCTAs = 3;
  Full.MaxRegisters = 128;
  heddle::KernelMetadata Plain;
  Plain.Name = "plain";
  heddle::LinkMetadata Link;
  Link.Functions = {{"full", "a kernel", 40, 2, 16, 8, 12, true, false},
                    {"inner", "", 9, 0, 0, 0, 0, false, true}};
  Link.Symbols = {{"x", ".global 4 bytes"}, {"f", "a function i32 (i32)"}};
  return {"hd100", "1.0", "heddle 0.1", "9.0", "sm_90", {Full, Plain}, Link};
}

#endif // HEDDLE_TEST_UNIT_OBJECT_SAMPLEMETADATA_H
