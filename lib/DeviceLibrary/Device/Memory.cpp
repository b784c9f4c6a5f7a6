//===- Memory.cpp - What is done to memory ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory operations of PTX that take more than a few instructions.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "heddle/ISA/ForeignTensorMap.h"

using SharedWord = __attribute__((address_space(3))) unsigned long long;

/// PTX st.bulk: zeros in \p Bytes bytes, a multiple of 8, of shared memory.
HEDDLE_DEVICE_CALLED void __heddle_st_bulk(SharedWord *Place,
                                           unsigned long long Bytes) {
  for (unsigned Left = static_cast<unsigned>(Bytes / 8); Left != 0; --Left)
    *Place++ = 0;
}

/// In front of PTX tensormap.replace: \p Map as ours, whose fields it knows.
HEDDLE_DEVICE_CALLED void __heddle_adopt_tensor_map(heddle::TensorMap *Map) {
  heddle::adoptTensorMap(*Map);
}
