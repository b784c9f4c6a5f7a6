; Operations among threads.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null

; CHECK-LABEL: {{^}}warp:
; CHECK: SHFL.BFLY {{.*}}, R4, 16, 31
; CHECK: WARPSYNC R6
; CHECK: SHFL.IDX
; CHECK: VOTE.BALLOT
; CHECK: VOTE.ALL
; CHECK: MATCH.ANY
; CHECK: REDUX.MAX.U32
; CHECK: VOTE.BALLOT {{.*}}, PT, -1
; CHECK: RET
define i32 @warp(i32 %v, i32 %lane, i32 %mask, i1 %p) convergent {
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 16, i32 31)
  %b = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 %mask, i32 %a, i32 %lane, i32 31)
  %c = extractvalue {i32, i1} %b, 0
  %d = extractvalue {i32, i1} %b, 1
  %e = and i1 %d, %p
  %f = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %e)
  %g = call i1 @llvm.nvvm.vote.all.sync(i32 %mask, i1 %p)
  %h = call i32 @llvm.nvvm.match.any.sync.i32(i32 %mask, i32 %c)
  %i = call i32 @llvm.nvvm.redux.sync.umax(i32 %h, i32 %mask)
  %j = call i32 @llvm.nvvm.activemask()
  %k = select i1 %g, i32 %f, i32 %i
  %l = add i32 %k, %j
  ret i32 %l
}

; CHECK-LABEL: {{^}}barriers:
; CHECK: BAR.SYNC.ALIGNED RZ, PT, 0, RZ, PT
; CHECK: BAR.SYNC
; CHECK: BAR.ARV
; CHECK: BAR.RED.POPC
; CHECK: S2R64 {{.*}}, SR_clock64
; CHECK: S2R64 {{.*}}, SR_clock64
; CHECK: NANOSLEEP 100
; CHECK: TRAP
define ptx_kernel void @barriers() convergent {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.arrive.count(i32 2, i32 64)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp eq i32 %t, 3
  %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %p)
  %c = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %d = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %e = sub i64 %d, %c
  store i64 %e, ptr addrspace(1) null
  store i32 %n, ptr addrspace(1) null
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @llvm.nvvm.nanosleep(i32 100)
  call void @llvm.trap()
  unreachable
}

; Barriers keep .aligned; bar.warp.sync may be at any place; the cluster's barrier.
; CHECK-LABEL: {{^}}meetings:
; CHECK: BAR.SYNC.ALIGNED
; CHECK: BAR.SYNC {{.*}}R4
; CHECK: BAR.RED.POPC.ALIGNED
; CHECK: WARPSYNC.ANY
; CHECK: CBAR.ARV
; CHECK: CBAR.WAIT.ALIGNED
; CHECK: CBAR.ARV.RELAXED.ALIGNED
; CHECK: CBAR.WAIT
; CHECK: PMTRIG 5
; CHECK: GRIDDEP.WAIT
; CHECK: GRIDDEP.LAUNCH
; CHECK: REDUXF.MAX.NAN {{.*}}|
; CHECK: RET
define float @meetings(i32 %id, i32 %mask, float %v, i1 %p) convergent {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 3)
  call void @llvm.nvvm.barrier.cta.sync.count(i32 %id, i32 64)
  %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 %id, i1 %p)
  call void @llvm.nvvm.bar.warp.sync(i32 %n)
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  call void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
  call void @llvm.nvvm.barrier.cluster.wait()
  call void @llvm.nvvm.pm.event.mask(i16 5)
  call void @llvm.nvvm.griddepcontrol.wait()
  call void @llvm.nvvm.griddepcontrol.launch.dependents()
  %r = call float @llvm.nvvm.redux.sync.fmax.abs.NaN(float %v, i32 %mask)
  ret float %r
}

; Shuffles without .sync and special registers of clusters.
; CHECK-LABEL: {{^}}legacy:
; CHECK-NOT: WARPSYNC
; CHECK: SHFL.DOWN {{.*}}, R4, 1, 31
; CHECK: RET
define i32 @legacy(i32 %v) convergent {
  %a = call i32 @llvm.nvvm.shfl.down.i32(i32 %v, i32 1, i32 31)
  %e = call i1 @llvm.nvvm.is_explicit_cluster()
  %s = call i1 @llvm.nvvm.isspacep.shared(ptr null)
  %x = select i1 %e, i32 %a, i32 %v
  %y = select i1 %s, i32 %x, i32 %v
  ret i32 %y
}
