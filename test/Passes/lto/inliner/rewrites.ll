; Protects that functions are inlined into those that call them, callees of callees
; too, and removed where nobody else calls them.
; RUN: %opt-heddle -passes=heddle-inliner -S %s | FileCheck %s

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: call
; CHECK: store volatile i32 1
; CHECK-NOT: call
; CHECK: store volatile i32 1
; CHECK-NOT: call
; CHECK: ret void
; CHECK-NOT: define
define ptx_kernel void @kernel(ptr %p) {
  call void @outer(ptr %p)
  call void @outer(ptr %p)
  ret void
}

define internal void @outer(ptr %p) {
  call void @inner(ptr %p)
  ret void
}

define internal void @inner(ptr %p) {
  store volatile i32 1, ptr %p
  ret void
}
