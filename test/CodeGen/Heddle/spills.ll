; Predicates and wide values that are live over a call: predicates go to
; general registers that the callee keeps, or to local memory.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=OPT
declare void @f()

; CHECK-LABEL: {{^}}predicates:
; CHECK: ISETP.{{LT|GE}}.S32.AND
; CHECK: SEL R{{[0-9]+}}, RZ, 1, !P
; CHECK: CALL R2, f
; CHECK: ISETP.NE.U32.AND P{{[0-9]}}, R{{[0-9]+}}, RZ, PT
; CHECK: RET R2
; OPT-LABEL: {{^}}predicates:
; OPT: CALL R2, f
; OPT: RET R2
define i32 @predicates(i32 %a, i32 %b) {
  %p = icmp slt i32 %a, %b
  %q = icmp eq i32 %a, 7
  call void @f()
  br i1 %p, label %x, label %y
x:
  call void @f()
  %r = select i1 %q, i32 1, i32 2
  ret i32 %r
y:
  ret i32 3
}

; OPT-LABEL: {{^}}limited:
; OPT: STL{{.*}}Folded Spill
; OPT: LDL{{.*}}Folded Reload
; OPT: EXIT
define ptx_kernel void @limited() "heddle-maxnreg"="16" {
  %v0 = load volatile i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %v1 = load volatile i32, ptr addrspace(1) inttoptr (i64 4100 to ptr addrspace(1))
  %v2 = load volatile i32, ptr addrspace(1) inttoptr (i64 4104 to ptr addrspace(1))
  %v3 = load volatile i32, ptr addrspace(1) inttoptr (i64 4108 to ptr addrspace(1))
  %v4 = load volatile i32, ptr addrspace(1) inttoptr (i64 4112 to ptr addrspace(1))
  %v5 = load volatile i32, ptr addrspace(1) inttoptr (i64 4116 to ptr addrspace(1))
  %v6 = load volatile i32, ptr addrspace(1) inttoptr (i64 4120 to ptr addrspace(1))
  %v7 = load volatile i32, ptr addrspace(1) inttoptr (i64 4124 to ptr addrspace(1))
  %v8 = load volatile i32, ptr addrspace(1) inttoptr (i64 4128 to ptr addrspace(1))
  %v9 = load volatile i32, ptr addrspace(1) inttoptr (i64 4132 to ptr addrspace(1))
  %v10 = load volatile i32, ptr addrspace(1) inttoptr (i64 4136 to ptr addrspace(1))
  %v11 = load volatile i32, ptr addrspace(1) inttoptr (i64 4140 to ptr addrspace(1))
  %v12 = load volatile i32, ptr addrspace(1) inttoptr (i64 4144 to ptr addrspace(1))
  %v13 = load volatile i32, ptr addrspace(1) inttoptr (i64 4148 to ptr addrspace(1))
  %v14 = load volatile i32, ptr addrspace(1) inttoptr (i64 4152 to ptr addrspace(1))
  %v15 = load volatile i32, ptr addrspace(1) inttoptr (i64 4156 to ptr addrspace(1))
  %v16 = load volatile i32, ptr addrspace(1) inttoptr (i64 4160 to ptr addrspace(1))
  %v17 = load volatile i32, ptr addrspace(1) inttoptr (i64 4164 to ptr addrspace(1))
  %v18 = load volatile i32, ptr addrspace(1) inttoptr (i64 4168 to ptr addrspace(1))
  %v19 = load volatile i32, ptr addrspace(1) inttoptr (i64 4172 to ptr addrspace(1))
  store volatile i32 %v0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v1, ptr addrspace(1) inttoptr (i64 8196 to ptr addrspace(1))
  store volatile i32 %v2, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  store volatile i32 %v3, ptr addrspace(1) inttoptr (i64 8204 to ptr addrspace(1))
  store volatile i32 %v4, ptr addrspace(1) inttoptr (i64 8208 to ptr addrspace(1))
  store volatile i32 %v5, ptr addrspace(1) inttoptr (i64 8212 to ptr addrspace(1))
  store volatile i32 %v6, ptr addrspace(1) inttoptr (i64 8216 to ptr addrspace(1))
  store volatile i32 %v7, ptr addrspace(1) inttoptr (i64 8220 to ptr addrspace(1))
  store volatile i32 %v8, ptr addrspace(1) inttoptr (i64 8224 to ptr addrspace(1))
  store volatile i32 %v9, ptr addrspace(1) inttoptr (i64 8228 to ptr addrspace(1))
  store volatile i32 %v10, ptr addrspace(1) inttoptr (i64 8232 to ptr addrspace(1))
  store volatile i32 %v11, ptr addrspace(1) inttoptr (i64 8236 to ptr addrspace(1))
  store volatile i32 %v12, ptr addrspace(1) inttoptr (i64 8240 to ptr addrspace(1))
  store volatile i32 %v13, ptr addrspace(1) inttoptr (i64 8244 to ptr addrspace(1))
  store volatile i32 %v14, ptr addrspace(1) inttoptr (i64 8248 to ptr addrspace(1))
  store volatile i32 %v15, ptr addrspace(1) inttoptr (i64 8252 to ptr addrspace(1))
  store volatile i32 %v16, ptr addrspace(1) inttoptr (i64 8256 to ptr addrspace(1))
  store volatile i32 %v17, ptr addrspace(1) inttoptr (i64 8260 to ptr addrspace(1))
  store volatile i32 %v18, ptr addrspace(1) inttoptr (i64 8264 to ptr addrspace(1))
  store volatile i32 %v19, ptr addrspace(1) inttoptr (i64 8268 to ptr addrspace(1))
  ret void
}
