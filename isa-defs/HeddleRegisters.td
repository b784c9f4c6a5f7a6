//===- HeddleRegisters.td - Register files -----------------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The register files of the ISA:
//   R0-R254, RZ    32 bits a thread, singly or as aligned groups of 2 and 4
//   P0-P6, PT      predicates, one bit a thread
//   UR0-UR62, URZ  32 bits a warp (the uniform path), also in groups
//   UP0-UP6, UPT   uniform predicates, one bit a warp
//   B0-B15         convergence registers
//
//===----------------------------------------------------------------------===//

let Namespace = "Heddle" in {
def sub0 : SubRegIndex<32, 0>;
def sub1 : SubRegIndex<32, 32>;
def sub0_sub1 : SubRegIndex<64, 0>;
def sub2_sub3 : SubRegIndex<64, 64>;
def sub2 : ComposedSubRegIndex<sub2_sub3, sub0>;
def sub3 : ComposedSubRegIndex<sub2_sub3, sub1>;
}

class HReg<string n, int enc> : Register<n> {
  let Namespace = "Heddle";
  let HWEncoding = enc;
}

// A group of consecutive registers; Enc is the number of the first.
class HRegGroup<string n, int enc, list<Register> subs, list<SubRegIndex> idx>
    : RegisterWithSubRegs<n, subs> {
  let Namespace = "Heddle";
  let HWEncoding = enc;
  let SubRegIndices = idx;
  let CoveredBySubRegs = 1;
}

foreach I = 0...254 in
  def R#I : HReg<"R"#I, I>, DwarfRegNum<[I]>;
// Reads as zero; writes are dropped. The wide spellings are registers of their
// own, since a tuple may not name one register twice.
let isConstant = true in {
def RZ : HReg<"RZ", 255>, DwarfRegNum<[255]>;
def RZ64 : HReg<"RZ", 255>;
def RZ128 : HReg<"RZ", 255>;
}
foreach I = 0...126 in
  def R#!mul(I, 2)#_64
      : HRegGroup<"R"#!mul(I, 2), !mul(I, 2),
                  [!cast<Register>("R"#!mul(I, 2)),
                   !cast<Register>("R"#!add(!mul(I, 2), 1))],
                  [sub0, sub1]>;
foreach I = 0...62 in
  def R#!mul(I, 4)#_128
      : HRegGroup<"R"#!mul(I, 4), !mul(I, 4),
                  [!cast<Register>("R"#!mul(I, 4)#"_64"),
                   !cast<Register>("R"#!add(!mul(I, 4), 2)#"_64")],
                  [sub0_sub1, sub2_sub3]>;

foreach I = 0...6 in
  def P#I : HReg<"P"#I, I>, DwarfRegNum<[!add(I, 256)]>;
let isConstant = true in
def PT : HReg<"PT", 7>, DwarfRegNum<[263]>;

foreach I = 0...62 in
  def UR#I : HReg<"UR"#I, I>, DwarfRegNum<[!add(I, 264)]>;
let isConstant = true in {
def URZ : HReg<"URZ", 63>, DwarfRegNum<[327]>;
def URZ64 : HReg<"URZ", 63>;
}
foreach I = 0...30 in
  def UR#!mul(I, 2)#_64
      : HRegGroup<"UR"#!mul(I, 2), !mul(I, 2),
                  [!cast<Register>("UR"#!mul(I, 2)),
                   !cast<Register>("UR"#!add(!mul(I, 2), 1))],
                  [sub0, sub1]>;
foreach I = 0...14 in
  def UR#!mul(I, 4)#_128
      : HRegGroup<"UR"#!mul(I, 4), !mul(I, 4),
                  [!cast<Register>("UR"#!mul(I, 4)#"_64"),
                   !cast<Register>("UR"#!add(!mul(I, 4), 2)#"_64")],
                  [sub0_sub1, sub2_sub3]>;

foreach I = 0...6 in
  def UP#I : HReg<"UP"#I, I>, DwarfRegNum<[!add(I, 328)]>;
let isConstant = true in
def UPT : HReg<"UPT", 7>, DwarfRegNum<[335]>;

foreach I = 0...15 in
  def B#I : HReg<"B"#I, I>, DwarfRegNum<[!add(I, 336)]>;

//===----------------------------------------------------------------------===//
// Register classes
//===----------------------------------------------------------------------===//

class HRegClass<list<ValueType> types, int size, dag regs>
    : RegisterClass<"Heddle", types, size, regs> {
  let Size = size;
}

def GPR32 : HRegClass<[i32, f32, f16, bf16, v2f16, v2bf16, v2i16], 32,
                      (add (sequence "R%u", 0, 254), RZ)>;
def GPR64 : HRegClass<[i64, f64, v2i32, v2f32], 64,
                      (add !foreach(I, !range(127),
                                    !cast<Register>("R"#!mul(I, 2)#"_64")),
                           RZ64)> {
  let CopyCost = 1;
}
def GPR128 : HRegClass<[v4i32, v4f32, v2i64, v2f64], 128,
                       (add !foreach(I, !range(63),
                                     !cast<Register>("R"#!mul(I, 4)#"_128")),
                            RZ128)> {
  let CopyCost = 2;
}
def PR : HRegClass<[i1], 8, (add (sequence "P%u", 0, 6), PT)>;
def UGPR32 : HRegClass<[i32, f32, f16, bf16, v2f16, v2bf16, v2i16], 32,
                       (add (sequence "UR%u", 0, 62), URZ)>;
def UGPR64 : HRegClass<[i64, f64, v2i32, v2f32], 64,
                       (add !foreach(I, !range(31),
                                     !cast<Register>("UR"#!mul(I, 2)#"_64")),
                            URZ64)>;
def UGPR128 : HRegClass<[v4i32, v4f32, v2i64, v2f64], 128,
                        (add !foreach(I, !range(15),
                                      !cast<Register>("UR"#!mul(I, 4)#"_128")))>;
def UPR : HRegClass<[i1], 8, (add (sequence "UP%u", 0, 6), UPT)>;
// The value is a warp mask held per lane; it never takes part in selection.
def BR : HRegClass<[i32], 32, (add (sequence "B%u", 0, 15))>;
