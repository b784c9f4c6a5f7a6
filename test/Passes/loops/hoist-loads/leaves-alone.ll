; Protects loads that must not move up: over a store that may be to the same place,
; over a barrier, over what may end a thread, over a loop that may not end, out of
; a block that not all threads come to, and volatile ones. In a function without a
; plan none moves.
; RUN: %opt-heddle -passes=heddle-hoist-loads -S %s | FileCheck %s

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @may_exit()

; CHECK-LABEL: define i32 @no_plan(
; CHECK: {{^}}join:
; CHECK-NEXT: load i32, ptr addrspace(1) %p
define i32 @no_plan(ptr addrspace(1) %p, ptr addrspace(1) noalias %q, i1 %c) {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %x = load i32, ptr addrspace(1) %p
  ret i32 %x
}

; CHECK-LABEL: define i32 @forbidden(
; CHECK: {{^}}join:
; CHECK-NEXT: load i32, ptr addrspace(1) %p
define i32 @forbidden(ptr addrspace(1) %p, ptr addrspace(1) noalias %q, i1 %c) "heddle-loops" "heddle-tune-hoist-loads"="1" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %x = load i32, ptr addrspace(1) %p
  ret i32 %x
}

; CHECK-LABEL: define i32 @stored(
; CHECK: {{^}}join:
; CHECK-NEXT: load i32, ptr addrspace(1) %p
define i32 @stored(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %x = load i32, ptr addrspace(1) %p
  ret i32 %x
}

; CHECK-LABEL: define i32 @met(
; CHECK: {{^}}join:
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK-NEXT: load i32, ptr addrspace(3) %p
define i32 @met(ptr addrspace(3) %p, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) %p
  ret i32 %x
}

; CHECK-LABEL: define i32 @ended(
; CHECK: {{^}}join:
; CHECK-NEXT: load i32, ptr addrspace(1) %p{{.*}}, !invariant.load
define i32 @ended(ptr addrspace(1) %p, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  call void @may_exit()
  br label %join
join:
  %x = load i32, ptr addrspace(1) %p, !invariant.load !0
  ret i32 %x
}

; CHECK-LABEL: define i32 @waited(
; CHECK: {{^}}join:
; CHECK-NEXT: load i32, ptr addrspace(1) %p{{.*}}, !invariant.load
define i32 @waited(ptr addrspace(1) %p, ptr addrspace(1) %flag, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %wait, label %join
wait:
  %f = load i32, ptr addrspace(1) %flag
  %set = icmp ne i32 %f, 0
  br i1 %set, label %join, label %wait
join:
  %x = load i32, ptr addrspace(1) %p, !invariant.load !0
  ret i32 %x
}

; CHECK-LABEL: define i32 @on_one_way(
; CHECK: {{^}}way:
; CHECK-NEXT: load i32, ptr addrspace(1) %p
define i32 @on_one_way(ptr addrspace(1) %p, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  %x = load i32, ptr addrspace(1) %p
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %x, %way ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @volatile(
; CHECK: {{^}}join:
; CHECK-NEXT: load volatile i32, ptr addrspace(1) %p
define i32 @volatile(ptr addrspace(1) %p, ptr addrspace(1) noalias %q, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %x = load volatile i32, ptr addrspace(1) %p
  ret i32 %x
}

!0 = !{}
