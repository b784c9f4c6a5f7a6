; An element of words that were cast to bytes or halves does not go through
; memory.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - \
; RUN:   | FileCheck %s --implicit-check-not=STL --implicit-check-not=LDL
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null

; CHECK-LABEL: {{^}}v4i32_v8i16:
; CHECK: PRMT [[R:R[0-9]+]], R6,
; CHECK: STG.U16 {{.*}}, [[R]]
define void @v4i32_v8i16(<4 x i32> %v, ptr addrspace(1) %to) {
  %cast = bitcast <4 x i32> %v to <8 x i16>
  %e = extractelement <8 x i16> %cast, i64 5
  store i16 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}v2i32_v4i16:
; CHECK: PRMT [[R:R[0-9]+]], R5,
; CHECK: STG.U16 {{.*}}, [[R]]
define void @v2i32_v4i16(<2 x i32> %v, ptr addrspace(1) %to) {
  %cast = bitcast <2 x i32> %v to <4 x i16>
  %e = extractelement <4 x i16> %cast, i64 3
  store i16 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}v4f32_v8f16:
; CHECK: PRMT [[R:R[0-9]+]], R6,
; CHECK: STG.U16 {{.*}}, [[R]]
define void @v4f32_v8f16(<4 x float> %v, ptr addrspace(1) %to) {
  %cast = bitcast <4 x float> %v to <8 x half>
  %e = extractelement <8 x half> %cast, i64 5
  store half %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}v4i32_v16i8:
; CHECK: SHR.U32 [[R:R[0-9]+]], R5, 8
; CHECK: STG.U8 {{.*}}, [[R]]
define void @v4i32_v16i8(<4 x i32> %v, ptr addrspace(1) %to) {
  %cast = bitcast <4 x i32> %v to <16 x i8>
  %e = extractelement <16 x i8> %cast, i64 5
  store i8 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}i32_v4i8:
; CHECK: SHR.U32 [[R:R[0-9]+]], R4, 16
; CHECK: STG.U8 {{.*}}, [[R]]
define void @i32_v4i8(i32 %v, ptr addrspace(1) %to) {
  %cast = bitcast i32 %v to <4 x i8>
  %e = extractelement <4 x i8> %cast, i64 2
  store i8 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}i64_v4i16:
; CHECK: STG.U16 {{.*}}, R5
define void @i64_v4i16(i64 %v, ptr addrspace(1) %to) {
  %cast = bitcast i64 %v to <4 x i16>
  %e = extractelement <4 x i16> %cast, i64 2
  store i16 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}i64_v8i8:
; CHECK: SHR.U32 [[R:R[0-9]+]], R5, 24
; CHECK: STG.U8 {{.*}}, [[R]]
define void @i64_v8i8(i64 %v, ptr addrspace(1) %to) {
  %cast = bitcast i64 %v to <8 x i8>
  %e = extractelement <8 x i8> %cast, i64 7
  store i8 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}f64_v4i16:
; CHECK: STG.U16 {{.*}}, R5
define void @f64_v4i16(double %v, ptr addrspace(1) %to) {
  %cast = bitcast double %v to <4 x i16>
  %e = extractelement <4 x i16> %cast, i64 2
  store i16 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}v2i64_v8i16:
; CHECK: STG.U16 {{.*}}, R6
define void @v2i64_v8i16(<2 x i64> %v, ptr addrspace(1) %to) {
  %cast = bitcast <2 x i64> %v to <8 x i16>
  %e = extractelement <8 x i16> %cast, i64 4
  store i16 %e, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: {{^}}i128_v8i16:
; CHECK: STG.U16 {{.*}}, R7
define void @i128_v8i16(i128 %v, ptr addrspace(1) %to) {
  %cast = bitcast i128 %v to <8 x i16>
  %e = extractelement <8 x i16> %cast, i64 6
  store i16 %e, ptr addrspace(1) %to
  ret void
}
