; Protects two limits: the registers that loads may wait in at the end of one block,
; of which a wide load takes several, and the branches that a load passes, sixteen
; at most.
; RUN: %python %S/../../Inputs/expand.py %s BRANCHES=15 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-hoist-loads -S %t.most.ll | FileCheck %s --check-prefixes=CHECK,MOST
; RUN: %python %S/../../Inputs/expand.py %s BRANCHES=16 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-hoist-loads -S %t.over.ll | FileCheck %s --check-prefixes=CHECK,OVER

; Eight registers: 4 and 3 of them, then none for 2, but 1 for the last.
; CHECK-LABEL: define i32 @registers(
; CHECK: entry:
; CHECK-DAG: %x0 = load <4 x i32>
; CHECK-DAG: %x1 = load <3 x i32>
; CHECK-DAG: %x3 = load i32
; CHECK: br i1 %c
; CHECK: {{^}}join:
; CHECK: %x2 = load i64
; CHECK-NOT: load
define i32 @registers(ptr addrspace(1) %p, i1 %c, ptr addrspace(1) noalias %q) "heddle-tune-hoist-loads"="8" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %x0 = load <4 x i32>, ptr addrspace(1) %p
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 16
  %x1 = load <3 x i32>, ptr addrspace(1) %p1
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 32
  %x2 = load i64, ptr addrspace(1) %p2
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 64
  %x3 = load i32, ptr addrspace(1) %p3
  %y0 = extractelement <4 x i32> %x0, i32 0
  %y1 = extractelement <3 x i32> %x1, i32 0
  %y2 = trunc i64 %x2 to i32
  %s = add i32 %y0, %y1
  %t = add i32 %s, %y2
  %u = add i32 %t, %x3
  ret i32 %u
}

; CHECK-LABEL: define i32 @steps(
; MOST: entry:
; OVER: {{^}}join1:
; CHECK-NEXT: %x = load i32, ptr addrspace(1) %p
; CHECK-NEXT: br i1 %c
; MOST: {{^}}join16:
; OVER: {{^}}join17:
; CHECK-NEXT: ret i32 %x
define i32 @steps(ptr addrspace(1) %p, ptr addrspace(1) noalias %q, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way0, label %join1
way0:
  store i32 0, ptr addrspace(1) %q
  br label %join1
;; repeat BRANCHES
join{n+1}:
  br i1 %c, label %way{n+1}, label %join{n+2}
way{n+1}:
  store i32 {n}, ptr addrspace(1) %q
  br label %join{n+2}
;; end
join{BRANCHES+1}:
  %x = load i32, ptr addrspace(1) %p
  ret i32 %x
}
