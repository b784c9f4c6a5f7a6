; Protects loops that must not be repeated, or for which it does not pay: below -O3,
; where a pragma forbids it, of unknown or indivisible trip counts, without a load,
; with a call or an operation that threads do together, with two exits, and ones
; that say themselves what is done to them.
; RUN: %opt-heddle -passes=heddle-unroll-counted-loops -S %s | FileCheck %s --implicit-check-not=unroll.count
; RUN: %opt-heddle -passes='heddle-unroll-counted-loops<level=2>' -S %s | FileCheck %s --implicit-check-not=unroll.count

declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @call()

; CHECK-LABEL: define i32 @no_plan(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @no_plan(ptr addrspace(1) %p, i32 %n)  {
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

; CHECK-LABEL: define i32 @pragma(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @pragma(ptr addrspace(1) %p, i32 %n) "heddle-loops" "heddle-nounroll" {
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

; CHECK-LABEL: define i32 @unknown(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @unknown(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK-LABEL: define i32 @prime(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @prime(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1009
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK-LABEL: define i32 @loads_nothing(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @loads_nothing(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = mul i32 %i, 3
  store i32 %v, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK-LABEL: define i32 @calls(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @calls(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  call void @call()
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK-LABEL: define i32 @together(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @together(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %l = load i32, ptr addrspace(1) %at
  %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %l, i32 1, i32 31)
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK-LABEL: define i32 @decided(
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[ID:![0-9]+]]
define i32 @decided(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret i32 %v
}

; CHECK-LABEL: define i32 @two_exits(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @two_exits(ptr addrspace(1) %p) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %found = icmp eq i32 %v, 0
  br i1 %found, label %done, label %latch
latch:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i32 %v
}

; CHECK: [[ID]] = distinct !{[[ID]], [[DISABLE:![0-9]+]]}
; CHECK: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
