; Passes read decisions from attributes of functions. Each function here is the
; same but for one of them.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O2 %s -o - | FileCheck %s

; CHECK-LABEL: plain:
; CHECK-NOT: BRA
; CHECK: @{{!?}}P{{[0-9]}} FADD
; CHECK: EXIT
define ptx_kernel void @plain(ptr addrspace(1) %p, i32 %n, float %a) {
  %x = load float, ptr addrspace(1) %p
  %c = fcmp ogt float %x, %a
  br i1 %c, label %then, label %end
then:
  %s = fadd float %x, %a
  store float %s, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: branches:
; CHECK: BRA
; CHECK: EXIT
define ptx_kernel void @branches(ptr addrspace(1) %p, i32 %n, float %a) "heddle-tune-guarded-limit"="0" {
  %x = load float, ptr addrspace(1) %p
  %c = fcmp ogt float %x, %a
  br i1 %c, label %then, label %end
then:
  %s = fadd float %x, %a
  store float %s, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
