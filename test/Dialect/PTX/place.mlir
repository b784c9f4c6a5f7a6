// The import's own kind of location can be written and read.
// RUN: ptx-opt %s -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

ptx.entry @k [] {
  // CHECK: ptx.bra ^bb1 {{.*}}loc(#ptx.at<"a.ptx", 3, 5>)
  ptx.bra ^bb1 loc(#ptx.at<"a.ptx", 3, 5>)
^bb1:
  // CHECK: ptx.ret loc(#ptx.at<"a.ptx", 4, 5, loc("a.cu":7:1)>)
  ptx.ret loc(#ptx.at<"a.ptx", 4, 5, loc("a.cu":7:1)>)
}
