; Protects what only the target knows: which pointers differ between the threads of a
; warp. A loop is copied for the targets of a pointer that does not; for one that does,
; threads would run the copies one after another, and they choose in each iteration.
; RUN: ptx-opt --passes=heddle-indirect-call-promotion %s | FileCheck %s

@table = internal constant [2 x ptr] [ptr @one, ptr @two]

; CHECK-LABEL: define ptx_kernel void @alike(
; CHECK: icmp eq ptr %f, @one
; CHECK: {{^}}loop.one:
; CHECK: {{^}}loop.two:
define ptx_kernel void @alike(ptr %f, ptr %p, i32 %n) {
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

; CHECK-LABEL: define void @different(
; CHECK-NOT: loop.one:
; CHECK: {{^}}loop:
; CHECK: icmp eq ptr %f, @one
; CHECK: icmp eq ptr %f, @two
; CHECK: br i1 %more, label %loop, label %done
define void @different(ptr %f, ptr %p, i32 %n) {
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
