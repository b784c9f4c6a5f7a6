//===- csmith.h - What Csmith's programs ask of their system ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In place of the header of the same name that Csmith brings along, for a GPU
// and for the host. A program is a structure (csmith.py), so that each thread
// has its own globals. The arithmetic without undefined behaviour is Csmith's.
//
//===----------------------------------------------------------------------===//

#include <float.h>
#include <limits.h>
#include <stdint.h>

#define memcpy __builtin_memcpy

static inline float fabsf(float X) { return __builtin_fabsf(X); }
static inline double fabs(double X) { return __builtin_fabs(X); }
static inline double ldexp(double X, int Exponent) {
  for (; Exponent > 0; --Exponent)
    X *= 2;
  for (; Exponent < 0; ++Exponent)
    X *= 0.5;
  return X;
}
static inline float ldexpf(float X, int Exponent) { return ldexp(X, Exponent); }

#define STATIC static
#define UNDEFINED(Value) (Value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(Name) (safe_##Name)
#include <csmith/safe_math.h>

#ifdef __NVPTX__
#define LANE __nvvm_read_ptx_sreg_tid_x()
#else
extern "C" int printf(const char *, ...);
static unsigned HostLane;
#define LANE HostLane
#endif

/// What a program says of its variables in the end.
struct Results {
  static constexpr unsigned Most = 1500;
  uint64_t Values[Most];
  unsigned Count = 0;
  uint32_t crc32_context = 0xFFFFFFFF;

  void crc32_gentab() {}
  void platform_main_begin() {}
  void platform_main_end(uint32_t, int) {}
  void hash(uint8_t Byte) {
    crc32_context ^= Byte;
    for (int I = 0; I < 8; ++I)
      crc32_context =
          (crc32_context >> 1) ^ (0xEDB88320 & -(crc32_context & 1));
  }
  void add(uint64_t Value) {
    if (Count < Most)
      Values[Count++] = Value;
  }
  void transparent_crc(uint64_t Value, const char *, int) {
    for (int I = 0; I < 64; I += 8)
      hash(Value >> I);
    add(Value);
  }
  void transparent_crc_bytes(const volatile void *Bytes, int Size, const char *,
                             int) {
    for (int I = 0; I < Size; ++I)
      hash(static_cast<const volatile uint8_t *>(Bytes)[I]);
    add(crc32_context);
  }
};
