; Protects indirect calls with few targets: comparisons of the pointer lead to direct
; calls, and a pointer that is none of the targets traps. The target that a profile
; counted most comes first. In a loop where the pointer does not change the choice
; is made once, in front of a copy of the loop for each target.
; RUN: %opt-heddle -passes=heddle-indirect-call-promotion -S %s | FileCheck %s

@table = internal constant [2 x ptr] [ptr @one, ptr @two]

; CHECK-LABEL: define i32 @calls(
; CHECK-NEXT: [[ONE:%.*]] = icmp eq ptr %f, @one
; CHECK-NEXT: br i1 [[ONE]], label %[[DIRECT1:.*]], label %[[ELSE1:[^ ,]*]]
; CHECK: {{^}}[[DIRECT1]]:
; CHECK-NEXT: [[R1:%.*]] = call i32 @one(i32 %x)
; CHECK: {{^}}[[ELSE1]]:
; CHECK-NEXT: [[TWO:%.*]] = icmp eq ptr %f, @two
; CHECK-NEXT: br i1 [[TWO]], label %[[DIRECT2:.*]], label %[[ELSE2:[^ ,]*]]
; CHECK: {{^}}[[DIRECT2]]:
; CHECK-NEXT: [[R2:%.*]] = call i32 @two(i32 %x)
; CHECK: {{^}}[[ELSE2]]:
; CHECK-NEXT: call void @llvm.trap()
; CHECK-NEXT: unreachable
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}

; CHECK-LABEL: define i32 @counted(
; CHECK-NEXT: [[TWO:%.*]] = icmp eq ptr %f, @two
; CHECK-NEXT: br i1 [[TWO]], {{.*}}, !prof [[WEIGHTS:![0-9]+]]
; CHECK: icmp eq ptr %f, @one
define i32 @counted(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !0
  ret i32 %r
}

; CHECK-LABEL: define void @in_a_loop(
; CHECK: icmp eq ptr %f, @one
; CHECK: {{^}}loop.one:
; CHECK-NOT: icmp eq ptr
; CHECK: call i32 @one(i32
; CHECK: br i1 %more.one, label %loop.one, label %done
; CHECK: icmp eq ptr %f, @two
; CHECK: {{^}}loop.two:
; CHECK-NOT: icmp eq ptr
; CHECK: call i32 @two(i32
; CHECK: br i1 %more.two, label %loop.two, label %done
; CHECK: {{^}}loop:
; CHECK-NEXT: call void @llvm.trap()
; CHECK-NEXT: unreachable
define void @in_a_loop(ptr %f, ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %r = call i32 %f(i32 %i)
  store volatile i32 %r, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define internal i32 @one(i32 %x) {
  ret i32 1
}

define internal i32 @two(i32 %x) {
  ret i32 2
}

; CHECK: [[WEIGHTS]] = !{!"branch_weights", i32 90, i32 10}
; 90 of 100 calls reached @two, which the MD5 of its name says.
!0 = !{!"VP", i32 0, i64 100, i64 15370705105321437624, i64 90}
