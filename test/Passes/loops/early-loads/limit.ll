; Protects a plan of which one half is forbidden: no load moves over a branch, but
; those of the loop start an iteration ahead, for which the loop gets a preheader.
; One load that moves is enough to have the function cleaned up.
; RUN: %opt-heddle -passes=heddle-early-loads -S %s | FileCheck %s

; CHECK-LABEL: define i32 @loops_only(
; CHECK: entry:
; CHECK-NEXT: br i1 %c, label %way, label %join
; CHECK: {{^}}join:
; CHECK-NEXT: %first = load i32, ptr addrspace(1) %p
; CHECK-NEXT: br i1 %d, label %loop.preheader, label %end
; CHECK: {{^}}loop.preheader:
; CHECK: load i32, ptr addrspace(1) %list
; CHECK: {{^}}ahead:
; CHECK-NEXT: load i32, ptr addrspace(1)
; CHECK: {{^}}end:
; CHECK-NEXT: [[R:%.*]] = phi i32
; CHECK-NEXT: ret i32 [[R]]
define i32 @loops_only(ptr addrspace(1) %p, ptr addrspace(1) noalias %q, ptr addrspace(1) %list, ptr addrspace(1) %table, i1 %c, i1 %d, i32 %n) "heddle-loops" "heddle-tune-hoist-loads"="1" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %first = load i32, ptr addrspace(1) %p
  br i1 %d, label %loop, label %end
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
  br i1 %more, label %loop, label %end
end:
  %r = phi i32 [ %first, %join ], [ %s, %loop ]
  %same = add i32 %r, 0
  ret i32 %same
}
