; The number of turns of a loop that does nothing else is a division that loop
; strength reduction makes, after divisions have become calls.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

; CHECK: turns:
; CHECK: udiv-preheader
; CHECK: RET
define i32 @turns(i32 %a, i32 %b) {
  %positive = and i32 %b, 255
  %step = xor i32 %positive, -1
  %limit = and i32 %a, 65535
  %enters = icmp sgt i32 %limit, %positive
  br i1 %enters, label %loop, label %end
loop:
  %rest = phi i32 [ %limit, %0 ], [ %next, %loop ]
  %count = phi i32 [ 0, %0 ], [ %more, %loop ]
  %more = add i32 %count, 1
  %next = add i32 %rest, %step
  %again = icmp sgt i32 %next, %positive
  br i1 %again, label %loop, label %end
end:
  %turns = phi i32 [ 0, %0 ], [ %more, %loop ]
  ret i32 %turns
}
