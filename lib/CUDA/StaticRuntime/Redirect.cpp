//===- Redirect.cpp - Jumps into another library ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No thread runs what is written here: ld.so has just mapped it, and no
// code has its address yet.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/Redirect.h"
#include "StaticRuntime/System.h"

using namespace heddle::cuda;

/// The first instruction of a function that hardware lets indirect calls end at
/// (endbr64, bti c).
#if defined(__x86_64__)
static constexpr unsigned char LandingPad[] = {0xF3, 0x0F, 0x1E, 0xFA};
#else
static constexpr unsigned char LandingPad[] = {0x5F, 0x24, 0x03, 0xD5};
#endif

static bool beginsWithLandingPad(const unsigned char *Function) {
  for (unsigned I = 0; I < sizeof(LandingPad); ++I)
    if (Function[I] != LandingPad[I])
      return false;
  return true;
}

bool heddle::cuda::writeJump(uint64_t Function, uint64_t Room,
                             const void *Target) {
  auto *To = reinterpret_cast<unsigned char *>(Function);
  if (Room < JumpSize)
    return false;
  if (Room >= sizeof(LandingPad) + JumpSize && beginsWithLandingPad(To))
    To += sizeof(LandingPad);
#if defined(__x86_64__)
  // jmpq *(%rip), and the address behind it.
  static constexpr unsigned char Code[] = {0xFF, 0x25, 0, 0, 0, 0};
#else
  // ldr x16, .+8; br x16; and the address behind them.
  static constexpr unsigned char Code[] = {0x50, 0x00, 0x00, 0x58,
                                           0x00, 0x02, 0x1F, 0xD6};
#endif
  static_assert(sizeof(Code) + sizeof(Target) == JumpSize);
  for (unsigned char Byte : Code)
    *To++ = Byte;
  for (unsigned I = 0; I < sizeof(Target); ++I)
    *To++ = static_cast<unsigned char>(reinterpret_cast<uint64_t>(Target) >>
                                       (8 * I));
  __builtin___clear_cache(reinterpret_cast<char *>(Function),
                          reinterpret_cast<char *>(To));
  return true;
}

bool heddle::cuda::protect(uint64_t First, uint64_t Last, int Protection) {
  // Larger pages are a multiple of this, and mappings of such begin at one.
  constexpr uint64_t PageSize = 4096;
  First &= ~(PageSize - 1);
  return systemCall(SYS_mprotect, static_cast<long>(First),
                    static_cast<long>(Last - First), Protection) == 0;
}
