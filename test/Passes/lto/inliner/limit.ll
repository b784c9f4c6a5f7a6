; Protects the limit of what comes along: each function is short, and @f3 brings
; 1024 instructions with all that it calls. Of 1051 two calls of @f3 stay, of which
; one copy is made, and a single call is inlined. The attribute that the pass puts on
; such a function for its time is gone.
; RUN: %python %S/../../Inputs/expand.py %s CALLS=2 LENGTH=35 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-inliner -S %t.most.ll | FileCheck %s --check-prefix=INLINED
; RUN: %python %S/../../Inputs/expand.py %s CALLS=2 LENGTH=36 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-inliner -S %t.over.ll | FileCheck %s --check-prefix=OVER
; RUN: %python %S/../../Inputs/expand.py %s CALLS=1 LENGTH=36 > %t.one.ll
; RUN: %opt-heddle -passes=heddle-inliner -S %t.one.ll | FileCheck %s --check-prefix=INLINED

; INLINED-LABEL: define ptx_kernel void @kernel(
; INLINED-NOT: call
; INLINED-NOT: define
; OVER-LABEL: define ptx_kernel void @kernel(
; OVER-NEXT: call void @f3(ptr %p)
; OVER-NEXT: call void @f3(ptr %p)
; OVER-NEXT: ret void
; OVER: define internal void @f3(ptr %p) {
; OVER-NOT: call
; OVER-NOT: define
; OVER-NOT: noinline
define ptx_kernel void @kernel(ptr %p) {
;; repeat CALLS
  call void @f3(ptr %p)
;; end
  ret void
}
define internal void @f3(ptr %p) {
  call void @f2(ptr %p)
  call void @f2(ptr %p)
  call void @f2(ptr %p)
  ret void
}
define internal void @f2(ptr %p) {
  call void @f1(ptr %p)
  call void @f1(ptr %p)
  call void @f1(ptr %p)
  ret void
}
define internal void @f1(ptr %p) {
  call void @f0(ptr %p)
  call void @f0(ptr %p)
  call void @f0(ptr %p)
  ret void
}
define internal void @f0(ptr %p) {
;; repeat LENGTH
  store volatile i32 {n}, ptr %p
;; end
  ret void
}
