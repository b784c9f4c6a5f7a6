//===- hash.cu - Hashes and random numbers ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer logic: SHA-256 of one block a thread, MurmurHash3, CRC-32 and Philox.
//
//===----------------------------------------------------------------------===//

__constant__ unsigned RoundConstants[64];

static __device__ unsigned rotate(unsigned V, unsigned N) {
  return __funnelshift_r(V, V, N);
}

extern "C" __global__ void sha256(const unsigned *Blocks, unsigned *Digests,
                                  unsigned Count) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  if (T >= Count)
    return;
  unsigned W[16];
  for (unsigned I = 0; I < 16; ++I)
    W[I] = __byte_perm(Blocks[T * 16 + I], 0, 0x0123);
  unsigned S[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
  for (unsigned I = 0; I < 64; ++I) {
    if (I >= 16) {
      unsigned X = W[(I + 1) % 16], Y = W[(I + 14) % 16];
      W[I % 16] += W[(I + 9) % 16] +
                   (rotate(X, 7) ^ rotate(X, 18) ^ (X >> 3)) +
                   (rotate(Y, 17) ^ rotate(Y, 19) ^ (Y >> 10));
    }
    unsigned E = S[4], A = S[0];
    unsigned T1 = S[7] + (rotate(E, 6) ^ rotate(E, 11) ^ rotate(E, 25)) +
                  ((E & S[5]) ^ (~E & S[6])) + RoundConstants[I] + W[I % 16];
    unsigned T2 = (rotate(A, 2) ^ rotate(A, 13) ^ rotate(A, 22)) +
                  ((A & S[1]) ^ (A & S[2]) ^ (S[1] & S[2]));
    for (unsigned J = 7; J; --J)
      S[J] = S[J - 1];
    S[4] += T1;
    S[0] = T1 + T2;
  }
  for (unsigned I = 0; I < 8; ++I)
    Digests[T * 8 + I] = S[I];
}

extern "C" __global__ void murmur(const unsigned *Keys, unsigned *Hashes,
                                  unsigned Count, unsigned Words) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  if (T >= Count)
    return;
  unsigned H = 0x9747b28c;
  for (unsigned I = 0; I < Words; ++I) {
    unsigned K = Keys[T * Words + I] * 0xcc9e2d51u;
    H ^= __funnelshift_l(K, K, 15) * 0x1b873593u;
    H = __funnelshift_l(H, H, 13) * 5 + 0xe6546b64u;
  }
  H ^= Words * 4;
  H = (H ^ (H >> 16)) * 0x85ebca6bu;
  H = (H ^ (H >> 13)) * 0xc2b2ae35u;
  Hashes[T] = H ^ (H >> 16);
}

extern "C" __global__ void crc32(const unsigned char *Text,
                                 const unsigned *Starts, unsigned *Sums,
                                 unsigned Count) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  if (T >= Count)
    return;
  unsigned Sum = ~0u;
  for (unsigned I = Starts[T]; I < Starts[T + 1]; ++I) {
    Sum ^= Text[I];
    for (unsigned Bit = 0; Bit < 8; ++Bit)
      Sum = Sum & 1 ? (Sum >> 1) ^ 0xedb88320u : Sum >> 1;
  }
  Sums[T] = ~Sum;
}

extern "C" __global__ void philox(uint4 *Out, unsigned long long Seed,
                                  unsigned Count) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  if (T >= Count)
    return;
  uint4 C = {T, 0, 0, 0};
  unsigned K0 = Seed, K1 = Seed >> 32;
  for (unsigned Round = 0; Round < 10; ++Round) {
    unsigned H0 = __umulhi(0xD2511F53u, C.x), L0 = 0xD2511F53u * C.x;
    unsigned H1 = __umulhi(0xCD9E8D57u, C.z), L1 = 0xCD9E8D57u * C.z;
    C = {H1 ^ C.y ^ K0, L1, H0 ^ C.w ^ K1, L0};
    K0 += 0x9E3779B9u;
    K1 += 0xBB67AE85u;
  }
  Out[T] = C;
}
