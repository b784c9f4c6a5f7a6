//===- System.h - What the kernel and the C library give --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library of this folder is loaded into a name space of its own, before the
// program's C library is. A C library for it alone would cost each process its
// start, so that system calls are made here and nothing else is needed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_SYSTEM_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_SYSTEM_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace heddle::cuda {

/// Returns what the kernel does: a number, or the negative number of an error.
inline long systemCall(long Number, long A = 0, long B = 0, long C = 0,
                       long D = 0, long E = 0, long F = 0) {
#if defined(__x86_64__)
  long Result;
  register long R10 asm("r10") = D;
  register long R8 asm("r8") = E;
  register long R9 asm("r9") = F;
  asm volatile("syscall"
               : "=a"(Result)
               : "a"(Number), "D"(A), "S"(B), "d"(C), "r"(R10), "r"(R8), "r"(R9)
               : "rcx", "r11", "memory");
  return Result;
#elif defined(__aarch64__)
  register long X8 asm("x8") = Number;
  register long X0 asm("x0") = A;
  register long X1 asm("x1") = B;
  register long X2 asm("x2") = C;
  register long X3 asm("x3") = D;
  register long X4 asm("x4") = E;
  register long X5 asm("x5") = F;
  asm volatile("svc #0"
               : "+r"(X0)
               : "r"(X8), "r"(X1), "r"(X2), "r"(X3), "r"(X4), "r"(X5)
               : "memory");
  return X0;
#endif
}

inline unsigned long lengthOf(const char *Text) {
  unsigned long Length = 0;
  while (Text[Length])
    ++Length;
  return Length;
}

inline bool areEqual(const char *A, const char *B) {
  while (*A && *A == *B)
    ++A, ++B;
  return *A == *B;
}

inline bool startsWith(const char *Text, const char *Prefix) {
  while (*Prefix && *Text == *Prefix)
    ++Text, ++Prefix;
  return !*Prefix;
}

inline void print(const char *Text) {
  systemCall(SYS_write, 2, reinterpret_cast<long>(Text),
             static_cast<long>(lengthOf(Text)));
}

inline void print(unsigned Number) {
  char Text[12];
  char *Next = Text + sizeof(Text);
  *--Next = 0;
  do
    *--Next = static_cast<char>('0' + Number % 10);
  while (Number /= 10);
  print(Next);
}

/// A file's bytes, as they are on disk. Data is null if it cannot be read.
struct MappedFile {
  const unsigned char *Data = nullptr;
  unsigned long Size = 0;

  explicit MappedFile(const char *Path) {
    long File = systemCall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(Path),
                           O_RDONLY | O_CLOEXEC);
    if (File < 0)
      return;
    long End = systemCall(SYS_lseek, File, 0, /*whence SEEK_END*/ 2);
    long Where = End <= 0 ? -1
                          : systemCall(SYS_mmap, 0, End, PROT_READ, MAP_PRIVATE,
                                       File, 0);
    systemCall(SYS_close, File);
    if (Where < 0 && Where > -4096)
      return;
    Data = reinterpret_cast<const unsigned char *>(Where);
    Size = static_cast<unsigned long>(End);
  }
  ~MappedFile() {
    if (Data)
      systemCall(SYS_munmap, reinterpret_cast<long>(Data),
                 static_cast<long>(Size));
  }
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_SYSTEM_H
