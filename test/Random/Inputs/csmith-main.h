//===- csmith-main.h - Runs a program of Csmith's in each lane --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a warp, and what the host does for one lane after the other:
// each says how many values there are, the hash of them, and the values.
//
//===----------------------------------------------------------------------===//

#ifdef __NVPTX__
extern "C" __attribute__((device_kernel)) void run(uint64_t *Out) {
  Program P;
  P.runProgram();
  Out += uint64_t(P.Count + 2) * LANE;
  Out[0] = P.Count;
  Out[1] = P.crc32_context;
  for (unsigned I = 0; I < P.Count; ++I)
    Out[2 + I] = P.Values[I];
}
#else
extern "C" int main() {
  for (; HostLane < 32; ++HostLane) {
    Program P;
    P.runProgram();
    printf("%u %u\n", P.Count, P.crc32_context);
    for (unsigned I = 0; I < P.Count; ++I)
      printf("%lu\n", static_cast<unsigned long>(P.Values[I]));
  }
  return 0;
}
#endif
