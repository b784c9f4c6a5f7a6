//===- HeddleFormats.td - Encoding, operands, forms -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 128-bit form, the operand kinds with their assembly spelling, and the
// classes from which every instruction is made. heddle-tblgen reads operand
// positions from the role names below, so an operand's place is written once.
//
//  bits      field
//    0       0: the 128-bit form (1: a compact form, HeddleCompact.td)
//    3..1    form: what the operand slots hold (see Form)
//   11..4    operation
//   14..12   guard predicate, 15 its negation
//   23..16   d     destination
//   31..24   a     first source
//   63..32   b     second source: register (8), uniform register (6), immediate
//   71..64   c     third source
//  103..72   modifiers, predicates, a fourth source
//  107..104  stall: cycles before the warp may issue its next instruction
//  108       yield: the scheduler should prefer another warp
//  111..109  counter that the result's arrival decrements (7: none)
//  114..112  counter that the reading of the sources decrements (7: none)
//  120..115  counters that must be zero before issue
//  127..121  zero
//
//===----------------------------------------------------------------------===//

// Role -> lowest bit. The width follows from the operand's kind. An operand of
// an instruction is named after its role.
class Role<int lsb> { int Lsb = lsb; }
// Sources and destinations
def Role_d : Role<16>;
def Role_a : Role<24>;
def Role_b : Role<32>;
def Role_c : Role<64>;
def Role_e : Role<72>;    // second value of a compare-and-swap
def Role_x : Role<24>;    // 32-bit index of a scaled address
def Role_u : Role<32>;    // uniform base of a scaled address
def Role_imm : Role<40>;  // 24-bit byte offset of a memory address
def Role_num : Role<40>;  // 24-bit number that is no part of an address
def Role_wide : Role<32>; // 64-bit immediate
// Predicates
def Role_p : Role<80>;    // destination
def Role_q : Role<83>;    // second destination
def Role_s : Role<86>;    // source, with sn its negation
def Role_sn : Role<89>;
def Role_t : Role<90>;
def Role_tn : Role<93>;
def Role_v : Role<94>;
def Role_vn : Role<97>;
// Modifiers of sources
def Role_ma : Role<72>;
def Role_mb : Role<74>;
def Role_mc : Role<76>;
// Modifiers of operations
def Role_sat : Role<78>;
def Role_ftz : Role<79>;
def Role_minmax : Role<92>;
def Role_cmp : Role<92>;
def Role_ety : Role<80>;
def Role_then : Role<96>;
def Role_lut : Role<92>;
def Role_fn : Role<92>;
def Role_dty : Role<90>;
def Role_sty : Role<94>;
def Role_bop : Role<96>;
def Role_sh : Role<92>;
def Role_ext : Role<97>;
def Role_rnd : Role<98>;
def Role_nan : Role<98>;
def Role_xorsign : Role<99>;
def Role_sgn : Role<100>;
def Role_sgnb : Role<101>;
def Role_relu : Role<102>;
def Role_half : Role<102>;
// Modifiers of memory operations
def Role_order : Role<80>;
def Role_scope : Role<83>;
def Role_cache : Role<85>;
def Role_aop : Role<88>;
def Role_sc : Role<92>;
def Role_aext : Role<95>;
def Role_size : Role<96>;
def Role_aty : Role<99>;
def Role_bank : Role<99>;
// Textures and surfaces
def Role_geom : Role<80>;
def Role_fmt : Role<84>;
def Role_cint : Role<86>;
def Role_lod : Role<87>;
def Role_off : Role<89>;
def Role_dc : Role<90>;
def Role_comp : Role<91>;
def Role_oob : Role<93>;
def Role_query : Role<96>;
// Matrices and asynchronous operations
def Role_f : Role<40>;    // a fourth and a fifth register source
def Role_g : Role<48>;
def Role_h : Role<56>;    // and a sixth
def Role_mshape : Role<80>;
def Role_mta : Role<84>;
def Role_mtb : Role<88>;
def Role_mtd : Role<92>;
def Role_mtc : Role<94>;
def Role_msat : Role<96>;
def Role_mbop : Role<97>;
def Role_la : Role<98>;
def Role_lb : Role<99>;
def Role_part : Role<100>;
def Role_msv : Role<97>;
def Role_mst : Role<99>;
def Role_mpair : Role<100>;
def Role_mrnd : Role<80>;
def Role_mtile : Role<80>;
def Role_mcount : Role<83>;
def Role_munp : Role<85>;
def Role_wna : Role<94>;
def Role_wnb : Role<95>;
def Role_wtb : Role<97>;
def Role_wta : Role<98>;
def Role_wsp : Role<99>;
def Role_tshape : Role<80>;
def Role_tpack : Role<85>;
def Role_tpair : Role<87>;
def Role_tcopy : Role<80>;
def Role_tkind : Role<80>;
def Role_tmema : Role<83>;
def Role_tws : Role<84>;
def Role_tash : Role<85>;
def Role_tlut : Role<86>;
def Role_texcl : Role<88>;
def Role_tdscale : Role<88>;
def Role_bred : Role<80>;
def Role_bmc : Role<81>;
def Role_bbm : Role<82>;
def Role_bto : Role<83>;
def Role_bedge : Role<84>;
def Role_bcan : Role<82>;
def Role_bty : Role<99>;
def Role_tdir : Role<82>;
def Role_tmode : Role<84>;
def Role_tdim : Role<92>;
def Role_brep : Role<95>;
def Role_bhint : Role<98>;
def Role_tfab : Role<80>;
def Role_tshp : Role<100>;
def Role_fdir : Role<92>;
def Role_facc : Role<84>;
def Role_fcnt : Role<99>;
def Role_fty : Role<100>;
// Warp operations
def Role_shfn : Role<87>;
def Role_seg : Role<91>;
// Control operations
def Role_tgt : Role<32>;
def Role_yieldable : Role<92>;
def Role_aligned : Role<90>;
// What every instruction has
def Role_pg : Role<12>;
def Role_pgn : Role<15>;
def Role_ctl : Role<104>;

// What the slots b and c hold; bits 3..1 of the encoding.
class Form<string suffix, bits<3> enc> {
  string Suffix = suffix;
  bits<3> Code = enc;
}
def FormR  : Form<"_r", 0>;  // b, c registers
def FormI  : Form<"_i", 1>;  // b immediate
def FormU  : Form<"_u", 2>;  // b uniform register
def FormCI : Form<"_ci", 3>; // c immediate in the place of b, b register in the place of c
def FormCU : Form<"_cu", 4>; // c uniform register, likewise
def FormX  : Form<"_x", 5>;  // address: uniform base and scaled index

//===----------------------------------------------------------------------===//
// Operand kinds
//===----------------------------------------------------------------------===//

// Signed or unsigned immediates; Width is in bits. Spelling is how assembly
// writes them: Number, Bits (hexadecimal), Float32 (a decimal fraction, or the
// bits) or Special (the name of a special register).
class HImm<ValueType vt, int width, bit isSigned = 1,
           string spelling = "Number"> : Operand<vt> {
  int Width = width;
  bit Signed = isSigned;
  string Spelling = spelling;
}
def Imm32 : HImm<i32, 32>;
def FImm32 : HImm<f32, 32, 0, "Float32">;
// The high half of a double whose low half is zero, and packed halves.
def DImm32 : HImm<i32, 32, 1, "Bits">;
def Imm64 : HImm<i64, 64>;
def Imm24 : HImm<i32, 24>;
def UImm5 : HImm<i32, 5, 0>;
def UImm8 : HImm<i32, 8, 0>;
def UImm13 : HImm<i32, 13, 0>;
def BankImm : HImm<i32, 5, 0>;
// The truth table of a logic operation, and other sets of bits.
def LutImm : HImm<i32, 8, 0, "Bits">;
// The number of a special register (HeddleABI.td).
def SRegImm : HImm<i32, 8, 0, "Special">;
// A distance in bytes to a label from 16 bytes behind the instruction's start.
def BrTarget : Operand<OtherVT> {
  int Width = 32;
  bit Signed = 1;
  let OperandType = "OPERAND_PCREL";
}
def CallTarget : Operand<iPTR> {
  int Width = 32;
  bit Signed = 1;
  let OperandType = "OPERAND_PCREL";
}
def Ctl : OperandWithDefaultOps<i32, (ops (i32 0x7E1))> { int Width = 17; }

// A modifier is printed as '.NAME'; an empty name is the silent default. C++ has
// the values of some as an enumeration of the modifier's name (heddle::isa).
class Modifier<int width, list<string> names, list<string> enumerators = []>
    : Operand<i32> {
  int Width = width;
  list<string> Names = names;
  list<string> Enumerators = enumerators;
}
def Rnd : Modifier<2, ["", "RZ", "RM", "RP"]>;
def Ftz : Modifier<1, ["", "FTZ"]>;
def Sat : Modifier<1, ["", "SAT"]>;
def Relu : Modifier<1, ["", "RELU"]>;
def NaNMode : Modifier<1, ["", "NAN"]>;
def XorSign : Modifier<1, ["", "XORSIGN"]>;
def Sign : Modifier<1, ["U32", "S32"]>;
def Sign64 : Modifier<1, ["U64", "S64"]>;
def ShortSign : Modifier<1, ["U", "S"]>;
def MinMax : Modifier<1, ["MIN", "MAX"]>;
// Elements of a word, and what is done to them, in two steps.
def ElementType : Modifier<3, ["U32", "S32", "U16X2", "S16X2", "U8X4", "S8X4"],
                              ["U32", "S32", "U16x2", "S16x2", "U8x4", "S8x4"]>;
def ElementOp : Modifier<4, ["ADD", "SUB", "MIN", "MAX", "AVG", "AVGDN", "ABSDIFF",
                             "EQ", "NE", "LT", "LE", "GT", "GE"],
                            ["Add", "Subtract", "Min", "Max", "Average",
                             "AverageDown", "Difference", "Equal", "NotEqual",
                             "Less", "LessEqual", "Greater", "GreaterEqual"]>;
def ElementThen : Modifier<2, ["", "ACC", "MIN", "MAX"],
                              ["Nothing", "Accumulate", "Min", "Max"]>;
def CmpI : Modifier<4, ["NONE", "LT", "EQ", "LE", "GT", "NE", "GE", "ANY"],
                       ["None", "Less", "Equal", "LessEqual", "Greater",
                        "NotEqual", "GreaterEqual", "Any"]>;
def CmpF : Modifier<4, ["F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM",
                        "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"]>;
def BoolOp : Modifier<2, ["AND", "OR", "XOR"],
                         ["And", "Or", "Xor"]>;
def Ext : Modifier<1, ["UX", "SX"]>;
def Wrap : Modifier<1, ["C", "W"]>;
def FloMode : Modifier<2, ["", "SH", "CLZ"],
                          ["Position", "Shift", "LeadingZeros"]>;
def PrmtMode : Modifier<3, ["", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"]>;
def MufuFn : Modifier<4, ["RCP", "RSQ", "SQRT", "LG2", "EX2", "SIN", "COS", "TANH"],
                         ["Reciprocal", "ReciprocalRoot", "Root", "Log2",
                          "Exp2", "Sin", "Cos", "Tanh"]>;
def HalfType : Modifier<1, ["F16", "BF16"]>;
def HalfPart : Modifier<1, ["LO", "HI"]>;
// Types of conversions.
def FType : Modifier<4, ["F32", "F16", "BF16", "TF32"],
                        ["F32", "F16", "BF16", "TF32"]>;
// Types of values in pairs: those of 16 bits of FType, and narrow ones.
def PackType : Modifier<4, ["F32", "F16", "BF16", "TF32", "E4M3", "E5M2", "E3M2",
                            "E2M3", "E2M1"],
                           ["F32", "F16", "BF16", "TF32", "E4M3", "E5M2",
                            "E3M2", "E2M3", "E2M1"]>;
def IType : Modifier<4, ["U32", "S32", "U16", "S16", "U8", "S8"],
                        ["U32", "S32", "U16", "S16", "U8", "S8"]>;
def IType64 : Modifier<4, ["U64", "S64"]>;
def RintMode : Modifier<2, ["RN", "RZ", "RM", "RP"]>;
def Scale : Modifier<3, ["", "X2", "X4", "X8", "X16"]>;
def MemSize : Modifier<3, ["U8", "S8", "U16", "S16", ""],
                          ["U8", "S8", "U16", "S16", "Word"]>;
def MemOrder : Modifier<3, ["", "CONST", "RELAXED", "ACQUIRE", "RELEASE", "ACQREL", "MMIO"],
                           ["Weak", "Constant", "Relaxed", "Acquire",
                            "Release", "AcquireRelease", "MMIO"]>;
def MemScope : Modifier<2, ["CTA", "CLUSTER", "GPU", "SYS"],
                           ["CTA", "Cluster", "GPU", "System"]>;
def CacheOp : Modifier<3, ["", "CG", "CS", "LU", "CV", "EF", "EL", "NA"],
                          ["All", "Global", "Streaming", "LastUse",
                           "Volatile", "EvictFirst", "EvictLast", "NoAllocate"]>;
def AtomOp : Modifier<4, ["ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"],
                         ["Add", "Min", "Max", "Inc", "Dec", "And", "Or",
                          "Xor", "Exchange"]>;
def AtomType32 : Modifier<4, ["U32", "S32", "F32", "F16X2", "BF16X2", "F16", "BF16"],
                             ["Unsigned", "Signed", "Float", "Half2",
                              "BFloat2", "Half", "BFloat"]>;
// The first of AtomType32, of 64 bits.
def AtomType64 : Modifier<4, ["U64", "S64", "F64"]>;
def ImageRedType : Modifier<4, ["U32", "S32", "U64", "S64"],
                               ["U32", "S32", "U64", "S64"]>;
// The digit is the number of dimensions, A an array, M several samples.
def ImageGeometry : Modifier<4, ["D1", "D2", "D3", "A1", "A2", "CUBE", "ACUBE",
                                 "M2", "AM2"],
                                ["D1", "D2", "D3", "A1", "A2", "Cube",
                                 "ACube", "M2", "AM2"]>;
def IntCoords : Modifier<1, ["", "INT"]>;
def LodMode : Modifier<2, ["", "LEVEL", "GRAD"],
                          ["Base", "Level", "Gradients"]>;
def TexOffset : Modifier<1, ["", "OFF"]>;
def DepthCompare : Modifier<1, ["", "DC"]>;
def TexComponent : Modifier<2, ["R", "G", "B", "A"]>;
def ImageQuery : Modifier<4, ["WIDTH", "HEIGHT", "DEPTH", "TYPE", "ORDER",
                              "NORMALIZED", "ARRAY", "LEVELS", "SAMPLES",
                              "LINEAR", "UNNORMALIZED", "FILTER", "ADDRESS0",
                              "ADDRESS1", "ADDRESS2"],
                             ["Width", "Height", "Depth", "Type", "Order",
                              "Normalized", "Array", "Levels", "Samples",
                              "Linear", "Unnormalized", "Filter", "Address0",
                              "Address1", "Address2"]>;
def OutOfImage : Modifier<2, ["TRAP", "CLAMP", "ZERO"],
                             ["Trap", "Clamp", "Zero"]>;
def ImageSize : Modifier<3, ["B8", "B16", "B32", "B64", "B128"]>;
def Formatted : Modifier<1, ["", "FMT"]>;
def MatrixShape : Modifier<4, ["M8N8K4", "M8N8K16", "M8N8K32", "M8N8K128",
                               "M16N8K4", "M16N8K8", "M16N8K16", "M16N8K32",
                               "M16N8K64", "M16N8K128", "M16N8K256"],
                              ["M8N8K4", "M8N8K16", "M8N8K32", "M8N8K128",
                               "M16N8K4", "M16N8K8", "M16N8K16", "M16N8K32",
                               "M16N8K64", "M16N8K128", "M16N8K256"]>;
// E3M2 to E2M1 stand in bytes, the latter in bits 5..2; E2M1P are pairs.
def MatrixElement : Modifier<4, ["F16", "BF16", "TF32", "E4M3", "E5M2", "E3M2",
                                 "E2M3", "E2M1", "E2M1P", "S8", "U8", "S4",
                                 "U4", "B1"]>;
def MatrixResult : Modifier<2, ["F32", "F16", "S32"],
                               ["F32", "F16", "S32"]>;
def BitMultiply : Modifier<1, ["", "AND"]>;
def MatrixLayout : Modifier<1, ["ROW", "COL"]>;
def RegisterHalf : Modifier<1, ["", "HI"]>;
def MatrixScale : Modifier<2, ["", "X1", "X2", "X4"],
                              ["None", "X1", "X2", "X4"]>;
def ScaleType : Modifier<1, ["UE8M0", "UE4M3"]>;
def LaneSelector : Modifier<2, ["", "L1", "L2", "L3"]>;
def MatrixTile : Modifier<3, ["T8", "TT8", "TB8", "TB16", "TBT8"],
                             ["Words8", "Words8Transposed", "Bytes8",
                              "Bytes16Transposed", "Bytes8Transposed"]>;
def MatrixCount : Modifier<2, ["X1", "X2", "X4"]>;
def Unpack : Modifier<2, ["", "UNP6", "UNP4", "UNPS4"],
                         ["None", "From6Bits", "From4Bits", "FromSigned4Bits"]>;
def MBarrierOp : Modifier<4, ["INIT", "INVAL", "ARRIVE", "DROP", "EXPECT",
                              "COMPLETE", "ARRIVETX", "DROPTX", "INIT.V1"],
                             ["Init", "Invalidate", "Arrive", "Drop", "Expect",
                              "Complete", "ArriveExpect", "DropExpect",
                              "InitLayout1"]>;
def MBarrierTest : Modifier<4, ["TEST", "TEST.PARITY", "TRY", "TRY.PARITY",
                                "LAYOUT", "TEST.CONDITIONAL",
                                "TRY.CONDITIONAL"],
                               ["Test", "TestParity", "Try", "TryParity",
                                "Layout", "TestConditional", "TryConditional"]>;
def CopyGroupOp : Modifier<4, ["COMMIT", "WAIT", "WAITALL", "ARRIVE",
                               "ARRIVE.NOINC", "BCOMMIT", "BWAIT", "BREAD",
                               "FSUBMIT", "FSUBMIT.GET", "FCOMMIT", "FREAD",
                               "FREADALL"],
                              ["Commit", "Wait", "WaitAll", "Arrive",
                               "ArriveNoInc", "BulkCommit", "BulkWait",
                               "BulkRead", "FabricSubmit",
                               "FabricSubmitFetching", "FabricCommit",
                               "FabricRead", "FabricReadAll"]>;
def BulkReduce : Modifier<1, ["", "RED"]>;
def BulkTarget : Modifier<1, ["SHARED", "GLOBAL"]>;
def BulkType : Modifier<3, ["U32", "S32", "U64", "S64", "F16", "BF16", "F32",
                            "F64"],
                           ["U32", "S32", "U64", "S64", "F16", "BF16", "F32",
                            "F64"]>;
def Multicast : Modifier<1, ["", "MC"]>;
def ByteMask : Modifier<1, ["", "BM"]>;
def ClusterCancel : Modifier<1, ["", "CANCEL"]>;
def BulkEdges : Modifier<1, ["", "EDGES"]>;
// What is looked for in the data of a copy: -0 of 32, 16, 8 and 4 bits, and a
// byte of ones.
def DataReport : Modifier<3, ["", "REP32", "REP16", "REP8", "REP4", "REPFF"],
                             ["None", "MinusZero32", "MinusZero16",
                              "MinusZero8", "MinusZero4", "Ones"]>;
def CacheHint : Modifier<1, ["", "HINT"]>;
def TensorFabric : Modifier<1, ["", "FABRIC"]>;
def TensorExtents : Modifier<1, ["", "EXTENTS"]>;
def FabricOp : Modifier<3, ["GET", "PUT", "RED", "PULL", "ATOM", "CAS"],
                           ["Get", "Put", "Reduce", "Pull", "Atomic",
                            "CompareAndSwap"]>;
def WideSum : Modifier<1, ["", "ACC32"]>;
def CountedBytes : Modifier<1, ["", "COUNT"]>;
// Begins with the values of BulkType.
def FabricType : Modifier<4, ["U32", "S32", "U64", "S64", "F16", "BF16", "F32",
                              "F64", "E4M3", "E5M2", "B128"],
                             ["U32", "S32", "U64", "S64", "F16", "BF16", "F32",
                              "F64", "E4M3", "E5M2", "B128"]>;
def TensorDirection : Modifier<2, ["LOAD", "STORE", "RED"],
                                  ["Load", "Store", "Reduce"]>;
def TensorMode : Modifier<3, ["", "GATHER4", "SCATTER4", "IM2COL", "IM2COLW",
                              "IM2COLW128"],
                             ["Tile", "Gather4", "Scatter4", "Im2col",
                              "Im2colW", "Im2colW128"]>;
def TensorRank : Modifier<3, ["", "D1", "D2", "D3", "D4", "D5"]>;
def NegatedA : Modifier<1, ["", "NEGA"]>;
def NegatedB : Modifier<1, ["", "NEGB"]>;
def TransposedA : Modifier<1, ["", "TA"]>;
def TransposedB : Modifier<1, ["", "TB"]>;
def Sparse : Modifier<1, ["", "SP"]>;
def WarpgroupOp : Modifier<4, ["COMMIT", "WAIT"],
                              ["Commit", "Wait"]>;
def TensorMemoryOp : Modifier<4, ["ALLOC", "FREE", "GIVEUP", "WAITLD",
                                  "WAITST"],
                                 ["Alloc", "Free", "GiveUp", "WaitLoads",
                                  "WaitStores"]>;
def ExclusiveUse : Modifier<1, ["", "EXCL"]>;
def CTAPair : Modifier<1, ["", "PAIR"]>;
def TensorShape : Modifier<3, ["L16X64B", "L16X128B", "L16X256B", "L32X32B",
                               "L16X32BX2"],
                              ["L16x64b", "L16x128b", "L16x256b", "L32x32b",
                               "L16x32bx2"]>;
def TensorPack : Modifier<1, ["", "PACK"]>;
// The digits are the warps that share rows.
def TensorCopy : Modifier<3, ["R128X256B", "R4X256B", "R128X128B",
                              "R64X128B.02.13", "R64X128B.01.23",
                              "R32X128B", "SHIFT"],
                             ["Rows128x256b", "Rows4x256b", "Rows128x128b",
                              "Rows64x128bTo02And13", "Rows64x128bTo01And23",
                              "Rows32x128b", "Shift"]>;
def TensorKind : Modifier<3, ["F16", "TF32", "F8F6F4", "I8", "MXF8F6F4",
                              "MXF4", "MXF4NVF4", "TI16"],
                             ["F16", "TF32", "F8F6F4", "I8", "MXF8F6F4",
                              "MXF4", "MXF4NVF4", "TI16"]>;
def LookUpB : Modifier<1, ["", "LUT"]>;
def TensorA : Modifier<1, ["", "TA"]>;
def Stationary : Modifier<1, ["", "STATIONARY"]>;
def ShiftedA : Modifier<1, ["", "DOWN"]>;
def TensorScale : Modifier<4, ["", "D1", "D2", "D3", "D4", "D5", "D6", "D7",
                               "D8", "D9", "D10", "D11", "D12", "D13", "D14",
                               "D15"]>;
def FenceKind : Modifier<4, ["ACQREL", "SC", "PROXY"],
                            ["AcquireRelease", "SequentiallyConsistent",
                             "Proxy"]>;
def ShflMode : Modifier<2, ["IDX", "UP", "DOWN", "BFLY"],
                           ["Index", "Up", "Down", "Butterfly"]>;
def VoteMode : Modifier<4, ["ALL", "ANY", "UNI", "BALLOT"],
                           ["All", "Any", "Uniform", "Ballot"]>;
def MatchMode : Modifier<4, ["ANY", "ALL"],
                            ["Any", "All"]>;
def ReduxOp : Modifier<4, ["ADD", "MIN", "MAX", "AND", "OR", "XOR"],
                          ["Add", "Min", "Max", "And", "Or", "Xor"]>;
def BarMode : Modifier<4, ["SYNC", "ARV", "RED.POPC", "RED.AND", "RED.OR"],
                          ["Sync", "Arrive", "Count", "And", "Or"]>;
def Yieldable : Modifier<1, ["", "Y"]>;
def Aligned : Modifier<1, ["", "ALIGNED"]>;
def SyncPlace : Modifier<1, ["", "ANY"]>;
def ClusterBarMode : Modifier<2, ["ARV", "ARV.RELAXED", "WAIT"],
                                 ["Arrive", "ArriveRelaxed", "Wait"]>;
def GridDependency : Modifier<1, ["LAUNCH", "WAIT"]>;
// Source modifiers print around their operand ('-|R1|'), never as a suffix.
def NegAbs : Operand<i32> { int Width = 2; bit SourceModifier = 1; }
def Neg : Operand<i32> { int Width = 1; bit SourceModifier = 1; }
// '!' before a predicate source.
def Not : Operand<i32> { int Width = 1; bit SourceModifier = 1; }
// The guard: executed where the predicate (or its negation) holds.
def PGuard : PredicateOperand<i1, (ops PR), (ops (i1 PT))>;
def UPGuard : PredicateOperand<i1, (ops UPR), (ops (i1 UPT))>;
def GuardNot : PredicateOperand<i32, (ops i32imm), (ops (i32 0))> { int Width = 1; bit SourceModifier = 1; }

//===----------------------------------------------------------------------===//
// Operations and instructions
//===----------------------------------------------------------------------===//

// What the lanes that execute an instruction together may do behind it.
class Flow;
def FLOW_Next : Flow;  // go on at the next instruction; never a fault
def FLOW_Fault : Flow; // the same, or a fault
def FLOW_Meet : Flow;  // the same, or wait for lanes that are elsewhere
def FLOW_Any : Flow;   // anything: go elsewhere, wait, end

// How long a result takes is a property of the chip (HeddleChips.td); whether
// the stall count or a counter covers it is a property of the ISA.
class LatencyClass<string pipe, bit variable, Flow behind = FLOW_Any>
    : InstrItinClass {
  string Pipe = pipe;
  // 1: the result arrives at a time that no stall count covers; the producer
  // sets a counter. Its sources are read late too, so that overwriting one
  // needs the reading counter.
  bit Variable = variable;
  // Of operations that do not say another.
  Flow Behind = behind;
}
def LC_ALU : LatencyClass<"alu", 0, FLOW_Next>;
def LC_FMA : LatencyClass<"fma", 0, FLOW_Next>;
def LC_WIDE : LatencyClass<"fma", 0, FLOW_Next>;   // 64-bit results of 32-bit sources
def LC_ALU64 : LatencyClass<"alu", 0, FLOW_Next>;
def LC_HALF : LatencyClass<"half", 0, FLOW_Next>;
def LC_PRED : LatencyClass<"alu", 0, FLOW_Next>;   // predicate results
def LC_UALU : LatencyClass<"uniform", 0, FLOW_Next>;
def LC_UPRED : LatencyClass<"uniform", 0, FLOW_Next>;
def LC_CONV : LatencyClass<"conversion", 1, FLOW_Next>;
def LC_MUFU : LatencyClass<"special", 1, FLOW_Next>;
def LC_F64 : LatencyClass<"double", 1, FLOW_Next>;
def LC_S2R : LatencyClass<"alu", 1, FLOW_Fault>;
def LC_LDG : LatencyClass<"memory", 1>;
def LC_LDS : LatencyClass<"memory", 1>;
def LC_LDC : LatencyClass<"constant", 1, FLOW_Fault>;
def LC_ATOM : LatencyClass<"memory", 1>;
def LC_MMA : LatencyClass<"matrix", 1>;
def LC_DMMA : LatencyClass<"matrix", 1, FLOW_Fault>;
def LC_TEX : LatencyClass<"texture", 1, FLOW_Fault>;
def LC_SHFL : LatencyClass<"memory", 1, FLOW_Meet>;
def LC_VOTE : LatencyClass<"alu", 0, FLOW_Meet>;
def LC_WARP : LatencyClass<"special", 1, FLOW_Meet>; // match, redux, uniform from lanes
def LC_BRANCH : LatencyClass<"branch", 0>;
def LC_BAR : LatencyClass<"branch", 1>;
def LC_CONVERGE : LatencyClass<"branch", 0>;
def LC_SYS : LatencyClass<"branch", 0>;

// How the sources a and b of an operation may change places, each with its own
// modifier, so that the result stays the same.
class Swap;
def SWAP_No : Swap;      // not at all
def SWAP_Plain : Swap;   // as they are
def SWAP_Compare : Swap; // with the comparison turned around
def SWAP_Select : Swap;  // with the predicate negated
def SWAP_Lut : Swap;     // with the rows of the table exchanged

// The memory in which the lanes' places of an access lie.
class Space;
def SPACE_None : Space;    // no such access
def SPACE_Generic : Space; // by the address
def SPACE_Global : Space;
def SPACE_Shared : Space;
def SPACE_Local : Space;

// One operation of the ISA: what the manual has a section for and what the
// emulator has a function for. Its instructions differ in their forms only.
class ISAOp<bits<8> enc, LatencyClass lc, string title, string meaning,
            Swap sources = SWAP_No> {
  bits<8> Code = enc;
  LatencyClass Latency = lc;
  string Title = title;
  // d, a, b, ... are the operands by role; written for the manual.
  string Meaning = meaning;
  Swap Sources = sources;
  string Mnemonic = !substr(NAME, 3); // without "OP_"
  Flow Behind = lc.Behind;
  Space Accesses = SPACE_None;
  int AccessWords = 0;
}

// An operation by which each lane accesses a place of its own: so many words,
// or up to one, by the instruction's size.
class AccessOp<bits<8> enc, LatencyClass lc, Space space, int words,
               string title, string meaning> : ISAOp<enc, lc, title, meaning> {
  let Accesses = space;
  let AccessWords = words;
  let Behind = FLOW_Fault;
}

// An instruction: an operation in one form. Asm names operands as $role, and
// $role~mod prints a source with its modifier. Mnemonic and guard are added.
class HInst<ISAOp op, Form form, dag outs, dag inputs, string asm,
            list<dag> pattern = []> : Instruction {
  let Namespace = "Heddle";
  let Size = 16;
  let OutOperandList = outs;
  let InOperandList = !con(inputs, (ins PGuard:$pg, GuardNot:$pgn, Ctl:$ctl));
  let Pattern = pattern;
  let Itinerary = op.Latency;
  let hasSideEffects = 0;
  let mayLoad = 0;
  let mayStore = 0;
  let isPredicable = 1;
  let UseNamedOperandTable = 1;
  ISAOp Operation = op;
  Form InstForm = form;
  string HAsm = asm;
  // 1: executed once for the warp, guarded by a uniform predicate.
  bit Uniform = 0;
}

class UInst<ISAOp op, Form form, dag outs, dag inputs, string asm>
    : HInst<op, form, outs, inputs, asm> {
  let InOperandList = !con(inputs, (ins UPGuard:$pg, GuardNot:$pgn, Ctl:$ctl));
  let Uniform = 1;
}

// Two-source operations: d = f(a, b) with b a register, immediate or uniform.
// 'pre' and 'post' are further inputs; asm has B where the second source goes.
multiclass Alu2<ISAOp op, dag outs, dag pre, dag post, string head, string tail,
                RegisterClass rb = GPR32, Operand imm = Imm32,
                RegisterClass ub = UGPR32> {
  def _r : HInst<op, FormR, outs, !con(pre, (ins rb:$b), post), head#"$b"#tail>;
  def _i : HInst<op, FormI, outs, !con(pre, (ins imm:$b), post), head#"$b"#tail>;
  def _u : HInst<op, FormU, outs, !con(pre, (ins ub:$b), post), head#"$b"#tail>;
}

// Three-source operations, all five forms.
multiclass Alu3<ISAOp op, dag outs, dag pre, dag mid, dag post, string head,
                string midasm, string tail, RegisterClass rb = GPR32,
                RegisterClass rc = GPR32, Operand imm = Imm32,
                RegisterClass ub = UGPR32, RegisterClass uc = UGPR32> {
  def _r : HInst<op, FormR, outs, !con(pre, (ins rb:$b), mid, (ins rc:$c), post),
                 head#"$b"#midasm#"$c"#tail>;
  def _i : HInst<op, FormI, outs, !con(pre, (ins imm:$b), mid, (ins rc:$c), post),
                 head#"$b"#midasm#"$c"#tail>;
  def _u : HInst<op, FormU, outs, !con(pre, (ins ub:$b), mid, (ins rc:$c), post),
                 head#"$b"#midasm#"$c"#tail>;
  def _ci : HInst<op, FormCI, outs, !con(pre, (ins rb:$b), mid, (ins imm:$c), post),
                  head#"$b"#midasm#"$c"#tail>;
  def _cu : HInst<op, FormCU, outs, !con(pre, (ins rb:$b), mid, (ins uc:$c), post),
                  head#"$b"#midasm#"$c"#tail>;
}

// The uniform path has register and immediate forms.
multiclass UAlu2<ISAOp op, dag outs, dag pre, dag post, string head, string tail,
                 RegisterClass ub = UGPR32> {
  def _r : UInst<op, FormR, outs, !con(pre, (ins ub:$b), post), head#"$b"#tail>;
  def _i : UInst<op, FormI, outs, !con(pre, (ins Imm32:$b), post), head#"$b"#tail>;
}
multiclass UAlu3<ISAOp op, dag outs, dag pre, dag mid, dag post, string head,
                 string midasm, string tail, RegisterClass ub = UGPR32,
                 RegisterClass uc = UGPR32> {
  def _r : UInst<op, FormR, outs, !con(pre, (ins ub:$b), mid, (ins uc:$c), post),
                 head#"$b"#midasm#"$c"#tail>;
  def _i : UInst<op, FormI, outs, !con(pre, (ins Imm32:$b), mid, (ins uc:$c), post),
                 head#"$b"#midasm#"$c"#tail>;
  def _ci : UInst<op, FormCI, outs, !con(pre, (ins ub:$b), mid, (ins Imm32:$c), post),
                  head#"$b"#midasm#"$c"#tail>;
}
