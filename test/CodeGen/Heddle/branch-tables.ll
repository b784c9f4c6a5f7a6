; Switches with many cases go through a table of branches behind an indirect one.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=O0

; The threads meet behind the switch; the table's address is a constant of the
; warp.
; CHECK-LABEL: {{^}}eight:
; CHECK: UMOV64W [[TABLE:UR[0-9]+]], .LJTI0_0
; CHECK: BSSY B0
; CHECK: BRX R{{[0-9]+}}
; CHECK-NEXT: .LJTI0_0:
; CHECK-NEXT: BRA .LBB0_
; CHECK-COUNT-7: BRA .LBB0_
; CHECK: BSYNC B0
; O0-LABEL: {{^}}eight:
; O0: BRX R{{[0-9]+}}
; O0-NEXT: .LJTI0_0:
; O0-NEXT: BRA .LBB0_
define ptx_kernel void @eight(ptr addrspace(1) %p) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = and i32 %x, 7
  switch i32 %i, label %none [i32 0, label %c0
    i32 1, label %c1
    i32 2, label %c2
    i32 3, label %c3
    i32 4, label %c4
    i32 5, label %c5
    i32 6, label %c6
    i32 7, label %c7]
none:
  unreachable
c0:
  call void @llvm.nvvm.nanosleep(i32 10)
  br label %end
c1:
  call void @llvm.nvvm.nanosleep(i32 11)
  br label %end
c2:
  call void @llvm.nvvm.nanosleep(i32 12)
  br label %end
c3:
  call void @llvm.nvvm.nanosleep(i32 13)
  br label %end
c4:
  call void @llvm.nvvm.nanosleep(i32 14)
  br label %end
c5:
  call void @llvm.nvvm.nanosleep(i32 15)
  br label %end
c6:
  call void @llvm.nvvm.nanosleep(i32 16)
  br label %end
c7:
  call void @llvm.nvvm.nanosleep(i32 17)
  br label %end
end:
  store i32 %x, ptr addrspace(1) %p
  ret void
}

; A few cases are a tree of comparisons.
; CHECK-LABEL: {{^}}few:
; CHECK-NOT: BRX
define ptx_kernel void @few(i32 %x) {
  switch i32 %x, label %end [i32 0, label %c0
    i32 1, label %c1
    i32 2, label %c2]
c0:
  call void @llvm.nvvm.nanosleep(i32 10)
  br label %end
c1:
  call void @llvm.nvvm.nanosleep(i32 11)
  br label %end
c2:
  call void @llvm.nvvm.nanosleep(i32 12)
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.nanosleep(i32)
