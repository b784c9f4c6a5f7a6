; Where registers are few, a value that is the same for the warp and lives in
; several blocks stays on the uniform path, parts of which are read as well, and
; is moved to the threads in front of its users.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -heddle-register-pressure-level=1 -verify-machineinstrs %s -o - \
; RUN:   | FileCheck %s

; Where they are not, the threads compute it.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown %s -o - \
; RUN:   | FileCheck --check-prefix=MANY %s

; CHECK-LABEL: scaled:
; CHECK: UIMADW.U32
; CHECK: USHL64
; CHECK: BSYNC
; CHECK: MOV64 {{R[0-9]+}}, UR
; MANY-LABEL: scaled:
; MANY-NOT: UIMADW
; MANY: SHL64
define ptx_kernel void @scaled() {
  %n = load i32, ptr addrspace(101) null, !invariant.load !0
  %m = load i32, ptr addrspace(101) inttoptr (i32 4 to ptr addrspace(101)), !invariant.load !0
  %x = load volatile i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %cold = icmp eq i32 %x, 0
  br i1 %cold, label %end, label %next
next:
  %a = zext i32 %n to i64
  %b = zext i32 %m to i64
  %p = mul i64 %a, %b
  %s = shl i64 %p, 3
  %low = trunc i64 %s to i32
  store volatile i32 %low, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  br label %more
more:
  %y = load volatile i32, ptr addrspace(1) inttoptr (i64 4100 to ptr addrspace(1))
  %again = icmp eq i32 %y, 0
  br i1 %again, label %more, label %last
last:
  %z = add i64 %s, 5
  store volatile i64 %z, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  br label %end
end:
  ret void
}

!0 = !{}
