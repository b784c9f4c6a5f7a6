//===- HostAccess.h - One access to the host's memory -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores and compare and swap of 1 to 16 bytes, each of which other host
// threads see as a whole or not at all, whatever size their own accesses have:
// all of them are instructions of the host, none takes a lock.
//
// C++ has no such loads and stores of 16 bytes that do not call a library. On
// x86-64 they are moves of a vector register, which Intel and AMD promise to be
// one access where the processor has AVX and the place is aligned; elsewhere
// the compare and swap that every such processor has.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_HOSTACCESS_H
#define HEDDLE_LIB_EMULATOR_HOSTACCESS_H

#include "heddle/Emulator/SoftFloat.h"

#include <cstdint>

namespace heddle::emu {

/// Replaces what is at \p Place, if that is \p Old; else \p Old becomes what is
/// there.
template <typename T> bool compareAndSwap(T *Place, T &Old, T New) {
  return __atomic_compare_exchange_n(Place, &Old, New, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

#ifdef __x86_64__

/// Whether moves of 16 aligned bytes are one access of this host.
extern const bool HasWideMoves;

template <>
inline bool compareAndSwap<UInt128>(UInt128 *Place, UInt128 &Old, UInt128 New) {
  auto Low = static_cast<uint64_t>(Old),
       High = static_cast<uint64_t>(Old >> 64);
  bool IsSwapped;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(IsSwapped), "+m"(*Place), "+a"(Low), "+d"(High)
               : "b"(static_cast<uint64_t>(New)),
                 "c"(static_cast<uint64_t>(New >> 64))
               : "memory");
  if (!IsSwapped)
    Old = Low | static_cast<UInt128>(High) << 64;
  return IsSwapped;
}

inline UInt128 readWide(const UInt128 *Place) {
  typedef uint64_t Pair __attribute__((vector_size(16)));
  if (HasWideMoves) {
    Pair V;
    // An intrinsic might become two loads.
    asm volatile("vmovdqa %1, %0" : "=x"(V) : "m"(*Place));
    return V[0] | static_cast<UInt128>(V[1]) << 64;
  }
  UInt128 Value = 0;
  compareAndSwap(const_cast<UInt128 *>(Place), Value, Value);
  return Value;
}

inline void writeWide(UInt128 *Place, UInt128 Value) {
  typedef uint64_t Pair __attribute__((vector_size(16)));
  if (HasWideMoves) {
    Pair V = {static_cast<uint64_t>(Value), static_cast<uint64_t>(Value >> 64)};
    asm volatile("vmovdqa %1, %0" : "=m"(*Place) : "x"(V));
    return;
  }
  UInt128 Old = *Place;
  while (!compareAndSwap(Place, Old, Value))
    ;
}

#else

inline UInt128 readWide(const UInt128 *Place) {
  return __atomic_load_n(Place, __ATOMIC_RELAXED);
}
inline void writeWide(UInt128 *Place, UInt128 Value) {
  __atomic_store_n(Place, Value, __ATOMIC_RELAXED);
}

#endif

template <typename T> T read(const uint8_t *Host) {
  if constexpr (sizeof(T) == sizeof(UInt128)) {
    // The parameters of a launch lie anywhere, but nothing stores there.
    if (reinterpret_cast<uintptr_t>(Host) % sizeof(T) != 0)
      return read<uint64_t>(Host) | static_cast<T>(read<uint64_t>(Host + 8))
                                        << 64;
    return readWide(reinterpret_cast<const UInt128 *>(Host));
  } else {
    return __atomic_load_n(reinterpret_cast<const T *>(Host), __ATOMIC_RELAXED);
  }
}

template <typename T> void write(uint8_t *Host, T Value) {
  if constexpr (sizeof(T) == sizeof(UInt128))
    writeWide(reinterpret_cast<UInt128 *>(Host), Value);
  else
    __atomic_store_n(reinterpret_cast<T *>(Host), Value, __ATOMIC_RELAXED);
}

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_HOSTACCESS_H
