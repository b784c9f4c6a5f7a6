//===- lookup.cu - Look-ups in a hash table ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys mostly stand where they hash to; few have to be searched for.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void lookup(const unsigned *__restrict__ Keys,
                                  const unsigned *__restrict__ Table,
                                  unsigned *__restrict__ Found, unsigned Slots,
                                  unsigned Count) {
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x) {
    unsigned Key = Keys[I];
    unsigned Slot = (Key * 2654435761u >> 7) % Slots;
    unsigned Probes = 0;
    unsigned Result = ~0u;
    while (Probes < Slots) {
      unsigned Entry = Table[Slot];
      if (Entry == Key) {
        Result = Slot;
        break;
      }
      if (Entry == 0)
        break;
      Slot = (Slot + 1) % Slots;
      ++Probes;
    }
    Found[I] = Result + Probes;
  }
}
