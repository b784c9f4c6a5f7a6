; Protects functions that must stay as they are: those that the program does not want
; inlined, which keep that attribute, recursive ones, declarations, and large ones.
; RUN: %python %S/../../Inputs/expand.py %s LENGTH=200 > %t.ll
; RUN: %opt-heddle -passes=heddle-inliner -S %t.ll | FileCheck %s

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: call void @unwanted(ptr %p)
; CHECK-NEXT: call void @elsewhere(ptr %p)
; CHECK-NEXT: call void @large(ptr %p)
; CHECK-NEXT: call void @large(ptr %p)
; CHECK-NEXT: call void @recursive(ptr %p, i32 5)
define ptx_kernel void @kernel(ptr %p) {
  call void @unwanted(ptr %p)
  call void @elsewhere(ptr %p)
  call void @large(ptr %p)
  call void @large(ptr %p)
  call void @recursive(ptr %p, i32 5)
  ret void
}

; CHECK: define internal void @unwanted(ptr %p) [[NOINLINE:#[0-9]+]]
define internal void @unwanted(ptr %p) noinline {
  store volatile i32 1, ptr %p
  ret void
}

declare void @elsewhere(ptr)

; CHECK: define internal void @large(ptr %p) {
define internal void @large(ptr %p) {
;; repeat LENGTH
  store volatile i32 {n}, ptr %p
;; end
  ret void
}

; CHECK: define internal void @recursive(ptr %p, i32 %n) [[NOINLINE]]
define internal void @recursive(ptr %p, i32 %n) noinline {
  store volatile i32 1, ptr %p
  %c = icmp eq i32 %n, 0
  br i1 %c, label %done, label %again
again:
  %m = sub i32 %n, 1
  call void @recursive(ptr %p, i32 %m)
  br label %done
done:
  ret void
}

; CHECK: attributes [[NOINLINE]] = { noinline }
