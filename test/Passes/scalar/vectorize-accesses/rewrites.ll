; Protects loads and stores of neighbouring places, which become accesses of up to
; 128 bits, and the remark of each.
; RUN: %opt-heddle -passes=heddle-vectorize-accesses -S %s | FileCheck %s
; RUN: %opt-heddle -passes=heddle-vectorize-accesses -disable-output -pass-remarks=heddle-vectorize-accesses %s 2>&1 | FileCheck %s --check-prefix=REMARK

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define void @copy(
; CHECK: [[V:%.*]] = load <4 x i32>, ptr addrspace(1) %p, align 16
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(1) %q, align 16
; CHECK-NOT: load
; CHECK-NOT: store
; REMARK-DAG: 4 loads joined to one of 128 bits
; REMARK-DAG: 4 stores joined to one of 128 bits
define void @copy(ptr addrspace(1) align 16 %p, ptr addrspace(1) align 16 noalias %q) {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 12
  %v0 = load i32, ptr addrspace(1) %p, align 16
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %v2 = load i32, ptr addrspace(1) %p2, align 8
  %v3 = load i32, ptr addrspace(1) %p3, align 4
  %q1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %q2 = getelementptr i8, ptr addrspace(1) %q, i64 8
  %q3 = getelementptr i8, ptr addrspace(1) %q, i64 12
  store i32 %v0, ptr addrspace(1) %q, align 16
  store i32 %v1, ptr addrspace(1) %q1, align 4
  store i32 %v2, ptr addrspace(1) %q2, align 8
  store i32 %v3, ptr addrspace(1) %q3, align 4
  ret void
}
