; Protects all that the plan of a function asks for: a switch gets a reachable
; default, a load moves up over a branch, the loads of a loop start an iteration
; ahead, and what that computes twice is computed once.
; RUN: %opt-heddle -passes=heddle-early-loads -S %s | FileCheck %s

; CHECK-LABEL: define i32 @all(
; CHECK: entry:
; CHECK-NEXT: %first = load i32, ptr addrspace(1) %list
; CHECK-NEXT: switch i32 %kind, label %one [
; CHECK-NEXT: i32 2, label %two
; CHECK-NEXT: ]
; CHECK: {{^}}loop:
; CHECK: add i32 %i, 1
; CHECK-NEXT: [[MORE:%.*]] = icmp ult i32
; CHECK-NEXT: [[NEXT:%.*]] = getelementptr i8, ptr addrspace(1) %at, i64 4
; CHECK-NEXT: br i1 [[MORE]], label %[[AHEAD:.*]], label %[[WORK:.*]]
; CHECK: {{^}}[[AHEAD]]:
; CHECK-NEXT: load i32, ptr addrspace(1) [[NEXT]]
; CHECK: {{^}}[[WORK]]:
; CHECK-NOT: getelementptr i8, ptr addrspace(1) %at
; CHECK: br i1 [[MORE]], label %loop, label %done
define i32 @all(ptr addrspace(1) %list, ptr addrspace(1) noalias %q, ptr addrspace(1) %table, i32 %kind, i32 %n) "heddle-loops" {
entry:
  switch i32 %kind, label %nowhere [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  store i32 1, ptr addrspace(1) %q
  br label %join
two:
  store i32 2, ptr addrspace(1) %q
  br label %join
nowhere:
  unreachable
join:
  %first = load i32, ptr addrspace(1) %list
  br label %loop
loop:
  %i = phi i32 [ 0, %join ], [ %i1, %loop ]
  %at = phi ptr addrspace(1) [ %list, %join ], [ %next, %loop ]
  %sum = phi i32 [ %first, %join ], [ %s, %loop ]
  %index = load i32, ptr addrspace(1) %at
  %wide = zext i32 %index to i64
  %place = getelementptr i8, ptr addrspace(1) %table, i64 %wide
  %v = load i32, ptr addrspace(1) %place
  %s = add i32 %sum, %v
  %next = getelementptr i8, ptr addrspace(1) %at, i64 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}
