; Protects registers that stay registers: in kernels of which no tuning document says
; otherwise, in functions, which have no bank of their own, and those that differ
; between threads.
; RUN: %opt-heddle -passes=heddle-launch-constants -S %s | FileCheck %s --implicit-check-not='load i32'

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()

; CHECK-LABEL: define ptx_kernel void @undecided(
; CHECK-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define ptx_kernel void @undecided(ptr %p) {
  %a = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %a, ptr %p
  ret void
}

; CHECK-LABEL: define ptx_kernel void @decided_against(
; CHECK-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define ptx_kernel void @decided_against(ptr %p) "heddle-tune-launch-constants"="0" {
  %a = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %a, ptr %p
  ret void
}

; CHECK-LABEL: define void @function(
; CHECK-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define void @function(ptr %p) "heddle-tune-launch-constants"="1" {
  %a = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %a, ptr %p
  ret void
}

; CHECK-LABEL: define ptx_kernel void @others(
; CHECK-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-NEXT: call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
define ptx_kernel void @others(ptr %p) "heddle-tune-launch-constants"="1" {
  %a = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  store i32 %a, ptr %p
  store i32 %b, ptr %p
  store i32 %c, ptr %p
  ret void
}
