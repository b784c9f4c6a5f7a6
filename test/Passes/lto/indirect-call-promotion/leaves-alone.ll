; Protects indirect calls that must stay: where a declared function's address is taken,
; which may be any, where the module has probes, which tell what calls reach, where no
; function has the call's type, and where most targets call themselves again.
; RUN: split-file %s %t
; RUN: %opt-heddle -passes=heddle-indirect-call-promotion -S %t/declared.ll | FileCheck %s --implicit-check-not=icmp
; RUN: %opt-heddle -passes=heddle-indirect-call-promotion -S %t/probed.ll | FileCheck %s --implicit-check-not=icmp
; RUN: %opt-heddle -passes=heddle-indirect-call-promotion -S %t/other-type.ll | FileCheck %s --implicit-check-not=icmp
; RUN: %opt-heddle -passes=heddle-indirect-call-promotion -S %t/recursive.ll | FileCheck %s --check-prefix=RECURSIVE --implicit-check-not=icmp

; CHECK-LABEL: define i32 @calls(
; CHECK: call i32 %f(i32 %x)
; CHECK-NEXT: ret i32 %r

;--- declared.ll
@table = internal constant [2 x ptr] [ptr @elsewhere, ptr @one]
declare i32 @elsewhere(i32)
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define internal i32 @one(i32 %x) {
  ret i32 1
}

;--- probed.ll
@table = internal constant [1 x ptr] [ptr @one]
declare void @__heddle_probe(i64, i32, i32)
define i32 @calls(ptr %f, i32 %x) {
  call void @__heddle_probe(i64 1, i32 4, i32 0)
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define internal i32 @one(i32 %x) {
  ret i32 1
}

;--- other-type.ll
@table = internal constant [1 x ptr] [ptr @two]
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define internal i32 @two(i32 %x, i32 %y) {
  ret i32 %y
}

;--- recursive.ll
; RECURSIVE-LABEL: define internal i32 @again(
; RECURSIVE-NEXT: %r = call i32 %f(ptr %f, i32 %x)
; RECURSIVE-NEXT: ret i32 %r
@table = internal constant [2 x ptr] [ptr @again, ptr @more]
define internal i32 @again(ptr %f, i32 %x) {
  %r = call i32 %f(ptr %f, i32 %x)
  ret i32 %r
}
define internal i32 @more(ptr %f, i32 %x) {
  %r = call i32 @again(ptr %f, i32 %x)
  ret i32 %r
}
