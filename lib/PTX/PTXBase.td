//===- PTXBase.td - Words of the PTX instruction table -----*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, modifiers and special registers of PTX, each spelled once, and the
// classes that the rows of PTXInstructions.td are made of.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_BASE
#define HEDDLE_PTX_BASE

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class TypeClassOf<string name> { string Name = name; }
def SInt   : TypeClassOf<"SInt">;
def UInt   : TypeClassOf<"UInt">;
def Float  : TypeClassOf<"Float">;
def Packed : TypeClassOf<"Packed">;
def Bits   : TypeClassOf<"Bits">;
def PredC  : TypeClassOf<"Pred">;
def Opaque : TypeClassOf<"Opaque">;

// A type; its enumerator is the name of the record. Packed types count as what
// their registers hold. An operand of most types may be a constant.
class PTXType<string spelling, int width, TypeClassOf kind,
              bit constants = true> {
  string Spelling = spelling;
  int Width = width;
  TypeClassOf Class = kind;
  bit Constants = constants;
}

foreach W = [8, 16, 32, 64] in {
  def S#W : PTXType<"s"#W, W, SInt>;
  def U#W : PTXType<"u"#W, W, UInt>;
  def B#W : PTXType<"b"#W, W, Bits>;
}
def B128   : PTXType<"b128", 128, Bits>;
def Pred   : PTXType<"pred", 1, PredC>;
def F16    : PTXType<"f16", 16, Float, false>;
def F16x2  : PTXType<"f16x2", 32, Float, false>;
def F32    : PTXType<"f32", 32, Float>;
def F32x2  : PTXType<"f32x2", 64, Packed, false>;
def F64    : PTXType<"f64", 64, Float>;
def BF16   : PTXType<"bf16", 16, Float, false>;
def BF16x2 : PTXType<"bf16x2", 32, Float, false>;
def TF32   : PTXType<"tf32", 32, Float, false>;
def U16x2  : PTXType<"u16x2", 32, Packed, false>;
def S16x2  : PTXType<"s16x2", 32, Packed, false>;
def U8x4   : PTXType<"u8x4", 32, Packed, false>;
def S8x4   : PTXType<"s8x4", 32, Packed, false>;
def U2     : PTXType<"u2", 2, UInt>;
def S2     : PTXType<"s2", 2, SInt>;
def U4     : PTXType<"u4", 4, UInt>;
def S4     : PTXType<"s4", 4, SInt>;
def B1     : PTXType<"b1", 1, Bits>;
def B2     : PTXType<"b2", 2, Bits>;
def B4     : PTXType<"b4", 4, Bits>;
def E4M3   : PTXType<"e4m3", 8, Bits>;
def E5M2   : PTXType<"e5m2", 8, Bits>;
def E3M2   : PTXType<"e3m2", 6, Bits>;
def E2M3   : PTXType<"e2m3", 6, Bits>;
def E2M1   : PTXType<"e2m1", 4, Bits>;
def UE8M0  : PTXType<"ue8m0", 8, Bits>;
def UE4M3  : PTXType<"ue4m3", 8, Bits>;
def E4M3x2 : PTXType<"e4m3x2", 16, Bits>;
def E5M2x2 : PTXType<"e5m2x2", 16, Bits>;
def E4M3x4 : PTXType<"e4m3x4", 32, Packed>;
def E5M2x4 : PTXType<"e5m2x4", 32, Packed>;
def E3M2x2 : PTXType<"e3m2x2", 16, Bits>;
def E2M3x2 : PTXType<"e2m3x2", 16, Bits>;
def E2M1x2 : PTXType<"e2m1x2", 8, Bits>;
def UE8M0x2 : PTXType<"ue8m0x2", 16, Bits>;
def E3M2x4 : PTXType<"e3m2x4", 32, Packed>;
def E2M3x4 : PTXType<"e2m3x4", 32, Packed>;
def E2M1x4 : PTXType<"e2m1x4", 16, Packed>;
def S2F6x2 : PTXType<"s2f6x2", 16, Bits>;
def UE5M3x2 : PTXType<"ue5m3x2", 16, Bits>;
def UE8M0x4 : PTXType<"ue8m0x4", 32, Packed>;
// The elements of .e2m1x4, each in a byte of its own.
def E2M1P4x4 : PTXType<"e2m1p4x4", 32, Packed>;
def TexRef     : PTXType<"texref", 64, Opaque>;
def SamplerRef : PTXType<"samplerref", 64, Opaque>;
def SurfRef    : PTXType<"surfref", 64, Opaque>;

// A set of types, usable in the mnemonic of a row by the record's name.
class TypeSet<list<PTXType> types> { list<PTXType> Types = types; }

def Int16To64  : TypeSet<[U16, U32, U64, S16, S32, S64]>;
def Int32To64  : TypeSet<[U32, U64, S32, S64]>;
def Int8To64   : TypeSet<[U8, U16, U32, U64, S8, S16, S32, S64]>;
def Int32      : TypeSet<[U32, S32]>;
def Bits16To64 : TypeSet<[B16, B32, B64]>;
def Bits32To64 : TypeSet<[B32, B64]>;
def Packed16   : TypeSet<[U16x2, S16x2]>;
def Packed8    : TypeSet<[U8x4, S8x4]>;
def NarrowPair : TypeSet<[E4M3x2, E5M2x2, E3M2x2, E2M3x2]>;
def NarrowQuad : TypeSet<[E4M3x4, E5M2x4, E3M2x4, E2M3x4, E2M1x4, E2M1P4x4,
                          UE8M0x4]>;
def Half       : TypeSet<[F16, F16x2]>;
def BHalf      : TypeSet<[BF16, BF16x2]>;
def Scalar16To64 : TypeSet<[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32,
                            F64]>;
def Memory     : TypeSet<[B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32,
                          S64, F32, F64]>;
def Memory8To16 : TypeSet<[B8, B16, U8, U16, S8, S16]>;
def Memory64   : TypeSet<[B64, U64, S64, F64]>;
def Memory32   : TypeSet<[B32, U32, S32, F32]>;

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

// One modifier: an enum of the record's name, whose enumerators are None and
// the spellings in camel case (`L1::evict_last` is L1EvictLast, a leading
// digit gets an N).
// A kind whose values stand for numbers (of elements, of dimensions) gives one
// for each.
class ModKind<list<string> spellings, list<int> numbers = []> {
  list<string> Spellings = spellings;
  list<int> Numbers = numbers;
  // ptxas takes its values on every instruction, and looks at them only where
  // the instruction has such a modifier.
  bit Overlooked = false;
}

// Some values of a modifier, usable in a row by the record's name.
class ModSet<ModKind kind, list<string> values> {
  ModKind Kind = kind;
  list<string> Values = values;
}

// Least PTX version and target of a value that is younger than the rows.
class ModSince<ModKind kind, string value, int version, int sm,
               list<string> targets = []> {
  ModKind Kind = kind;
  string Value = value;
  int Version = version;
  int Sm = sm;
  // Alternatives, as those of a row.
  list<string> Targets = targets;
}

// Arithmetic.
def Rounding  : ModKind<["rn", "rz", "rm", "rp", "rna", "rs", "rni", "rzi",
                         "rmi", "rpi"]>;
def FpRound   : ModSet<Rounding, ["rn", "rz", "rm", "rp"]>;
def IntRound  : ModSet<Rounding, ["rni", "rzi", "rmi", "rpi"]>;
def Ftz       : ModKind<["ftz"]>;
def NoFtz     : ModKind<["noftz"]>;
def Sat       : ModKind<["sat"]>;
def SatFinite : ModKind<["satfinite"]>;
def Relu      : ModKind<["relu"]>;
def Oob       : ModKind<["oob"]>;
def ScaleMode : ModKind<["scaled::n2::ue8m0", "scaled::n1::ue8m0"]>;
def PosZero   : ModKind<["pzo"]>;
def Turns     : ModKind<["2pi"]>;
def Accuracy  : ModKind<["approx", "full"]>;
def CarryOut  : ModKind<["cc"]>;
def MulPart   : ModKind<["lo", "hi", "wide"]>;
def NanMode   : ModKind<["NaN"]>;
def XorSign   : ModKind<["xorsign"]>;
def AbsMode   : ModKind<["abs"]>;
def CmpOp     : ModKind<["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi",
                         "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
                         "nan"]>;
def CmpEq     : ModSet<CmpOp, ["eq", "ne"]>;
def CmpSigned : ModSet<CmpOp, ["eq", "ne", "lt", "le", "gt", "ge"]>;
def CmpUnsigned : ModSet<CmpOp, ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls",
                                 "hi", "hs"]>;
def CmpFloat  : ModSet<CmpOp, ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu",
                               "ltu", "leu", "gtu", "geu", "num", "nan"]>;
def BoolOp    : ModKind<["and", "or", "xor"]>;
def BoolAndOr : ModSet<BoolOp, ["and", "or"]>;
let Overlooked = true in
def TestProperty : ModKind<["finite", "infinite", "number", "notanumber",
                            "normal", "subnormal"]>;
def ShiftAmount  : ModKind<["shiftamt"]>;
def ShiftMode    : ModKind<["wrap", "clamp"]>;
def ShiftDir     : ModKind<["l", "r"]>;
def PermuteMode  : ModKind<["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]>;

// Memory.
def StateSpace : ModKind<["const", "global", "local", "param", "shared",
                          "shared::cta", "shared::cluster", "param::entry",
                          "param::func", "reg", "generic", "tmem"]>;
def LoadSpace  : ModSet<StateSpace, ["const", "global", "local", "param",
                                     "shared", "shared::cta",
                                     "shared::cluster", "param::entry",
                                     "param::func"]>;
def StoreSpace : ModSet<StateSpace, ["global", "local", "param", "shared",
                                     "shared::cta", "shared::cluster",
                                     "param::func"]>;
def SyncSpace  : ModSet<StateSpace, ["global", "shared", "shared::cta",
                                     "shared::cluster"]>;
def SharedSpace : ModSet<StateSpace, ["shared", "shared::cta",
                                      "shared::cluster"]>;
def OwnSharedSpace : ModSet<StateSpace, ["shared", "shared::cta"]>;
def GenericSpace : ModSet<StateSpace, ["const", "global", "local", "param",
                                       "param::entry", "shared",
                                       "shared::cta", "shared::cluster"]>;
def OldGenericSpace : ModSet<StateSpace, ["const", "global", "local", "shared",
                                          "shared::cta", "shared::cluster"]>;
def Semantics  : ModKind<["weak", "volatile", "relaxed", "acquire", "release",
                          "acq_rel", "sc"]>;
def AtomSem    : ModSet<Semantics, ["relaxed", "acquire", "release",
                                    "acq_rel"]>;
def Scope      : ModKind<["cta", "cluster", "gpu", "sys"]>;
def MembarLevel : ModKind<["cta", "gl", "sys"]>;
def Mmio       : ModKind<["mmio"]>;
def CacheOp    : ModKind<["ca", "cg", "cs", "lu", "cv", "wb", "wt"]>;
def LoadCache  : ModSet<CacheOp, ["ca", "cg", "cs", "lu", "cv"]>;
def NcCache    : ModSet<CacheOp, ["ca", "cg", "cs"]>;
def StoreCache : ModSet<CacheOp, ["wb", "cg", "cs", "wt"]>;
def NonCoherent : ModKind<["nc"]>;
def L1Eviction : ModKind<["L1::evict_normal", "L1::evict_unchanged",
                          "L1::evict_first", "L1::evict_last",
                          "L1::no_allocate"]>;
def L2Eviction : ModKind<["L2::evict_normal", "L2::evict_first",
                          "L2::evict_last"]>;
def L2Hint     : ModKind<["L2::cache_hint"]>;
def L2Prefetch : ModKind<["L2::64B", "L2::128B", "L2::256B"]>;
def L1Prefetch : ModKind<["L1::32B"]>;
def ValidAddr  : ModKind<["valid_addr"]>;
def ReadOnly   : ModKind<["proxy::readonly"]>;
def PrefetchLevel : ModKind<["L1", "L2"]>;
def Vec        : ModKind<["v2", "v4", "v8"]>;
def Vec24      : ModSet<Vec, ["v2", "v4"]>;
def To         : ModKind<["to"]>;
def AtomOp     : ModKind<["and", "or", "xor", "cas", "exch", "add", "inc",
                          "dec", "min", "max"]>;
def AtomBits   : ModSet<AtomOp, ["and", "or", "xor"]>;
def AtomIncDec : ModSet<AtomOp, ["inc", "dec"]>;
def AtomMinMax : ModSet<AtomOp, ["min", "max"]>;

// Control, synchronisation, exchange between threads.
def Uni        : ModKind<["uni"]>;
def Sync       : ModKind<["sync"]>;
def Aligned    : ModKind<["aligned"]>;
def CtaBarrier : ModKind<["cta"]>;
def BarRedOp   : ModKind<["popc", "and", "or"]>;
def ShflMode   : ModKind<["up", "down", "bfly", "idx"]>;
def VoteMode   : ModKind<["all", "any", "uni", "ballot"]>;
def VotePred   : ModSet<VoteMode, ["all", "any", "uni"]>;
def MatchMode  : ModKind<["any", "all"]>;
def ReduxOp    : ModKind<["add", "min", "max", "and", "or", "xor"]>;
def Proxy      : ModKind<["alias", "async", "tensormap::generic",
                          "async::generic"]>;
def FabricProxy : ModKind<["generic::fabric", "fabric::generic",
                           "fabric::fabric"]>;
def SyncRestrict : ModKind<["sync_restrict::shared::cta",
                            "sync_restrict::shared::cluster",
                            "sync_restrict::shared::cluster::read",
                            "sync_restrict::shared::read::mma::a",
                            "sync_restrict::reads", "sync_restrict::read",
                            "sync_restrict::proxy::async"]>;
def GridDep    : ModKind<["launch_dependents", "wait"]>;

foreach S = ["cta", "gpu", "sys"] in
  def : ModSince<Scope, S, 50, 60>;
def : ModSince<Scope, "cluster", 78, 90>;
def : ModSince<CtaBarrier, "cta", 78, 30>;
def : ModSince<Semantics, "weak", 60, 70>;
foreach S = ["relaxed", "acquire", "release", "acq_rel", "sc"] in
  def : ModSince<Semantics, S, 60, 70>;
def : ModSince<StateSpace, "shared::cta", 78, 30>;
def : ModSince<StateSpace, "shared::cluster", 78, 90>;
def : ModSince<StateSpace, "param::entry", 83, 0>;
def : ModSince<StateSpace, "param::func", 83, 0>;
def : ModSince<CacheOp, "ca", 20, 20>;
def : ModSince<CacheOp, "cg", 20, 20>;
def : ModSince<CacheOp, "cs", 20, 20>;
def : ModSince<CacheOp, "cv", 20, 20>;
foreach V = ["L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
             "L1::evict_last", "L1::no_allocate"] in
  def : ModSince<L1Eviction, V, 74, 70>;
def : ModSince<L2Hint, "L2::cache_hint", 74, 80>;
def : ModSince<L2Prefetch, "L2::64B", 74, 75>;
def : ModSince<L2Prefetch, "L2::128B", 74, 75>;
def : ModSince<L2Prefetch, "L2::256B", 74, 80>;
def : ModSince<NanMode, "NaN", 70, 80>;
def : ModSince<XorSign, "xorsign", 72, 86>;

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

// A special register; the enumerator is the name without `%` in camel case.
class SpecialRegister<string name, PTXType type, int vec = 1, int version = 10,
                      int sm = 0> {
  string Name = name;
  PTXType RegType = type;
  int VectorWidth = vec;
  int Version = version;
  int Sm = sm;
  // The least width of a type that it can be read with, which takes its low
  // bits: PTX 1 had these registers with fewer bits.
  int LeastWidth = type.Width;
}

let LeastWidth = 16 in {
  foreach N = ["%tid", "%ntid", "%ctaid", "%nctaid"] in
    def : SpecialRegister<N, U32, 4>;
  foreach N = ["%clusterid", "%nclusterid", "%cluster_ctaid",
               "%cluster_nctaid"] in
    def : SpecialRegister<N, U32, 4, 78, 90>;
  def : SpecialRegister<"%gridid", U64>;
}
foreach N = ["%laneid", "%warpid", "%smid", "%clock"] in
  def : SpecialRegister<N, U32>;
foreach N = ["%nwarpid", "%nsmid", "%lanemask_eq", "%lanemask_le",
             "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%clock_hi"] in
  def : SpecialRegister<N, U32, 1, 20, 20>;
def : SpecialRegister<"%clock64", U64, 1, 20, 20>;
def : SpecialRegister<"%is_explicit_cluster", Pred, 1, 78, 90>;
foreach N = ["%cluster_ctarank", "%cluster_nctarank"] in
  def : SpecialRegister<N, U32, 1, 78, 90>;
foreach I = 0...7 in {
  def : SpecialRegister<"%pm"#I, U32, 1, 13, 0>;
  def : SpecialRegister<"%pm"#I#"_64", U64, 1, 40, 50>;
}
foreach I = 0...31 in
  def : SpecialRegister<"%envreg"#I, B32, 1, 21, 0>;
def : SpecialRegister<"%globaltimer", U64, 1, 31, 30>;
def : SpecialRegister<"%globaltimer_lo", U32, 1, 31, 30>;
def : SpecialRegister<"%globaltimer_hi", U32, 1, 31, 30>;
foreach N = ["%reserved_smem_offset_begin", "%reserved_smem_offset_end",
             "%reserved_smem_offset_cap", "%reserved_smem_offset_0",
             "%reserved_smem_offset_1"] in
  def : SpecialRegister<N, B32, 1, 76, 80>;
def : SpecialRegister<"%total_smem_size", U32, 1, 41, 20>;
def : SpecialRegister<"%dynamic_smem_size", U32, 1, 41, 20>;
def : SpecialRegister<"%aggr_smem_size", U32, 1, 81, 90>;
def : SpecialRegister<"%current_graph_exec", U64, 1, 80, 50>;
foreach N = ["%locality_domain_id", "%locality_domain_supplemental_sm"] in
  def : SpecialRegister<N, U32, 1, 95, 100>;
def : SpecialRegister<"%perctamemoryoffset", U64, 1, 94, 80>;
def : SpecialRegister<"%perctamemorysize", U32, 1, 94, 80>;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

// A GPU that `.target` can name and the PTX version that knows it first.
class KnownTarget<string name, int version> {
  string Name = name;
  int Version = version;
}

foreach N = ["sm_10", "sm_11"] in
  def : KnownTarget<N, 10>;
foreach N = ["sm_12", "sm_13"] in
  def : KnownTarget<N, 12>;
def : KnownTarget<"sm_20", 20>;
def : KnownTarget<"sm_21", 20>;
def : KnownTarget<"sm_30", 30>;
def : KnownTarget<"sm_32", 40>;
def : KnownTarget<"sm_35", 31>;
def : KnownTarget<"sm_37", 41>;
def : KnownTarget<"sm_50", 40>;
def : KnownTarget<"sm_52", 41>;
def : KnownTarget<"sm_53", 42>;
foreach N = ["sm_60", "sm_61", "sm_62"] in
  def : KnownTarget<N, 50>;
def : KnownTarget<"sm_70", 60>;
def : KnownTarget<"sm_72", 61>;
def : KnownTarget<"sm_75", 63>;
def : KnownTarget<"sm_80", 70>;
def : KnownTarget<"sm_86", 71>;
def : KnownTarget<"sm_87", 74>;
def : KnownTarget<"sm_88", 90>;
def : KnownTarget<"sm_89", 78>;
def : KnownTarget<"sm_90", 78>;
def : KnownTarget<"sm_90a", 80>;
foreach N = ["sm_100", "sm_100a", "sm_101", "sm_101a"] in
  def : KnownTarget<N, 86>;
foreach N = ["sm_120", "sm_120a"] in
  def : KnownTarget<N, 87>;
foreach N = ["sm_100f", "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_120f",
             "sm_121", "sm_121a", "sm_121f"] in
  def : KnownTarget<N, 88>;
foreach N = ["sm_110", "sm_110a", "sm_110f"] in
  def : KnownTarget<N, 90>;
foreach N = ["sm_107", "sm_107a", "sm_107f"] in
  def : KnownTarget<N, 94>;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// One form of an instruction.
//
// `suffix` is what follows the opcode, element by element:
//   .ftz            required; a spelling that only one modifier or type has
//   {.ftz}          optional
//   .(u32|s32)      one of these
//   .Int32          one of a TypeSet, ModSet or ModKind record
//   .CmpOp(eq|ne)   one of these values of that modifier
//   .(LoadCache|L1Eviction)  one of the members of these records
//   .^ftz           at the start, before the parts of the opcode
// Elements may stand in any order, but types keep theirs and the parts of the
// opcode their places, save those that begin with `~`: `shfl.~sync`.
// `operands` is a list of
//   =d:T            destination
//   a:T             source
//   #a:T            integer constant; #a(4|8):T one of these values
//   a(0|1):T        source; a constant has one of these values, and of
//                   a(*32):T a multiple of that
//   [a]             address in the StateSpace that the mnemonic names
//   [a]:global      address in a fixed space
//   [a]:Kind        address in the space that this modifier names
//   [a]/global      address; where it is generic, a variable must be in this
//                   space
//   @label  <targets>  <returns>  <callee>  <args>  <proto>
// where T is 0..5 for the type suffix of that number, w0 for twice its width,
// `any`, `sink` for nothing but `_`, or a type; and after the name may stand
//   ~ a wider register is allowed     ~~ one of twice the width, no wider
//   _ the sink `_` is allowed
//   | `d|p` is allowed, || required   ! `!a` is allowed
//   * a vector as .v2/.v4/.v8 says    ^ a vector that makes up the type
//   % a special register is allowed   & the address of a symbol is allowed
//   - `-a` is allowed                 $ no constant, in an address and a vector
//                                         no special register, in a vector
//                                         that is written no `_`
//   {4} a vector of four              {Kind} {Kind*2} {Kind/4} {Kind-2} of as
//                                            many as the modifier's number
//                                            says, rounded up
//   + the vector may be longer        # its first element is a .u32 index
//   ! a vector of one needs braces    @ a sampler only in independent mode
//   = no register narrower than 32 bits (of an address)
//   < ptxas does not check it: a scalar may be a vector, a vector a scalar, an
//     address a register without brackets; with ! only the elements of a vector
//     may be constants of another kind
//   .Part .Mask2 .Lanes2A ...  a selector of an OperandSelector is allowed
// and at the end
//   ? optional                        ?Kind there exactly when the mnemonic has
//                                           that modifier
// Operands that share brackets are written so:
//   [t:texref, s:samplerref?, c{2}:1]  [[map]:generic, c{Dim}:s32]
// where the types .texref, .samplerref and .surfref mean an object.
class Row<string opcode, string suffix, string operands> {
  string Opcode = opcode;
  string Suffix = suffix;
  string Operands = operands;
  // Least .version (major * 10 + minor) and the alternatives for .target.
  int Version = 10;
  list<string> Targets = [];
  // Not for targets from GoneSm on in a file of GoneVersion or later.
  int GoneVersion = 0;
  int GoneSm = 0;
  // Most bits of a vector that .v2, .v4 or .v8 makes.
  int MaxVectorBits = 128;
  // The version since which the manual advises against the form, and what to
  // do instead.
  int DeprecatedSince = 0;
  string Advice = "";
  // ptxas takes the form, but the manual does not have it: a warning.
  bit Undocumented = false;
  // Likewise, and without a known meaning: it is not compiled.
  bit Meaningless = false;
}

#endif // HEDDLE_PTX_BASE
