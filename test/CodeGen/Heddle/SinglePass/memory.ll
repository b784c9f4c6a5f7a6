; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -O0 -mattr=+single-pass < %s | FileCheck %s

; Operations that have two results, and builtins that access memory.

declare i64 @__heddle_mbarrier(i32, i32, i32)

; Whether a compare-and-swap did swap is compared again.
; CHECK-LABEL: swap:
; CHECK: ATOMGCAS.RELAXED.GPU [[OLD:R[0-9]+]], [R4], R6, R7
; CHECK: ISETP.EQ.U32.AND P0, [[OLD]], R6
; CHECK: RET R2
define i32 @swap(ptr addrspace(1) %p, i32 %a, i32 %b) noinline {
  %r = cmpxchg ptr addrspace(1) %p, i32 %a, i32 %b syncscope("device") monotonic monotonic
  %c = extractvalue {i32, i1} %r, 1
  %s = select i1 %c, i32 %a, i32 %b
  ret i32 %s
}

; CHECK-LABEL: arrive:
; CHECK: MBAR{{.*}} [R4],
; CHECK: RET R2
define i64 @arrive(i32 %a) noinline {
  %r = call i64 @__heddle_mbarrier(i32 %a, i32 1, i32 1)
  ret i64 %r
}
