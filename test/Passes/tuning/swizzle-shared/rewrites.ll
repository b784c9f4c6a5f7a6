; Protects the places of a shared variable's words: in each row of 128 bytes the chunk
; number is that of the program xor the row's. The variable gets whole rows, and
; accesses the alignment of what they access, by constant addresses too.
; RUN: %opt-heddle -passes=heddle-swizzle-shared -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK: @tile = internal addrspace(3) global [1024 x i8] undef, align 128
@tile = internal addrspace(3) global [1000 x i8] undef, align 4

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: %at = getelementptr i32, ptr addrspace(3) @tile, i32 %i
; CHECK-NEXT: [[A:%.*]] = ptrtoint ptr addrspace(3) %at to i32
; CHECK-NEXT: [[ROW:%.*]] = lshr i32 [[A]], 5
; CHECK-NEXT: [[CHANGE:%.*]] = and i32 [[ROW]], 124
; CHECK-NEXT: [[B:%.*]] = xor i32 [[A]], [[CHANGE]]
; CHECK-NEXT: [[PLACE:%.*]] = inttoptr i32 [[B]] to ptr addrspace(3)
; CHECK-NEXT: store i32 1, ptr addrspace(3) [[PLACE]], align 4
; CHECK: getelementptr i8, ptr addrspace(3) @tile, i32 128
; CHECK: xor i32
; CHECK: %v = load i32, ptr addrspace(3) {{%[^,]*}}, align 4
; CHECK: xor i32
; CHECK: atomicrmw add ptr addrspace(3) {{%[^ ]*}}, i32 %v monotonic, align 4
; CHECK: xor i32
; CHECK: cmpxchg ptr addrspace(3) {{%[^ ]*}}, i32 0, i32 %v monotonic monotonic, align 4
define ptx_kernel void @kernel(i32 %i) "heddle-tune-shared-swizzle"="4" {
  %at = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %at, align 4
  %v = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i32 128), align 8
  %old = atomicrmw add ptr addrspace(3) %at, i32 %v monotonic, align 4
  %x = cmpxchg ptr addrspace(3) %at, i32 0, i32 %v monotonic monotonic, align 4
  ret void
}
