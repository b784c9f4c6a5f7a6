; A module that knows of clusters gives the rank to those addresses of shared
; variables of which a program sees more than that instructions take them.
; RUN: sed 's/CLUSTER/"heddle-maxclusterrank"="2"/' %s | llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs -o - | FileCheck %s
; RUN: sed 's/CLUSTER//' %s | llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -o - | FileCheck %s --check-prefix=PLAIN

; PLAIN-NOT: SR_cluster

@a = internal addrspace(3) global [1024 x i8] poison, align 16
@out = external addrspace(1) global i64

declare i32 @__heddle_mbarrier_try(i32, i64, i32)
declare i32 @other(i32)

; Loads, stores, barriers, the low bits and sums of these see nothing.
; CHECK-LABEL: used:
; CHECK-NOT: SR_cluster
; CHECK: EXIT
define ptx_kernel void @used() CLUSTER {
  %i = load i32, ptr addrspace(1) @out
  %address = ptrtoint ptr addrspace(3) @a to i32
  %sum = add i32 %address, %i
  %aligned = and i32 %sum, -128
  %p = inttoptr i32 %aligned to ptr addrspace(3)
  %v = load i32, ptr addrspace(3) %p
  %bits = lshr i32 %address, 4
  %field = and i32 %bits, 16383
  %w = add i32 %v, %field
  store i32 %w, ptr addrspace(1) @out
  %r = call i32 @__heddle_mbarrier_try(i32 %address, i64 0, i32 3)
  store i32 %r, ptr addrspace(1) @out
  ret void
}

; CHECK-LABEL: masked:
; CHECK: SR_cluster_ctarank
; CHECK: MBARTRY
define ptx_kernel void @masked() {
  %masked = and i32 ptrtoint (ptr addrspace(3) @a to i32), -16777217
  %r = call i32 @__heddle_mbarrier_try(i32 %masked, i64 0, i32 3)
  store i32 %r, ptr addrspace(1) @out
  ret void
}

; CHECK-LABEL: stored:
; CHECK: SR_cluster_ctarank
define ptx_kernel void @stored() {
  store ptr addrspacecast (ptr addrspace(3) @a to ptr), ptr addrspace(1) @out
  ret void
}

; CHECK-LABEL: passed:
; CHECK: SR_cluster_ctarank
define ptx_kernel void @passed() {
  %r = call i32 @other(i32 ptrtoint (ptr addrspace(3) @a to i32))
  ret void
}
