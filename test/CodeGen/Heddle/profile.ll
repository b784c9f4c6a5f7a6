; What a profile decides in code generation.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

; Some instructions are guarded if half of the warps go there, but not if
; nearly no warp does: that is what a branch is for, and it leads to the end.
; CHECK-LABEL: often:
; CHECK-NOT: BRA
; CHECK: EXIT
define ptx_kernel void @often() !prof !0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %work, label %end, !prof !1, !heddle.divergence !2
work:
  %q = inttoptr i64 4096 to ptr addrspace(1)
  store volatile i32 1, ptr addrspace(1) %q
  store volatile i32 2, ptr addrspace(1) %q
  store volatile i32 3, ptr addrspace(1) %q
  store volatile i32 4, ptr addrspace(1) %q
  br label %end
end:
  %r = inttoptr i64 8192 to ptr addrspace(1)
  store volatile i32 5, ptr addrspace(1) %r
  ret void
}

; CHECK-LABEL: seldom:
; CHECK: BRA [[COLD:[.A-Z_a-z0-9]+]]
; CHECK: EXIT
; CHECK: [[COLD]]:
define ptx_kernel void @seldom() !prof !0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %work, label %end, !prof !3, !heddle.divergence !4
work:
  %q = inttoptr i64 4096 to ptr addrspace(1)
  store volatile i32 1, ptr addrspace(1) %q
  store volatile i32 2, ptr addrspace(1) %q
  store volatile i32 3, ptr addrspace(1) %q
  store volatile i32 4, ptr addrspace(1) %q
  br label %end
end:
  %r = inttoptr i64 8192 to ptr addrspace(1)
  store volatile i32 5, ptr addrspace(1) %r
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!0 = !{!"function_entry_count", i64 32000}
!1 = !{!"branch_weights", i32 16000, i32 16000}
!2 = !{i64 1000, i64 500, i64 32000}
!3 = !{!"branch_weights", i32 10, i32 31990}
!4 = !{i64 1000, i64 1, i64 32000}
