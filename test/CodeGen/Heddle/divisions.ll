; A division that nothing has made a call of becomes a loop over bits.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

; CHECK: turns:
; CHECK: udiv-preheader
; CHECK: RET
define i32 @turns(i32 %a, i32 %b) {
  %turns = udiv i32 %a, %b
  ret i32 %turns
}
