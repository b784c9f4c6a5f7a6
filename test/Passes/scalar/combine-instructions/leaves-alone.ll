; Protects what the program itself says of a value that very many branches test:
; the copies that the pass makes are calls of llvm.expect, too. Volatile accesses
; and what one cannot undo stay as well.
; RUN: %python %S/../../Inputs/expand.py %s TESTS=100 > %t.ll
; RUN: %opt-heddle -passes=heddle-combine-instructions -S %t.ll | FileCheck %s

; CHECK-LABEL: define i32 @expected(
; CHECK-NOT: @llvm.expect
; CHECK: %e = call i32 @llvm.expect.i32(i32 %x, i32 0)
; CHECK-NEXT: ret i32 %e
; CHECK-NOT: @llvm.expect
define i32 @expected(i32 %x, ptr %p) {
  %e = call i32 @llvm.expect.i32(i32 %x, i32 0)
  br label %b0
;; repeat TESTS
b{n}:
  %v{n} = load volatile i32, ptr %p
  %c{n} = icmp eq i32 %x, %v{n}
  br i1 %c{n}, label %out, label %b{n+1}
;; end
b{TESTS}:
  ret i32 %e
out:
  ret i32 0
}

; CHECK-LABEL: define float @not_equal(
; CHECK-NEXT: load volatile float, ptr %p
; CHECK-NEXT: store volatile float %v, ptr %p
; CHECK-NEXT: fadd float %v, 0.000000e+00
; CHECK-NEXT: fdiv float %s, 3.000000e+00
define float @not_equal(ptr %p) {
  %v = load volatile float, ptr %p
  store volatile float %v, ptr %p
  %s = fadd float %v, 0.0
  %q = fdiv float %s, 3.0
  ret float %q
}
