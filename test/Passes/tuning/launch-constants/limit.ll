; Protects that each of several reads becomes a load, also one in a loop and one whose
; result nobody uses.
; RUN: %opt-heddle -passes=heddle-launch-constants -S %s | FileCheck %s --implicit-check-not='call i32'

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: entry:
; CHECK-NEXT: load i32, ptr addrspace(101) inttoptr (i32 32784 to ptr addrspace(101))
; CHECK-NEXT: [[FIRST:%.*]] = load i32, ptr addrspace(101) inttoptr (i32 32784 to ptr addrspace(101))
; CHECK: {{^}}loop:
; CHECK: phi i32 [ [[FIRST]], %entry ]
; CHECK: [[BOUND:%.*]] = load i32, ptr addrspace(101) inttoptr (i32 32784 to ptr addrspace(101))
; CHECK-NEXT: icmp ult i32 %i1, [[BOUND]]
define ptx_kernel void @kernel(ptr %p) "heddle-tune-launch-constants"="1" {
entry:
  %unused = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %first = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %i1, %loop ]
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %bound = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %more = icmp ult i32 %i1, %bound
  br i1 %more, label %loop, label %done
done:
  ret void
}
