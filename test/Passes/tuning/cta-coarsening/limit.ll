; Protects the limit of length, 16384 instructions of a kernel and all its copies: one of
; 5461 instructions is there three times for two CTAs, one of 5462 stays. Where CTAs go
; different ways behind a store, each goes its own to where the ways meet; they cannot
; begin again.
; RUN: %python %S/../../Inputs/expand.py %s MORE=5457 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-cta-coarsening -S %t.most.ll | FileCheck %s --check-prefixes=CHECK,MOST
; RUN: %python %S/../../Inputs/expand.py %s MORE=5458 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-cta-coarsening -S %t.over.ll | FileCheck %s --check-prefixes=CHECK,OVER

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-LABEL: define ptx_kernel void @long(
; MOST: [[ID:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; MOST-NEXT: add nuw i32 [[ID]], 1
; OVER-NEXT: %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; OVER-NEXT: %x0 = add i32 %id, 0
define ptx_kernel void @long(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
;; repeat MORE
  %x{n} = add i32 %id, {n}
;; end
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @apart(
; CHECK: [[ID0:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: [[Q0:%.*]] = getelementptr i32, ptr addrspace(1) %p, i32 [[ID0]]
; CHECK-NEXT: [[Q1:%.*]] = getelementptr
; CHECK: [[C0:%.*]] = icmp eq i32 {{.*}}, 0
; CHECK-NEXT: [[C1:%.*]] = icmp eq i32 {{.*}}, 0
; CHECK-NEXT: and i1 [[C0]], [[C1]]
; CHECK: [[R0:%.*]] = phi i32 {{.*}}, {{.*}}, [ [[APART0:%.*]], %{{.*}} ]
; CHECK-NEXT: [[R1:%.*]] = phi i32 {{.*}}, {{.*}}, [ [[APART1:%.*]], %{{.*}} ]
; CHECK-NEXT: store i32 [[R0]], ptr addrspace(1) [[Q0]]
; CHECK-NEXT: store i32 [[R1]], ptr addrspace(1) [[Q1]]
; CHECK-NEXT: ret void
; CHECK: or i1 [[C0]], [[C1]]
; CHECK: br i1 [[C0]],
; CHECK: [[APART0]] = phi i32
; CHECK-NEXT: br i1 [[C1]],
; CHECK: [[APART1]] = phi i32
define ptx_kernel void @apart(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
entry:
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %v = load i32, ptr addrspace(1) %q
  store i32 0, ptr addrspace(1) %q
  %odd = and i32 %v, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %a, label %b
a:
  %u = mul i32 %v, 5
  br label %join
b:
  %w = mul i32 %v, 3
  br label %join
join:
  %r = phi i32 [ %u, %a ], [ %w, %b ]
  store i32 %r, ptr addrspace(1) %q
  ret void
}
