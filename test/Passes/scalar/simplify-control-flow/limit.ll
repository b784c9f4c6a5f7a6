; Protects where threads of a warp may part: between the branches nothing is read
; that others write. A load of what stays the same is copied, one of other memory
; is not.
; RUN: sed 's/, !what/, !invariant.load !{}/' %s > %t.ll
; RUN: ptx-opt --passes=heddle-simplify-control-flow %t.ll | FileCheck %s --check-prefix=SAME
; RUN: sed 's/, !what//' %s > %t.ll
; RUN: ptx-opt --passes=heddle-simplify-control-flow %t.ll | FileCheck %s --check-prefix=OTHER

; SAME-COUNT-2: load i32, ptr addrspace(1) %in
; OTHER-COUNT-1: load i32, ptr addrspace(1) %in
; OTHER-NOT: load i32, ptr addrspace(1) %in
define void @read(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %first, label %look

first:
  store volatile i32 %t, ptr addrspace(1) %out
  br label %look

look:
  %v = load i32, ptr addrspace(1) %in, !what
  br i1 %low, label %write, label %other

write:
  store volatile i32 %v, ptr addrspace(1) %out
  br label %done

other:
  store volatile i32 3, ptr addrspace(1) %out
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
