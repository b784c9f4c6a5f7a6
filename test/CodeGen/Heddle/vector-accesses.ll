; An aligned access of up to 16 bytes is one instruction, of all types, volatile
; or not, at every level; see docs/memory-model.md.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

; CHECK-LABEL: {{^}}v2i8:
; CHECK: LDG.U16 R
; CHECK-NOT: LD
; CHECK: STG.U16 [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i8(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <2 x i8>, ptr addrspace(1) %p, align 2
  store <2 x i8> %v, ptr addrspace(1) %q, align 2
  ret void
}

; CHECK-LABEL: {{^}}v2i8_volatile:
; CHECK: LDG.U16.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG.U16.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i8_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <2 x i8>, ptr addrspace(1) %p, align 2
  store volatile <2 x i8> %v, ptr addrspace(1) %q, align 2
  ret void
}

; CHECK-LABEL: {{^}}v4i8:
; CHECK: LDG R
; CHECK-NOT: LD
; CHECK: STG [
; CHECK-NOT: ST
; CHECK: RET
define void @v4i8(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  store <4 x i8> %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: {{^}}v4i8_volatile:
; CHECK: LDG.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v4i8_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <4 x i8>, ptr addrspace(1) %p, align 4
  store volatile <4 x i8> %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: {{^}}v8i8:
; CHECK: LDG64 R
; CHECK-NOT: LD
; CHECK: STG64 [
; CHECK-NOT: ST
; CHECK: RET
define void @v8i8(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <8 x i8>, ptr addrspace(1) %p, align 8
  store <8 x i8> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v8i8_volatile:
; CHECK: LDG64.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG64.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v8i8_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <8 x i8>, ptr addrspace(1) %p, align 8
  store volatile <8 x i8> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v16i8:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: STG128 [
; CHECK-NOT: ST
; CHECK: RET
define void @v16i8(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <16 x i8>, ptr addrspace(1) %p, align 16
  store <16 x i8> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v16i8_volatile:
; CHECK: LDG128.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG128.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v16i8_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <16 x i8>, ptr addrspace(1) %p, align 16
  store volatile <16 x i8> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v2i16:
; CHECK: LDG R
; CHECK-NOT: LD
; CHECK: STG [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i16(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <2 x i16>, ptr addrspace(1) %p, align 4
  store <2 x i16> %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: {{^}}v2i16_volatile:
; CHECK: LDG.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i16_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <2 x i16>, ptr addrspace(1) %p, align 4
  store volatile <2 x i16> %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: {{^}}v4i16:
; CHECK: LDG64 R
; CHECK-NOT: LD
; CHECK: STG64 [
; CHECK-NOT: ST
; CHECK: RET
define void @v4i16(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <4 x i16>, ptr addrspace(1) %p, align 8
  store <4 x i16> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v4i16_volatile:
; CHECK: LDG64.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG64.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v4i16_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <4 x i16>, ptr addrspace(1) %p, align 8
  store volatile <4 x i16> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v8i16:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: STG128 [
; CHECK-NOT: ST
; CHECK: RET
define void @v8i16(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <8 x i16>, ptr addrspace(1) %p, align 16
  store <8 x i16> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v8i16_volatile:
; CHECK: LDG128.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG128.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v8i16_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <8 x i16>, ptr addrspace(1) %p, align 16
  store volatile <8 x i16> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v2f16:
; CHECK: LDG R
; CHECK-NOT: LD
; CHECK: STG [
; CHECK-NOT: ST
; CHECK: RET
define void @v2f16(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <2 x half>, ptr addrspace(1) %p, align 4
  store <2 x half> %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: {{^}}v2f16_volatile:
; CHECK: LDG.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v2f16_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <2 x half>, ptr addrspace(1) %p, align 4
  store volatile <2 x half> %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: {{^}}v4f16:
; CHECK: LDG64 R
; CHECK-NOT: LD
; CHECK: STG64 [
; CHECK-NOT: ST
; CHECK: RET
define void @v4f16(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <4 x half>, ptr addrspace(1) %p, align 8
  store <4 x half> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v4f16_volatile:
; CHECK: LDG64.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG64.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v4f16_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <4 x half>, ptr addrspace(1) %p, align 8
  store volatile <4 x half> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v8f16:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: STG128 [
; CHECK-NOT: ST
; CHECK: RET
define void @v8f16(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <8 x half>, ptr addrspace(1) %p, align 16
  store <8 x half> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v8f16_volatile:
; CHECK: LDG128.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG128.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v8f16_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <8 x half>, ptr addrspace(1) %p, align 16
  store volatile <8 x half> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v4bf16:
; CHECK: LDG64 R
; CHECK-NOT: LD
; CHECK: STG64 [
; CHECK-NOT: ST
; CHECK: RET
define void @v4bf16(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <4 x bfloat>, ptr addrspace(1) %p, align 8
  store <4 x bfloat> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v4bf16_volatile:
; CHECK: LDG64.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG64.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v4bf16_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <4 x bfloat>, ptr addrspace(1) %p, align 8
  store volatile <4 x bfloat> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v2i32:
; CHECK: LDG64 R
; CHECK-NOT: LD
; CHECK: STG64 [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i32(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <2 x i32>, ptr addrspace(1) %p, align 8
  store <2 x i32> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v2i32_volatile:
; CHECK: LDG64.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG64.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i32_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <2 x i32>, ptr addrspace(1) %p, align 8
  store volatile <2 x i32> %v, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-LABEL: {{^}}v4i32:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: STG128 [
; CHECK-NOT: ST
; CHECK: RET
define void @v4i32(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16
  store <4 x i32> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v4i32_volatile:
; CHECK: LDG128.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG128.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v4i32_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <4 x i32>, ptr addrspace(1) %p, align 16
  store volatile <4 x i32> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v4f32:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: STG128 [
; CHECK-NOT: ST
; CHECK: RET
define void @v4f32(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  store <4 x float> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v4f32_volatile:
; CHECK: LDG128.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG128.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v4f32_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <4 x float>, ptr addrspace(1) %p, align 16
  store volatile <4 x float> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v2i64:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: STG128 [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i64(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <2 x i64>, ptr addrspace(1) %p, align 16
  store <2 x i64> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v2i64_volatile:
; CHECK: LDG128.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG128.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v2i64_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <2 x i64>, ptr addrspace(1) %p, align 16
  store volatile <2 x i64> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v2f64:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: STG128 [
; CHECK-NOT: ST
; CHECK: RET
define void @v2f64(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load <2 x double>, ptr addrspace(1) %p, align 16
  store <2 x double> %v, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: {{^}}v2f64_volatile:
; CHECK: LDG128.RELAXED.SYS R
; CHECK-NOT: LD
; CHECK: STG128.RELAXED.SYS [
; CHECK-NOT: ST
; CHECK: RET
define void @v2f64_volatile(ptr addrspace(1) %p) {
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v = load volatile <2 x double>, ptr addrspace(1) %p, align 16
  store volatile <2 x double> %v, ptr addrspace(1) %q, align 16
  ret void
}

; Some of the elements: what is not needed may be left out, but the rest comes
; from one access.
; CHECK-LABEL: {{^}}two_of_four:
; CHECK: LDG128 R
; CHECK-NOT: LD
; CHECK: RET
define i32 @two_of_four(ptr addrspace(1) %p) {
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16
  %a = extractelement <4 x i32> %v, i32 0
  %d = extractelement <4 x i32> %v, i32 3
  %s = sub i32 %a, %d
  ret i32 %s
}

; CHECK-LABEL: {{^}}two_of_two:
; CHECK: LDG64 R
; CHECK-NOT: LD
; CHECK: RET
define i32 @two_of_two(ptr addrspace(1) %p) {
  %v = load <2 x i32>, ptr addrspace(1) %p, align 8
  %a = extractelement <2 x i32> %v, i32 0
  %d = extractelement <2 x i32> %v, i32 1
  %s = sub i32 %a, %d
  ret i32 %s
}
