; Sums of half precision and two matrices from shared memory have two registers
; each, and what stands beside them stays.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null

; A chain takes its sums where they are: nothing is moved.
; CHECK-LABEL: {{^}}chain:
; CHECK: LDSM64.T8.X2 [[B:R[0-9]+]], [R{{[0-9]+}}]
; CHECK-NOT: MOV
; CHECK: MMA64.M16N8K16.F16.F16.F16 [[D:R[0-9]+]], R{{[0-9]+}}, [[B]], R{{[0-9]+}}
; CHECK-NOT: MOV
; CHECK: MMA64.M16N8K16.F16.F16.F16 R{{[0-9]+}}, R{{[0-9]+}}, [[B]], [[D]]
define i64 @chain(<4 x i32> %a, i64 %c, i32 %p) convergent {
  %b = call i64 @__heddle_ldmatrix_pair(i32 %p, i32 0, i32 1, i32 0)
  %d = call i64 @__heddle_mma_pair(<4 x i32> %a, i64 %b, i64 %c, i32 6, i32 0, i32 0, i32 1, i32 0, i32 0)
  %v = bitcast i64 %d to <2 x i32>
  %x = extractelement <2 x i32> %v, i32 0
  %y = extractelement <2 x i32> %v, i32 1
  %v0 = insertelement <2 x i32> poison, i32 %x, i32 0
  %v1 = insertelement <2 x i32> %v0, i32 %y, i32 1
  %s = bitcast <2 x i32> %v1 to i64
  %e = call i64 @__heddle_mma_pair(<4 x i32> %a, i64 %b, i64 %s, i32 6, i32 0, i32 0, i32 1, i32 0, i32 0)
  ret i64 %e
}

declare i64 @__heddle_ldmatrix_pair(i32, i32, i32, i32) convergent
declare i64 @__heddle_mma_pair(<4 x i32>, i64, i64, i32, i32, i32, i32, i32, i32) convergent memory(none)
