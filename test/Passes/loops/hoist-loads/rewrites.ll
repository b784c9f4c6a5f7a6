; Protects loads that threads come to in any case: they start in front of the
; branch, as soon as their address is known, so that they wait together.
; RUN: %opt-heddle -passes=heddle-hoist-loads -S %s | FileCheck %s

; CHECK-LABEL: define i32 @over_a_branch(
; CHECK: entry:
; CHECK-NEXT: %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
; CHECK-NEXT: %x = load i32, ptr addrspace(1) %at
; CHECK-NEXT: br i1 %c, label %way, label %join
; CHECK: {{^}}join:
; CHECK-NEXT: ret i32 %x
define i32 @over_a_branch(ptr addrspace(1) %p, ptr addrspace(1) noalias %q, i1 %c, i32 %i) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = load i32, ptr addrspace(1) %at
  ret i32 %x
}

; What never changes moves over a store, too, and over two branches.
; CHECK-LABEL: define i32 @invariant(
; CHECK: entry:
; CHECK-NEXT: %x = load i32, ptr addrspace(1) %p{{.*}}, !invariant.load
; CHECK-NEXT: br i1 %c, label %way, label %join
; CHECK: {{^}}second:
; CHECK-NEXT: ret i32 %x
define i32 @invariant(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  br i1 %c, label %again, label %second
again:
  store i32 2, ptr addrspace(1) %q
  br label %second
second:
  %x = load i32, ptr addrspace(1) %p, !invariant.load !0
  ret i32 %x
}

; A profile asks for it as well.
; CHECK-LABEL: define i32 @counted(
; CHECK: entry:
; CHECK-NEXT: %x = load i32, ptr addrspace(1) %p
; CHECK-NEXT: br i1 %c
define i32 @counted(ptr addrspace(1) %p, i1 %c, ptr addrspace(1) noalias %q) !prof !1 {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %x = load i32, ptr addrspace(1) %p
  ret i32 %x
}

!0 = !{}
!1 = !{!"function_entry_count", i64 1000}
