// Ends the program when a call of CUDA fails.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Code = (Call);                                                 \
    if (Code != cudaSuccess) {                                                 \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                   cudaGetErrorString(Code));                                  \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

/// What a program prints at its end, and its exit status.
inline int verdict(bool IsRight) {
  std::puts(IsRight ? "PASS" : "FAIL");
  return IsRight ? 0 : 1;
}
