; A kernel has as many registers as what is mostly executed is content with, if
; that gives a core more warps; the rest spills where nearly no thread goes.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

; Launches that a chip takes nearly at once gain nothing by it.
; RUN: sed 's/^!3 = .*/!3 = !{i64 0, i64 400, i64 5, i64 400}/' %s \
; RUN:   | llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -o - \
; RUN:   | FileCheck --check-prefix=WAVE %s
; WAVE-LABEL: rare:
; WAVE-NOT: {{STL|LDL}}
; WAVE-LABEL: common:

; The work comes behind the kernel's end, and what is spilled is spilled there.
; CHECK-LABEL: rare:
; CHECK-NOT: {{STL|LDL}}
; CHECK: EXIT
; CHECK: STL
; CHECK: LDL
; CHECK-LABEL: common:

define ptx_kernel void @rare() !prof !0 !heddle.args !3 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 7
  %p = inttoptr i64 4096 to ptr addrspace(1)
  %q = inttoptr i64 8192 to ptr addrspace(1)
  %k = load volatile i32, ptr addrspace(1) %p
  br i1 %c, label %work, label %end, !prof !1, !heddle.divergence !2
work:
  %v0 = load volatile i32, ptr addrspace(1) %p
  %v1 = load volatile i32, ptr addrspace(1) %p
  %v2 = load volatile i32, ptr addrspace(1) %p
  %v3 = load volatile i32, ptr addrspace(1) %p
  %v4 = load volatile i32, ptr addrspace(1) %p
  %v5 = load volatile i32, ptr addrspace(1) %p
  %v6 = load volatile i32, ptr addrspace(1) %p
  %v7 = load volatile i32, ptr addrspace(1) %p
  %v8 = load volatile i32, ptr addrspace(1) %p
  %v9 = load volatile i32, ptr addrspace(1) %p
  %v10 = load volatile i32, ptr addrspace(1) %p
  %v11 = load volatile i32, ptr addrspace(1) %p
  %v12 = load volatile i32, ptr addrspace(1) %p
  %v13 = load volatile i32, ptr addrspace(1) %p
  %v14 = load volatile i32, ptr addrspace(1) %p
  %v15 = load volatile i32, ptr addrspace(1) %p
  %v16 = load volatile i32, ptr addrspace(1) %p
  %v17 = load volatile i32, ptr addrspace(1) %p
  %v18 = load volatile i32, ptr addrspace(1) %p
  %v19 = load volatile i32, ptr addrspace(1) %p
  %v20 = load volatile i32, ptr addrspace(1) %p
  %v21 = load volatile i32, ptr addrspace(1) %p
  %v22 = load volatile i32, ptr addrspace(1) %p
  %v23 = load volatile i32, ptr addrspace(1) %p
  %v24 = load volatile i32, ptr addrspace(1) %p
  %v25 = load volatile i32, ptr addrspace(1) %p
  %v26 = load volatile i32, ptr addrspace(1) %p
  %v27 = load volatile i32, ptr addrspace(1) %p
  %v28 = load volatile i32, ptr addrspace(1) %p
  %v29 = load volatile i32, ptr addrspace(1) %p
  %v30 = load volatile i32, ptr addrspace(1) %p
  %v31 = load volatile i32, ptr addrspace(1) %p
  %v32 = load volatile i32, ptr addrspace(1) %p
  %v33 = load volatile i32, ptr addrspace(1) %p
  %v34 = load volatile i32, ptr addrspace(1) %p
  %v35 = load volatile i32, ptr addrspace(1) %p
  %v36 = load volatile i32, ptr addrspace(1) %p
  %v37 = load volatile i32, ptr addrspace(1) %p
  %v38 = load volatile i32, ptr addrspace(1) %p
  %v39 = load volatile i32, ptr addrspace(1) %p
  %v40 = load volatile i32, ptr addrspace(1) %p
  %v41 = load volatile i32, ptr addrspace(1) %p
  %v42 = load volatile i32, ptr addrspace(1) %p
  %v43 = load volatile i32, ptr addrspace(1) %p
  %v44 = load volatile i32, ptr addrspace(1) %p
  %v45 = load volatile i32, ptr addrspace(1) %p
  %v46 = load volatile i32, ptr addrspace(1) %p
  %v47 = load volatile i32, ptr addrspace(1) %p
  %v48 = load volatile i32, ptr addrspace(1) %p
  %v49 = load volatile i32, ptr addrspace(1) %p
  %v50 = load volatile i32, ptr addrspace(1) %p
  %v51 = load volatile i32, ptr addrspace(1) %p
  %v52 = load volatile i32, ptr addrspace(1) %p
  %v53 = load volatile i32, ptr addrspace(1) %p
  %v54 = load volatile i32, ptr addrspace(1) %p
  %v55 = load volatile i32, ptr addrspace(1) %p
  %v56 = load volatile i32, ptr addrspace(1) %p
  %v57 = load volatile i32, ptr addrspace(1) %p
  %v58 = load volatile i32, ptr addrspace(1) %p
  %v59 = load volatile i32, ptr addrspace(1) %p
  %v60 = load volatile i32, ptr addrspace(1) %p
  %v61 = load volatile i32, ptr addrspace(1) %p
  %v62 = load volatile i32, ptr addrspace(1) %p
  %v63 = load volatile i32, ptr addrspace(1) %p
  %v64 = load volatile i32, ptr addrspace(1) %p
  %v65 = load volatile i32, ptr addrspace(1) %p
  %v66 = load volatile i32, ptr addrspace(1) %p
  %v67 = load volatile i32, ptr addrspace(1) %p
  %v68 = load volatile i32, ptr addrspace(1) %p
  %v69 = load volatile i32, ptr addrspace(1) %p
  %v70 = load volatile i32, ptr addrspace(1) %p
  %v71 = load volatile i32, ptr addrspace(1) %p
  %v72 = load volatile i32, ptr addrspace(1) %p
  %v73 = load volatile i32, ptr addrspace(1) %p
  %v74 = load volatile i32, ptr addrspace(1) %p
  %v75 = load volatile i32, ptr addrspace(1) %p
  %v76 = load volatile i32, ptr addrspace(1) %p
  %v77 = load volatile i32, ptr addrspace(1) %p
  %v78 = load volatile i32, ptr addrspace(1) %p
  %v79 = load volatile i32, ptr addrspace(1) %p
  %v80 = load volatile i32, ptr addrspace(1) %p
  %v81 = load volatile i32, ptr addrspace(1) %p
  %v82 = load volatile i32, ptr addrspace(1) %p
  %v83 = load volatile i32, ptr addrspace(1) %p
  %v84 = load volatile i32, ptr addrspace(1) %p
  %v85 = load volatile i32, ptr addrspace(1) %p
  %v86 = load volatile i32, ptr addrspace(1) %p
  %v87 = load volatile i32, ptr addrspace(1) %p
  %v88 = load volatile i32, ptr addrspace(1) %p
  %v89 = load volatile i32, ptr addrspace(1) %p
  %v90 = load volatile i32, ptr addrspace(1) %p
  %v91 = load volatile i32, ptr addrspace(1) %p
  %v92 = load volatile i32, ptr addrspace(1) %p
  %v93 = load volatile i32, ptr addrspace(1) %p
  %v94 = load volatile i32, ptr addrspace(1) %p
  %v95 = load volatile i32, ptr addrspace(1) %p
  %v96 = load volatile i32, ptr addrspace(1) %p
  %v97 = load volatile i32, ptr addrspace(1) %p
  %v98 = load volatile i32, ptr addrspace(1) %p
  %v99 = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %v0, ptr addrspace(1) %q
  store volatile i32 %v1, ptr addrspace(1) %q
  store volatile i32 %v2, ptr addrspace(1) %q
  store volatile i32 %v3, ptr addrspace(1) %q
  store volatile i32 %v4, ptr addrspace(1) %q
  store volatile i32 %v5, ptr addrspace(1) %q
  store volatile i32 %v6, ptr addrspace(1) %q
  store volatile i32 %v7, ptr addrspace(1) %q
  store volatile i32 %v8, ptr addrspace(1) %q
  store volatile i32 %v9, ptr addrspace(1) %q
  store volatile i32 %v10, ptr addrspace(1) %q
  store volatile i32 %v11, ptr addrspace(1) %q
  store volatile i32 %v12, ptr addrspace(1) %q
  store volatile i32 %v13, ptr addrspace(1) %q
  store volatile i32 %v14, ptr addrspace(1) %q
  store volatile i32 %v15, ptr addrspace(1) %q
  store volatile i32 %v16, ptr addrspace(1) %q
  store volatile i32 %v17, ptr addrspace(1) %q
  store volatile i32 %v18, ptr addrspace(1) %q
  store volatile i32 %v19, ptr addrspace(1) %q
  store volatile i32 %v20, ptr addrspace(1) %q
  store volatile i32 %v21, ptr addrspace(1) %q
  store volatile i32 %v22, ptr addrspace(1) %q
  store volatile i32 %v23, ptr addrspace(1) %q
  store volatile i32 %v24, ptr addrspace(1) %q
  store volatile i32 %v25, ptr addrspace(1) %q
  store volatile i32 %v26, ptr addrspace(1) %q
  store volatile i32 %v27, ptr addrspace(1) %q
  store volatile i32 %v28, ptr addrspace(1) %q
  store volatile i32 %v29, ptr addrspace(1) %q
  store volatile i32 %v30, ptr addrspace(1) %q
  store volatile i32 %v31, ptr addrspace(1) %q
  store volatile i32 %v32, ptr addrspace(1) %q
  store volatile i32 %v33, ptr addrspace(1) %q
  store volatile i32 %v34, ptr addrspace(1) %q
  store volatile i32 %v35, ptr addrspace(1) %q
  store volatile i32 %v36, ptr addrspace(1) %q
  store volatile i32 %v37, ptr addrspace(1) %q
  store volatile i32 %v38, ptr addrspace(1) %q
  store volatile i32 %v39, ptr addrspace(1) %q
  store volatile i32 %v40, ptr addrspace(1) %q
  store volatile i32 %v41, ptr addrspace(1) %q
  store volatile i32 %v42, ptr addrspace(1) %q
  store volatile i32 %v43, ptr addrspace(1) %q
  store volatile i32 %v44, ptr addrspace(1) %q
  store volatile i32 %v45, ptr addrspace(1) %q
  store volatile i32 %v46, ptr addrspace(1) %q
  store volatile i32 %v47, ptr addrspace(1) %q
  store volatile i32 %v48, ptr addrspace(1) %q
  store volatile i32 %v49, ptr addrspace(1) %q
  store volatile i32 %v50, ptr addrspace(1) %q
  store volatile i32 %v51, ptr addrspace(1) %q
  store volatile i32 %v52, ptr addrspace(1) %q
  store volatile i32 %v53, ptr addrspace(1) %q
  store volatile i32 %v54, ptr addrspace(1) %q
  store volatile i32 %v55, ptr addrspace(1) %q
  store volatile i32 %v56, ptr addrspace(1) %q
  store volatile i32 %v57, ptr addrspace(1) %q
  store volatile i32 %v58, ptr addrspace(1) %q
  store volatile i32 %v59, ptr addrspace(1) %q
  store volatile i32 %v60, ptr addrspace(1) %q
  store volatile i32 %v61, ptr addrspace(1) %q
  store volatile i32 %v62, ptr addrspace(1) %q
  store volatile i32 %v63, ptr addrspace(1) %q
  store volatile i32 %v64, ptr addrspace(1) %q
  store volatile i32 %v65, ptr addrspace(1) %q
  store volatile i32 %v66, ptr addrspace(1) %q
  store volatile i32 %v67, ptr addrspace(1) %q
  store volatile i32 %v68, ptr addrspace(1) %q
  store volatile i32 %v69, ptr addrspace(1) %q
  store volatile i32 %v70, ptr addrspace(1) %q
  store volatile i32 %v71, ptr addrspace(1) %q
  store volatile i32 %v72, ptr addrspace(1) %q
  store volatile i32 %v73, ptr addrspace(1) %q
  store volatile i32 %v74, ptr addrspace(1) %q
  store volatile i32 %v75, ptr addrspace(1) %q
  store volatile i32 %v76, ptr addrspace(1) %q
  store volatile i32 %v77, ptr addrspace(1) %q
  store volatile i32 %v78, ptr addrspace(1) %q
  store volatile i32 %v79, ptr addrspace(1) %q
  store volatile i32 %v80, ptr addrspace(1) %q
  store volatile i32 %v81, ptr addrspace(1) %q
  store volatile i32 %v82, ptr addrspace(1) %q
  store volatile i32 %v83, ptr addrspace(1) %q
  store volatile i32 %v84, ptr addrspace(1) %q
  store volatile i32 %v85, ptr addrspace(1) %q
  store volatile i32 %v86, ptr addrspace(1) %q
  store volatile i32 %v87, ptr addrspace(1) %q
  store volatile i32 %v88, ptr addrspace(1) %q
  store volatile i32 %v89, ptr addrspace(1) %q
  store volatile i32 %v90, ptr addrspace(1) %q
  store volatile i32 %v91, ptr addrspace(1) %q
  store volatile i32 %v92, ptr addrspace(1) %q
  store volatile i32 %v93, ptr addrspace(1) %q
  store volatile i32 %v94, ptr addrspace(1) %q
  store volatile i32 %v95, ptr addrspace(1) %q
  store volatile i32 %v96, ptr addrspace(1) %q
  store volatile i32 %v97, ptr addrspace(1) %q
  store volatile i32 %v98, ptr addrspace(1) %q
  store volatile i32 %v99, ptr addrspace(1) %q
  br label %end
end:
  store volatile i32 %k, ptr addrspace(1) %q
  ret void
}

; Half of the threads go there: all registers that it takes.
; CHECK-NOT: {{STL|LDL}}
; CHECK-LABEL: small:

define ptx_kernel void @common() !prof !0 !heddle.args !3 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 7
  %p = inttoptr i64 4096 to ptr addrspace(1)
  %q = inttoptr i64 8192 to ptr addrspace(1)
  %k = load volatile i32, ptr addrspace(1) %p
  br i1 %c, label %work, label %end, !prof !4, !heddle.divergence !5
work:
  %v0 = load volatile i32, ptr addrspace(1) %p
  %v1 = load volatile i32, ptr addrspace(1) %p
  %v2 = load volatile i32, ptr addrspace(1) %p
  %v3 = load volatile i32, ptr addrspace(1) %p
  %v4 = load volatile i32, ptr addrspace(1) %p
  %v5 = load volatile i32, ptr addrspace(1) %p
  %v6 = load volatile i32, ptr addrspace(1) %p
  %v7 = load volatile i32, ptr addrspace(1) %p
  %v8 = load volatile i32, ptr addrspace(1) %p
  %v9 = load volatile i32, ptr addrspace(1) %p
  %v10 = load volatile i32, ptr addrspace(1) %p
  %v11 = load volatile i32, ptr addrspace(1) %p
  %v12 = load volatile i32, ptr addrspace(1) %p
  %v13 = load volatile i32, ptr addrspace(1) %p
  %v14 = load volatile i32, ptr addrspace(1) %p
  %v15 = load volatile i32, ptr addrspace(1) %p
  %v16 = load volatile i32, ptr addrspace(1) %p
  %v17 = load volatile i32, ptr addrspace(1) %p
  %v18 = load volatile i32, ptr addrspace(1) %p
  %v19 = load volatile i32, ptr addrspace(1) %p
  %v20 = load volatile i32, ptr addrspace(1) %p
  %v21 = load volatile i32, ptr addrspace(1) %p
  %v22 = load volatile i32, ptr addrspace(1) %p
  %v23 = load volatile i32, ptr addrspace(1) %p
  %v24 = load volatile i32, ptr addrspace(1) %p
  %v25 = load volatile i32, ptr addrspace(1) %p
  %v26 = load volatile i32, ptr addrspace(1) %p
  %v27 = load volatile i32, ptr addrspace(1) %p
  %v28 = load volatile i32, ptr addrspace(1) %p
  %v29 = load volatile i32, ptr addrspace(1) %p
  %v30 = load volatile i32, ptr addrspace(1) %p
  %v31 = load volatile i32, ptr addrspace(1) %p
  %v32 = load volatile i32, ptr addrspace(1) %p
  %v33 = load volatile i32, ptr addrspace(1) %p
  %v34 = load volatile i32, ptr addrspace(1) %p
  %v35 = load volatile i32, ptr addrspace(1) %p
  %v36 = load volatile i32, ptr addrspace(1) %p
  %v37 = load volatile i32, ptr addrspace(1) %p
  %v38 = load volatile i32, ptr addrspace(1) %p
  %v39 = load volatile i32, ptr addrspace(1) %p
  %v40 = load volatile i32, ptr addrspace(1) %p
  %v41 = load volatile i32, ptr addrspace(1) %p
  %v42 = load volatile i32, ptr addrspace(1) %p
  %v43 = load volatile i32, ptr addrspace(1) %p
  %v44 = load volatile i32, ptr addrspace(1) %p
  %v45 = load volatile i32, ptr addrspace(1) %p
  %v46 = load volatile i32, ptr addrspace(1) %p
  %v47 = load volatile i32, ptr addrspace(1) %p
  %v48 = load volatile i32, ptr addrspace(1) %p
  %v49 = load volatile i32, ptr addrspace(1) %p
  %v50 = load volatile i32, ptr addrspace(1) %p
  %v51 = load volatile i32, ptr addrspace(1) %p
  %v52 = load volatile i32, ptr addrspace(1) %p
  %v53 = load volatile i32, ptr addrspace(1) %p
  %v54 = load volatile i32, ptr addrspace(1) %p
  %v55 = load volatile i32, ptr addrspace(1) %p
  %v56 = load volatile i32, ptr addrspace(1) %p
  %v57 = load volatile i32, ptr addrspace(1) %p
  %v58 = load volatile i32, ptr addrspace(1) %p
  %v59 = load volatile i32, ptr addrspace(1) %p
  %v60 = load volatile i32, ptr addrspace(1) %p
  %v61 = load volatile i32, ptr addrspace(1) %p
  %v62 = load volatile i32, ptr addrspace(1) %p
  %v63 = load volatile i32, ptr addrspace(1) %p
  %v64 = load volatile i32, ptr addrspace(1) %p
  %v65 = load volatile i32, ptr addrspace(1) %p
  %v66 = load volatile i32, ptr addrspace(1) %p
  %v67 = load volatile i32, ptr addrspace(1) %p
  %v68 = load volatile i32, ptr addrspace(1) %p
  %v69 = load volatile i32, ptr addrspace(1) %p
  %v70 = load volatile i32, ptr addrspace(1) %p
  %v71 = load volatile i32, ptr addrspace(1) %p
  %v72 = load volatile i32, ptr addrspace(1) %p
  %v73 = load volatile i32, ptr addrspace(1) %p
  %v74 = load volatile i32, ptr addrspace(1) %p
  %v75 = load volatile i32, ptr addrspace(1) %p
  %v76 = load volatile i32, ptr addrspace(1) %p
  %v77 = load volatile i32, ptr addrspace(1) %p
  %v78 = load volatile i32, ptr addrspace(1) %p
  %v79 = load volatile i32, ptr addrspace(1) %p
  %v80 = load volatile i32, ptr addrspace(1) %p
  %v81 = load volatile i32, ptr addrspace(1) %p
  %v82 = load volatile i32, ptr addrspace(1) %p
  %v83 = load volatile i32, ptr addrspace(1) %p
  %v84 = load volatile i32, ptr addrspace(1) %p
  %v85 = load volatile i32, ptr addrspace(1) %p
  %v86 = load volatile i32, ptr addrspace(1) %p
  %v87 = load volatile i32, ptr addrspace(1) %p
  %v88 = load volatile i32, ptr addrspace(1) %p
  %v89 = load volatile i32, ptr addrspace(1) %p
  %v90 = load volatile i32, ptr addrspace(1) %p
  %v91 = load volatile i32, ptr addrspace(1) %p
  %v92 = load volatile i32, ptr addrspace(1) %p
  %v93 = load volatile i32, ptr addrspace(1) %p
  %v94 = load volatile i32, ptr addrspace(1) %p
  %v95 = load volatile i32, ptr addrspace(1) %p
  %v96 = load volatile i32, ptr addrspace(1) %p
  %v97 = load volatile i32, ptr addrspace(1) %p
  %v98 = load volatile i32, ptr addrspace(1) %p
  %v99 = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %v0, ptr addrspace(1) %q
  store volatile i32 %v1, ptr addrspace(1) %q
  store volatile i32 %v2, ptr addrspace(1) %q
  store volatile i32 %v3, ptr addrspace(1) %q
  store volatile i32 %v4, ptr addrspace(1) %q
  store volatile i32 %v5, ptr addrspace(1) %q
  store volatile i32 %v6, ptr addrspace(1) %q
  store volatile i32 %v7, ptr addrspace(1) %q
  store volatile i32 %v8, ptr addrspace(1) %q
  store volatile i32 %v9, ptr addrspace(1) %q
  store volatile i32 %v10, ptr addrspace(1) %q
  store volatile i32 %v11, ptr addrspace(1) %q
  store volatile i32 %v12, ptr addrspace(1) %q
  store volatile i32 %v13, ptr addrspace(1) %q
  store volatile i32 %v14, ptr addrspace(1) %q
  store volatile i32 %v15, ptr addrspace(1) %q
  store volatile i32 %v16, ptr addrspace(1) %q
  store volatile i32 %v17, ptr addrspace(1) %q
  store volatile i32 %v18, ptr addrspace(1) %q
  store volatile i32 %v19, ptr addrspace(1) %q
  store volatile i32 %v20, ptr addrspace(1) %q
  store volatile i32 %v21, ptr addrspace(1) %q
  store volatile i32 %v22, ptr addrspace(1) %q
  store volatile i32 %v23, ptr addrspace(1) %q
  store volatile i32 %v24, ptr addrspace(1) %q
  store volatile i32 %v25, ptr addrspace(1) %q
  store volatile i32 %v26, ptr addrspace(1) %q
  store volatile i32 %v27, ptr addrspace(1) %q
  store volatile i32 %v28, ptr addrspace(1) %q
  store volatile i32 %v29, ptr addrspace(1) %q
  store volatile i32 %v30, ptr addrspace(1) %q
  store volatile i32 %v31, ptr addrspace(1) %q
  store volatile i32 %v32, ptr addrspace(1) %q
  store volatile i32 %v33, ptr addrspace(1) %q
  store volatile i32 %v34, ptr addrspace(1) %q
  store volatile i32 %v35, ptr addrspace(1) %q
  store volatile i32 %v36, ptr addrspace(1) %q
  store volatile i32 %v37, ptr addrspace(1) %q
  store volatile i32 %v38, ptr addrspace(1) %q
  store volatile i32 %v39, ptr addrspace(1) %q
  store volatile i32 %v40, ptr addrspace(1) %q
  store volatile i32 %v41, ptr addrspace(1) %q
  store volatile i32 %v42, ptr addrspace(1) %q
  store volatile i32 %v43, ptr addrspace(1) %q
  store volatile i32 %v44, ptr addrspace(1) %q
  store volatile i32 %v45, ptr addrspace(1) %q
  store volatile i32 %v46, ptr addrspace(1) %q
  store volatile i32 %v47, ptr addrspace(1) %q
  store volatile i32 %v48, ptr addrspace(1) %q
  store volatile i32 %v49, ptr addrspace(1) %q
  store volatile i32 %v50, ptr addrspace(1) %q
  store volatile i32 %v51, ptr addrspace(1) %q
  store volatile i32 %v52, ptr addrspace(1) %q
  store volatile i32 %v53, ptr addrspace(1) %q
  store volatile i32 %v54, ptr addrspace(1) %q
  store volatile i32 %v55, ptr addrspace(1) %q
  store volatile i32 %v56, ptr addrspace(1) %q
  store volatile i32 %v57, ptr addrspace(1) %q
  store volatile i32 %v58, ptr addrspace(1) %q
  store volatile i32 %v59, ptr addrspace(1) %q
  store volatile i32 %v60, ptr addrspace(1) %q
  store volatile i32 %v61, ptr addrspace(1) %q
  store volatile i32 %v62, ptr addrspace(1) %q
  store volatile i32 %v63, ptr addrspace(1) %q
  store volatile i32 %v64, ptr addrspace(1) %q
  store volatile i32 %v65, ptr addrspace(1) %q
  store volatile i32 %v66, ptr addrspace(1) %q
  store volatile i32 %v67, ptr addrspace(1) %q
  store volatile i32 %v68, ptr addrspace(1) %q
  store volatile i32 %v69, ptr addrspace(1) %q
  store volatile i32 %v70, ptr addrspace(1) %q
  store volatile i32 %v71, ptr addrspace(1) %q
  store volatile i32 %v72, ptr addrspace(1) %q
  store volatile i32 %v73, ptr addrspace(1) %q
  store volatile i32 %v74, ptr addrspace(1) %q
  store volatile i32 %v75, ptr addrspace(1) %q
  store volatile i32 %v76, ptr addrspace(1) %q
  store volatile i32 %v77, ptr addrspace(1) %q
  store volatile i32 %v78, ptr addrspace(1) %q
  store volatile i32 %v79, ptr addrspace(1) %q
  store volatile i32 %v80, ptr addrspace(1) %q
  store volatile i32 %v81, ptr addrspace(1) %q
  store volatile i32 %v82, ptr addrspace(1) %q
  store volatile i32 %v83, ptr addrspace(1) %q
  store volatile i32 %v84, ptr addrspace(1) %q
  store volatile i32 %v85, ptr addrspace(1) %q
  store volatile i32 %v86, ptr addrspace(1) %q
  store volatile i32 %v87, ptr addrspace(1) %q
  store volatile i32 %v88, ptr addrspace(1) %q
  store volatile i32 %v89, ptr addrspace(1) %q
  store volatile i32 %v90, ptr addrspace(1) %q
  store volatile i32 %v91, ptr addrspace(1) %q
  store volatile i32 %v92, ptr addrspace(1) %q
  store volatile i32 %v93, ptr addrspace(1) %q
  store volatile i32 %v94, ptr addrspace(1) %q
  store volatile i32 %v95, ptr addrspace(1) %q
  store volatile i32 %v96, ptr addrspace(1) %q
  store volatile i32 %v97, ptr addrspace(1) %q
  store volatile i32 %v98, ptr addrspace(1) %q
  store volatile i32 %v99, ptr addrspace(1) %q
  br label %end
end:
  store volatile i32 %k, ptr addrspace(1) %q
  ret void
}

; Launches that leave cores idle have nothing to gain.
; CHECK-NOT: {{STL|LDL}}

define ptx_kernel void @small() !prof !0 !heddle.args !6 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 7
  %p = inttoptr i64 4096 to ptr addrspace(1)
  %q = inttoptr i64 8192 to ptr addrspace(1)
  %k = load volatile i32, ptr addrspace(1) %p
  br i1 %c, label %work, label %end, !prof !1, !heddle.divergence !2
work:
  %v0 = load volatile i32, ptr addrspace(1) %p
  %v1 = load volatile i32, ptr addrspace(1) %p
  %v2 = load volatile i32, ptr addrspace(1) %p
  %v3 = load volatile i32, ptr addrspace(1) %p
  %v4 = load volatile i32, ptr addrspace(1) %p
  %v5 = load volatile i32, ptr addrspace(1) %p
  %v6 = load volatile i32, ptr addrspace(1) %p
  %v7 = load volatile i32, ptr addrspace(1) %p
  %v8 = load volatile i32, ptr addrspace(1) %p
  %v9 = load volatile i32, ptr addrspace(1) %p
  %v10 = load volatile i32, ptr addrspace(1) %p
  %v11 = load volatile i32, ptr addrspace(1) %p
  %v12 = load volatile i32, ptr addrspace(1) %p
  %v13 = load volatile i32, ptr addrspace(1) %p
  %v14 = load volatile i32, ptr addrspace(1) %p
  %v15 = load volatile i32, ptr addrspace(1) %p
  %v16 = load volatile i32, ptr addrspace(1) %p
  %v17 = load volatile i32, ptr addrspace(1) %p
  %v18 = load volatile i32, ptr addrspace(1) %p
  %v19 = load volatile i32, ptr addrspace(1) %p
  %v20 = load volatile i32, ptr addrspace(1) %p
  %v21 = load volatile i32, ptr addrspace(1) %p
  %v22 = load volatile i32, ptr addrspace(1) %p
  %v23 = load volatile i32, ptr addrspace(1) %p
  %v24 = load volatile i32, ptr addrspace(1) %p
  %v25 = load volatile i32, ptr addrspace(1) %p
  %v26 = load volatile i32, ptr addrspace(1) %p
  %v27 = load volatile i32, ptr addrspace(1) %p
  %v28 = load volatile i32, ptr addrspace(1) %p
  %v29 = load volatile i32, ptr addrspace(1) %p
  %v30 = load volatile i32, ptr addrspace(1) %p
  %v31 = load volatile i32, ptr addrspace(1) %p
  %v32 = load volatile i32, ptr addrspace(1) %p
  %v33 = load volatile i32, ptr addrspace(1) %p
  %v34 = load volatile i32, ptr addrspace(1) %p
  %v35 = load volatile i32, ptr addrspace(1) %p
  %v36 = load volatile i32, ptr addrspace(1) %p
  %v37 = load volatile i32, ptr addrspace(1) %p
  %v38 = load volatile i32, ptr addrspace(1) %p
  %v39 = load volatile i32, ptr addrspace(1) %p
  %v40 = load volatile i32, ptr addrspace(1) %p
  %v41 = load volatile i32, ptr addrspace(1) %p
  %v42 = load volatile i32, ptr addrspace(1) %p
  %v43 = load volatile i32, ptr addrspace(1) %p
  %v44 = load volatile i32, ptr addrspace(1) %p
  %v45 = load volatile i32, ptr addrspace(1) %p
  %v46 = load volatile i32, ptr addrspace(1) %p
  %v47 = load volatile i32, ptr addrspace(1) %p
  %v48 = load volatile i32, ptr addrspace(1) %p
  %v49 = load volatile i32, ptr addrspace(1) %p
  %v50 = load volatile i32, ptr addrspace(1) %p
  %v51 = load volatile i32, ptr addrspace(1) %p
  %v52 = load volatile i32, ptr addrspace(1) %p
  %v53 = load volatile i32, ptr addrspace(1) %p
  %v54 = load volatile i32, ptr addrspace(1) %p
  %v55 = load volatile i32, ptr addrspace(1) %p
  %v56 = load volatile i32, ptr addrspace(1) %p
  %v57 = load volatile i32, ptr addrspace(1) %p
  %v58 = load volatile i32, ptr addrspace(1) %p
  %v59 = load volatile i32, ptr addrspace(1) %p
  %v60 = load volatile i32, ptr addrspace(1) %p
  %v61 = load volatile i32, ptr addrspace(1) %p
  %v62 = load volatile i32, ptr addrspace(1) %p
  %v63 = load volatile i32, ptr addrspace(1) %p
  %v64 = load volatile i32, ptr addrspace(1) %p
  %v65 = load volatile i32, ptr addrspace(1) %p
  %v66 = load volatile i32, ptr addrspace(1) %p
  %v67 = load volatile i32, ptr addrspace(1) %p
  %v68 = load volatile i32, ptr addrspace(1) %p
  %v69 = load volatile i32, ptr addrspace(1) %p
  %v70 = load volatile i32, ptr addrspace(1) %p
  %v71 = load volatile i32, ptr addrspace(1) %p
  %v72 = load volatile i32, ptr addrspace(1) %p
  %v73 = load volatile i32, ptr addrspace(1) %p
  %v74 = load volatile i32, ptr addrspace(1) %p
  %v75 = load volatile i32, ptr addrspace(1) %p
  %v76 = load volatile i32, ptr addrspace(1) %p
  %v77 = load volatile i32, ptr addrspace(1) %p
  %v78 = load volatile i32, ptr addrspace(1) %p
  %v79 = load volatile i32, ptr addrspace(1) %p
  %v80 = load volatile i32, ptr addrspace(1) %p
  %v81 = load volatile i32, ptr addrspace(1) %p
  %v82 = load volatile i32, ptr addrspace(1) %p
  %v83 = load volatile i32, ptr addrspace(1) %p
  %v84 = load volatile i32, ptr addrspace(1) %p
  %v85 = load volatile i32, ptr addrspace(1) %p
  %v86 = load volatile i32, ptr addrspace(1) %p
  %v87 = load volatile i32, ptr addrspace(1) %p
  %v88 = load volatile i32, ptr addrspace(1) %p
  %v89 = load volatile i32, ptr addrspace(1) %p
  %v90 = load volatile i32, ptr addrspace(1) %p
  %v91 = load volatile i32, ptr addrspace(1) %p
  %v92 = load volatile i32, ptr addrspace(1) %p
  %v93 = load volatile i32, ptr addrspace(1) %p
  %v94 = load volatile i32, ptr addrspace(1) %p
  %v95 = load volatile i32, ptr addrspace(1) %p
  %v96 = load volatile i32, ptr addrspace(1) %p
  %v97 = load volatile i32, ptr addrspace(1) %p
  %v98 = load volatile i32, ptr addrspace(1) %p
  %v99 = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %v0, ptr addrspace(1) %q
  store volatile i32 %v1, ptr addrspace(1) %q
  store volatile i32 %v2, ptr addrspace(1) %q
  store volatile i32 %v3, ptr addrspace(1) %q
  store volatile i32 %v4, ptr addrspace(1) %q
  store volatile i32 %v5, ptr addrspace(1) %q
  store volatile i32 %v6, ptr addrspace(1) %q
  store volatile i32 %v7, ptr addrspace(1) %q
  store volatile i32 %v8, ptr addrspace(1) %q
  store volatile i32 %v9, ptr addrspace(1) %q
  store volatile i32 %v10, ptr addrspace(1) %q
  store volatile i32 %v11, ptr addrspace(1) %q
  store volatile i32 %v12, ptr addrspace(1) %q
  store volatile i32 %v13, ptr addrspace(1) %q
  store volatile i32 %v14, ptr addrspace(1) %q
  store volatile i32 %v15, ptr addrspace(1) %q
  store volatile i32 %v16, ptr addrspace(1) %q
  store volatile i32 %v17, ptr addrspace(1) %q
  store volatile i32 %v18, ptr addrspace(1) %q
  store volatile i32 %v19, ptr addrspace(1) %q
  store volatile i32 %v20, ptr addrspace(1) %q
  store volatile i32 %v21, ptr addrspace(1) %q
  store volatile i32 %v22, ptr addrspace(1) %q
  store volatile i32 %v23, ptr addrspace(1) %q
  store volatile i32 %v24, ptr addrspace(1) %q
  store volatile i32 %v25, ptr addrspace(1) %q
  store volatile i32 %v26, ptr addrspace(1) %q
  store volatile i32 %v27, ptr addrspace(1) %q
  store volatile i32 %v28, ptr addrspace(1) %q
  store volatile i32 %v29, ptr addrspace(1) %q
  store volatile i32 %v30, ptr addrspace(1) %q
  store volatile i32 %v31, ptr addrspace(1) %q
  store volatile i32 %v32, ptr addrspace(1) %q
  store volatile i32 %v33, ptr addrspace(1) %q
  store volatile i32 %v34, ptr addrspace(1) %q
  store volatile i32 %v35, ptr addrspace(1) %q
  store volatile i32 %v36, ptr addrspace(1) %q
  store volatile i32 %v37, ptr addrspace(1) %q
  store volatile i32 %v38, ptr addrspace(1) %q
  store volatile i32 %v39, ptr addrspace(1) %q
  store volatile i32 %v40, ptr addrspace(1) %q
  store volatile i32 %v41, ptr addrspace(1) %q
  store volatile i32 %v42, ptr addrspace(1) %q
  store volatile i32 %v43, ptr addrspace(1) %q
  store volatile i32 %v44, ptr addrspace(1) %q
  store volatile i32 %v45, ptr addrspace(1) %q
  store volatile i32 %v46, ptr addrspace(1) %q
  store volatile i32 %v47, ptr addrspace(1) %q
  store volatile i32 %v48, ptr addrspace(1) %q
  store volatile i32 %v49, ptr addrspace(1) %q
  store volatile i32 %v50, ptr addrspace(1) %q
  store volatile i32 %v51, ptr addrspace(1) %q
  store volatile i32 %v52, ptr addrspace(1) %q
  store volatile i32 %v53, ptr addrspace(1) %q
  store volatile i32 %v54, ptr addrspace(1) %q
  store volatile i32 %v55, ptr addrspace(1) %q
  store volatile i32 %v56, ptr addrspace(1) %q
  store volatile i32 %v57, ptr addrspace(1) %q
  store volatile i32 %v58, ptr addrspace(1) %q
  store volatile i32 %v59, ptr addrspace(1) %q
  store volatile i32 %v60, ptr addrspace(1) %q
  store volatile i32 %v61, ptr addrspace(1) %q
  store volatile i32 %v62, ptr addrspace(1) %q
  store volatile i32 %v63, ptr addrspace(1) %q
  store volatile i32 %v64, ptr addrspace(1) %q
  store volatile i32 %v65, ptr addrspace(1) %q
  store volatile i32 %v66, ptr addrspace(1) %q
  store volatile i32 %v67, ptr addrspace(1) %q
  store volatile i32 %v68, ptr addrspace(1) %q
  store volatile i32 %v69, ptr addrspace(1) %q
  store volatile i32 %v70, ptr addrspace(1) %q
  store volatile i32 %v71, ptr addrspace(1) %q
  store volatile i32 %v72, ptr addrspace(1) %q
  store volatile i32 %v73, ptr addrspace(1) %q
  store volatile i32 %v74, ptr addrspace(1) %q
  store volatile i32 %v75, ptr addrspace(1) %q
  store volatile i32 %v76, ptr addrspace(1) %q
  store volatile i32 %v77, ptr addrspace(1) %q
  store volatile i32 %v78, ptr addrspace(1) %q
  store volatile i32 %v79, ptr addrspace(1) %q
  store volatile i32 %v80, ptr addrspace(1) %q
  store volatile i32 %v81, ptr addrspace(1) %q
  store volatile i32 %v82, ptr addrspace(1) %q
  store volatile i32 %v83, ptr addrspace(1) %q
  store volatile i32 %v84, ptr addrspace(1) %q
  store volatile i32 %v85, ptr addrspace(1) %q
  store volatile i32 %v86, ptr addrspace(1) %q
  store volatile i32 %v87, ptr addrspace(1) %q
  store volatile i32 %v88, ptr addrspace(1) %q
  store volatile i32 %v89, ptr addrspace(1) %q
  store volatile i32 %v90, ptr addrspace(1) %q
  store volatile i32 %v91, ptr addrspace(1) %q
  store volatile i32 %v92, ptr addrspace(1) %q
  store volatile i32 %v93, ptr addrspace(1) %q
  store volatile i32 %v94, ptr addrspace(1) %q
  store volatile i32 %v95, ptr addrspace(1) %q
  store volatile i32 %v96, ptr addrspace(1) %q
  store volatile i32 %v97, ptr addrspace(1) %q
  store volatile i32 %v98, ptr addrspace(1) %q
  store volatile i32 %v99, ptr addrspace(1) %q
  br label %end
end:
  store volatile i32 %k, ptr addrspace(1) %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!0 = !{!"function_entry_count", i64 32000000}
!1 = !{!"branch_weights", i32 100, i32 31999900}
!2 = !{i64 1000000, i64 100, i64 32000000}
!3 = !{i64 0, i64 10, i64 5, i64 10}
!4 = !{!"branch_weights", i32 16000000, i32 16000000}
!5 = !{i64 1000000, i64 1000000, i64 32000000}
!6 = !{i64 0, i64 1000000, i64 5, i64 1000000}
