; Protects a CTA that does the work of two neighbours: what depends on the number of the
; CTA is there for each of them, next to each other, and what does not is computed once.
; A CTA that is left over does its work as it was written.
; RUN: %opt-heddle -passes=heddle-cta-coarsening -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; Each of them has its shared memory.
; CHECK-DAG: @tile = internal addrspace(3) global [128 x i8] undef, align 4
; CHECK-DAG: [[OTHER:@tile.*]] = internal addrspace(3) global [128 x i8] undef, align 4
@tile = internal addrspace(3) global [128 x i8] undef, align 4

; CHECK-LABEL: define ptx_kernel void @tiled(
; CHECK-SAME: ) [[MERGED:#[0-9]+]]
; CHECK-NEXT: [[ID0:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-NEXT: [[ID1:%.*]] = add nuw i32 [[ID0]], 1
; CHECK-NEXT: [[GRID:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
; CHECK-NEXT: [[REST:%.*]] = urem i32 [[GRID]], 2
; CHECK-NEXT: [[WHOLE:%.*]] = sub i32 [[GRID]], [[REST]]
; CHECK-NEXT: [[IS_WHOLE:%.*]] = icmp ult i32 [[ID0]], [[WHOLE]]
; CHECK-NEXT: br i1 [[IS_WHOLE]], label %[[BOTH:[0-9]+]], label %
; The one that is left over:
; CHECK: store i32 {{.*}}, ptr addrspace(3) %at
; CHECK: {{^}}[[BOTH]]:
; CHECK-NEXT: [[TID:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-NEXT: [[AT0:%.*]] = getelementptr i32, ptr addrspace(3) @tile, i32 [[TID]]
; CHECK-NEXT: [[AT1:%.*]] = getelementptr i32, ptr addrspace(3) [[OTHER]], i32 [[TID]]
; CHECK-NEXT: store i32 [[ID0]], ptr addrspace(3) [[AT0]]
; CHECK-NEXT: store i32 [[ID1]], ptr addrspace(3) [[AT1]]
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NEXT: [[V0:%.*]] = load i32, ptr addrspace(3) [[AT0]]
; CHECK-NEXT: [[V1:%.*]] = load i32, ptr addrspace(3) [[AT1]]
; CHECK-NEXT: [[P:%.*]] = load ptr addrspace(1), ptr addrspace(101) null
; CHECK-NEXT: [[Q0:%.*]] = getelementptr i32, ptr addrspace(1) [[P]], i32 [[ID0]]
; CHECK-NEXT: [[Q1:%.*]] = getelementptr i32, ptr addrspace(1) [[P]], i32 [[ID1]]
; CHECK-NEXT: store i32 [[V0]], ptr addrspace(1) [[Q0]]
; CHECK-NEXT: store i32 [[V1]], ptr addrspace(1) [[Q1]]
; CHECK-NEXT: ret void
define ptx_kernel void @tiled() "heddle-tune-coarsen-ctas"="2" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at = getelementptr i32, ptr addrspace(3) @tile, i32 %tid
  store i32 %id, ptr addrspace(3) %at
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr addrspace(3) %at
  %p = load ptr addrspace(1), ptr addrspace(101) null, !invariant.load !0
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; Where one CTA is within the bounds and the other is not, they begin again, one after
; the other.
; CHECK-LABEL: define ptx_kernel void @bounds()
; CHECK: phi i32 [ [[BASE:%[0-9]+]], %[[ONE:[0-9]+]] ], [ [[BASE]], %[[AGAIN:[0-9]+]] ], [ [[NEXT:%[0-9]+]], %[[LATCH:[0-9]+]] ]
; CHECK-NEXT: phi i32 [ 1, %[[ONE]] ], [ 2, %[[AGAIN]] ], [ [[LEFT:%[0-9]+]], %[[LATCH]] ]
; CHECK: [[IN0:%.*]] = icmp ult i32 {{%[0-9]+}}, [[N:%[0-9]+]]
; CHECK-NEXT: [[IN1:%.*]] = icmp ult i32 {{.*}}, [[N]]
; CHECK-NEXT: [[ALL:%.*]] = and i1 [[IN0]], [[IN1]]
; CHECK-NEXT: br i1 [[ALL]], label %{{[0-9]+}}, label %[[NOT_ALL:[0-9]+]]
; CHECK: {{^}}[[NOT_ALL]]:
; CHECK-NEXT: [[ANY:%.*]] = or i1 [[IN0]], [[IN1]]
; CHECK-NEXT: br i1 [[ANY]], label %[[AGAIN]], label %
; CHECK: {{^}}[[LATCH]]:
; CHECK-NEXT: [[NEXT]] = add i32 {{.*}}, 1
; CHECK-NEXT: [[LEFT]] = sub i32 {{.*}}, 1
define ptx_kernel void @bounds() "heddle-tune-coarsen-ctas"="2" {
entry:
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), !invariant.load !0
  %in = icmp ult i32 %id, %n
  br i1 %in, label %work, label %done
work:
  %p = load ptr addrspace(1), ptr addrspace(101) null, !invariant.load !0
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  br label %done
done:
  ret void
}

; CHECK: attributes [[MERGED]] = { "heddle-merged-ctas"="2"
!0 = !{}
