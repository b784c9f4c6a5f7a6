; Protects loops with two exits of which one depends on what is loaded: what leaves
; by the last exit would be computed from the bound, which would take a register,
; and a block.
; RUN: %opt-heddle -passes=heddle-simplify-variables -S %s | FileCheck %s
; LLVM's pass does that.
; RUN: %opt-heddle -passes=indvars -S %s | FileCheck %s --check-prefix=LLVM

; CHECK-LABEL: define i32 @found(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}latch:
; CHECK-NEXT: %i1 = add i32 %i, 1
; CHECK-NEXT: %more = icmp ult i32 %i1, %n
; CHECK: {{^}}done:
; CHECK-NEXT: [[I:%.*]] = phi i32 [ %i1, %latch ]
; CHECK-NEXT: ret i32 [[I]]
; LLVM-LABEL: define i32 @found(
; LLVM: entry:
; LLVM-NEXT: [[MAX:%.*]] = call i32 @llvm.umax.i32
; LLVM: {{^}}done:
; LLVM-NEXT: ret i32 [[MAX]]
define i32 @found(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, 0
  br i1 %found, label %out, label %latch
latch:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %i1
out:
  ret i32 -1
}
