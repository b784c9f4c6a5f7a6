; Protects two limits. Sixty-three branches that test one value are asked whether
; they decide a comparison with it, of the next ones nothing is known of the
; first. In a function of 128 blocks what the last one alone uses is sunk there,
; in one of 129 it stays, and the last block is whole again.
; RUN: %python %S/../../Inputs/expand.py %s TESTS=61 BLOCKS=125 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-combine-instructions -S %t.most.ll | FileCheck %s --check-prefixes=ALL,MOST
; RUN: %python %S/../../Inputs/expand.py %s TESTS=62 BLOCKS=126 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-combine-instructions -S %t.over.ll | FileCheck %s --check-prefixes=ALL,OVER

; ALL-LABEL: define i32 @tested(
; MOST: {{^}}b61:
; MOST-NEXT: br i1 true, label %in, label %out
; OVER: {{^}}b62:
; OVER-NEXT: %last = icmp ult i32 %x, 100
; OVER-NEXT: br i1 %last, label %in, label %out
define i32 @tested(i32 %x, ptr %p) {
  %c0 = icmp ult i32 %x, 8
  br i1 %c0, label %b0, label %out
;; repeat TESTS
b{n}:
  %v{n} = load volatile i32, ptr %p
  %c{n+1} = icmp eq i32 %x, %v{n}
  br i1 %c{n+1}, label %out, label %b{n+1}
;; end
b{TESTS}:
  %last = icmp ult i32 %x, 100
  br i1 %last, label %in, label %out
in:
  ret i32 1
out:
  ret i32 0
}

; ALL-LABEL: define i32 @sunk(
; OVER-NEXT: %part = mul i32 %x, 3
; MOST-NEXT: br label %b0
; MOST: {{^}}b125:
; OVER: {{^}}b126:
; MOST-NEXT: %part = mul i32 %x, 3
; ALL-NEXT: store volatile i32 %part, ptr %p
; ALL-NEXT: ret i32 %x
define i32 @sunk(i32 %x, ptr %p) {
  %part = mul i32 %x, 3
  br label %b0
;; repeat BLOCKS
b{n}:
  %c{n} = load volatile i1, ptr %p
  br i1 %c{n}, label %b{n+1}, label %other
;; end
b{BLOCKS}:
  store volatile i32 %part, ptr %p
  %same = add i32 %x, 0
  ret i32 %same
other:
  ret i32 0
}
