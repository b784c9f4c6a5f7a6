; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -O0 -mattr=+single-pass < %s | FileCheck %s

; Memory on the stack.

declare ptr addrspace(5) @llvm.stacksave.p5()
declare void @llvm.stackrestore.p5(ptr addrspace(5))

; Constant offsets stand in the accesses.
; CHECK-LABEL: fixed:
; CHECK: IADD3 R1, R1, -64, RZ
; CHECK: STL.RELAXED [R1 + 4],
; CHECK: LDL.RELAXED {{R[0-9]+}}, [R1 + 32]
; CHECK: EXIT
define ptx_kernel void @fixed() {
  %n = load i32, ptr addrspace(101) null, align 4
  %a = alloca [32 x i8], align 16, addrspace(5)
  %b = alloca [32 x i8], align 16, addrspace(5)
  %a4 = getelementptr i8, ptr addrspace(5) %a, i32 4
  store volatile i32 %n, ptr addrspace(5) %a4, align 4
  %v = load volatile i32, ptr addrspace(5) %b, align 4
  ret void
}

; An address that is used otherwise is computed where it is used.
; CHECK-LABEL: escapes:
; CHECK: IADD3 [[A:R[0-9]+]], R1, 0, RZ
; CHECK: 0x7f010000
; CHECK: EXIT
define ptx_kernel void @escapes() {
  %p = load ptr addrspace(1), ptr addrspace(101) null, align 8
  %a = alloca [16 x i8], align 16, addrspace(5)
  %g = addrspacecast ptr addrspace(5) %a to ptr
  store ptr %g, ptr addrspace(1) %p, align 8
  ret void
}

; Where the stack pointer moves, R16 is where it was.
; CHECK-LABEL: moves:
; CHECK: IADD3 R1, R1, -16, RZ
; CHECK: MOV R16, R1
; CHECK: STL.RELAXED [R16],
; CHECK: IADD3 R1, R1, -{{R[0-9]+}}, RZ
; CHECK: EXIT
define ptx_kernel void @moves() {
  %n = load i32, ptr addrspace(101) null, align 4
  %a = alloca i32, align 4, addrspace(5)
  store volatile i32 %n, ptr addrspace(5) %a, align 4
  %s = call ptr addrspace(5) @llvm.stacksave.p5()
  %d = alloca i8, i32 %n, align 8, addrspace(5)
  store volatile i32 %n, ptr addrspace(5) %d, align 4
  call void @llvm.stackrestore.p5(ptr addrspace(5) %s)
  ret void
}

; A copy of memory that is passed lies behind the frame of the callee.
; CHECK-LABEL: passed:
; CHECK: LDL {{R[0-9]+}}, [R1 + 8]
; CHECK: RET R2
define i32 @passed(ptr addrspace(5) byval([16 x i8]) align 16 %m) noinline {
  %p = getelementptr i8, ptr addrspace(5) %m, i32 8
  %v = load i32, ptr addrspace(5) %p, align 4
  ret i32 %v
}
; CHECK-LABEL: passes:
; CHECK: LDL128 [[V:R[0-9]+]], [R1 + 16]
; CHECK: STL128 [R1], [[V]]
; CHECK: CALL R2, passed
define ptx_kernel void @passes() {
  %m = alloca [16 x i8], align 16, addrspace(5)
  %r = call i32 @passed(ptr addrspace(5) byval([16 x i8]) align 16 %m)
  ret void
}
