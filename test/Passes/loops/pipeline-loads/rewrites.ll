; Protects a loop that loads at addresses that it knows one iteration ahead, and
; uses what it loaded as an address: the loads of the next iteration start first,
; behind a test whether there is a next one, so that no thread loads more.
; RUN: %opt-heddle -passes=heddle-pipeline-loads -S %s | FileCheck %s

; CHECK-LABEL: define i32 @lookup(
; CHECK: entry:
; CHECK-NEXT: [[FIRST:%.*]] = load i32, ptr addrspace(1) %list
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK: [[NOW:%.*]] = phi i32 [ [[FIRST]], %entry ], [ [[NEXT:%.*]], %[[WORK:.*]] ]
; CHECK-NEXT: %i = phi i32
; CHECK: [[I1:%.*]] = add i32 %i, 1
; CHECK-NEXT: [[MORE:%.*]] = icmp ult i32 [[I1]], %n
; CHECK-NEXT: [[AT1:%.*]] = getelementptr i8, ptr addrspace(1) %at, i64 4
; CHECK-NEXT: br i1 [[MORE]], label %[[AHEAD:.*]], label %[[WORK]]
; CHECK: {{^}}[[AHEAD]]:
; CHECK-NEXT: [[LATER:%.*]] = load i32, ptr addrspace(1) [[AT1]]
; CHECK-NEXT: br label %[[WORK]]
; CHECK: {{^}}[[WORK]]:
; CHECK-NEXT: [[NEXT]] = phi i32 [ [[LATER]], %[[AHEAD]] ], [ poison, %loop ]
; CHECK-NEXT: zext i32 [[NOW]] to i64
; CHECK: br i1 %more, label %loop, label %done
define i32 @lookup(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s, %loop ]
  %index = load i32, ptr addrspace(1) %at
  %wide = zext i32 %index to i64
  %place = getelementptr i8, ptr addrspace(1) %table, i64 %wide
  %v = load i32, ptr addrspace(1) %place
  %m = mul i32 %v, %v
  %s = add i32 %sum, %m
  %next = getelementptr i8, ptr addrspace(1) %at, i64 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}
