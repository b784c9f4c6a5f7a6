; Protects two limits. A load moves to where it is not known in a nest of 32 loops,
; and stays in one of 33. A partly redundant sum does in a function of 4096 blocks,
; and stays in one of 4097, where what is known on all ways is still removed.
; RUN: %python %S/../../Inputs/expand.py %s DEPTH=32 BLOCKS=4091 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-remove-redundancies -S %t.most.ll | FileCheck %s --check-prefixes=ALL,MOST
; RUN: %python %S/../../Inputs/expand.py %s DEPTH=33 BLOCKS=4092 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-remove-redundancies -S %t.over.ll | FileCheck %s --check-prefixes=ALL,OVER

; ALL-LABEL: define void @nest(
; MOST: {{^}}unknown:
; MOST: [[PRE:%.*]] = load i32, ptr %p
; ALL: {{^}}join:
; MOST-NEXT: phi i32 [ [[PRE]], %unknown ], [ %a, %known ]
; OVER-NEXT: %b = load i32, ptr %p
define void @nest(ptr %p, ptr %q, i1 %c) {
entry:
  br label %head0
;; repeat DEPTH
head{n}:
  br label %head{n+1}
;; end
head{DEPTH}:
  br i1 %c, label %known, label %unknown
known:
  %a = load i32, ptr %p
  store volatile i32 %a, ptr %q
  br label %join
unknown:
  store volatile i32 1, ptr %q
  br label %join
join:
  %b = load i32, ptr %p
  store volatile i32 %b, ptr %q
  br label %latch{DEPTH-1}
;; repeat DEPTH
latch{m}:
  %v{m} = load volatile i1, ptr %q
  br i1 %v{m}, label %head{m}, label %latch{m-1}
;; end
latch-1:
  ret void
}

; ALL-LABEL: define i32 @pre(
; ALL: {{^}}join:
; MOST-NEXT: [[SUM:%.*]] = phi i32 [ {{.*}}, %unknown ], [ %a, %known ]
; OVER-NEXT: [[SUM:%b]] = add i32 %x, %y
; ALL: ret i32 [[SUM]]
define i32 @pre(i32 %x, i32 %y, ptr %q, i1 %c) {
entry:
  br i1 %c, label %known, label %unknown
known:
  %a = add i32 %x, %y
  store volatile i32 %a, ptr %q
  br label %join
unknown:
  store volatile i32 1, ptr %q
  br label %join
join:
  %b = add i32 %x, %y
  store volatile i32 %b, ptr %q
  br label %b0
;; repeat BLOCKS
b{n}:
  store volatile i32 {n}, ptr %q
  br label %b{n+1}
;; end
b{BLOCKS}:
  %d = add i32 %x, %y
  ret i32 %d
}
