//===- CallStubs.cpp - Stubs of functions of any type -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stub jumps to its function while nobody watches. Else it keeps the
// registers that arguments are in, until the end, notes the call, copies the
// arguments on the stack, calls the function and keeps the registers of its
// result.
//
//===----------------------------------------------------------------------===//

#include "Trace/CallStubs.h"

#define HEDDLE_TEXT_(X) #X
#define HEDDLE_TEXT(X) HEDDLE_TEXT_(X)

static_assert(HEDDLE_CALL_FRAME_BYTES == 128 &&
                  HEDDLE_CALL_ARGUMENT_BYTES == 128,
              "the offsets below are made of them");

#if defined(__x86_64__)

// The number of the stub is in R11. From RSP: 128 bytes of arguments, the
// frame, 64 bytes of registers, 128 bytes of vectors.
asm(R"(
.text
.p2align 4
.globl heddleCallStubs
.hidden heddleCallStubs
.type heddleCallStubs, %function
heddleCallStubs:
.set heddle_stub, 0
.rept )" HEDDLE_TEXT(HEDDLE_CALL_STUBS) R"(
  movl $heddle_stub, %r11d
  jmp heddle_noted_call
  .p2align 4
  .set heddle_stub, heddle_stub + 1
.endr
.size heddleCallStubs, .-heddleCallStubs

.type heddle_noted_call, %function
heddle_noted_call:
.cfi_startproc
  cmpl $0, heddleCallWatchers(%rip)
  jne 1f
  leaq heddleCallTargets(%rip), %r10
  shlq $4, %r11
  jmpq *(%r10,%r11)
1:
  pushq %rbp
.cfi_def_cfa_offset 16
.cfi_offset %rbp, -16
  movq %rsp, %rbp
.cfi_def_cfa_register %rbp
  subq $448, %rsp
  movq %rdi, 256(%rsp)
  movq %rsi, 264(%rsp)
  movq %rdx, 272(%rsp)
  movq %rcx, 280(%rsp)
  movq %r8, 288(%rsp)
  movq %r9, 296(%rsp)
  movq %rax, 304(%rsp)
  movaps %xmm0, 320(%rsp)
  movaps %xmm1, 336(%rsp)
  movaps %xmm2, 352(%rsp)
  movaps %xmm3, 368(%rsp)
  movaps %xmm4, 384(%rsp)
  movaps %xmm5, 400(%rsp)
  movaps %xmm6, 416(%rsp)
  movaps %xmm7, 432(%rsp)
  movq %r11, %rdi
  leaq 128(%rsp), %rsi
  leaq 256(%rsp), %rdx
  leaq 8(%rbp), %rcx
  callq heddleCallBegins
  movq %rax, %r11
  leaq 16(%rbp), %rsi
  movq %rsp, %rdi
  movl $16, %ecx
  rep movsq
  movq 256(%rsp), %rdi
  movq 264(%rsp), %rsi
  movq 272(%rsp), %rdx
  movq 280(%rsp), %rcx
  movq 288(%rsp), %r8
  movq 296(%rsp), %r9
  movq 304(%rsp), %rax
  movaps 320(%rsp), %xmm0
  movaps 336(%rsp), %xmm1
  movaps 352(%rsp), %xmm2
  movaps 368(%rsp), %xmm3
  movaps 384(%rsp), %xmm4
  movaps 400(%rsp), %xmm5
  movaps 416(%rsp), %xmm6
  movaps 432(%rsp), %xmm7
  callq *%r11
.globl heddleStubReturn
.hidden heddleStubReturn
heddleStubReturn:
  movq %rax, 304(%rsp)
  movq %rdx, 312(%rsp)
  movaps %xmm0, 320(%rsp)
  movaps %xmm1, 336(%rsp)
  leaq 128(%rsp), %rdi
  movq %rax, %rsi
  callq heddleCallEnds
  movq 304(%rsp), %rax
  movq 312(%rsp), %rdx
  movaps 320(%rsp), %xmm0
  movaps 336(%rsp), %xmm1
  leave
.cfi_def_cfa %rsp, 8
  retq
.cfi_endproc
.size heddle_noted_call, .-heddle_noted_call
)");

#elif defined(__aarch64__)

// The number of the stub is in X16. From SP: 128 bytes of arguments, the frame,
// 80 bytes of registers, 128 bytes of vectors, the frame record.
asm(R"(
.text
.p2align 4
.globl heddleCallStubs
.hidden heddleCallStubs
.type heddleCallStubs, %function
heddleCallStubs:
.set heddle_stub, 0
.rept )" HEDDLE_TEXT(HEDDLE_CALL_STUBS) R"(
  mov x16, #heddle_stub
  b heddle_noted_call
  .p2align 4
  .set heddle_stub, heddle_stub + 1
.endr
.size heddleCallStubs, .-heddleCallStubs

.type heddle_noted_call, %function
heddle_noted_call:
.cfi_startproc
  adrp x17, heddleCallWatchers
  ldr w17, [x17, :lo12:heddleCallWatchers]
  cbnz w17, 1f
  adrp x17, heddleCallTargets
  add x17, x17, :lo12:heddleCallTargets
  add x17, x17, x16, lsl #4
  ldr x17, [x17]
  br x17
1:
  stp x29, x30, [sp, #-16]!
.cfi_def_cfa_offset 16
.cfi_offset x29, -16
.cfi_offset x30, -8
  mov x29, sp
.cfi_def_cfa x29, 16
  sub sp, sp, #464
  stp x0, x1, [sp, #256]
  stp x2, x3, [sp, #272]
  stp x4, x5, [sp, #288]
  stp x6, x7, [sp, #304]
  str x8, [sp, #320]
  stp q0, q1, [sp, #336]
  stp q2, q3, [sp, #368]
  stp q4, q5, [sp, #400]
  stp q6, q7, [sp, #432]
  mov x0, x16
  add x1, sp, #128
  add x2, sp, #256
  add x3, x29, #8
  bl heddleCallBegins
  mov x16, x0
  add x0, x29, #16
  mov x1, sp
  mov x2, #16
2:
  ldr x3, [x0], #8
  str x3, [x1], #8
  subs x2, x2, #1
  b.ne 2b
  ldp x0, x1, [sp, #256]
  ldp x2, x3, [sp, #272]
  ldp x4, x5, [sp, #288]
  ldp x6, x7, [sp, #304]
  ldr x8, [sp, #320]
  ldp q0, q1, [sp, #336]
  ldp q2, q3, [sp, #368]
  ldp q4, q5, [sp, #400]
  ldp q6, q7, [sp, #432]
  blr x16
.globl heddleStubReturn
.hidden heddleStubReturn
heddleStubReturn:
  stp x0, x1, [sp, #320]
  stp q0, q1, [sp, #336]
  stp q2, q3, [sp, #368]
  mov x1, x0
  add x0, sp, #128
  bl heddleCallEnds
  ldp x0, x1, [sp, #320]
  ldp q0, q1, [sp, #336]
  ldp q2, q3, [sp, #368]
  mov sp, x29
  ldp x29, x30, [sp], #16
.cfi_def_cfa sp, 0
  ret
.cfi_endproc
.size heddle_noted_call, .-heddle_noted_call
)");

#endif
