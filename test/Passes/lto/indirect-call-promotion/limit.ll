; Protects the limits of targets: a call with eight targets becomes direct calls, one
; with nine stays. A loop with four targets is copied for each, one with five chooses
; in each iteration.
; RUN: %python %S/../../Inputs/expand.py %s MANY=8 FEW=4 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-indirect-call-promotion -S %t.most.ll | FileCheck %s --check-prefixes=CHECK,MOST
; RUN: %python %S/../../Inputs/expand.py %s MANY=9 FEW=5 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-indirect-call-promotion -S %t.over.ll | FileCheck %s --check-prefixes=CHECK,OVER

@many = internal constant [{MANY} x ptr] [ptr @m0
;; repeat MANY-1
  , ptr @m{n+1}
;; end
]
@few = internal constant [{FEW} x ptr] [ptr @f0
;; repeat FEW-1
  , ptr @f{n+1}
;; end
]

; CHECK-LABEL: define i32 @calls(
; MOST: call i32 @m0(i32 %x)
; MOST: call i32 @m7(i32 %x)
; MOST: call void @llvm.trap()
; OVER-NEXT: %r = call i32 %f(i32 %x)
; OVER-NEXT: ret i32 %r
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}

; CHECK-LABEL: define void @in_a_loop(
; MOST: {{^}}loop.f0:
; MOST: {{^}}loop.f3:
; OVER-NOT: {{^}}loop.f0:
; OVER: {{^}}loop:
; OVER: icmp eq ptr %f, @f0
; OVER: icmp eq ptr %f, @f4
; OVER: br i1 %more, label %loop, label %done
define void @in_a_loop(ptr %f, ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %r = call i64 %f(i64 %i, i64 1)
  store volatile i64 %r, ptr %p
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}
;; repeat MANY
define internal i32 @m{n}(i32 %x) {
  ret i32 {n}
}
;; end
;; repeat FEW
define internal i64 @f{n}(i64 %x, i64 %y) {
  ret i64 {n}
}
;; end
