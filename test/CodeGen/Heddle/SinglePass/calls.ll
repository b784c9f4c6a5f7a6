; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -O0 -mattr=+single-pass < %s | FileCheck %s

; Both sides of calls. The convention is that of HeddleCallingConv.td, so that
; functions of both code generators may call each other.

declare i32 @vprintf(ptr, ptr)

; A leaf has no frame: arguments and result are where they come and go.
; CHECK-LABEL: sum:
; CHECK-NOT: R1,
; CHECK: IADD3 [[S:R[0-9]+]], R4, R5, RZ
; CHECK: MOV R4, [[S]]
; CHECK: RET R2
define i32 @sum(i32 %a, i32 %b) noinline {
  %r = add i32 %a, %b
  ret i32 %r
}

; 64 bits take an aligned pair; what is left over between is used afterwards.
; CHECK-LABEL: order:
; CHECK-DAG: IADD64 {{R[0-9]+}}, R6, R8
; CHECK: IADD3 {{R[0-9]+}}, R4, R5
; CHECK: RET R2
define i64 @order(i32 %a, i64 %b, i32 %c, i64 %d) noinline {
  %w = add i64 %b, %d
  %n = add i32 %a, %c
  %x = zext i32 %n to i64
  %r = add i64 %w, %x
  ret i64 %r
}

; The thirteenth word comes in memory, behind the frame.
; CHECK-LABEL: thirteen:
; CHECK: LDL [[R:R[0-9]+]], [R1]
; CHECK: IADD3 {{R[0-9]+}}, R4, [[R]]
; CHECK: RET R2
define i32 @thirteen(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f, i32 %g,
                     i32 %h, i32 %i, i32 %j, i32 %k, i32 %l, i32 %m) noinline {
  %r = add i32 %a, %m
  ret i32 %r
}

; What lives over a call of a kernel goes aside to a register that the callee
; keeps. Threads meet behind the call.
; CHECK-LABEL: kernel:
; CHECK: MOV R16, [[KEPT:R[0-9]+]]
; CHECK: MOV R4,
; CHECK: BSSY B0, [[MEET:.L[A-Za-z0-9]+]]
; CHECK: CALL R2, sum
; CHECK: [[MEET]]:
; CHECK: BSYNC.Y B0
; CHECK: MOV [[KEPT]], R16
; CHECK: EXIT
define ptx_kernel void @kernel() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" {
  %p = load ptr addrspace(1), ptr addrspace(101) null, align 8
  %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), align 4
  %r = call i32 @sum(i32 %n, i32 7)
  %s = add i32 %r, %n
  store i32 %s, ptr addrspace(1) %p, align 4
  ret void
}

; A function that calls saves the return address, and the barrier that it
; writes.
; CHECK-LABEL: caller:
; CHECK: IADD3 R1, R1, -[[FRAME:[0-9]+]], RZ
; CHECK: STL64 [R1], R2
; CHECK: BMOV [[B:R[0-9]+]], B0
; CHECK: STL [R1 + [[AT:[0-9]+]]], [[B]]
; CHECK: CALL R2, sum
; CHECK: LDL [[B]], [R1 + [[AT]]]
; CHECK: BMOVR B0, [[B]]
; CHECK: LDL64 R2, [R1]
; CHECK: IADD3 R1, R1, [[FRAME]], RZ
; CHECK: RET R2
define i32 @caller(i32 %a) noinline {
  %r = call i32 @sum(i32 %a, i32 %a)
  %s = add i32 %r, %a
  ret i32 %s
}

; Results of several values, of which each has its own registers: those that
; the arguments had.
; CHECK-LABEL: two:
; CHECK-NOT: MOV
; CHECK: RET R2
define {i32, i64} @two(i32 %a, i64 %b) noinline {
  %x = insertvalue {i32, i64} poison, i32 %a, 0
  %y = insertvalue {i32, i64} %x, i64 %b, 1
  ret {i32, i64} %y
}

; The runtime's functions are system calls.
; CHECK-LABEL: prints:
; CHECK: SYSCALL 1
; CHECK: EXIT
define ptx_kernel void @prints() {
  %r = call i32 @vprintf(ptr null, ptr null)
  ret void
}
