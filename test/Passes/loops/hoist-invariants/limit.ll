; Protects the limit of depth: out of a nest of 32 loops an invariant moves to its
; front, in one of 33 loops it stays where it is. And of sixteen loops behind each
; other, the fewest that share a fence, the invariants move and no fence is left.
; RUN: %python %S/../../Inputs/expand.py %s DEPTH=32 LOOPS=16 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-hoist-invariants -S %t.most.ll | FileCheck %s --check-prefixes=CHECK,MOST --implicit-check-not=fence
; RUN: %python %S/../../Inputs/expand.py %s DEPTH=33 LOOPS=16 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-hoist-invariants -S %t.over.ll | FileCheck %s --check-prefixes=CHECK,OVER --implicit-check-not=fence

; CHECK-LABEL: define void @nest(
; CHECK: entry:
; MOST-NEXT: %m = mul i32 %x, 3
; CHECK-NEXT: br label %head0
; OVER: {{^}}head33:
; OVER-NEXT: %m = mul i32 %x, 3
; OVER-NEXT: store volatile i32 %m, ptr %p
define void @nest(ptr %p, i32 %x) {
entry:
  br label %head0
;; repeat DEPTH
head{n}:
  br label %head{n+1}
;; end
head{DEPTH}:
  %m = mul i32 %x, 3
  store volatile i32 %m, ptr %p
  br label %latch{DEPTH-1}
;; repeat DEPTH
latch{m}:
  %v{m} = load volatile i1, ptr %p
  br i1 %v{m}, label %head{m}, label %latch{m-1}
;; end
latch-1:
  ret void
}

; CHECK-LABEL: define void @sixteen(
; CHECK: {{^}}before15:
; CHECK-NEXT: %l15 = load i32, ptr %p
; CHECK-NEXT: br label %loop15
define void @sixteen(ptr %p, ptr noalias %q) {
entry:
  br label %before0
;; repeat LOOPS
before{n}:
  br label %loop{n}
loop{n}:
  %i{n} = phi i32 [ 0, %before{n} ], [ %j{n}, %loop{n} ]
  %l{n} = load i32, ptr %p
  store volatile i32 %l{n}, ptr %q
  %j{n} = add i32 %i{n}, 1
  %c{n} = icmp ult i32 %j{n}, 100
  br i1 %c{n}, label %loop{n}, label %before{n+1}
;; end
before{LOOPS}:
  ret void
}
