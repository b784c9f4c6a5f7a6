//===- HeddleCallingConv.td - How arguments and results travel -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See isa-defs/HeddleABI.td for the registers. Small integers are widened to
// 32 bits before they get here.
//
//===----------------------------------------------------------------------===//

class ArgRegs<list<Register> regs> : CCAssignToReg<regs>;
def ArgRegs32 : ArgRegs<[R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15]>;
def ArgRegs64 : ArgRegs<[R4_64, R6_64, R8_64, R10_64, R12_64, R14_64]>;
def ArgRegs128 : ArgRegs<[R4_128, R8_128, R12_128]>;

def RetCC_Heddle : CallingConv<[
  CCIfType<[i1, i8, i16], CCPromoteToType<i32>>,
  CCIfType<[i32, f32, f16, bf16, v2f16, v2bf16, v2i16], ArgRegs32>,
  CCIfType<[i64, f64, v2i32, v2f32], ArgRegs64>,
  CCIfType<[v4i32, v4f32, v2i64, v2f64], ArgRegs128>
]>;

def CC_Heddle : CallingConv<[
  CCIfByVal<CCPassByVal<4, 4>>,
  CCIfType<[i1, i8, i16], CCPromoteToType<i32>>,
  CCDelegateTo<RetCC_Heddle>,
  CCIfType<[i32, f32, f16, bf16, v2f16, v2bf16, v2i16], CCAssignToStack<4, 4>>,
  CCIfType<[i64, f64, v2i32, v2f32], CCAssignToStack<8, 8>>,
  CCIfType<[v4i32, v4f32, v2i64, v2f64], CCAssignToStack<16, 16>>
]>;

// What a function saves if it writes it; the return address is its own affair.
def CSR_Heddle_Save : CalleeSavedRegs<(add R2_64, (sequence "R%u", 16, 31),
                                           (sequence "B%u", 0, 15))>;
// Of that, what it saves where all its callers are known and see what it writes
// (getIPRACSRegs): convergence registers are given out without a look at calls.
def CSR_Heddle_KnownCallers : CalleeSavedRegs<(add R2_64, (sequence "B%u", 0, 15))>;
// What a caller may rely on. Functions never write uniform registers.
def CSR_Heddle : CalleeSavedRegs<(add R1, (sequence "R%u", 16, 31),
                                      (sequence "B%u", 0, 15),
                                      (sequence "UR%u", 0, 62),
                                      (sequence "UP%u", 0, 6))>;
// The runtime changes nothing but the registers of results.
def CSR_SystemCall : CalleeSavedRegs<(add (sequence "R%u", 0, 3), (sequence "R%u", 16, 254),
                                          (sequence "P%u", 0, 6),
                                          (sequence "B%u", 0, 15),
                                          (sequence "UR%u", 0, 62),
                                          (sequence "UP%u", 0, 6))>;
def CSR_None : CalleeSavedRegs<(add)>;
