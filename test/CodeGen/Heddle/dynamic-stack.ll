; Allocas of a size known at run time: R16 keeps the frame, R1 moves on, calls make
; room below, and the epilogue takes everything back.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

declare void @use(ptr addrspace(5))

; CHECK-LABEL: {{^}}callee:
; CHECK: IADD3 R1, R1, [[NEG:-[0-9]+]]
; CHECK: STL [R1{{.*}}], R16
; CHECK: MOV R16, R1
; CHECK: CALL
; CHECK: MOV R1, R16
; CHECK: LDL R16, [R1
; CHECK: IADD3 R1, R1,
; CHECK: RET
define void @callee(i32 %n) {
  %fixed = alloca [16 x i8], align 16, addrspace(5)
  %p = alloca i8, i32 %n, align 8, addrspace(5)
  store i8 1, ptr addrspace(5) %fixed
  call void @use(ptr addrspace(5) %p)
  call void @use(ptr addrspace(5) %fixed)
  ret void
}
