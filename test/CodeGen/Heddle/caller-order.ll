; A function that its callers come after need not keep registers for them, and
; they keep values where it does not write. One that calls itself, or whose
; callers nobody knows, keeps what every function keeps.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
target triple = "heddle-unknown-unknown"

; CHECK-LABEL: {{^}}again:
; CHECK: STL [R1 + {{[0-9]+}}], R16
; CHECK: CALL R2, again
; CHECK: RET R2
; CHECK-LABEL: {{^}}wide:
; CHECK-NOT: {{STL |LDL }}
; CHECK: RET R2
; CHECK-LABEL: {{^}}kernel:
; CHECK-NOT: {{STL |LDL }}
; CHECK: CALL R2, wide
; CHECK-NOT: {{STL |LDL }}
; CHECK: EXIT
define ptx_kernel void @kernel() {
  %a = load volatile i32, ptr addrspace(3) inttoptr (i32 16 to ptr addrspace(3))
  call void @wide()
  store volatile i32 %a, ptr addrspace(3) inttoptr (i32 20 to ptr addrspace(3))
  %b = call i32 @again(i32 %a)
  store volatile i32 %b, ptr addrspace(3) inttoptr (i32 20 to ptr addrspace(3))
  call void @known_elsewhere()
  ret void
}

define internal void @wide() noinline norecurse "heddle-maxnreg"="32" {
  %v0 = load volatile i32, ptr addrspace(3) inttoptr (i32 64 to ptr addrspace(3))
  %v1 = load volatile i32, ptr addrspace(3) inttoptr (i32 68 to ptr addrspace(3))
  %v2 = load volatile i32, ptr addrspace(3) inttoptr (i32 72 to ptr addrspace(3))
  %v3 = load volatile i32, ptr addrspace(3) inttoptr (i32 76 to ptr addrspace(3))
  %v4 = load volatile i32, ptr addrspace(3) inttoptr (i32 80 to ptr addrspace(3))
  %v5 = load volatile i32, ptr addrspace(3) inttoptr (i32 84 to ptr addrspace(3))
  %v6 = load volatile i32, ptr addrspace(3) inttoptr (i32 88 to ptr addrspace(3))
  %v7 = load volatile i32, ptr addrspace(3) inttoptr (i32 92 to ptr addrspace(3))
  %v8 = load volatile i32, ptr addrspace(3) inttoptr (i32 96 to ptr addrspace(3))
  %v9 = load volatile i32, ptr addrspace(3) inttoptr (i32 100 to ptr addrspace(3))
  %v10 = load volatile i32, ptr addrspace(3) inttoptr (i32 104 to ptr addrspace(3))
  %v11 = load volatile i32, ptr addrspace(3) inttoptr (i32 108 to ptr addrspace(3))
  %v12 = load volatile i32, ptr addrspace(3) inttoptr (i32 112 to ptr addrspace(3))
  %v13 = load volatile i32, ptr addrspace(3) inttoptr (i32 116 to ptr addrspace(3))
  %v14 = load volatile i32, ptr addrspace(3) inttoptr (i32 120 to ptr addrspace(3))
  %v15 = load volatile i32, ptr addrspace(3) inttoptr (i32 124 to ptr addrspace(3))
  %v16 = load volatile i32, ptr addrspace(3) inttoptr (i32 128 to ptr addrspace(3))
  %v17 = load volatile i32, ptr addrspace(3) inttoptr (i32 132 to ptr addrspace(3))
  %v18 = load volatile i32, ptr addrspace(3) inttoptr (i32 136 to ptr addrspace(3))
  %v19 = load volatile i32, ptr addrspace(3) inttoptr (i32 140 to ptr addrspace(3))
  %v20 = load volatile i32, ptr addrspace(3) inttoptr (i32 144 to ptr addrspace(3))
  %v21 = load volatile i32, ptr addrspace(3) inttoptr (i32 148 to ptr addrspace(3))
  %v22 = load volatile i32, ptr addrspace(3) inttoptr (i32 152 to ptr addrspace(3))
  %v23 = load volatile i32, ptr addrspace(3) inttoptr (i32 156 to ptr addrspace(3))
  store volatile i32 %v0, ptr addrspace(3) inttoptr (i32 64 to ptr addrspace(3))
  store volatile i32 %v1, ptr addrspace(3) inttoptr (i32 68 to ptr addrspace(3))
  store volatile i32 %v2, ptr addrspace(3) inttoptr (i32 72 to ptr addrspace(3))
  store volatile i32 %v3, ptr addrspace(3) inttoptr (i32 76 to ptr addrspace(3))
  store volatile i32 %v4, ptr addrspace(3) inttoptr (i32 80 to ptr addrspace(3))
  store volatile i32 %v5, ptr addrspace(3) inttoptr (i32 84 to ptr addrspace(3))
  store volatile i32 %v6, ptr addrspace(3) inttoptr (i32 88 to ptr addrspace(3))
  store volatile i32 %v7, ptr addrspace(3) inttoptr (i32 92 to ptr addrspace(3))
  store volatile i32 %v8, ptr addrspace(3) inttoptr (i32 96 to ptr addrspace(3))
  store volatile i32 %v9, ptr addrspace(3) inttoptr (i32 100 to ptr addrspace(3))
  store volatile i32 %v10, ptr addrspace(3) inttoptr (i32 104 to ptr addrspace(3))
  store volatile i32 %v11, ptr addrspace(3) inttoptr (i32 108 to ptr addrspace(3))
  store volatile i32 %v12, ptr addrspace(3) inttoptr (i32 112 to ptr addrspace(3))
  store volatile i32 %v13, ptr addrspace(3) inttoptr (i32 116 to ptr addrspace(3))
  store volatile i32 %v14, ptr addrspace(3) inttoptr (i32 120 to ptr addrspace(3))
  store volatile i32 %v15, ptr addrspace(3) inttoptr (i32 124 to ptr addrspace(3))
  store volatile i32 %v16, ptr addrspace(3) inttoptr (i32 128 to ptr addrspace(3))
  store volatile i32 %v17, ptr addrspace(3) inttoptr (i32 132 to ptr addrspace(3))
  store volatile i32 %v18, ptr addrspace(3) inttoptr (i32 136 to ptr addrspace(3))
  store volatile i32 %v19, ptr addrspace(3) inttoptr (i32 140 to ptr addrspace(3))
  store volatile i32 %v20, ptr addrspace(3) inttoptr (i32 144 to ptr addrspace(3))
  store volatile i32 %v21, ptr addrspace(3) inttoptr (i32 148 to ptr addrspace(3))
  store volatile i32 %v22, ptr addrspace(3) inttoptr (i32 152 to ptr addrspace(3))
  store volatile i32 %v23, ptr addrspace(3) inttoptr (i32 156 to ptr addrspace(3))
  ret void
}

; CHECK-LABEL: {{^}}known_elsewhere:
; CHECK: STL [R1 + {{[0-9]+}}], R16
; CHECK: RET R2
define void @known_elsewhere() noinline norecurse "heddle-maxnreg"="32" {
  %v0 = load volatile i32, ptr addrspace(3) inttoptr (i32 64 to ptr addrspace(3))
  %v1 = load volatile i32, ptr addrspace(3) inttoptr (i32 68 to ptr addrspace(3))
  %v2 = load volatile i32, ptr addrspace(3) inttoptr (i32 72 to ptr addrspace(3))
  %v3 = load volatile i32, ptr addrspace(3) inttoptr (i32 76 to ptr addrspace(3))
  %v4 = load volatile i32, ptr addrspace(3) inttoptr (i32 80 to ptr addrspace(3))
  %v5 = load volatile i32, ptr addrspace(3) inttoptr (i32 84 to ptr addrspace(3))
  %v6 = load volatile i32, ptr addrspace(3) inttoptr (i32 88 to ptr addrspace(3))
  %v7 = load volatile i32, ptr addrspace(3) inttoptr (i32 92 to ptr addrspace(3))
  %v8 = load volatile i32, ptr addrspace(3) inttoptr (i32 96 to ptr addrspace(3))
  %v9 = load volatile i32, ptr addrspace(3) inttoptr (i32 100 to ptr addrspace(3))
  %v10 = load volatile i32, ptr addrspace(3) inttoptr (i32 104 to ptr addrspace(3))
  %v11 = load volatile i32, ptr addrspace(3) inttoptr (i32 108 to ptr addrspace(3))
  %v12 = load volatile i32, ptr addrspace(3) inttoptr (i32 112 to ptr addrspace(3))
  %v13 = load volatile i32, ptr addrspace(3) inttoptr (i32 116 to ptr addrspace(3))
  %v14 = load volatile i32, ptr addrspace(3) inttoptr (i32 120 to ptr addrspace(3))
  %v15 = load volatile i32, ptr addrspace(3) inttoptr (i32 124 to ptr addrspace(3))
  %v16 = load volatile i32, ptr addrspace(3) inttoptr (i32 128 to ptr addrspace(3))
  %v17 = load volatile i32, ptr addrspace(3) inttoptr (i32 132 to ptr addrspace(3))
  %v18 = load volatile i32, ptr addrspace(3) inttoptr (i32 136 to ptr addrspace(3))
  %v19 = load volatile i32, ptr addrspace(3) inttoptr (i32 140 to ptr addrspace(3))
  %v20 = load volatile i32, ptr addrspace(3) inttoptr (i32 144 to ptr addrspace(3))
  %v21 = load volatile i32, ptr addrspace(3) inttoptr (i32 148 to ptr addrspace(3))
  %v22 = load volatile i32, ptr addrspace(3) inttoptr (i32 152 to ptr addrspace(3))
  %v23 = load volatile i32, ptr addrspace(3) inttoptr (i32 156 to ptr addrspace(3))
  store volatile i32 %v0, ptr addrspace(3) inttoptr (i32 64 to ptr addrspace(3))
  store volatile i32 %v1, ptr addrspace(3) inttoptr (i32 68 to ptr addrspace(3))
  store volatile i32 %v2, ptr addrspace(3) inttoptr (i32 72 to ptr addrspace(3))
  store volatile i32 %v3, ptr addrspace(3) inttoptr (i32 76 to ptr addrspace(3))
  store volatile i32 %v4, ptr addrspace(3) inttoptr (i32 80 to ptr addrspace(3))
  store volatile i32 %v5, ptr addrspace(3) inttoptr (i32 84 to ptr addrspace(3))
  store volatile i32 %v6, ptr addrspace(3) inttoptr (i32 88 to ptr addrspace(3))
  store volatile i32 %v7, ptr addrspace(3) inttoptr (i32 92 to ptr addrspace(3))
  store volatile i32 %v8, ptr addrspace(3) inttoptr (i32 96 to ptr addrspace(3))
  store volatile i32 %v9, ptr addrspace(3) inttoptr (i32 100 to ptr addrspace(3))
  store volatile i32 %v10, ptr addrspace(3) inttoptr (i32 104 to ptr addrspace(3))
  store volatile i32 %v11, ptr addrspace(3) inttoptr (i32 108 to ptr addrspace(3))
  store volatile i32 %v12, ptr addrspace(3) inttoptr (i32 112 to ptr addrspace(3))
  store volatile i32 %v13, ptr addrspace(3) inttoptr (i32 116 to ptr addrspace(3))
  store volatile i32 %v14, ptr addrspace(3) inttoptr (i32 120 to ptr addrspace(3))
  store volatile i32 %v15, ptr addrspace(3) inttoptr (i32 124 to ptr addrspace(3))
  store volatile i32 %v16, ptr addrspace(3) inttoptr (i32 128 to ptr addrspace(3))
  store volatile i32 %v17, ptr addrspace(3) inttoptr (i32 132 to ptr addrspace(3))
  store volatile i32 %v18, ptr addrspace(3) inttoptr (i32 136 to ptr addrspace(3))
  store volatile i32 %v19, ptr addrspace(3) inttoptr (i32 140 to ptr addrspace(3))
  store volatile i32 %v20, ptr addrspace(3) inttoptr (i32 144 to ptr addrspace(3))
  store volatile i32 %v21, ptr addrspace(3) inttoptr (i32 148 to ptr addrspace(3))
  store volatile i32 %v22, ptr addrspace(3) inttoptr (i32 152 to ptr addrspace(3))
  store volatile i32 %v23, ptr addrspace(3) inttoptr (i32 156 to ptr addrspace(3))
  ret void
}

define internal i32 @again(i32 %n) noinline {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %end, label %more
more:
  %m = sub i32 %n, 1
  %f = call i32 @again(i32 %m)
  %r = mul i32 %f, %n
  ret i32 %r
end:
  ret i32 1
}
