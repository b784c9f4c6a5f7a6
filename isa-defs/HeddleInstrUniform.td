//===- HeddleInstrUniform.td - The uniform path -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executed once for the warp, on uniform registers. They are legal only where
// the warp is converged: a uniform register has one value a warp.
//
//===----------------------------------------------------------------------===//

def OP_UIADD3 : ISAOp<0xD0, LC_UALU, "Uniform three-input add", "As IADD3.">;
defm UIADD3 : UAlu3<OP_UIADD3, (outs UGPR32:$d), (ins UGPR32:$a, Neg:$ma),
                    (ins Neg:$mb), (ins Neg:$mc), " $d, $a~ma, ", "~mb, ", "~mc">;
def OP_UIADD64 : ISAOp<0xD1, LC_UALU, "Uniform 64-bit add", "As IADD64.">;
defm UIADD64 : UAlu2<OP_UIADD64, (outs UGPR64:$d), (ins UGPR64:$a, Neg:$ma),
                     (ins Neg:$mb), " $d, $a~ma, ", "~mb", UGPR64>;
def OP_ULEA : ISAOp<0xD2, LC_UALU, "Uniform shift and add", "As LEA.">;
defm ULEA : UAlu2<OP_ULEA, (outs UGPR32:$d), (ins UGPR32:$a), (ins UImm5:$sh),
                  " $d, $a, ", ", $sh">;
def OP_ULEA64 : ISAOp<0xD3, LC_UALU, "Uniform extend, shift and add", "As LEA64.">;
defm ULEA64 : UAlu2<OP_ULEA64, (outs UGPR64:$d), (ins UGPR32:$a),
                    (ins UImm5:$sh, Ext:$ext), "$ext $d, $a, ", ", $sh", UGPR64>;
def OP_UIMAD : ISAOp<0xD4, LC_UALU, "Uniform multiply and add", "As IMAD.">;
defm UIMAD : UAlu3<OP_UIMAD, (outs UGPR32:$d), (ins UGPR32:$a), (ins),
                   (ins Neg:$mc), " $d, $a, ", ", ", "~mc">;
def OP_UIMADHI : ISAOp<0xD5, LC_UALU, "Uniform multiply, high half, and add", "As IMADHI.">;
defm UIMADHI : UAlu3<OP_UIMADHI, (outs UGPR32:$d), (ins UGPR32:$a), (ins),
                     (ins Sign:$sgn), "$sgn $d, $a, ", ", ", "">;
def OP_UIMADW : ISAOp<0xD6, LC_UALU, "Uniform multiply wide and add", "As IMADW.">;
defm UIMADW : UAlu3<OP_UIMADW, (outs UGPR64:$d), (ins UGPR32:$a), (ins),
                    (ins Sign:$sgn), "$sgn $d, $a, ", ", ", "", UGPR32, UGPR64>;
def OP_UISETP : ISAOp<0xD7, LC_UPRED, "Uniform compare", "As ISETP.">;
defm UISETP : UAlu2<OP_UISETP, (outs UPR:$p), (ins UGPR32:$a),
                    (ins CmpI:$cmp, Sign:$sgn, BoolOp:$bop, UPR:$s, Not:$sn),
                    "$cmp$sgn$bop $p, $a, ", ", $s~sn">;
def OP_UISETP64 : ISAOp<0xD8, LC_UPRED, "Uniform 64-bit compare", "As ISETP64.">;
defm UISETP64 : UAlu2<OP_UISETP64, (outs UPR:$p), (ins UGPR64:$a),
                      (ins CmpI:$cmp, Sign64:$sgn, BoolOp:$bop, UPR:$s, Not:$sn),
                      "$cmp$sgn$bop $p, $a, ", ", $s~sn", UGPR64>;
def OP_UIMNMX : ISAOp<0xD9, LC_UALU, "Uniform minimum or maximum", "As IMNMX.">;
defm UIMNMX : UAlu2<OP_UIMNMX, (outs UGPR32:$d), (ins UGPR32:$a),
                    (ins MinMax:$minmax, Sign:$sgn), "$minmax$sgn $d, $a, ", "">;
def OP_USEL : ISAOp<0xDA, LC_UALU, "Uniform select", "As SEL.">;
defm USEL : UAlu2<OP_USEL, (outs UGPR32:$d), (ins UGPR32:$a), (ins UPR:$s, Not:$sn),
                  " $d, $a, ", ", $s~sn">;
def OP_USEL64 : ISAOp<0xDB, LC_UALU, "Uniform 64-bit select", "As SEL64.">;
defm USEL64 : UAlu2<OP_USEL64, (outs UGPR64:$d), (ins UGPR64:$a), (ins UPR:$s, Not:$sn),
                    " $d, $a, ", ", $s~sn", UGPR64>;
def OP_ULOP3 : ISAOp<0xDC, LC_UALU, "Uniform logic of three inputs", "As LOP3.">;
defm ULOP3 : UAlu3<OP_ULOP3, (outs UGPR32:$d), (ins UGPR32:$a), (ins), (ins LutImm:$lut),
                   " $d, $a, ", ", ", ", $lut">;
def OP_USHL : ISAOp<0xDD, LC_UALU, "Uniform shift left", "As SHL.">;
defm USHL : UAlu2<OP_USHL, (outs UGPR32:$d), (ins UGPR32:$a), (ins), " $d, $a, ", "">;
def OP_USHR : ISAOp<0xDE, LC_UALU, "Uniform shift right", "As SHR.">;
defm USHR : UAlu2<OP_USHR, (outs UGPR32:$d), (ins UGPR32:$a), (ins Sign:$sgn),
                  "$sgn $d, $a, ", "">;
def OP_USHL64 : ISAOp<0xDF, LC_UALU, "Uniform 64-bit shift left", "As SHL64.">;
defm USHL64 : UAlu2<OP_USHL64, (outs UGPR64:$d), (ins UGPR64:$a), (ins), " $d, $a, ", "">;
def OP_USHR64 : ISAOp<0xE0, LC_UALU, "Uniform 64-bit shift right", "As SHR64.">;
defm USHR64 : UAlu2<OP_USHR64, (outs UGPR64:$d), (ins UGPR64:$a), (ins Sign64:$sgn),
                    "$sgn $d, $a, ", "">;
def OP_UBFE : ISAOp<0xE1, LC_UALU, "Uniform bit-field extract", "As BFE.">;
defm UBFE : UAlu2<OP_UBFE, (outs UGPR32:$d), (ins UGPR32:$a), (ins Sign:$sgn),
                  "$sgn $d, $a, ", "">;
def OP_UPRMT : ISAOp<0xE2, LC_UALU, "Uniform permute bytes", "As PRMT.">;
defm UPRMT : UAlu3<OP_UPRMT, (outs UGPR32:$d), (ins UGPR32:$a), (ins), (ins PrmtMode:$fn),
                   "$fn $d, $a, ", ", ", "">;
def OP_UMOV : ISAOp<0xE3, LC_UALU, "Uniform move", "d = b.">;
defm UMOV : UAlu2<OP_UMOV, (outs UGPR32:$d), (ins), (ins), " $d, ", "">;
def OP_UMOV64 : ISAOp<0xE4, LC_UALU, "Uniform 64-bit move", "d = b. An immediate is sign-extended.">;
defm UMOV64 : UAlu2<OP_UMOV64, (outs UGPR64:$d), (ins), (ins), " $d, ", "", UGPR64>;
def OP_UMOV64W : ISAOp<0xE5, LC_UALU, "Uniform 64-bit immediate", "d = the 64-bit immediate.">;
def UMOV64W : UInst<OP_UMOV64W, FormI, (outs UGPR64:$d), (ins Imm64:$wide), " $d, $wide">;
def OP_UPLOP3 : ISAOp<0xE6, LC_UPRED, "Uniform predicate logic", "As PLOP3.">;
def UPLOP3 : UInst<OP_UPLOP3, FormI, (outs UPR:$p),
                   (ins UPR:$s, Not:$sn, UPR:$t, Not:$tn, UPR:$v, Not:$vn, LutImm:$b),
                   " $p, $s~sn, $t~tn, $v~vn, $b">;

defvar UldcMeaning = "d = the value at offset a + imm of the constant bank.";
multiclass ULoadConst<ISAOp op, RegisterClass rd, dag size, string sizeasm> {
  let mayLoad = 1 in
  def "" : UInst<op, FormU, (outs rd:$d),
      !con((ins BankImm:$bank, UGPR32:$b, Imm24:$imm), size),
      sizeasm#" $d, c[$bank][$b + $imm]">;
}
def OP_ULDC    : ISAOp<0xE8, LC_LDC, "Uniform constant load, up to 32 bits", UldcMeaning>;
def OP_ULDC64  : ISAOp<0xE9, LC_LDC, "Uniform constant load, 64 bits", UldcMeaning>;
def OP_ULDC128 : ISAOp<0xEA, LC_LDC, "Uniform constant load, 128 bits", UldcMeaning>;
defm ULDC    : ULoadConst<OP_ULDC, UGPR32, (ins MemSize:$size), "$size">;
defm ULDC64  : ULoadConst<OP_ULDC64, UGPR64, (ins), "">;
defm ULDC128 : ULoadConst<OP_ULDC128, UGPR128, (ins), "">;

def OP_S2UR : ISAOp<0xEB, LC_S2R, "Read a special register", "d = the special register whose number b is, of the lowest executing lane.">;
def S2UR : UInst<OP_S2UR, FormI, (outs UGPR32:$d), (ins SRegImm:$b), " $d, $b">;
let Behind = FLOW_Next in
def OP_R2UR : ISAOp<0xEC, LC_WARP, "Move to the uniform path", "d = a of the lowest executing lane.">;
def R2UR : UInst<OP_R2UR, FormR, (outs UGPR32:$d), (ins GPR32:$a), " $d, $a">;
let Behind = FLOW_Next in
def OP_R2UR64 : ISAOp<0xED, LC_WARP, "Move 64 bits to the uniform path", "d = a of the lowest executing lane.">;
def R2UR64 : UInst<OP_R2UR64, FormR, (outs UGPR64:$d), (ins GPR64:$a), " $d, $a">;
let Behind = FLOW_Next in
def OP_P2UP : ISAOp<0xEE, LC_WARP, "Move a predicate to the uniform path",
  "p = whether s holds for any executing lane.">;
def P2UP : UInst<OP_P2UP, FormR, (outs UPR:$p), (ins PR:$s, Not:$sn), " $p, $s~sn">;
def OP_UP2P : ISAOp<0xEF, LC_PRED, "Move a uniform predicate to the threads", "p = s.">;
def UP2P : HInst<OP_UP2P, FormU, (outs PR:$p), (ins UPR:$s, Not:$sn), " $p, $s~sn">;
