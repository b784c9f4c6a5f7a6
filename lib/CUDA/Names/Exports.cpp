//===- Exports.cpp - The names of one of NVIDIA's libraries -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built once for each library that we stand in for, with HEDDLE_EXPORTS naming
// its table. The functions are in libheddle-cuda; here are only their names, as
// jumps, so that programs, the runtime and the driver API of one process work
// on the same device. Each has a slot with its function's address, which its
// first call fills. The types of the functions do not matter: the registers
// that arguments may be in are kept.
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)

// heddle_forward: the target's name, and behind it the function's own, is in
// R10 and its slot in R11, which hold no arguments.
asm(R"(
.text
.type heddle_forward, %function
heddle_forward:
.cfi_startproc
  pushq %rbp
.cfi_def_cfa_offset 16
.cfi_offset %rbp, -16
  movq %rsp, %rbp
.cfi_def_cfa_register %rbp
  subq $192, %rsp
  movq %rdi, -8(%rbp)
  movq %rsi, -16(%rbp)
  movq %rdx, -24(%rbp)
  movq %rcx, -32(%rbp)
  movq %r8, -40(%rbp)
  movq %r9, -48(%rbp)
  movq %rax, -56(%rbp)
  movaps %xmm0, -80(%rbp)
  movaps %xmm1, -96(%rbp)
  movaps %xmm2, -112(%rbp)
  movaps %xmm3, -128(%rbp)
  movaps %xmm4, -144(%rbp)
  movaps %xmm5, -160(%rbp)
  movaps %xmm6, -176(%rbp)
  movaps %xmm7, -192(%rbp)
  movq %r10, %rdi
  movq %r11, %rsi
  callq heddleResolve
  movq %rax, %r11
  movq -8(%rbp), %rdi
  movq -16(%rbp), %rsi
  movq -24(%rbp), %rdx
  movq -32(%rbp), %rcx
  movq -40(%rbp), %r8
  movq -48(%rbp), %r9
  movq -56(%rbp), %rax
  movaps -80(%rbp), %xmm0
  movaps -96(%rbp), %xmm1
  movaps -112(%rbp), %xmm2
  movaps -128(%rbp), %xmm3
  movaps -144(%rbp), %xmm4
  movaps -160(%rbp), %xmm5
  movaps -176(%rbp), %xmm6
  movaps -192(%rbp), %xmm7
  leave
.cfi_def_cfa %rsp, 8
  jmpq *%r11
.cfi_endproc
.size heddle_forward, .-heddle_forward
)");

#define HEDDLE_JUMP(Slot, Name)                                                \
  "movq " Slot "(%rip), %r11\n"                                                \
  "testq %r11, %r11\n"                                                         \
  "je 1f\n"                                                                    \
  "jmpq *%r11\n"                                                               \
  "1: leaq " Slot "(%rip), %r11\n"                                             \
  "leaq " Name "(%rip), %r10\n"                                                \
  "jmp heddle_forward\n"

#elif defined(__aarch64__)

// heddle_forward: the target's name, and behind it the function's own, is in
// X17 and its slot in X16.
asm(R"(
.text
.type heddle_forward, %function
heddle_forward:
.cfi_startproc
  stp x29, x30, [sp, #-224]!
.cfi_def_cfa_offset 224
.cfi_offset x29, -224
.cfi_offset x30, -216
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x0, x17
  mov x1, x16
  bl heddleResolve
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
.cfi_def_cfa_offset 0
  br x16
.cfi_endproc
.size heddle_forward, .-heddle_forward
)");

#define HEDDLE_JUMP(Slot, Name)                                                \
  "adrp x16, " Slot "\n"                                                       \
  "add x16, x16, :lo12:" Slot "\n"                                             \
  "ldar x17, [x16]\n"                                                          \
  "cbz x17, 1f\n"                                                              \
  "br x17\n"                                                                   \
  "1: adrp x17, " Name "\n"                                                    \
  "add x17, x17, :lo12:" Name "\n"                                             \
  "b heddle_forward\n"

#endif

#define HEDDLE_EXPORT(Name, Target)                                            \
  asm(".section .rodata.heddle_names,\"a\",%progbits\n"                        \
      ".Lheddle_name_" #Name ": .asciz \"" #Target "\", \"" #Name "\"\n"       \
      ".local heddle_slot_" #Name "\n"                                         \
      ".comm heddle_slot_" #Name ",8,8\n"                                      \
      ".text\n.p2align 4\n.globl " #Name "\n.type " #Name                      \
      ", %function\n" #Name ":\n" HEDDLE_JUMP(                                 \
          "heddle_slot_" #Name, ".Lheddle_name_" #Name) ".size " #Name         \
                                                        ", .-" #Name "\n");

#include HEDDLE_EXPORTS
