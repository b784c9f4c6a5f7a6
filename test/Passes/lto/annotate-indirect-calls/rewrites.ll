; Protects what is said of an indirect call: what holds for all functions whose
; address the program takes.
; RUN: %opt-heddle -passes=heddle-annotate-indirect-calls -S %s | FileCheck %s

@table = internal constant [2 x ptr] [ptr @reads, ptr @computes]

; CHECK-LABEL: define i32 @calls(
; CHECK-NEXT: call i32 %f(i32 %x) [[COMMON:#[0-9]+]]
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}

define internal i32 @reads(i32 %x) memory(read, argmem: none) willreturn nounwind {
  ret i32 %x
}

define internal i32 @computes(i32 %x) memory(none) willreturn nounwind {
  ret i32 %x
}

; What is only called directly says nothing.
define internal i32 @writes(i32 %x) {
  ret i32 %x
}

; CHECK: attributes [[COMMON]] = { nounwind willreturn memory(read, argmem: none) }
