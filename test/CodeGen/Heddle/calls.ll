; Arguments, results, frames, recursion, function pointers, system calls.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null
target triple = "heddle-unknown-unknown"
@table = internal addrspace(1) global [2 x ptr] [ptr @leaf, ptr @fact]

define internal i32 @leaf(i32 %a) noinline { ret i32 %a }

; CHECK-LABEL: {{^}}fact:
; CHECK: STL64 [R1 + 8], R2
; CHECK: STL [R1 + 4], R16
; CHECK: CALL R2, fact
; CHECK: IMAD R4, R4, R16, RZ
; CHECK: RET R2
define internal i32 @fact(i32 %n) noinline {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %one, label %more
one:
  ret i32 1
more:
  %m = sub i32 %n, 1
  %f = call i32 @fact(i32 %m)
  %r = mul i32 %f, %n
  ret i32 %r
}

; CHECK-LABEL: {{^}}many:
; CHECK: LDL {{.*}}, [R1]
; CHECK: LDL {{.*}}, [R1 + 4]
; CHECK: LDL {{.*}}, [R1 + 8]
; CHECK: RET R2
define i64 @many(i64 %a, i32 %b, i64 %c, i32 %d, i64 %e, i64 %f, i64 %g, i32 %h, i1 %i, i8 signext %j) {
  %1 = add i64 %a, %g
  %2 = zext i32 %h to i64
  %3 = add i64 %1, %2
  %4 = zext i1 %i to i64
  %5 = add i64 %3, %4
  %6 = sext i8 %j to i64
  %7 = add i64 %5, %6
  ret i64 %7
}

; CHECK-LABEL: {{^}}byval:
; CHECK: LDL64 [[V:R[0-9]+]], [R1]
; CHECK: STL64 [R4], [[V]]
define void @byval(ptr addrspace(5) sret([16 x i8]) align 8 %out, ptr addrspace(5) byval([16 x i8]) align 8 %in) {
  %v = load i64, ptr addrspace(5) %in
  store i64 %v, ptr addrspace(5) %out
  ret void
}
declare i32 @vprintf(ptr, ptr)

; CHECK-LABEL: {{^}}caller:
; CHECK: MOV64W {{.*}}, table
; CHECK: LEA64.SX
; CHECK: CALLR R2
; CHECK: CALL R2, byval
; CHECK: CALL R2, many
; CHECK: SYSCALL 1
; CHECK: RET R2
define i32 @caller(i32 %i, i64 %x) {
  %p = getelementptr [2 x ptr], ptr addrspace(1) @table, i32 0, i32 %i
  %f = load ptr, ptr addrspace(1) %p
  %r = call i32 %f(i32 %i)
  %a = alloca [16 x i8], align 8, addrspace(5)
  %b = alloca [16 x i8], align 8, addrspace(5)
  store i64 %x, ptr addrspace(5) %a
  call void @byval(ptr addrspace(5) sret([16 x i8]) align 8 %b, ptr addrspace(5) byval([16 x i8]) align 8 %a)
  %y = load i64, ptr addrspace(5) %b
  %m = call i64 @many(i64 %x, i32 1, i64 2, i32 %r, i64 3, i64 4, i64 %y, i32 5, i1 true, i8 -1)
  %s = call i32 @vprintf(ptr null, ptr null)
  %t = trunc i64 %m to i32
  %u = add i32 %t, %s
  %v = add i32 %u, %r
  ret i32 %v
}
