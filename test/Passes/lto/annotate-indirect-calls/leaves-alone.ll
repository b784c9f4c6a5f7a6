; Protects calls of which nothing more is known: where a function whose address is
; taken is declared only, where no address is taken, and direct calls. Of arguments'
; memory a function knows more than its callers.
; RUN: split-file %s %t
; RUN: %opt-heddle -passes=heddle-annotate-indirect-calls -S %t/declared.ll | FileCheck %s --check-prefix=DECLARED
; RUN: %opt-heddle -passes=heddle-annotate-indirect-calls -S %t/none.ll | FileCheck %s --check-prefix=NONE
; RUN: %opt-heddle -passes=heddle-annotate-indirect-calls -S %t/arguments.ll | FileCheck %s --check-prefix=ARGUMENTS

;--- declared.ll
; DECLARED: call i32 %f(i32 %x) [[ANYTHING:#[0-9]+]]
; DECLARED: attributes [[ANYTHING]] = { memory(readwrite) }
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
@table = internal constant [2 x ptr] [ptr @elsewhere, ptr @computes]
declare i32 @elsewhere(i32)
define internal i32 @computes(i32 %x) memory(none) willreturn nounwind {
  ret i32 %x
}

;--- none.ll
; NONE: call i32 %f(i32 %x){{$}}
; NONE-NEXT: call i32 @computes(i32 %r){{$}}
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  %s = call i32 @computes(i32 %r)
  ret i32 %s
}
define internal i32 @computes(i32 %x) memory(none) willreturn nounwind {
  ret i32 %x
}

;--- arguments.ll
; ARGUMENTS: call void %f(ptr %p) [[COMMON:#[0-9]+]]
; ARGUMENTS-NEXT: call void @writes(ptr %p){{$}}
; ARGUMENTS: attributes [[COMMON]] = { nounwind willreturn memory(readwrite) }
@table = internal constant [1 x ptr] [ptr @writes]
define void @calls(ptr %f, ptr %p) {
  call void %f(ptr %p)
  call void @writes(ptr %p)
  ret void
}
define internal void @writes(ptr %p) memory(argmem: write) willreturn nounwind {
  store i32 1, ptr %p
  ret void
}
