// Integer arithmetic: SHA-256 of short messages, and random numbers by Philox.
#include "Dialect.h"

CONSTANT Word RoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The digest of each message of 32 bytes: one block with its padding.
KERNEL sha256(int Count, GLOBAL const Word *RESTRICT Messages,
              GLOBAL Word *RESTRICT Digests) {
  int I = INDEX;
  if (I >= Count)
    return;
  Word Schedule[16];
  for (int J = 0; J < 8; ++J)
    Schedule[J] = Messages[J * Count + I];
  Schedule[8] = 0x80000000;
  for (int J = 9; J < 15; ++J)
    Schedule[J] = 0;
  Schedule[15] = 256;
  Word A = 0x6a09e667, B = 0xbb67ae85, C = 0x3c6ef372, D = 0xa54ff53a;
  Word E = 0x510e527f, F = 0x9b05688c, G = 0x1f83d9ab, H = 0x5be0cd19;
  for (int Round = 0; Round < 64; Round += 16) {
#pragma unroll
    for (int J = 0; J < 16; ++J) {
      if (Round > 0) {
        Word Early = Schedule[(J + 1) & 15], Late = Schedule[(J + 14) & 15];
        Schedule[J] +=
            Schedule[(J + 9) & 15] +
            (ROTATE_RIGHT(Early, 7) ^ ROTATE_RIGHT(Early, 18) ^ Early >> 3) +
            (ROTATE_RIGHT(Late, 17) ^ ROTATE_RIGHT(Late, 19) ^ Late >> 10);
      }
      Word First =
          H + (ROTATE_RIGHT(E, 6) ^ ROTATE_RIGHT(E, 11) ^ ROTATE_RIGHT(E, 25)) +
          ((E & F) ^ (~E & G)) + RoundConstants[Round + J] + Schedule[J];
      Word Second =
          (ROTATE_RIGHT(A, 2) ^ ROTATE_RIGHT(A, 13) ^ ROTATE_RIGHT(A, 22)) +
          ((A & B) ^ (A & C) ^ (B & C));
      H = G;
      G = F;
      F = E;
      E = D + First;
      D = C;
      C = B;
      B = A;
      A = First + Second;
    }
  }
  Digests[I] = A + 0x6a09e667;
  Digests[Count + I] = B + 0xbb67ae85;
  Digests[2 * Count + I] = C + 0x3c6ef372;
  Digests[3 * Count + I] = D + 0xa54ff53a;
  Digests[4 * Count + I] = E + 0x510e527f;
  Digests[5 * Count + I] = F + 0x9b05688c;
  Digests[6 * Count + I] = G + 0x1f83d9ab;
  Digests[7 * Count + I] = H + 0x5be0cd19;
}

// Four numbers of Philox 4x32 with ten rounds for each thread.
KERNEL philox(int Count, Word Seed, GLOBAL Word *RESTRICT Out) {
  int I = INDEX;
  if (I >= Count)
    return;
  Word C0 = I, C1 = 0, C2 = 0, C3 = 0, K0 = Seed, K1 = 0;
  for (int Round = 0; Round < 10; ++Round) {
    Word High0 = MULTIPLY_HIGH(0xd2511f53u, C0), Low0 = 0xd2511f53u * C0;
    Word High1 = MULTIPLY_HIGH(0xcd9e8d57u, C2), Low1 = 0xcd9e8d57u * C2;
    C0 = High1 ^ C1 ^ K0;
    C1 = Low1;
    C2 = High0 ^ C3 ^ K1;
    C3 = Low0;
    K0 += 0x9e3779b9u;
    K1 += 0xbb67ae85u;
  }
  Out[4 * I] = C0;
  Out[4 * I + 1] = C1;
  Out[4 * I + 2] = C2;
  Out[4 * I + 3] = C3;
}
