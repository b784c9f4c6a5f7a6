// Clusters, grids and the hardware.
// RUN: ptx-opt %s --convert-ptx-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK-LABEL: define void @barriers
ptx.func visible @barriers() {
  // CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive()
  ptx.cluster_barrier arrive : () -> ()
  // CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
  ptx.cluster_barrier arrive aligned relaxed : () -> ()
  // CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
  ptx.cluster_barrier wait aligned : () -> ()
  // CHECK-NEXT: call void @llvm.nvvm.pm.event.mask(i16 9)
  ptx.pmevent 9
  // CHECK-NEXT: fence syncscope("singlethread") acq_rel
  // CHECK-NEXT: call void @llvm.nvvm.griddepcontrol.wait()
  // CHECK-NEXT: fence syncscope("singlethread") acq_rel
  ptx.griddepcontrol wait : () -> ()
  // CHECK-NEXT: ret void
  ptx.setmaxnreg dec 40
  ptx.ret
}

// A rank stands in bits 29..24 and bit 30 says so.
// CHECK-LABEL: define i32 @map(i32 %0, i32 %1)
ptx.func visible @map(%a: i32, %rank: i32) -> i32 {
  // CHECK-NEXT: %[[OFFSET:.*]] = and i32 %0, 16777215
  // CHECK-NEXT: %[[N:.*]] = shl i32 %1, 24
  // CHECK-NEXT: %[[HOLDER:.*]] = add i32 %[[N]], 1073741824
  // CHECK-NEXT: %[[MAPPED:.*]] = or i32 %[[OFFSET]], %[[HOLDER]]
  %0 = ptx.mapa space(shared_cluster) u32 %a, %rank : (i32, i32) -> i32
  // CHECK-NEXT: %[[P:.*]] = inttoptr i32 %[[MAPPED]] to ptr addrspace(3)
  // CHECK-NEXT: load i32, ptr addrspace(3) %[[P]]
  %1 = ptx.ld shared_cluster b32 [%0] : (i32) -> i32
  ptx.ret %1 : i32
}

// Of a generic address the window stays.
// CHECK-LABEL: define i32 @generic(i64 %0, i32 %1)
ptx.func visible @generic(%a: i64, %rank: i32) -> i32 {
  // CHECK: %[[WINDOW:.*]] = and i64 %0, -4294967296
  // CHECK: or i64 %[[WINDOW]],
  %0 = ptx.mapa u64 %a, %rank : (i64, i32) -> i64
  // CHECK: %[[RANK:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  // CHECK: select i1 %{{.*}}, i32 %[[RANK]],
  %1 = ptx.getctarank u64 %0 : (i64) -> i32
  ptx.ret %1 : i32
}
