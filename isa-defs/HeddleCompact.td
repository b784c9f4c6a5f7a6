//===- HeddleCompact.td - The compact forms ----*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of 64 bits. Each stands for one of 128 bits and means the same:
// decoding expands it, and nothing behind the decoder knows of it.
//
//  bits      field
//    0       1: the compact form
//    8..1    code
//   11..9    guard predicate, 12 its negation
//   16..13   stall
//   22..17   counters that must be zero before issue
//   23       yield
//   26..24   write counter, 29..27 read counter; of variable latency only
//   63..24   the fields below, the first in the lowest bits; of variable
//            latency from bit 30 on. A field of 32 bits is in bits 63..32, where
//            the 128-bit form has it, so that relocations fit both
//
// A field is written as
//   role              all bits of the operand
//   role:width        its low bits; the rest are zeros, or the sign of a signed
//                     operand
//   role:width<<n     likewise, with n zeros below
//   role=value        no bits: the operand has this value
// Operands that are not named are zero.
//
// Where an instruction has several compact forms, the first that fits is
// chosen. The forms are those that cover most of what the compiler emits.
//
//===----------------------------------------------------------------------===//

class Compact<bits<8> enc, Instruction inst, string fields> {
  bits<8> Code = enc;
  Instruction Inst = inst;
  string Fields = fields;
}

// Integers
def : Compact<0x00, IADD3_r, "d a b c ma mb mc">;
def : Compact<0x01, IADD3_i, "d a ma b:23 c=255">;
def : Compact<0x02, IADD3_i, "d a c ma mc b:14">;
def : Compact<0x03, IADD3_u, "d a c b ma mb mc">;
def : Compact<0x04, IADD3_ci, "d a b ma mb c:14">;
def : Compact<0x05, IADD3_cu, "d a b c ma mb mc">;
def : Compact<0x06, IADDC_r, "d p a b mb s sn">;
def : Compact<0x07, IADDC_i, "d p a mb s sn b:16">;
def : Compact<0x08, IADDC_u, "d p a b mb s sn">;
def : Compact<0x09, IADD64_r, "d a b ma mb">;
def : Compact<0x0A, IADD64_i, "d a ma b:23">;
def : Compact<0x0B, IADD64_u, "d a b ma mb">;
def : Compact<0x0C, LEA_r, "d a b sh">;
def : Compact<0x0D, LEA_u, "d a b sh">;
def : Compact<0x0E, LEA64_r, "d a b sh ext">;
def : Compact<0x0F, LEA64_i, "d a sh ext b:18">;
def : Compact<0x10, LEA64_u, "d a b sh ext">;
def : Compact<0x11, IMAD_r, "d a b c mc">;
def : Compact<0x12, IMAD_i, "d a b:24 c=255">;
def : Compact<0x13, IMAD_i, "d a c mc b:15">;
def : Compact<0x14, IMAD_u, "d a c b mc">;
def : Compact<0x15, IMAD_ci, "d a b c:16">;
def : Compact<0x16, IMAD_cu, "d a b c mc">;
def : Compact<0x17, IMADHI_r, "d a b c sgn">;
def : Compact<0x18, IMADHI_u, "d a c b sgn">;
def : Compact<0x19, IMADW_r, "d a b c sgn">;
def : Compact<0x1A, IMADW_i, "d a c sgn b:15">;
def : Compact<0x1B, IMADW_u, "d a c b sgn">;
def : Compact<0x1C, IMADW_cu, "d a b c sgn">;
def : Compact<0x1D, ISETP_r, "p a b cmp sgn bop s sn">;
def : Compact<0x1E, ISETP_i, "p a cmp:3 sgn bop s sn b:19">;
def : Compact<0x1F, ISETP_u, "p a b cmp sgn bop s sn">;
def : Compact<0x20, ISETP64_r, "p a b cmp sgn bop s sn">;
def : Compact<0x21, ISETP64_i, "p a cmp:3 sgn bop s sn b:19">;
def : Compact<0x22, ISETP64_u, "p a b cmp sgn bop s sn">;
def : Compact<0x23, IMNMX_r, "d a b minmax sgn">;
def : Compact<0x24, IMNMX_i, "d a minmax sgn b:22">;
def : Compact<0x25, IMNMX_u, "d a b minmax sgn">;
def : Compact<0x26, IMNMX3_r, "d a b c minmax sgn">;
def : Compact<0xEE, VALU_r, "d a b fn ety sat then relu c=255">;
def : Compact<0xEF, VALU_r, "d a b c fn:3 ety then">;
def : Compact<0xF0, VALU_i, "d a fn ety:3 relu b:16 c=255">;
def : Compact<0xF1, VALU_i, "d a c fn:3 ety then b:8">;
def : Compact<0xF2, VALU_u, "d a c b fn:3 ety then">;
def : Compact<0xF3, VALU_ci, "d a b fn:3 ety then c:8">;
def : Compact<0x27, SEL_r, "d a b s sn">;
def : Compact<0x28, SEL_i, "d a s sn b:20">;
def : Compact<0x29, SEL_i, "d a s sn b:20<<12">;
def : Compact<0x2A, SEL_u, "d a b s sn">;
def : Compact<0x2B, SEL64_r, "d a b s sn">;
def : Compact<0x2C, IABS_r, "d b">;

// Logic, shifts, bit fields
def : Compact<0x2D, LOP3_r, "d a b c lut">;
def : Compact<0x2E, LOP3_i, "d a lut b:16 c=255">;
def : Compact<0x2F, LOP3_i, "d a c lut b:8">;
def : Compact<0x30, LOP3_u, "d a c b lut">;
def : Compact<0x31, LOP3_cu, "d a b c lut">;
def : Compact<0x32, SHL_r, "d a b">;
def : Compact<0x33, SHL_i, "d a b:6">;
def : Compact<0x34, SHR_r, "d a b sgn">;
def : Compact<0x35, SHR_i, "d a sgn b:6">;
def : Compact<0x36, SHL64_r, "d a b">;
def : Compact<0x37, SHL64_i, "d a b:7">;
def : Compact<0x38, SHR64_r, "d a b sgn">;
def : Compact<0x39, SHR64_i, "d a sgn b:7">;
def : Compact<0x3A, FSHL_r, "d a b c fn">;
def : Compact<0x3B, FSHL_i, "d a c fn b:6">;
def : Compact<0x3C, FSHR_r, "d a b c fn">;
def : Compact<0x3D, FSHR_i, "d a c fn b:6">;
def : Compact<0x3E, BFE_r, "d a b sgn">;
def : Compact<0x3F, BFE_i, "d a sgn b:16">;
def : Compact<0x40, BFI_i, "d a c b:16">;
def : Compact<0x41, BREV_r, "d b">;
def : Compact<0x42, POPC_r, "d b">;
def : Compact<0x43, FLO_r, "d b fn sgn">;
def : Compact<0x44, PRMT_r, "d a b c fn">;
def : Compact<0x45, PRMT_i, "d a c b:16">;

// Moves and predicates
def : Compact<0x46, MOV_r, "d b">;
def : Compact<0x47, MOV_i, "d b">;
def : Compact<0x48, MOV_u, "d b">;
def : Compact<0x49, MOV64_r, "d b">;
def : Compact<0x4A, MOV64_i, "d b">;
def : Compact<0x4B, MOV64_u, "d b">;
def : Compact<0x4C, MOV64W, "d wide:32">;
def : Compact<0x4D, S2R, "d b">;
def : Compact<0x4E, S2R64, "d b">;
def : Compact<0x4F, PLOP3, "p s sn t tn v vn b">;
def : Compact<0x50, P2R, "d">;
def : Compact<0x51, R2P, "a b">;

// Single and half precision
def : Compact<0x52, FADD_r, "d a b ma mb rnd ftz sat">;
def : Compact<0x53, FADD_i, "d a ma ftz sat b:20<<12">;
def : Compact<0x54, FADD_u, "d a b ma mb rnd ftz sat">;
def : Compact<0x55, FMUL_r, "d a b ma mb rnd ftz sat">;
def : Compact<0x56, FMUL_i, "d a ma ftz sat b:20<<12">;
def : Compact<0x57, FMUL_u, "d a b ma mb rnd ftz sat">;
def : Compact<0x58, FFMA_r, "d a b c ma mb mc ftz sat">;
def : Compact<0x59, FFMA_i, "d a c b:16<<16">;
def : Compact<0x5A, FFMA_i, "d a c ma:1 mc:1 ftz b:13<<19">;
def : Compact<0x5B, FFMA_u, "d a c b ma mb mc ftz sat">;
def : Compact<0x5C, FFMA_ci, "d a b c:16<<16">;
def : Compact<0x5D, FFMA_ci, "d a b ma:1 ftz c:14<<18">;
def : Compact<0x5E, FFMA_cu, "d a b c ma mb mc ftz sat">;
def : Compact<0x5F, FMNMX_r, "d a b ma mb minmax nan xorsign ftz">;
def : Compact<0x60, FMNMX_i, "d a ma minmax nan ftz b:19<<13">;
def : Compact<0x61, FSETP_r, "p a b ma mb cmp ftz bop s sn">;
def : Compact<0x62, FSETP_i, "p a ma cmp ftz bop s sn b:16<<16">;
def : Compact<0x63, FSETP_u, "p a b ma mb cmp ftz bop s sn">;
def : Compact<0x64, MUFU, "d a ma fn ftz">;
def : Compact<0x65, FDPREP, "d a b ftz">;
def : Compact<0x66, FDFIX, "d a b c rnd ftz">;
def : Compact<0x67, FRND, "d b mb rnd ftz sat">;
def : Compact<0x68, I2F, "d b dty sty rnd">;
def : Compact<0x69, F2I, "d b mb dty sty rnd ftz">;
def : Compact<0x6A, F2F, "d b mb dty sty rnd ftz sat relu">;
def : Compact<0x6B, HADD2_r, "d a b ma mb dty ftz sat relu">;
def : Compact<0x6C, HADD2_u, "d a b ma mb dty ftz sat relu">;
def : Compact<0x6D, HMUL2_r, "d a b ma mb dty ftz sat relu">;
def : Compact<0x6E, HMUL2_u, "d a b ma mb dty ftz sat relu">;
def : Compact<0x6F, HFMA2_r, "d a b c ma mb mc dty ftz">;
def : Compact<0x70, HFMA2_u, "d a c b ma mb mc dty ftz sat relu">;

// Double precision
def : Compact<0x71, DADD_r, "d a b ma mb rnd">;
def : Compact<0x72, DADD_i, "d a ma b:16<<16">;
def : Compact<0x73, DADD_u, "d a b ma mb rnd">;
def : Compact<0x74, DMUL_r, "d a b ma mb rnd">;
def : Compact<0x75, DMUL_i, "d a ma b:16<<16">;
def : Compact<0x76, DFMA_r, "d a b c ma:1 mc:1">;
def : Compact<0x77, DFMA_r, "d a b c ma:1 mb:1">;
def : Compact<0x78, DFMA_u, "d a c b ma:1 mb:1 mc:1">;
def : Compact<0x79, DSETP_r, "p a b ma mb cmp bop s sn">;
def : Compact<0x7A, F2D, "d b mb sty ftz sat">;
def : Compact<0x7B, D2F, "d b mb dty rnd ftz sat">;

// Global and generic memory
def : Compact<0x7C, LDG_r, "d a size imm:15">;
def : Compact<0x7D, LDG_r, "d a size order scope imm:10">;
def : Compact<0x7E, LDG_u, "d b size imm:17">;
def : Compact<0x7F, LDG_u, "d b size order scope imm:12">;
def : Compact<0x80, LDG_x, "d u x aext sc size imm:5<<2">;
def : Compact<0x81, LDG_x, "d u x aext sc size imm:5<<2 order=1">;
def : Compact<0x82, LDG64_r, "d a imm:18">;
def : Compact<0x83, LDG64_r, "d a imm:18 order=1">;
def : Compact<0x84, LDG64_u, "d b imm:20">;
def : Compact<0x85, LDG64_x, "d u x aext sc imm:8<<2">;
def : Compact<0x86, LDG64_x, "d u x aext sc imm:8<<2 order=1">;
def : Compact<0x87, LDG128_r, "d a imm:18">;
def : Compact<0x88, LDG128_u, "d b imm:20">;
def : Compact<0x89, LDG128_x, "d u x aext sc imm:8<<2">;
def : Compact<0x8A, LDG128_x, "d u x aext sc imm:8<<2 order=1">;
def : Compact<0x8B, STG_r, "a c size imm:15">;
def : Compact<0x8C, STG_r, "a c size order scope imm:10">;
def : Compact<0x8D, STG_u, "b c size imm:17">;
def : Compact<0x8E, STG_u, "b c size order scope imm:12">;
def : Compact<0x8F, STG_x, "u x c aext sc size imm:5<<2">;
def : Compact<0x90, STG64_r, "a c imm:18">;
def : Compact<0x91, STG64_u, "b c imm:20">;
def : Compact<0x92, STG64_x, "u x c aext sc imm:8<<2">;
def : Compact<0x93, STG128_r, "a c imm:18">;
def : Compact<0x94, STG128_x, "u x c aext sc imm:8<<2">;
def : Compact<0x95, LD_r, "d a size imm:15">;
def : Compact<0x96, LD64_r, "d a imm:18">;
def : Compact<0x97, ST_r, "a c size imm:15">;
def : Compact<0x98, ST64_r, "a c imm:18">;
def : Compact<0x99, ATOMG_r, "d a c aop aty:3 scope order=2">;
def : Compact<0x9A, ATOMG_u, "d b c aop aty:3 order scope">;
def : Compact<0x9B, REDG_r, "a c aop aty:3 order scope imm:6<<2">;
def : Compact<0x9C, REDG_u, "b c aop aty:3 order scope imm:8<<2">;
def : Compact<0x9D, MEMBAR, "fn scope">;

// Shared, local and constant memory
def : Compact<0x9E, LDS_r, "d a sc imm:15<<2 size=4">;
def : Compact<0x9F, LDS_r, "d a size imm:15">;
def : Compact<0xA0, LDS_u, "d b size imm:17">;
def : Compact<0xA1, LDS64_r, "d a sc imm:15<<2">;
def : Compact<0xA2, LDS64_u, "d b imm:20">;
def : Compact<0xA3, LDS128_r, "d a sc imm:15<<2">;
def : Compact<0xA4, LDS128_u, "d b imm:20">;
def : Compact<0xA5, STS_r, "a c sc imm:15<<2 size=4">;
def : Compact<0xA6, STS_r, "a c size imm:15">;
def : Compact<0xA7, STS_u, "b c size imm:17">;
def : Compact<0xA8, STS64_r, "a c sc imm:15<<2">;
def : Compact<0xA9, STS64_u, "b c imm:20">;
def : Compact<0xAA, STS128_r, "a c sc imm:15<<2">;
def : Compact<0xAB, STS128_u, "b c imm:20">;
def : Compact<0xAC, LDL_r, "d a sc imm:15<<2 size=4">;
def : Compact<0xAD, LDL64_r, "d a sc imm:15<<2">;
def : Compact<0xAE, LDL128_r, "d a sc imm:15<<2">;
def : Compact<0xAF, STL_r, "a c sc imm:15<<2 size=4">;
def : Compact<0xB0, STL64_r, "a c sc imm:15<<2">;
def : Compact<0xB1, STL128_r, "a c sc imm:15<<2">;
def : Compact<0xB2, LDC_r, "d a bank:2 size imm:13">;
def : Compact<0xB3, LDC_u, "d b bank:2 size imm:15">;
def : Compact<0xB4, LDC64_r, "d a bank:2 imm:16">;
def : Compact<0xB5, LDC64_u, "d b bank:2 imm:18">;
def : Compact<0xB6, ATOMS, "d a c aop aty:3 order">;
def : Compact<0xB7, LDSM, "d a mtile mcount imm:13">;
def : Compact<0xF4, LDSM64, "d a mtile mcount imm:13">;
def : Compact<0xB8, CPASYNC, "a b c size">;

// Control, convergence, warps
def : Compact<0xB9, NOP, "">;
def : Compact<0xBA, BRA, "tgt">;
def : Compact<0xBB, UBRA, "tgt">;
def : Compact<0xBC, BRX, "a">;
def : Compact<0xBD, CALL, "d tgt">;
def : Compact<0xBE, CALLR, "d a">;
def : Compact<0xBF, RET, "a">;
def : Compact<0xC0, EXIT, "">;
def : Compact<0xC1, BSSY, "d tgt">;
def : Compact<0xC2, BSYNC, "a yieldable">;
def : Compact<0xC3, BREAK, "d">;
def : Compact<0xC4, BMOV, "d a">;
def : Compact<0xC5, BMOVR, "d a">;
def : Compact<0xC6, WARPSYNC_i, "fn b">;
def : Compact<0xC7, WARPSYNC_r, "fn b">;
def : Compact<0xC8, BAR_i, "d p fn aligned b:4 c s sn">;
def : Compact<0xC9, SHFL_i, "d p a b shfn seg:8">;
def : Compact<0xCA, SHFL_r, "d p a b shfn seg:5">;
def : Compact<0xCB, VOTE_i, "d p fn s sn b:21">;
def : Compact<0xCC, VOTE_r, "d p fn s sn b">;
def : Compact<0xCD, REDUX_i, "d a fn sgn b:13">;
def : Compact<0xCE, R2UR, "d a">;
def : Compact<0xCF, R2UR64, "d a">;
def : Compact<0xD0, P2UP, "p s sn">;
def : Compact<0xD1, UP2P, "p s sn">;

// The uniform path
def : Compact<0xD2, S2UR, "d b">;
def : Compact<0xD3, ULDC, "d b bank:2 size imm:17">;
def : Compact<0xD4, ULDC64, "d b bank:2 imm:20">;
def : Compact<0xD5, ULDC128, "d b bank:2 imm:20">;
def : Compact<0xD6, UIADD3_r, "d a b c ma mb mc">;
def : Compact<0xD7, UIADD3_i, "d a c ma mc b:20">;
def : Compact<0xD8, UIADD64_r, "d a b ma mb">;
def : Compact<0xD9, UIADD64_i, "d a ma b:27">;
def : Compact<0xDA, ULEA_r, "d a b sh">;
def : Compact<0xDB, ULEA64_r, "d a b sh ext">;
def : Compact<0xDC, UIMAD_r, "d a b c mc">;
def : Compact<0xDD, UIMAD_i, "d a c mc b:21">;
def : Compact<0xDE, UIMADW_r, "d a b c sgn">;
def : Compact<0xDF, UISETP_r, "p a b cmp sgn bop s sn">;
def : Compact<0xE0, UISETP_i, "p a cmp:3 sgn bop s sn b:21">;
def : Compact<0xE1, UISETP64_r, "p a b cmp sgn bop s sn">;
def : Compact<0xE2, UISETP64_i, "p a cmp:3 sgn bop s sn b:21">;
def : Compact<0xE3, USEL_r, "d a b s sn">;
def : Compact<0xE4, USEL_i, "d a s sn b:24">;
def : Compact<0xE5, ULOP3_r, "d a b c lut">;
def : Compact<0xE6, ULOP3_i, "d a c lut b:14">;
def : Compact<0xE7, USHL_i, "d a b:6">;
def : Compact<0xE8, USHR_i, "d a sgn b:6">;
def : Compact<0xE9, UMOV_r, "d b">;
def : Compact<0xEA, UMOV_i, "d b">;
def : Compact<0xEB, UMOV64_r, "d b">;
def : Compact<0xEC, UMOV64_i, "d b">;
def : Compact<0xED, UPLOP3, "p s sn t tn v vn b">;
