; Protects what must stay in loops: loads beside stores to the same place, beside
; barriers, and on ways that not every iteration takes, divisions that may be by
; zero, volatile loads, and the program's own fences, of the kind that the pass
; makes and removes.
; RUN: %python %S/../../Inputs/expand.py %s LOOPS=20 > %t.ll
; RUN: %opt-heddle -passes=heddle-hoist-invariants -S %t.ll | FileCheck %s

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; CHECK-LABEL: define void @stays(
; CHECK: {{^}}loop:
; CHECK: %volatile = load volatile i32, ptr %p
; CHECK: %shared = load i32, ptr addrspace(3) %s
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: %stored = load i32, ptr %r
; CHECK: store i32 %i, ptr %p
define void @stays(ptr %p, ptr noalias %q, ptr %r, ptr addrspace(3) %s, i1 %c) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %volatile = load volatile i32, ptr %p
  %shared = load i32, ptr addrspace(3) %s
  store volatile i32 %shared, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %stored = load i32, ptr %r
  store volatile i32 %stored, ptr %q
  store i32 %i, ptr %p
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The place of the store is the same each time once LICM has moved its address;
; other threads read and write it while they wait.
; CHECK-LABEL: define void @waits(
; CHECK: {{^}}loop:
; CHECK: %before = load i32, ptr addrspace(3) %place
; CHECK: store i32 %after, ptr addrspace(3) %place
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: {{^}}done:
; CHECK-NEXT: ret void
define void @waits(ptr addrspace(3) %s, i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %place = getelementptr i32, ptr addrspace(3) %s, i32 %x
  %before = load i32, ptr addrspace(3) %place
  %after = add i32 %before, %i
  store i32 %after, ptr addrspace(3) %place
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define void @on_one_way(
; CHECK: {{^}}way:
; CHECK: %divided = udiv i32 %x, %y
; CHECK: %loaded = load i32, ptr %p
; CHECK: {{^}}latch:
define void @on_one_way(ptr %p, ptr noalias %q, i32 %x, i32 %y, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %latch ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %way, label %latch
way:
  %divided = udiv i32 %x, %y
  %loaded = load i32, ptr %p
  %sum = add i32 %divided, %loaded
  store volatile i32 %sum, ptr %q
  br label %latch
latch:
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define void @fenced(
; CHECK-NOT: fence
; CHECK: {{^}}before20:
; CHECK-NEXT: fence syncscope("singlethread") seq_cst
; CHECK-NOT: fence
; CHECK: ret void
define void @fenced(ptr %q) {
entry:
  br label %before0
;; repeat LOOPS
before{n}:
  br label %loop{n}
loop{n}:
  %i{n} = phi i32 [ 0, %before{n} ], [ %j{n}, %loop{n} ]
  store volatile i32 {n}, ptr %q
  %j{n} = add i32 %i{n}, 1
  %c{n} = icmp ult i32 %j{n}, 100
  br i1 %c{n}, label %loop{n}, label %before{n+1}
;; end
before{LOOPS}:
  fence syncscope("singlethread") seq_cst
  ret void
}
