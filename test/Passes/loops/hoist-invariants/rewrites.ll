; Protects that what does not change in a loop is computed in front of it, loads
; too where no store is in the way, in a function of many loops behind each other:
; between those stand fences for the time of the pass, of which none is left. And
; that what is stored to one place is kept in a register, beside a barrier, too,
; where no other thread knows the place.
; RUN: %python %S/../../Inputs/expand.py %s LOOPS=40 > %t.ll
; RUN: %opt-heddle -passes=heddle-hoist-invariants -S %t.ll | FileCheck %s --implicit-check-not=fence

; CHECK-LABEL: define void @many(
; CHECK: {{^}}before0:
; CHECK-DAG: %a0 = mul i32 %x, 3
; CHECK-DAG: %l0 = load i32, ptr %p
; CHECK-NEXT: %b0 = add i32 %a0, %l0
; CHECK-NEXT: br label %loop0
; CHECK: {{^}}loop0:
; CHECK-NEXT: %i0 = phi
; CHECK-NEXT: store volatile i32 %b0, ptr %q
; CHECK: {{^}}before39:
; CHECK-DAG: %a39 = mul i32 %x, 42
; CHECK-DAG: %l39 = load i32, ptr %p
; CHECK-NEXT: %b39 = add i32 %a39, %l39
; CHECK-NEXT: br label %loop39
define void @many(ptr %p, ptr noalias %q, i32 %x) {
entry:
  br label %before0
;; repeat LOOPS
before{n}:
  br label %loop{n}
loop{n}:
  %i{n} = phi i32 [ 0, %before{n} ], [ %j{n}, %loop{n} ]
  %a{n} = mul i32 %x, {n+3}
  %l{n} = load i32, ptr %p
  %b{n} = add i32 %a{n}, %l{n}
  store volatile i32 %b{n}, ptr %q
  %j{n} = add i32 %i{n}, 1
  %c{n} = icmp ult i32 %j{n}, 100
  br i1 %c{n}, label %loop{n}, label %before{n+1}
;; end
before{LOOPS}:
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; CHECK-LABEL: define i32 @own(
; CHECK: {{^}}loop:
; CHECK-NOT: load
; CHECK-NOT: store
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: {{^}}done:
; CHECK: store i32
define i32 @own() {
entry:
  %own = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %own
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %before = load i32, ptr addrspace(5) %own
  %after = add i32 %before, %i
  store i32 %after, ptr addrspace(5) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 100
  br i1 %more, label %loop, label %done
done:
  %sum = load i32, ptr addrspace(5) %own
  ret i32 %sum
}
