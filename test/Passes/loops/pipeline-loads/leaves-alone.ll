; Protects loops whose loads must not start an iteration ahead: where a store may
; change what is loaded, where something may end the thread or let others write,
; where the loaded value itself tells whether there is a next iteration, and
; volatile loads. In a function without a plan, and where a tuning document says
; no, nothing moves.
; RUN: %opt-heddle -passes=heddle-pipeline-loads -S %s | FileCheck %s

declare void @may_exit()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; CHECK-LABEL: define i32 @no_plan(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @no_plan(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n)  {
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

; CHECK-LABEL: define i32 @forbidden(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @forbidden(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" "heddle-tune-pipeline-loads"="1" {
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
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret i32 %s
}

; CHECK-LABEL: define i32 @stored(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @stored(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" {
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
  store i32 %s, ptr addrspace(1) %table
  %next = getelementptr i8, ptr addrspace(1) %at, i64 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}

; CHECK-LABEL: define i32 @ended(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @ended(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s, %loop ]
  %index = load i32, ptr addrspace(1) %at, !invariant.load !2
  %wide = zext i32 %index to i64
  %place = getelementptr i8, ptr addrspace(1) %table, i64 %wide
  %v = load i32, ptr addrspace(1) %place
  %m = mul i32 %v, %v
  %s = add i32 %sum, %m
  call void @may_exit()
  %next = getelementptr i8, ptr addrspace(1) %at, i64 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}

; CHECK-LABEL: define i32 @met(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @met(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" {
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
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = getelementptr i8, ptr addrspace(1) %at, i64 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}

; CHECK-LABEL: define i32 @asked_of_the_value(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @asked_of_the_value(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" {
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
  %more = icmp ult i32 %index, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}

; CHECK-LABEL: define i32 @volatile(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load volatile i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @volatile(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s, %loop ]
  %index = load volatile i32, ptr addrspace(1) %at
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

; Threads that have all their iterations within three do not stay long enough.
; CHECK-LABEL: define i32 @short(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK-NOT: br i1
; CHECK: %index = load i32, ptr addrspace(1) %at
; CHECK: br i1 %more, label %loop, label %done
define i32 @short(ptr addrspace(1) %list, ptr addrspace(1) %table, i32 %n) "heddle-loops" {
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
  %more = icmp ult i32 %i1, 3
  br i1 %more, label %loop, label %done
done:
  ret i32 %s
}

!0 = distinct !{!0, !1}
!1 = !{!"heddle.tune.pipeline-loads", i32 1}
!2 = !{}
