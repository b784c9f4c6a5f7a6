; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -O0 -mattr=+single-pass -pass-remarks-missed=heddle-single-pass \
; RUN:   -filetype=null %s 2>&1 | FileCheck %s

; Where variables are is told by LLVM's code generator alone. Lines are told by
; both.

; CHECK-NOT: lines
; CHECK: not generated in one pass: places of variables for a debugger
; CHECK-NOT: lines

define ptx_kernel void @variables() !dbg !4 {
  %n = load i32, ptr addrspace(101) null, align 4, !dbg !8
    #dbg_value(i32 %n, !7, !DIExpression(), !8)
  store volatile i32 %n, ptr addrspace(1) null, align 4, !dbg !8
  ret void, !dbg !8
}

define ptx_kernel void @lines() !dbg !9 {
  %n = load i32, ptr addrspace(101) null, align 4, !dbg !10
    #dbg_value(i32 poison, !11, !DIExpression(), !10)
  store volatile i32 %n, ptr addrspace(1) null, align 4, !dbg !10
  ret void, !dbg !10
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "variables", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DILocalVariable(name: "n", scope: !4, file: !1, line: 2, type: !6)
!8 = !DILocation(line: 2, scope: !4)
!9 = distinct !DISubprogram(name: "lines", file: !1, line: 4, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 5, scope: !9)
!11 = !DILocalVariable(name: "n", scope: !9, file: !1, line: 5, type: !6)
