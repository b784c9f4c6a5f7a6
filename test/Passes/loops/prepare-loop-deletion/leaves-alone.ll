; Protects loops that are there for more than a result: with a store, a volatile
; load, an atomic operation or a barrier, without a way out, and with a result that
; has no formula, since it is loaded or follows from too much.
; RUN: %opt-heddle -passes=heddle-prepare-loop-deletion -S %s | FileCheck %s --implicit-check-not=mustprogress
; RUN: %opt-heddle -passes='loop(heddle-prepare-loop-deletion,loop-deletion)' -S %s | FileCheck %s --implicit-check-not=mustprogress

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; CHECK-LABEL: define void @stores(
; CHECK: store i32 %i, ptr %p
; CHECK: br i1 %more, label %loop, label %done{{$}}
define void @stores(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  store i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define void @waits(
; CHECK: load volatile i32, ptr %p
; CHECK: br i1 %more, label %loop, label %done{{$}}
define void @waits(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define void @counts(
; CHECK: atomicrmw add ptr %p, i32 1
; CHECK: br i1 %more, label %loop, label %done{{$}}
define void @counts(ptr %p) {
entry:
  br label %loop
loop:
  %v = atomicrmw add ptr %p, i32 1 monotonic
  %more = icmp ult i32 %v, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define void @meets(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: br i1 %more, label %loop, label %done{{$}}
define void @meets(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define void @stays_for_ever(
; CHECK: {{^}}loop:
; CHECK: br label %loop{{$}}
define void @stays_for_ever(i1 %c) {
entry:
  br i1 %c, label %loop, label %done
loop:
  br label %loop
done:
  ret void
}

; CHECK-LABEL: define i32 @loads(
; CHECK: load i32, ptr %p
; CHECK: br i1 %more, label %loop, label %done{{$}}
; CHECK: ret i32 {{%s1|%s1.lcssa}}
define i32 @loads(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %v = load i32, ptr %p
  %s1 = add i32 %s, %v
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s1
}

; CHECK-LABEL: define i32 @hash(
; CHECK: xor i32 %m, %i
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @hash(i32 %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ %x, %entry ], [ %s1, %loop ]
  %m = mul i32 %s, 16777619
  %s1 = xor i32 %m, %i
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s1
}
