// Branches, calls, and operations between threads.
// RUN: ptx-opt %s --convert-ptx-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK: declare i32 @vprintf(i64, i64)
ptx.func external @vprintf(i64, i64) -> i32

// CHECK-LABEL: define i32 @branches(i32 %0, i1 %1)
ptx.func visible @branches(%i: i32, %p: i1) -> i32 {
  // CHECK: br i1 %1, label %[[A:.*]], label %[[B:.*]]
  ptx.cond_bra %p, ^a, ^b
^a:
  // CHECK: switch i32 %0, label %{{.*}} [
  // CHECK-NEXT: i32 0, label
  // CHECK-NEXT: ]
  ptx.brx_idx %i [^b, ^c(%i : i32)]
^b:
  // CHECK: call void @llvm.nvvm.exit()
  // CHECK-NEXT: unreachable
  ptx.exit
^c(%x: i32):
  ptx.ret %x : i32
}

// The places of one target with the same arguments share a block: MLIR would
// make one for each, in an order that changes from run to run.
// CHECK-LABEL: define i32 @repeated_targets(i32 %0)
ptx.func visible @repeated_targets(%i: i32) -> i32 {
  %one = ptx.constant 1 : i32
  %two = ptx.constant 2 : i32
  // CHECK: switch i32 %0, label %[[B1:.*]] [
  // CHECK-NEXT: i32 0, label %[[A1:.*]]
  // CHECK-NEXT: i32 1, label %[[B1]]
  // CHECK-NEXT: i32 2, label %[[A1]]
  // CHECK-NEXT: i32 3, label %[[B2:.*]]
  // CHECK-NEXT: ]
  ptx.brx_idx %i [^a(%one : i32), ^b(%one : i32), ^a(%one : i32), ^b(%two : i32), ^b(%one : i32)]
  // CHECK: [[A1]]:
  // CHECK-NEXT: br label %[[A:.*]]
  // CHECK: [[B1]]:
  // CHECK-NEXT: br label %[[B:.*]]
  // CHECK: [[B2]]:
  // CHECK-NEXT: br label %[[B]]
^a(%x: i32):
  // CHECK: [[A]]:
  // CHECK-NEXT: phi i32 [ 1, %[[A1]] ]
  ptx.ret %x : i32
^b(%y: i32):
  // CHECK: [[B]]:
  // CHECK-NEXT: phi i32 [ 2, %[[B2]] ], [ 1, %[[B1]] ]
  ptx.ret %y : i32
}

// CHECK-LABEL: define void @structs(ptr addrspace(5) sret([8 x i8]) align 4 %0, ptr addrspace(5) byval([16 x i8]) align 8 %1)
ptx.func visible @structs(%r: i64 {ptx.aggregate = #ptx.aggregate<8, 4, true, b8>}, %a: i64 {ptx.aggregate = #ptx.aggregate<16, 8, false, b8>}) {
  // CHECK: %[[OUT:.*]] = alloca [8 x i8], align 4, addrspace(5)
  %out = ptx.alloca b8 "out" size(8) align(4) : i64
  // CHECK: call void @structs(ptr addrspace(5) sret([8 x i8]) align 4 %[[OUT]], ptr addrspace(5) byval([16 x i8]) align 8 %1) #[[CONV:[0-9]+]]
  ptx.call @structs(%out, %a) aggregates [#ptx.aggregate<8, 4, true, b8>, #ptx.aggregate<16, 8, false, b8>] : (i64, i64) -> ()
  ptx.ret
}

// CHECK-LABEL: define i32 @calls
ptx.func visible @calls(%f: i64, %v: i32) -> i32 {
  // CHECK: call i32 @vprintf(i64 %0, i64 %0) #[[CONV]]
  %0 = ptx.call @vprintf(%f, %f) : (i64, i64) -> i32
  // CHECK: %[[P:.*]] = inttoptr i64 %0 to ptr
  // CHECK: call i32 %[[P]](i32 %1) #[[CONV]]
  %1 = ptx.call_indirect %f(%v) : i64, (i32) -> i32
  ptx.ret %1 : i32
}

// CHECK-LABEL: define void @threads
ptx.func visible @threads(%a: i32, %p: i1) {
  // CHECK: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %0 = ptx.sreg "tid.x" : i32
  // CHECK: call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %1 = ptx.sreg "lanemask_lt" : i32
  // CHECK: call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  %2 = ptx.sreg "globaltimer" : i64
  // CHECK: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  // CHECK: trunc i32 %{{.*}} to i16
  %3 = ptx.sreg "ctaid.x" : i16
  // CHECK: call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %0, i32 %{{.*}}, i32 %0, i32 %0)
  %4, %q = ptx.shfl bfly b32 %1, %a, %a mask %a : (i32, i32, i32, i32) -> (i32, i1)
  // CHECK: call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p
  %5, %q2 = ptx.shfl up b32 %1, %a, %a mask %a : (i32, i32, i32, i32) -> (i32, i1)
  // CHECK: call i1 @llvm.nvvm.vote.any.sync(i32 %0, i1 %{{.*}})
  %6 = ptx.vote any %q2 mask %a : (i1, i32) -> i1
  // CHECK: call i32 @llvm.nvvm.redux.sync.umax(i32 %0, i32 %0)
  %7 = ptx.redux max u32 %a, %a : (i32, i32) -> i32
  // CHECK: call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 %0, i32 %0)
  %8, %q3 = ptx.match all b32 %a, %a : (i32, i32) -> (i32, i1)
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 %0)
  ptx.barrier sync aligned %a : (i32) -> ()
  // CHECK: call void @llvm.nvvm.barrier.cta.arrive.count(i32 %0, i32 %0)
  ptx.barrier arrive %a count %a : (i32, i32) -> ()
  // CHECK: call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 %0, i1 %1)
  %9 = ptx.barrier red_and aligned %a pred %p : (i32, i1) -> i1
  // CHECK: call void @llvm.nvvm.bar.warp.sync(i32 %0)
  ptx.warp_sync %a : (i32) -> ()
  // CHECK: call void @llvm.trap()
  ptx.trap : () -> ()
  ptx.ret
}

// CHECK-LABEL: define i32 @undefined()
ptx.func visible @undefined() -> i32 {
  // CHECK: %[[U:.*]] = freeze i32 undef
  // CHECK: ret i32 %[[U]]
  %0 = ptx.undef : i32
  ptx.ret %0 : i32
}
// CHECK: attributes #[[CONV]] = { convergent }
