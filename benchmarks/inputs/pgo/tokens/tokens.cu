//===- tokens.cu - A state machine over text --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts words, numbers and comments; most characters are letters inside of
// words.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void tokens(const unsigned char *__restrict__ Text,
                                  unsigned *__restrict__ Out, unsigned Length,
                                  unsigned Stride) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char *At = Text + T * Stride;
  unsigned State = 0, Words = 0, Numbers = 0, Comments = 0, Hash = 17;
  for (unsigned I = 0; I < Length; ++I) {
    unsigned C = At[I];
    switch (State) {
    case 0: // between tokens
      if (C >= '0' && C <= '9') {
        State = 2;
        ++Numbers;
      } else if (C == '#') {
        State = 3;
        ++Comments;
      } else if (C > ' ') {
        State = 1;
        ++Words;
        Hash = Hash * 31 + C;
      }
      break;
    case 1: // in a word
      if (C <= ' ') {
        State = 0;
        Hash ^= Hash >> 15;
      } else if (C == '\\') {
        State = 4;
      } else {
        Hash = Hash * 31 + C;
      }
      break;
    case 2: // in a number
      if (C < '0' || C > '9') {
        State = C == '.' ? 5 : 0;
        Hash = Hash * 1000003 / 7;
      }
      break;
    case 3: // in a comment
      if (C == '\n')
        State = 0;
      break;
    case 4: // behind a backslash
      Hash = Hash * 131 + (C ^ 0x55);
      State = 1;
      break;
    default: // in a fraction
      if (C < '0' || C > '9')
        State = 0;
      Hash += C % 10;
      break;
    }
  }
  Out[4 * T] = Words;
  Out[4 * T + 1] = Numbers;
  Out[4 * T + 2] = Comments;
  Out[4 * T + 3] = Hash;
}
