; Protects the registers that a loop may hold ahead, four by a tuning document: of
; loads of 2, 1, 2 and 1 registers all but the third start early. And iterations
; by rule: a loop of four is pipelined, one of three is not.
; RUN: %opt-heddle -passes=heddle-pipeline-loads -S %s | FileCheck %s

; CHECK-LABEL: define i64 @registers(
; CHECK: {{^}}ahead:
; CHECK-NEXT: load i64,
; CHECK-NEXT: load i32,
; CHECK-NEXT: load i32,
; CHECK-NEXT: br
; CHECK-NOT: load
; CHECK: %c = load i64, ptr addrspace(1) %pc
; CHECK-NOT: load
; CHECK: ret i64
define i64 @registers(ptr addrspace(1) %list, i32 %n) "heddle-tune-pipeline-loads"="4" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %u, %loop ]
  %a = load i64, ptr addrspace(1) %at
  %pb = getelementptr i8, ptr addrspace(1) %at, i64 8
  %b = load i32, ptr addrspace(1) %pb
  %pc = getelementptr i8, ptr addrspace(1) %at, i64 16
  %c = load i64, ptr addrspace(1) %pc
  %pd = getelementptr i8, ptr addrspace(1) %at, i64 24
  %d = load i32, ptr addrspace(1) %pd
  %wb = zext i32 %b to i64
  %wd = zext i32 %d to i64
  %r = add i64 %a, %wb
  %s = add i64 %c, %wd
  %t = mul i64 %r, %s
  %u = add i64 %sum, %t
  %next = getelementptr i8, ptr addrspace(1) %at, i64 32
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret i64 %u
}

; CHECK-LABEL: define i32 @four(
; CHECK: {{^}}ahead:
; CHECK: load i32
define i32 @four(ptr addrspace(1) %list, ptr addrspace(1) %table) "heddle-loops" {
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
  %s = add i32 %sum, %v
  %next = getelementptr i8, ptr addrspace(1) %at, i64 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 4
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}

; CHECK-LABEL: define i32 @three(
; CHECK-NOT: ahead:
; CHECK: {{^}}done:
define i32 @three(ptr addrspace(1) %list, ptr addrspace(1) %table) "heddle-loops" {
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
  %s = add i32 %sum, %v
  %next = getelementptr i8, ptr addrspace(1) %at, i64 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 3
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}

!0 = distinct !{!0, !1}
!1 = !{!"heddle.tune.pipeline-loads", i32 4}
