; Protects that one function is enough to take back what the others have in common,
; among many, and that what a call says itself is kept.
; RUN: %python %S/../../Inputs/expand.py %s MANY=200 > %t.ll
; RUN: %opt-heddle -passes=heddle-annotate-indirect-calls -S %t.ll | FileCheck %s

; CHECK-LABEL: define i32 @calls(
; CHECK-NEXT: call i32 %f(i32 %x) [[COMMON:#[0-9]+]]
; CHECK-NEXT: call i32 %f(i32 %r) [[OWN:#[0-9]+]]
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  %s = call i32 %f(i32 %r) convergent memory(none) willreturn
  ret i32 %s
}

@table = internal constant [{MANY+1} x ptr] [ptr @last
;; repeat MANY
  , ptr @f{n}
;; end
]
;; repeat MANY
define internal i32 @f{n}(i32 %x) memory(none) willreturn nounwind {
  ret i32 {n}
}
;; end
define internal i32 @last(i32 %x) memory(write, argmem: none) nounwind {
  ret i32 %x
}

; CHECK-DAG: attributes [[COMMON]] = { nounwind memory(write, argmem: none) }
; CHECK-DAG: attributes [[OWN]] = { convergent nounwind willreturn memory(none) }
