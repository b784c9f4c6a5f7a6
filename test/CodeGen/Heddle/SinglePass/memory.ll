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

; Sums and casts of a variable's address are symbols with an offset, or a
; symbol and what is in front of it.
@table = addrspace(4) constant [32 x i8] undef, align 16
@global = addrspace(1) global [32 x i8] undef, align 16
; CHECK-LABEL: far_address:
; CHECK: MOV64W {{R[0-9]+}}, global+16
; CHECK: RET R2
define i64 @far_address(i64 %a) noinline {
  %r = add i64 %a, add (i64 ptrtoint (ptr addrspacecast (ptr addrspace(1) @global to ptr) to i64), i64 16)
  ret i64 %r
}
; CHECK-LABEL: near_address:
; CHECK: MOV [[R:R[0-9]+]], %const(table)
; CHECK: MOV {{R[0-9]+}}, 0{{ |$}}
; CHECK: RET R2
define i64 @near_address(i64 %a) noinline {
  %r = xor i64 %a, ptrtoint (ptr addrspace(4) @table to i64)
  ret i64 %r
}
