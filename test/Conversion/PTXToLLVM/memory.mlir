// Address spaces, loads, stores, atomics.
// RUN: ptx-opt %s --convert-ptx-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK: target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"
// CHECK: target triple = "heddle-unknown-unknown"

// CHECK: @dyn = external addrspace(3) global [0 x i8], align 16
ptx.global linkage(external) shared b8 @dyn size(0) align(16)
// CHECK: @tile = internal addrspace(3) global [64 x i8] undef, align 4
ptx.global shared f32 @tile size(64) align(4)
// CHECK: @c = internal addrspace(4) externally_initialized constant [8 x i8] c"\01\02\00\00\00\00\00\00", align 4
ptx.global const b8 @c size(8) align(4) init "\01\02"
// CHECK: @x = addrspace(1) global [4 x i8] zeroinitializer, align 4
ptx.global linkage(visible) global f32 @x size(4) align(4)
// CHECK: @tab = internal addrspace(1) global <{ [8 x i8], ptr, ptr addrspace(1), ptr }> <{ [8 x i8] c"\05\00\00\00\00\00\00\00", ptr @f, ptr addrspace(1) getelementptr inbounds nuw (i8, ptr addrspace(1) @x, i64 4), ptr addrspacecast (ptr addrspace(4) @c to ptr) }>, align 8
ptx.global global u64 @tab size(32) align(8) init "\05" relocs [#ptx.reloc<8, @f, 0, false>, #ptx.reloc<16, @x, 4, false>, #ptx.reloc<24, @c, 0, true>]

ptx.func @f()

// CHECK-LABEL: define void @loads
ptx.func visible @loads(%g: i64, %s: i32) {
  // CHECK: %[[P:.*]] = inttoptr i64 %0 to ptr addrspace(1)
  // CHECK: %[[Q:.*]] = getelementptr i8, ptr addrspace(1) %[[P]], i64 8
  // CHECK: load float, ptr addrspace(1) %[[Q]], align 4
  %0 = ptx.ld global f32 [%g + 8] : (i64) -> f32
  // CHECK: load i8, ptr addrspace(3) %{{.*}}, align 1
  // CHECK: sext i8 %{{.*}} to i32
  %1 = ptx.ld shared s8 [%s] : (i32) -> i32
  // CHECK: load i16, ptr %{{.*}}, align 2
  // CHECK: zext i16 %{{.*}} to i32
  %2 = ptx.ld generic b16 [%g] : (i64) -> i32
  // A 64-bit register addresses a 32-bit space by its lower half.
  // CHECK: %[[T:.*]] = trunc i64 %0 to i32
  // CHECK: inttoptr i32 %[[T]] to ptr addrspace(5)
  // CHECK: load <4 x i32>, ptr addrspace(5) %{{.*}}, align 16
  // CHECK: extractelement <4 x i32> %{{.*}}, i32 3
  %3:4 = ptx.ld local b32 [%g] : (i64) -> (i32, i32, i32, i32)
  // CHECK: load volatile i64, ptr addrspace(1) %{{.*}}, align 8
  %4 = ptx.ld global u64 sem(volatile) [%g] : (i64) -> i64
  // CHECK: load atomic i32, ptr addrspace(1) %{{.*}} syncscope("block") acquire, align 4
  %5 = ptx.ld global u32 sem(acquire) scope(cta) [%g] : (i64) -> i32
  // CHECK: load atomic i32, ptr addrspace(1) %{{.*}} monotonic, align 4
  %6 = ptx.ld global u32 sem(relaxed) scope(sys) [%g] : (i64) -> i32
  // CHECK: load i32, ptr addrspace(1) %{{.*}}, align 4, !invariant.load
  %7 = ptx.ld global u32 nc [%g] : (i64) -> i32
  // CHECK: store atomic i32 %{{.*}}, ptr addrspace(1) %{{.*}} syncscope("device") release, align 4
  ptx.st global u32 sem(release) scope(gpu) [%g], %7 : (i64, i32) -> ()
  // CHECK: %[[B:.*]] = trunc i32 %{{.*}} to i8
  // CHECK: store i8 %[[B]], ptr addrspace(3)
  ptx.st shared b8 [%s], %7 : (i32, i32) -> ()
  // CHECK: store <2 x float> %{{.*}}, ptr addrspace(1) %{{.*}}, align 8
  ptx.st global f32 [%g], %0, %0 : (i64, f32, f32) -> ()
  ptx.ret
}

// Addresses of variables stay pointers, through arithmetic too.
// CHECK-LABEL: define void @rooted
ptx.func visible @rooted(%i: i64) {
  %a = ptx.addr_of @tile : i64
  %b = ptx.add s64 %a, %i : (i64, i64) -> i64
  // CHECK: %[[P:.*]] = getelementptr i8, ptr addrspace(3) @tile, i64 %0
  // CHECK: %[[Q:.*]] = getelementptr i8, ptr addrspace(3) %[[P]], i32 4
  // CHECK: load float, ptr addrspace(3) %[[Q]]
  %0 = ptx.ld shared f32 [%b + 4] : (i64) -> f32
  // CHECK: %[[L:.*]] = alloca [16 x i8], align 8, addrspace(5)
  %l = ptx.alloca b8 "l" size(16) align(8) : i64
  // CHECK: %[[G:.*]] = addrspacecast ptr addrspace(5) %[[L]] to ptr
  // CHECK: ptrtoint ptr %[[G]] to i64
  %g = ptx.cvta local u64 %l : (i64) -> i64
  // CHECK: store float %{{.*}}, ptr %[[G]]
  ptx.st generic f32 [%g], %0 : (i64, f32) -> ()
  // CHECK: call i1 @llvm.nvvm.isspacep.shared(ptr %[[G]])
  %p = ptx.isspacep shared %g : (i64) -> i1
  ptx.ret
}

// LLVM would take what is behind a null pointer of another space for a number: the
// first parameter is reached from a later address.
// CHECK-LABEL: define ptx_kernel void @first_generic()
ptx.entry linkage(visible) @first_generic [#ptx.param<"a", b8, 32, 8>, #ptx.param<"b", b8, 32, 8>] {
  %s = ptx.addr_of @tile : i64
  %a = ptx.param_addr 0 : i64
  %g = ptx.cvta param_entry u64 %a : (i64) -> i64
  // CHECK: store i64 ptrtoint (ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(101) inttoptr (i32 128 to ptr addrspace(101)) to ptr), i64 -128) to i64)
  ptx.st shared u64 [%s], %g : (i64, i64) -> ()
  %b = ptx.param_addr 1 : i64
  %h = ptx.cvta param_entry u64 %b : (i64) -> i64
  // CHECK: store i64 ptrtoint (ptr addrspacecast (ptr addrspace(101) inttoptr (i32 32 to ptr addrspace(101)) to ptr) to i64)
  ptx.st shared u64 [%s + 8], %h : (i64, i64) -> ()
  ptx.ret
}

// CHECK-LABEL: define ptx_kernel void @entry()
ptx.entry linkage(visible) @entry [#ptx.param<"a", u32, 0, 4>, #ptx.param<"b", b8, 12, 8>] attributes {reqntid = array<i32: 32, 1, 1>} {
  // CHECK: load i32, ptr addrspace(101) null, align 4, !invariant.load
  %a = ptx.param_addr 0 : i64
  %0 = ptx.ld param_entry u32 [%a] : (i64) -> i32
  // CHECK: load i32, ptr addrspace(101) inttoptr (i32 16 to ptr addrspace(101)), align 4, !invariant.load
  %b = ptx.param_addr 1 : i64
  %1 = ptx.ld param_entry u32 [%b + 8] : (i64) -> i32
  ptx.ret
}

// CHECK-LABEL: define void @atomics
ptx.func visible @atomics(%g: i64, %v: i32, %f: f32) {
  // CHECK: atomicrmw uinc_wrap ptr addrspace(1) %{{.*}}, i32 %1 syncscope("device") monotonic, align 4
  %0 = ptx.atom inc global u32 sem(relaxed) scope(gpu) [%g], %v : (i64, i32) -> i32
  // CHECK: atomicrmw max ptr
  %1 = ptx.atom max global s32 sem(relaxed) scope(gpu) [%g], %v : (i64, i32) -> i32
  // CHECK: atomicrmw umax ptr
  %2 = ptx.atom max global u32 sem(relaxed) scope(gpu) [%g], %v : (i64, i32) -> i32
  // CHECK: atomicrmw fadd ptr addrspace(1) %{{.*}}, float %2 syncscope("block") acq_rel
  ptx.red add global f32 sem(acq_rel) scope(cta) [%g], %f : (i64, f32) -> ()
  // CHECK: %[[PAIR:.*]] = cmpxchg ptr addrspace(1) %{{.*}}, i32 %1, i32 %1 acq_rel acquire
  // CHECK: extractvalue { i32, i1 } %[[PAIR]], 0
  %3 = ptx.atom cas global b32 sem(acq_rel) scope(sys) [%g], %v, %v : (i64, i32, i32) -> i32
  // CHECK: atomicrmw xchg
  %4 = ptx.atom exch global b32 sem(relaxed) scope(gpu) [%g], %v : (i64, i32) -> i32
  // CHECK: fence syncscope("cluster") acq_rel
  ptx.fence acq_rel cluster
  // CHECK: fence seq_cst
  ptx.fence seq_cst sys
  ptx.ret
}
// CHECK: attributes #{{.*}} = { convergent nounwind "heddle-params"="a:0:4:4:u32;b:8:12:8:b8[12]" "heddle-reqntid"="32,1,1" }
