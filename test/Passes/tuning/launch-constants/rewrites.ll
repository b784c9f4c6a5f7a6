; Protects that a kernel reads the extents of its launch from constant memory, where
; a tuning document says so: with what is known of their range.
; RUN: %opt-heddle -passes=heddle-launch-constants -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: [[A:%.*]] = load i32, ptr addrspace(101) inttoptr (i32 32768 to ptr addrspace(101)), align 4, !range [[RANGE:![0-9]+]], !invariant.load
; CHECK-NEXT: load i32, ptr addrspace(101) inttoptr (i32 32772 to ptr addrspace(101))
; CHECK-NEXT: load i32, ptr addrspace(101) inttoptr (i32 32776 to ptr addrspace(101))
; CHECK-NEXT: load i32, ptr addrspace(101) inttoptr (i32 32784 to ptr addrspace(101))
; CHECK-NEXT: load i32, ptr addrspace(101) inttoptr (i32 32788 to ptr addrspace(101))
; CHECK-NEXT: load i32, ptr addrspace(101) inttoptr (i32 32792 to ptr addrspace(101))
; CHECK-NEXT: store i32 [[A]], ptr %p
define ptx_kernel void @kernel(ptr %p) "heddle-tune-launch-constants"="1" {
  %a = call range(i32 1, 257) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %e = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %f = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  store i32 %a, ptr %p
  store i32 %b, ptr %p
  store i32 %c, ptr %p
  store i32 %d, ptr %p
  store i32 %e, ptr %p
  store i32 %f, ptr %p
  ret void
}

; CHECK: [[RANGE]] = !{i32 1, i32 257}
