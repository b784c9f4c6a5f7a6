; Accesses to different state spaces do not wait for each other: the loads are
; all on their way before the first store. A generic store could be to any of
; them.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown %s -o - | FileCheck %s

; CHECK-LABEL: {{^}}shared_store:
; CHECK: LDG
; CHECK: LDG
; CHECK: STS
; CHECK: STS
; CHECK: EXIT
define ptx_kernel void @shared_store(ptr addrspace(1) %in, ptr addrspace(3) %out) {
  %a = load i32, ptr addrspace(1) %in
  store i32 %a, ptr addrspace(3) %out
  %next = getelementptr i32, ptr addrspace(1) %in, i32 64
  %b = load i32, ptr addrspace(1) %next
  %place = getelementptr i32, ptr addrspace(3) %out, i32 64
  store i32 %b, ptr addrspace(3) %place
  ret void
}

; CHECK-LABEL: {{^}}generic_store:
; CHECK: LDG
; CHECK: ST [
; CHECK: LDG
; CHECK: ST [
; CHECK: EXIT
define ptx_kernel void @generic_store(ptr addrspace(1) %in, ptr %out) {
  %a = load i32, ptr addrspace(1) %in
  store i32 %a, ptr %out
  %next = getelementptr i32, ptr addrspace(1) %in, i32 64
  %b = load i32, ptr addrspace(1) %next
  %place = getelementptr i32, ptr %out, i32 64
  store i32 %b, ptr %place
  ret void
}
