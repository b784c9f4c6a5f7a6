; Protects that instructions are combined as LLVM's InstCombine does, also in a
; function with more branches that test one value than are asked at a time: of the
; copies of that value nothing is left.
; RUN: %python %S/../../Inputs/expand.py %s TESTS=200 > %t.ll
; RUN: %opt-heddle -passes=heddle-combine-instructions -S %t.ll | FileCheck %s --implicit-check-not='call i32 @llvm.expect'

; CHECK-LABEL: define i32 @short(
; CHECK-NEXT: [[R:%.*]] = mul i32 %x, 24
; CHECK-NEXT: ret i32 [[R]]
define i32 @short(i32 %x) {
  %a = shl i32 %x, 3
  %b = mul i32 %a, 3
  %c = add i32 %b, 0
  ret i32 %c
}

; CHECK-LABEL: define i32 @long(
; CHECK: icmp ult i32 %x, 8
; CHECK: {{^}}b150:
; CHECK-NEXT: %v150 = load volatile i32, ptr %p
; CHECK-NEXT: icmp eq i32 %x, %v150
; CHECK: {{^}}b200:
; CHECK-NEXT: [[R:%.*]] = mul {{.*}}i32 %x, 24
; CHECK-NEXT: ret i32 [[R]]
define i32 @long(i32 %x, ptr %p) {
  %c0 = icmp ult i32 %x, 8
  br i1 %c0, label %b0, label %out
;; repeat TESTS
b{n}:
  %v{n} = load volatile i32, ptr %p
  %s{n} = add i32 %x, 0
  %c{n+1} = icmp eq i32 %s{n}, %v{n}
  br i1 %c{n+1}, label %out, label %b{n+1}
;; end
b{TESTS}:
  %a = shl i32 %x, 3
  %b = mul i32 %a, 3
  ret i32 %b
out:
  ret i32 0
}
