; The low words of any wide integer are free to take. Where only those of i64
; were, two combines undid each other and selection never ended.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 %s -o - | FileCheck %s

; CHECK-LABEL: low_bit:
; CHECK: LOP3 [[BIT:R[0-9]+]], {{.*}}, 1, RZ
; CHECK: LDC128 {{R[0-9]+}}, c[0][[[BIT]] + 1]
; CHECK: EXIT
define ptx_kernel void @low_bit(i128 %wide, ptr addrspace(1) %out) {
  %low = trunc i128 %wide to i32
  %bit = and i32 %low, 1
  %index = zext i32 %bit to i64
  %next = add i64 1, %index
  %address = trunc i64 %next to i32
  %place = inttoptr i32 %address to ptr addrspace(101)
  %value = load <2 x i64>, ptr addrspace(101) %place, align 16
  store <2 x i64> %value, ptr addrspace(1) %out, align 16
  ret void
}
