; Protects what a function may grow by, eighty instructions: of a loop of eight
; instructions ten more copies fit, eleven do not. A body of 48 instructions may be
; repeated, of which two are as many as there may be; one of 49 may not.
; RUN: %opt-heddle -passes=heddle-unroll-counted-loops -S %s | FileCheck %s --implicit-check-not=unroll.count

; CHECK-LABEL: define i32 @eleven(
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[ELEVEN:![0-9]+]]
define i32 @eleven(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %x0 = xor i32 %v, 1
  %x1 = xor i32 %x0, 2
  %x2 = xor i32 %x1, 3
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 11
  br i1 %more, label %loop, label %done
done:
  ret i32 %x2
}

; CHECK-LABEL: define i32 @twelve(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @twelve(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %x0 = xor i32 %v, 1
  %x1 = xor i32 %x0, 2
  %x2 = xor i32 %x1, 3
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 12
  br i1 %more, label %loop, label %done
done:
  ret i32 %x2
}

; CHECK-LABEL: define i32 @large(
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[LARGE:![0-9]+]]
define i32 @large(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %x0 = xor i32 %v, 1
  %x1 = xor i32 %x0, 2
  %x2 = xor i32 %x1, 3
  %x3 = xor i32 %x2, 4
  %x4 = xor i32 %x3, 5
  %x5 = xor i32 %x4, 6
  %x6 = xor i32 %x5, 7
  %x7 = xor i32 %x6, 8
  %x8 = xor i32 %x7, 9
  %x9 = xor i32 %x8, 10
  %x10 = xor i32 %x9, 11
  %x11 = xor i32 %x10, 12
  %x12 = xor i32 %x11, 13
  %x13 = xor i32 %x12, 14
  %x14 = xor i32 %x13, 15
  %x15 = xor i32 %x14, 16
  %x16 = xor i32 %x15, 17
  %x17 = xor i32 %x16, 18
  %x18 = xor i32 %x17, 19
  %x19 = xor i32 %x18, 20
  %x20 = xor i32 %x19, 21
  %x21 = xor i32 %x20, 22
  %x22 = xor i32 %x21, 23
  %x23 = xor i32 %x22, 24
  %x24 = xor i32 %x23, 25
  %x25 = xor i32 %x24, 26
  %x26 = xor i32 %x25, 27
  %x27 = xor i32 %x26, 28
  %x28 = xor i32 %x27, 29
  %x29 = xor i32 %x28, 30
  %x30 = xor i32 %x29, 31
  %x31 = xor i32 %x30, 32
  %x32 = xor i32 %x31, 33
  %x33 = xor i32 %x32, 34
  %x34 = xor i32 %x33, 35
  %x35 = xor i32 %x34, 36
  %x36 = xor i32 %x35, 37
  %x37 = xor i32 %x36, 38
  %x38 = xor i32 %x37, 39
  %x39 = xor i32 %x38, 40
  %x40 = xor i32 %x39, 41
  %x41 = xor i32 %x40, 42
  %x42 = xor i32 %x41, 43
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i32 %x42
}

; CHECK-LABEL: define i32 @too_large(
; CHECK: br i1 %more, label %loop, label %done{{$}}
define i32 @too_large(ptr addrspace(1) %p, i32 %n) "heddle-loops" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %x0 = xor i32 %v, 1
  %x1 = xor i32 %x0, 2
  %x2 = xor i32 %x1, 3
  %x3 = xor i32 %x2, 4
  %x4 = xor i32 %x3, 5
  %x5 = xor i32 %x4, 6
  %x6 = xor i32 %x5, 7
  %x7 = xor i32 %x6, 8
  %x8 = xor i32 %x7, 9
  %x9 = xor i32 %x8, 10
  %x10 = xor i32 %x9, 11
  %x11 = xor i32 %x10, 12
  %x12 = xor i32 %x11, 13
  %x13 = xor i32 %x12, 14
  %x14 = xor i32 %x13, 15
  %x15 = xor i32 %x14, 16
  %x16 = xor i32 %x15, 17
  %x17 = xor i32 %x16, 18
  %x18 = xor i32 %x17, 19
  %x19 = xor i32 %x18, 20
  %x20 = xor i32 %x19, 21
  %x21 = xor i32 %x20, 22
  %x22 = xor i32 %x21, 23
  %x23 = xor i32 %x22, 24
  %x24 = xor i32 %x23, 25
  %x25 = xor i32 %x24, 26
  %x26 = xor i32 %x25, 27
  %x27 = xor i32 %x26, 28
  %x28 = xor i32 %x27, 29
  %x29 = xor i32 %x28, 30
  %x30 = xor i32 %x29, 31
  %x31 = xor i32 %x30, 32
  %x32 = xor i32 %x31, 33
  %x33 = xor i32 %x32, 34
  %x34 = xor i32 %x33, 35
  %x35 = xor i32 %x34, 36
  %x36 = xor i32 %x35, 37
  %x37 = xor i32 %x36, 38
  %x38 = xor i32 %x37, 39
  %x39 = xor i32 %x38, 40
  %x40 = xor i32 %x39, 41
  %x41 = xor i32 %x40, 42
  %x42 = xor i32 %x41, 43
  %x43 = xor i32 %x42, 44
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done
done:
  ret i32 %x43
}

; CHECK-DAG: [[ELEVEN]] = distinct !{[[ELEVEN]], [[BY11:![0-9]+]]}
; CHECK-DAG: [[BY11]] = !{!"llvm.loop.unroll.count", i32 11}
; CHECK-DAG: [[LARGE]] = distinct !{[[LARGE]], [[BY2:![0-9]+]]}
; CHECK-DAG: [[BY2]] = !{!"llvm.loop.unroll.count", i32 2}
