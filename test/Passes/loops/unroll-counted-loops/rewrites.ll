; Protects the counts that loops of a known trip count get: all iterations of a short
; loop with few of them, else the most copies, up to eight, that leave no rest.
; RUN: %opt-heddle -passes=heddle-unroll-counted-loops -S %s | FileCheck %s

; CHECK-LABEL: define i32 @whole(
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[WHOLE:![0-9]+]]
define i32 @whole(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 10
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK-LABEL: define i32 @eight(
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[EIGHT:![0-9]+]]
define i32 @eight(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; Seven divides the trip count, eight does not.
; CHECK-LABEL: define i32 @seven(
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[SEVEN:![0-9]+]]
define i32 @seven(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 707
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK-DAG: [[WHOLE]] = distinct !{[[WHOLE]], [[TEN:![0-9]+]]}
; CHECK-DAG: [[TEN]] = !{!"llvm.loop.unroll.count", i32 10}
; CHECK-DAG: [[EIGHT]] = distinct !{[[EIGHT]], [[BY8:![0-9]+]]}
; CHECK-DAG: [[BY8]] = !{!"llvm.loop.unroll.count", i32 8}
; CHECK-DAG: [[SEVEN]] = distinct !{[[SEVEN]], [[BY7:![0-9]+]]}
; CHECK-DAG: [[BY7]] = !{!"llvm.loop.unroll.count", i32 7}
