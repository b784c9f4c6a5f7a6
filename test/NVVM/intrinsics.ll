; Intrinsics that clang's builtins for warps, barriers and matrices become.
; RUN: %llvm-tools/llvm-as %s -o %t.bc
; RUN: ptx-compile -O1 --emit=llvm %t.bc -o - | FileCheck %s
; RUN: ptx-compile -O3 %t.bc -o %t.hdo
; RUN: ptx-compile -O0 --chip=hd10 %t.bc -o %t.hdo
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [512 x i8] undef, align 16

; CHECK-LABEL: define ptx_kernel void @warp()
define ptx_kernel void @warp(ptr addrspace(1) %p, i32 %m, i32 %x) #0 {
; CHECK: %[[M:.*]] = load i32, ptr addrspace(101) inttoptr (i32 8
; CHECK: %[[X:.*]] = load i32, ptr addrspace(101) inttoptr (i32 12
; CHECK: call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 %[[M]], i32 %[[X]], i32 3, i32 0)
  %a = call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 %m, i32 %x, i32 3, i32 0)
  %a0 = extractvalue { i32, i1 } %a, 0
  %a1 = extractvalue { i32, i1 } %a, 1
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %[[M]], i32 %[[X]], i32 5, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %m, i32 %x, i32 5, i32 31)
; CHECK: call i32 @llvm.nvvm.vote.ballot.sync(i32 %[[M]], i1
  %c = call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 %a1)
; CHECK: call i1 @llvm.nvvm.vote.all.sync(i32 %[[M]], i1
  %d = call i1 @llvm.nvvm.vote.all.sync(i32 %m, i1 %a1)
; CHECK: call i32 @llvm.nvvm.match.any.sync.i32(i32 %[[M]], i32 %[[X]])
  %e = call i32 @llvm.nvvm.match.any.sync.i32(i32 %m, i32 %x)
; CHECK: call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 %[[M]], i64
  %x64 = zext i32 %x to i64
  %f = call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 %m, i64 %x64)
  %f0 = extractvalue { i32, i1 } %f, 0
; CHECK: call i32 @llvm.nvvm.redux.sync.umax(i32 %[[X]], i32 %[[M]])
  %g = call i32 @llvm.nvvm.redux.sync.umax(i32 %x, i32 %m)
; CHECK: call i32 @llvm.nvvm.activemask()
  %h = call i32 @llvm.nvvm.activemask()
; CHECK: call { i32, i1 } @llvm.nvvm.elect.sync(i32 %[[M]])
  %i = call { i32, i1 } @llvm.nvvm.elect.sync(i32 %m)
  %i0 = extractvalue { i32, i1 } %i, 0
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %j = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %k = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 %[[M]])
  call void @llvm.nvvm.bar.warp.sync(i32 %m)
  %s1 = add i32 %a0, %b
  %s2 = add i32 %s1, %c
  %d32 = zext i1 %d to i32
  %s3 = add i32 %s2, %d32
  %s4 = add i32 %s3, %e
  %s5 = add i32 %s4, %f0
  %s6 = add i32 %s5, %g
  %s7 = add i32 %s6, %h
  %s8 = add i32 %s7, %i0
  %s9 = add i32 %s8, %j
  %s10 = add i32 %s9, %k
  store i32 %s10, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define ptx_kernel void @cta()
define ptx_kernel void @cta(ptr addrspace(1) %p, i32 %n, i1 %c) #0 {
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
; CHECK: call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 2, i32 64)
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 2, i32 64)
; CHECK: @llvm.nvvm.barrier.cta.red.popc
  %a = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %c)
; CHECK: fence {{.*}}syncscope("block")
  call void @llvm.nvvm.membar.cta()
; CHECK: call void @llvm.nvvm.barrier.cluster.arrive
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
; CHECK: __heddle_cp_async
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) @tile, ptr addrspace(1) %p)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  store i32 %a, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define ptx_kernel void @matrix()
define ptx_kernel void @matrix(ptr addrspace(1) %p, <2 x half> %x, float %z) #0 {
; CHECK: __heddle_ldmatrix
  %l = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) @tile)
  %l0 = extractvalue { i32, i32 } %l, 0
  %l1 = extractvalue { i32, i32 } %l, 1
  %b0 = bitcast i32 %l0 to <2 x half>
  %b1 = bitcast i32 %l1 to <2 x half>
; CHECK: __heddle_mma
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %x, <2 x half> %x, <2 x half> %x, <2 x half> %x, <2 x half> %b0, <2 x half> %b1, float %z, float %z, float %z, float %z)
  %r3 = extractvalue { float, float, float, float } %r, 3
  store float %r3, ptr addrspace(1) %p
  ret void
}

declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32, i64)
declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)
declare i32 @llvm.nvvm.activemask()
declare { i32, i1 } @llvm.nvvm.elect.sync(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare void @llvm.nvvm.membar.cta()
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)

attributes #0 = { "target-cpu"="sm_90a" "target-features"="+ptx88" }
