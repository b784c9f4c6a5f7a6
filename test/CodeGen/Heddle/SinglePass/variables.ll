; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -O0 -mattr=+single-pass -pass-remarks-missed=heddle-single-pass \
; RUN:   -stop-after=heddle-isel %s -o - 2>&1 | FileCheck %s --implicit-check-not=missed

; Where variables are: in a register as long as it is the value's, in the frame,
; and as constants. Code lies one block behind the other: what differs from the end
; of the block in front in the text is stated where a block begins.

; CHECK-LABEL: name: places
; CHECK:      DBG_VALUE $noreg, $noreg, ![[N:[0-9]+]], !DIExpression()
; CHECK-NEXT: DBG_VALUE $noreg, $noreg, ![[C:[0-9]+]], !DIExpression()
; CHECK-NEXT: DBG_VALUE $noreg, $noreg, ![[A:[0-9]+]], !DIExpression({{.*}}DW_OP_deref)
; CHECK:      DBG_VALUE $r[[R:[0-9]+]], $noreg, ![[N]], !DIExpression()
; CHECK-NEXT: DBG_VALUE 7, $noreg, ![[C]], !DIExpression()
; CHECK-NEXT: DBG_VALUE $r1, $noreg, ![[A]], !DIExpression(DW_OP_plus_uconst, 4, DW_OP_deref)
; CHECK-NEXT: GENERATED
; The register is free behind the store.
; CHECK-NEXT: DBG_VALUE $noreg, $noreg, ![[N]], !DIExpression()
; CHECK-NEXT: GENERATED
; CHECK-NOT:  DBG_VALUE
define ptx_kernel void @places() !dbg !4 {
  %memory = alloca [2 x i32], align 4, addrspace(5)
  %n = load volatile i32, ptr addrspace(1) null, align 4, !dbg !8
    #dbg_value(i32 %n, !7, !DIExpression(), !8)
    #dbg_value(i32 7, !12, !DIExpression(), !8)
    #dbg_value(ptr addrspace(5) %memory, !13, !DIExpression(DW_OP_plus_uconst, 4, DW_OP_deref), !8)
  store volatile i32 %n, ptr addrspace(1) null, align 4, !dbg !8
  store volatile i32 0, ptr addrspace(1) null, align 4, !dbg !8
  ret void, !dbg !8
}

; Of two values, there is none where they meet; of the same one on all ways there is
; one, also in a loop.
; CHECK-LABEL: name: flow
; CHECK:      DBG_VALUE 5, $noreg, ![[SAME:[0-9]+]], !DIExpression()
; CHECK-NEXT: GENERATED
; CHECK-NEXT: DBG_VALUE 2, $noreg, ![[OTHER:[0-9]+]], !DIExpression()
; CHECK-NEXT: GENERATED
; CHECK-NEXT: DBG_VALUE $noreg, $noreg, ![[OTHER]], !DIExpression()
; CHECK-NEXT: DBG_VALUE 1, $noreg, ![[OTHER]], !DIExpression()
; CHECK-NEXT: GENERATED
; CHECK-NEXT: DBG_VALUE $noreg, $noreg, ![[OTHER]], !DIExpression()
; CHECK-NOT:  DBG_VALUE
define ptx_kernel void @flow(i1 %which) !dbg !9 {
entry:
    #dbg_value(i32 5, !11, !DIExpression(), !10)
  %n = load volatile i32, ptr addrspace(1) null, align 4, !dbg !10
  %is = icmp eq i32 %n, 0, !dbg !10
  br i1 %is, label %one, label %two, !dbg !10
one:
    #dbg_value(i32 1, !14, !DIExpression(), !10)
  store volatile i32 1, ptr addrspace(1) null, align 4, !dbg !10
  br label %meet, !dbg !10
two:
  store volatile i32 2, ptr addrspace(1) null, align 4, !dbg !10
    #dbg_value(i32 2, !14, !DIExpression(), !10)
  store volatile i32 3, ptr addrspace(1) null, align 4, !dbg !10
  br label %meet, !dbg !10
meet:
  %m = load volatile i32, ptr addrspace(1) null, align 4, !dbg !10
  %again = icmp eq i32 %m, 0, !dbg !10
  br i1 %again, label %meet, label %done, !dbg !10
done:
  ret void, !dbg !10
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "places", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DILocalVariable(name: "n", scope: !4, file: !1, line: 2, type: !6)
!8 = !DILocation(line: 2, scope: !4)
!9 = distinct !DISubprogram(name: "flow", file: !1, line: 4, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 5, scope: !9)
!11 = !DILocalVariable(name: "same", scope: !9, file: !1, line: 5, type: !6)
!12 = !DILocalVariable(name: "c", scope: !4, file: !1, line: 2, type: !6)
!13 = !DILocalVariable(name: "a", scope: !4, file: !1, line: 2, type: !6)
!14 = !DILocalVariable(name: "other", scope: !9, file: !1, line: 5, type: !6)
