//===- PTXVideo.td - Video instructions --------------------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar video instructions work on a byte, half or word of each operand; the
// SIMD ones on two halves or four bytes. A selector is part of its operand.
//
//===----------------------------------------------------------------------===//

def VideoOp2   : ModKind<["add", "min", "max"]>;
def VideoScale : ModKind<["shr7", "shr15"]>;
def PlusOne    : ModKind<["po"]>;

// A third source merges into the part that the destination selects, or is the
// other operand of the second operation.
let Version = 20, Targets = ["sm_20"] in {
  foreach Op = ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] in {
    def : Row<Op, ".Int32.Int32.Int32{.sat}",
              "=d:0, a.Part:1, b.Part:2">;
    def : Row<Op, ".Int32.Int32.Int32{.sat}",
              "=d.Part:0, a.Part:1, b.Part:2, c:0">;
    def : Row<Op, ".Int32.Int32.Int32{.sat}.VideoOp2",
              "=d:0, a.Part:1, b.Part:2, c:0">;
  }
  foreach Op = ["vshl", "vshr"] in {
    def : Row<Op, ".Int32.Int32.u32{.sat}.ShiftMode",
              "=d:0, a.Part:1, b.Part:2">;
    def : Row<Op, ".Int32.Int32.u32{.sat}.ShiftMode",
              "=d.Part:0, a.Part:1, b.Part:2, c:0">;
    def : Row<Op, ".Int32.Int32.u32{.sat}.ShiftMode.VideoOp2",
              "=d:0, a.Part:1, b.Part:2, c:0">;
  }
  def : Row<"vmad", ".Int32.Int32.Int32{.sat}{.VideoScale}",
            "=d:0, a-.Part:1, b-.Part:2, c-:0">;
  def : Row<"vmad", ".Int32.Int32.Int32.po{.sat}{.VideoScale}",
            "=d:0, a.Part:1, b.Part:2, c:0">;
  def : Row<"vset", ".Int32.Int32.CmpSigned", "=d:u32, a.Part:0, b.Part:1">;
  def : Row<"vset", ".Int32.Int32.CmpSigned",
            "=d.Part:u32, a.Part:0, b.Part:1, c:u32">;
  def : Row<"vset", ".Int32.Int32.CmpSigned.VideoOp2",
            "=d:u32, a.Part:0, b.Part:1, c:u32">;
}

let Version = 30, Targets = ["sm_30"] in
foreach N = [2, 4] in {
  defvar Operands = "a$.Lanes"#N#"A:1, b$.Lanes"#N#"B:2, c$:0";
  foreach Op = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] in {
    def : Row<Op#N, ".Int32.Int32.Int32{.sat}", "=d.Mask"#N#":0, "#Operands>;
    def : Row<Op#N, ".Int32.Int32.Int32.VideoOp2(add)",
              "=d.Mask"#N#":0, "#Operands>;
  }
  def : Row<"vset"#N, ".Int32.Int32.CmpSigned{.VideoOp2(add)}",
            "=d.Mask"#N#":u32, a$.Lanes"#N#"A:0, b$.Lanes"#N#"B:1, c$:u32">;
}
