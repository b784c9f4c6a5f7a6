//===- PTXAsync.td - Asynchronous copies and barriers ------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier, copies in bulk and of tensors, multimem, asynchronous stores and
// reductions, cache policies and control of the launch of clusters.
//
//===----------------------------------------------------------------------===//

// Where data come from, beside StateSpace for where they go.
def SourceSpace : ModKind<["global", "shared::cta"]>;
def Completion  : ModKind<["mbarrier::complete_tx::bytes", "bulk_group",
                           "mbarrier::arrive::one",
                           "mbarrier::complete_tx::16B"]>;
// What an mbarrier is told of the data beside that they are there.
def Report      : ModKind<["mbarrier::report::disabled",
                           "mbarrier::report::validity::per_16bytes::80000000",
                           "mbarrier::report::validity::per_16bytes::8000",
                           "mbarrier::report::validity::per_16bytes::80",
                           "mbarrier::report::validity::per_16bytes::8",
                           "mbarrier::report::validity::per_element::ff"]>;
def Multicast   : ModKind<["multicast::cluster", "multicast::cluster::all",
                           "multicast::cluster::16b",
                           "multicast::cluster::32b"]>;
def Multicast16 : ModSet<Multicast, ["multicast::cluster",
                                     "multicast::cluster::16b"]>;
// Values that stand for those of a tensor map.
def OverrideAddress : ModKind<["override::global_address"]>;
def OverrideShape   : ModKind<["override::global_dim",
                               "override::global_dim_stride"]>;
def ByteMask    : ModKind<["cp_mask"]>;
def IgnoreOob   : ModKind<["ignore_oob"]>;
def TensorDim   : ModKind<["1d", "2d", "3d", "4d", "5d"], [1, 2, 3, 4, 5]>;
def TensorMode  : ModKind<["tile", "tile::gather4", "tile::scatter4", "im2col",
                           "im2col::w", "im2col::w::128", "im2col_no_offs",
                         "im2col_no_offs::w"]>;
def CtaGroup    : ModKind<["cta_group::1", "cta_group::2"]>;
def BulkOp      : ModKind<["and", "or", "xor", "add", "inc", "dec", "min",
                           "max"]>;
def BulkRead    : ModKind<["read"]>;
def L2Level     : ModKind<["L2"]>;
def NoInc       : ModKind<["noinc"]>;
let Overlooked = true in
def Accumulate  : ModKind<["acc::f32", "acc::f16"]>;
def PrimaryPolicy   : ModKind<["L2::evict_last", "L2::evict_normal",
                               "L2::evict_first", "L2::evict_unchanged"]>;
def SecondaryPolicy : ModKind<["L2::evict_first", "L2::evict_unchanged"]>;
let Overlooked = true in
def TensormapField : ModKind<["global_address", "rank", "box_dim", "global_dim",
                              "global_stride", "element_stride", "elemtype",
                              "interleave_layout", "swizzle_mode",
                              "swizzle_atomicity", "fill_mode"]>;
def TensormapSize  : ModKind<["b1024"]>;
def TensormapAlloc : ModKind<["alloc_large", "alloc_small", "alloc_same"]>;
def TensormapTile  : ModKind<["tile"]>;
def TensormapProxy : ModKind<["tensormap::generic"]>;
def TensormapFetch : ModKind<["tensormap"]>;
def RegisterAction : ModKind<["inc", "dec"]>;
def CancelQuery    : ModKind<["is_canceled", "get_first_ctaid",
                              "get_first_ctaid::x", "get_first_ctaid::y",
                              "get_first_ctaid::z"]>;
def BarrierLayout  : ModKind<["layout::v0", "layout::v1"]>;
def PhaseType      : ModKind<["phase_type::primary",
                              "phase_type::conditional"]>;
def : ModSince<BarrierLayout, "layout::v0", 93, 90>;
foreach P = ["phase_type::primary", "phase_type::conditional"] in
  def : ModSince<PhaseType, P, 93, 90>;
def : ModSince<Multicast, "multicast::cluster::16b", 94, 90>;
def : ModSince<ByteMask, "cp_mask", 86, 100>;

defvar Family100 = ["sm_100a", "sm_100f", "sm_101a", "sm_101f", "sm_110a",
                    "sm_110f"];
defvar FamilyTensormap = ["sm_90a", "sm_100a", "sm_100f", "sm_101a",
                          "sm_101f", "sm_110a", "sm_110f", "sm_120a",
                          "sm_120f", "sm_121a"];
defvar FamilyAny = ["sm_100a", "sm_100f", "sm_101a", "sm_101f", "sm_110a",
                    "sm_110f", "sm_120a", "sm_120f", "sm_121a"];

def AsyncWord : TypeSet<[B32, B64, U32, U64, S32, S64, F32, F64]>;
def : ModSince<Accumulate, "acc::f32", 82, 0>;
// How the coordinates address the tensor: the mode, the dimensions it is for,
// the coordinates and what more is given of an im2col box.
class TensorAccess<string mode, string dims, string coords, string info,
                   int version = 80, list<string> targets = ["sm_90"]> {
  string Mode = mode;
  string Dim = ".TensorDim"#dims;
  string Place = "[[map$]:generic/global, "#coords#"]";
  string Info = info;
  int Since = version;
  list<string> Needs = targets;
}
defvar Coords = "c!{TensorDim}:s32";
def TensorTile   : TensorAccess<"{.TensorMode(tile)}", "", Coords, "">;
def TensorIm2col : TensorAccess<".TensorMode(im2col)", "(3d|4d|5d)", Coords,
                                ", offsets!{TensorDim-2}:u16">;
def TensorGather : TensorAccess<".TensorMode(tile::gather4)", "(2d)",
                                "c{5}:s32", "", 86, Family100>;
def TensorIm2colW : TensorAccess<".TensorMode(im2col::w)", "(3d|4d|5d)",
                                 Coords, ", info{2}:u16", 86, Family100>;
def TensorIm2colW128 : TensorAccess<".TensorMode(im2col::w::128)",
                                    "(3d|4d|5d)", Coords, ", info{2}:u16", 86,
                                    Family100>;
def TensorScatter : TensorAccess<".TensorMode(tile::scatter4)", "(2d)",
                                 "c{5}:s32", "", 86, Family100>;
def TensorNoOffs : TensorAccess<".TensorMode(im2col_no_offs)", "(3d|4d|5d)",
                                Coords, "">;
defvar Family107 = ["sm_107f"];
def TensorNoOffsW : TensorAccess<".TensorMode(im2col_no_offs::w)", "(3d|4d|5d)",
                                 Coords, "", 94, Family107>;

// What takes the place of values of the tensor map, for tiles only where it is
// more than the address.
class TensorOverride<string mods, string dims, string operands> {
  string Mods = ".OverrideAddress"#mods;
  string Dims = dims;
  string Operands = operands;
  bit OnlyTiles = !ne(mods, "");
}
def OverrideNoShape : TensorOverride<"", "", "">;
// The sizes have 8 bits, in registers of 8 or 16.
def OverrideDim : TensorOverride<
    ".OverrideShape(override::global_dim)", "(1d)", ", size!~~{TensorDim}:b8">;
def OverrideStride : TensorOverride<
    ".OverrideShape(override::global_dim_stride)", "(2d|3d|4d|5d)",
    ", size~~{TensorDim}:b8, lower!{TensorDim-1}:b32, upper:b16">;
defvar AllOverrides = [OverrideNoShape, OverrideDim, OverrideStride];

// What a read into the CTA's memory is into that of a cluster.
class ToCluster<string read> {
  string Text = !subst("(shared::cta)", "(shared::cluster)", read);
}

foreach C = ["cta_group::1", "cta_group::2"] in
  def : ModSince<CtaGroup, C, 86, 100, Family100>;

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

// Without a space the address is generic.
let Version = 70, Targets = ["sm_80"] in {
  defvar BarrierSpace = "{.OwnSharedSpace}";
  defvar Primary = "{.PhaseType(phase_type::primary)}";
  defvar AnyPhase = "{.PhaseType}";
  def : Row<"mbarrier.init", "{.BarrierLayout(layout::v0)}"#BarrierSpace#".b64",
            "[addr$]/shared, count:u32">;
  def : Row<"mbarrier.inval", BarrierSpace#".b64", "[addr$]/shared">;
  def : Row<"mbarrier.pending_count", "{.BarrierLayout(layout::v0)}.b64",
            "=count:u32, state:u64">;
  foreach Op = ["mbarrier.arrive", "mbarrier.arrive_drop"] in {
    def : Row<Op, BarrierSpace#".b64", "=state_:0, [addr$]/shared">;
    def : Row<Op#".~noComplete", BarrierSpace#".b64",
              "=state_:0, [addr$]/shared, count:u32">;
    let Version = 80, Targets = ["sm_80"] in {
    def : Row<Op, ".Semantics(release).Scope(cta)"#BarrierSpace#".b64",
              "=state_:0, [addr$]/shared">;
    def : Row<Op#".~noComplete", ".Semantics(release).Scope(cta)"#
                                 BarrierSpace#".b64",
              "=state_:0, [addr$]/shared, count:u32">;
    }
    // An order needs a scope and a scope an order.
    foreach Order = ["", ".Semantics(release).Scope(cta|cluster)",
                     ".Semantics(relaxed).Scope(cta|cluster)"] in
    let Version = !if(!ne(!find(Order, "relaxed"), -1), 86, 80),
        Targets = ["sm_90"] in {
      def : Row<Op, Order#BarrierSpace#".b64",
                "=state_:0, [addr$]/shared, count:u32?">;
      def : Row<Op, Order#".StateSpace(shared::cluster).b64",
                "=state:sink, [addr$]/shared, count:u32?">;
      def : Row<Op#".expect_tx", Order#BarrierSpace#".b64",
                "=state_:0, [addr$]/shared, txCount:u32">;
      def : Row<Op#".expect_tx", Order#".StateSpace(shared::cluster)"
                                 ".b64", "=state:sink, [addr$]/shared, txCount:u32">;
    }
    let Version = 78, Targets = ["sm_90"] in
    def : Row<Op, BarrierSpace#".b64", "=state_:0, [addr$]/shared, count:u32">;
  }
  def : Row<"mbarrier.test_wait", Primary#BarrierSpace#".b64",
            "=waitComplete:pred, [addr$]/shared, state:u64">;
  let Version = 71, Targets = ["sm_80"] in
  def : Row<"mbarrier.test_wait.parity", AnyPhase#BarrierSpace#".b64",
            "=waitComplete:pred, [addr$]/shared, phaseParity(0|1):u32">;
  foreach Order = [".Semantics(acquire).Scope(cta|cluster)",
                   ".Semantics(relaxed).Scope(cta|cluster)"] in {
    defvar IsRelaxed = !ne(!find(Order, "relaxed"), -1);
    defvar Since = !if(IsRelaxed, 86, 80);
    let Version = Since, Targets = [!if(IsRelaxed, "sm_90", "sm_80")] in {
      def : Row<"mbarrier.test_wait", Primary#Order#BarrierSpace#".b64",
                "=waitComplete:pred, [addr$]/shared, state:u64">;
      def : Row<"mbarrier.test_wait.parity", AnyPhase#Order#BarrierSpace#".b64",
                "=waitComplete:pred, [addr$]/shared, phaseParity(0|1):u32">;
    }
    let Version = Since, Targets = ["sm_90"] in {
      def : Row<"mbarrier.try_wait", Primary#Order#BarrierSpace#".b64",
                "=waitComplete:pred, [addr$]/shared, state:u64, suspendTimeHint:u32?">;
      def : Row<"mbarrier.try_wait.parity", AnyPhase#Order#BarrierSpace#".b64",
                "=waitComplete:pred, [addr$]/shared, phaseParity(0|1):u32, "
                "suspendTimeHint:u32?">;
    }
  }
  let Version = 78, Targets = ["sm_90"] in {
    def : Row<"mbarrier.try_wait", Primary#BarrierSpace#".b64",
              "=waitComplete:pred, [addr$]/shared, state:u64, suspendTimeHint:u32?">;
    def : Row<"mbarrier.try_wait.parity", AnyPhase#BarrierSpace#".b64",
              "=waitComplete:pred, [addr$]/shared, phaseParity(0|1):u32, "
              "suspendTimeHint:u32?">;
  }
  let Version = 80, Targets = ["sm_90"] in {
    foreach Op = ["mbarrier.expect_tx", "mbarrier.complete_tx"] in
      foreach Order = ["", ".Semantics(relaxed).Scope(cta|cluster)"] in
        def : Row<Op, Order#"{.SharedSpace}.b64", "[addr$]/shared, txCount:u32">;
  }
  let Version = 93, Targets = ["sm_90"] in {
    def : Row<"mbarrier.init", ".BarrierLayout(layout::v1)"#BarrierSpace#".b64",
              "[addr$]/shared, count:u32">;
    def : Row<"mbarrier.check_layout", ".BarrierLayout"#BarrierSpace#".b64",
              "=p:pred, [addr$]/shared">;
  }
  let Version = 93, Targets = ["sm_90"] in {
    foreach Order = ["", ".Semantics(acquire|relaxed).Scope(cta|cluster)"] in
    foreach Report = ["", "=reportValue:b8, "] in {
      defvar Phase = ".PhaseType(phase_type::primary)"#Order#BarrierSpace#".b64";
      defvar Wait = "=waitComplete||:pred, "#Report#"[addr$]/shared, ";
      def : Row<"mbarrier.test_wait", Phase, Wait#"state:u64">;
      def : Row<"mbarrier.test_wait.parity", Phase, Wait#"phaseParity(0|1):u32">;
      def : Row<"mbarrier.try_wait", Phase,
                Wait#"state:u64, suspendTimeHint:u32?">;
      def : Row<"mbarrier.try_wait.parity", Phase,
                Wait#"phaseParity(0|1):u32, suspendTimeHint:u32?">;
    }
  }
  let Version = 94, Targets = Family107 in
  foreach Order = ["", ".Semantics(relaxed).Scope(cta|cluster)",
                   ".Semantics(release).Scope(cta|cluster)"] in {
    defvar ToMany = Order#".StateSpace(shared::cluster)"
                    ".Multicast(multicast::cluster::32b).b64";
    if !eq(!find(Order, "release"), -1) then
      foreach Op = ["mbarrier.expect_tx", "mbarrier.complete_tx"] in
        def : Row<Op, ToMany, "[addr$]/shared, txCount:u32, ctaMask:b32">;
    foreach Op = ["mbarrier.arrive", "mbarrier.arrive_drop"] in {
      def : Row<Op, ToMany, "=state:sink, [addr$]/shared, ctaMask:b32">;
      def : Row<Op, ToMany, "=state:sink, [addr$]/shared, count:u32, ctaMask:b32">;
      def : Row<Op#".expect_tx", ToMany,
                "=state:sink, [addr$]/shared, txCount:u32, ctaMask:b32">;
    }
  }
  let Version = 70, Targets = ["sm_80"] in
  def : Row<"cp.async.mbarrier.arrive", "{.NoInc}"#BarrierSpace#".b64",
            "[addr=]">;
}

//===----------------------------------------------------------------------===//
// Copies in bulk
//===----------------------------------------------------------------------===//

let Version = 80, Targets = ["sm_90"] in {
defvar ByMbarrier = ".Completion(mbarrier::complete_tx::bytes)";
defvar ByGroup = ".Completion(bulk_group)";
defvar Policy = ", policy:u64?L2Hint";
let Version = 80, Targets = ["sm_90"] in {
  def : Row<"cp.async.bulk", ".StateSpace(shared::cluster).SourceSpace(global)"#
                             ByMbarrier#"{.Multicast16}{.L2Hint}",
            "[dst], [src]:global, size(*16):u32, [mbar=]:shared, "
            "ctaMask:b16?Multicast"#Policy>;
  def : Row<"cp.async.bulk", ".StateSpace(shared::cluster)"
                             ".SourceSpace(shared::cta)"#ByMbarrier,
            "[dst], [src]:shared, size(*16):u32, [mbar=]:shared">;
  def : Row<"cp.async.bulk", ".StateSpace(global).SourceSpace(shared::cta)"#
                             ByGroup#"{.L2Hint}",
            "[dst], [src]:shared, size(*16):u32"#Policy>;
  def : Row<"cp.async.bulk.prefetch", ".L2Level.SourceSpace(global){.L2Hint}",
            "[src]:global, size(*16):u32"#Policy>;
  def : Row<"cp.async.bulk.commit_group", "", "">;
  def : Row<"cp.async.bulk.wait_group", "{.BulkRead}", "#n:u32">;
  let Version = 95 in
  def : Row<"cp.async.bulk.wait_group",
            ".SyncRestrict(sync_restrict::proxy::async)", "#n:u32">;

  // Reductions.
  defvar ToCluster = ".StateSpace(shared::cluster).SourceSpace(shared::cta)"#
                     ByMbarrier;
  defvar ToClusterOperands = "[dst], [src]:shared, size(*16):u32, [mbar=]:shared";
  def : Row<"cp.reduce.async.bulk", ToCluster#".BulkOp(and|or|xor).b32",
            ToClusterOperands>;
  def : Row<"cp.reduce.async.bulk", ToCluster#".BulkOp(add|min|max).(u32|s32)",
            ToClusterOperands>;
  def : Row<"cp.reduce.async.bulk", ToCluster#".BulkOp(inc|dec).u32",
            ToClusterOperands>;
  def : Row<"cp.reduce.async.bulk", ToCluster#".BulkOp(add).u64",
            ToClusterOperands>;
  defvar ToGlobal = ".StateSpace(global).SourceSpace(shared::cta)"#ByGroup#
                    "{.L2Hint}";
  defvar ToGlobalOperands = "[dst], [src]:shared, size(*16):u32"#Policy;
  foreach S = [".BulkOp(and|or|xor).(b32|b64)",
               ".BulkOp(add).(u32|s32|u64|f32|f64)",
               ".BulkOp(add).noftz.(f16|bf16)",
               ".BulkOp(min|max).(u32|s32|u64|s64|f16|bf16)",
               ".BulkOp(inc|dec).u32"] in
    def : Row<"cp.reduce.async.bulk", ToGlobal#S, ToGlobalOperands>;
}
let Version = 86, Targets = ["sm_90"] in
def : Row<"cp.async.bulk", ".StateSpace(shared::cta).SourceSpace(global)"#
                           ByMbarrier#"{.L2Hint}",
          "[dst], [src]:global, size(*16):u32, [mbar=]:shared"#Policy>;
let Version = 92, Targets = ["sm_90"] in
def : Row<"cp.async.bulk", ".StateSpace(shared::cta).SourceSpace(global)"#
                           ByMbarrier#".IgnoreOob{.L2Hint}",
          "[dst], [src]:global, size(*16):u32, ignoreLeft:u32, ignoreRight:u32, "
          "[mbar=]:shared"#Policy>;
let Version = 86, Targets = ["sm_100"] in
def : Row<"cp.async.bulk", ".StateSpace(global).SourceSpace(shared::cta)"#
                           ByGroup#"{.L2Hint}.ByteMask",
          "[dst], [src]:shared, size(*16):u32"#Policy#", byteMask:b16">;
let Version = 91, Targets = ["sm_90"] in {
  def : Row<"multimem.cp.async.bulk",
            ".StateSpace(global).SourceSpace(shared::cta)"#ByGroup#
            "{.ByteMask}",
            "[dst], [src]:shared, size(*16):u32, byteMask:b16?ByteMask">;
  foreach S = [".BulkOp(and|or|xor).(b32|b64)",
               ".BulkOp(add).(u32|s32|u64|f32|f64)",
               ".BulkOp(add).noftz.(f16|bf16)",
               ".BulkOp(min|max).(u32|s32|u64|s64|f16|bf16)",
               ".BulkOp(inc|dec).u32"] in
    def : Row<"multimem.cp.reduce.async.bulk",
              ".StateSpace(global).SourceSpace(shared::cta)"#ByGroup#S,
              "[dst], [src]:shared, size(*16):u32">;
}

// With an order, and with what version 9.4 added. Of each direction the
// mnemonic, the operands and the scopes; reports are about global memory.
defvar Ordered = ["sm_90"];
defvar OrderedToCluster = ["sm_90a", "sm_100f", "sm_110f"];
defvar ReadOperands = "[dst], [src]:global, size(*16):u32, [mbar=]:shared";
foreach C = [
    [".StateSpace(shared::cta).SourceSpace(global)"#ByMbarrier#"{.L2Hint}",
     ReadOperands#Policy, ".Scope", ".Report"],
    [".StateSpace(shared::cta).SourceSpace(global)"#ByMbarrier#
     ".IgnoreOob{.L2Hint}",
     "[dst], [src]:global, size(*16):u32, ignoreLeft:u32, ignoreRight:u32, "
     "[mbar=]:shared"#Policy, ".Scope", ""],
    [".StateSpace(shared::cluster).SourceSpace(global)"#ByMbarrier#
     "{.Multicast16}{.L2Hint}", ReadOperands#", ctaMask:b16?Multicast"#Policy,
     ".Scope", ".Report"],
    [".StateSpace(shared::cluster).SourceSpace(shared::cta)"#ByMbarrier,
     "[dst], [src]:shared, size(*16):u32, [mbar=]:shared",
     ".Scope(cta|cluster)", ""],
    [".StateSpace(global).SourceSpace(shared::cta)"#ByGroup#
     "{.L2Hint}{.ByteMask}",
     "[dst], [src]:shared, size(*16):u32"#Policy#", byteMask:b16?ByteMask",
     ".Scope", ""]] in
let Version = 93, Targets = Ordered in {
  def : Row<"cp.async.bulk", ".Semantics(weak)"#C[0], C[1]>;
  let Targets = !if(!eq(!find(C[0], "(shared::cluster).SourceSpace(global)"), -1),
                    Ordered, OrderedToCluster) in
  def : Row<"cp.async.bulk", ".Semantics(relaxed)"#C[2]#C[0]#".b128", C[1]>;
  if !not(!empty(C[3])) then
  let Version = 94, Targets = Family107 in {
    def : Row<"cp.async.bulk", "{.Semantics(weak)}"#C[0]#C[3], C[1]>;
    def : Row<"cp.async.bulk", ".Semantics(relaxed)"#C[2]#C[0]#C[3]#".b128",
              C[1]>;
  }
}
let Version = 94, Targets = Family107 in {
  defvar ToMany = ".StateSpace(shared::cluster).SourceSpace(global)"#ByMbarrier#
                  ".Multicast(multicast::cluster::32b){.Report}{.L2Hint}";
  defvar ToManyOperands = ReadOperands#", ctaMask:b32"#Policy;
  def : Row<"cp.async.bulk", "{.Semantics(weak)}"#ToMany, ToManyOperands>;
  def : Row<"cp.async.bulk", ".Semantics(relaxed).Scope"#ToMany#".b128",
            ToManyOperands>;
  def : Row<"applypriority.async.bulk",
            "{.StateSpace(global)}"#ByGroup#".L2Eviction(L2::evict_normal)",
            "[a], size(*16):u32">;
}
foreach Order = [".Semantics(weak)", ".Semantics(relaxed).Scope"] in
let Version = 93, Targets = Ordered in
def : Row<"multimem.cp.async.bulk",
          Order#".StateSpace(global).SourceSpace(shared::cta)"#ByGroup#
          "{.ByteMask}"#!if(!eq(Order, ".Semantics(weak)"), "", ".b128"),
          "[dst], [src]:shared, size(*16):u32, byteMask:b16?ByteMask">;
let Version = 93, Targets = ["sm_90"] in
foreach S = [".BulkOp(and|or|xor).(b32|b64)",
             ".BulkOp(add).(u32|s32|u64|f32|f64)",
             ".BulkOp(add).noftz.(f16|bf16)",
             ".BulkOp(min|max).(u32|s32|u64|s64|f16|bf16)",
             ".BulkOp(inc|dec).u32"] in {
  def : Row<"cp.reduce.async.bulk", ".Semantics(relaxed).Scope"
            ".StateSpace(global).SourceSpace(shared::cta)"#ByGroup#
            "{.L2Hint}"#S, "[dst], [src]:shared, size(*16):u32"#Policy>;
  def : Row<"multimem.cp.reduce.async.bulk", ".Semantics(relaxed).Scope"
            ".StateSpace(global).SourceSpace(shared::cta)"#ByGroup#S,
            "[dst], [src]:shared, size(*16):u32">;
}
// What it means without .noftz as well.
let Version = 94, Targets = ["sm_90"] in {
  def : Row<"cp.reduce.async.bulk", ".StateSpace(global)"
            ".SourceSpace(shared::cta)"#ByGroup#"{.L2Hint}"
            ".BulkOp(add).noftz.f32",
            "[dst], [src]:shared, size(*16):u32"#Policy>;
  def : Row<"multimem.cp.reduce.async.bulk", ".StateSpace(global)"
            ".SourceSpace(shared::cta)"#ByGroup#".BulkOp(add).noftz.f32",
            "[dst], [src]:shared, size(*16):u32">;
}

//===----------------------------------------------------------------------===//
// Copies of tensors
//===----------------------------------------------------------------------===//

foreach A = [TensorTile, TensorIm2col, TensorGather, TensorIm2colW,
             TensorIm2colW128] in {
  let Version = A.Since, Targets = A.Needs in
  def : Row<"cp.async.bulk.tensor",
            A.Dim#".StateSpace(shared::cluster).SourceSpace(global)"#A.Mode#
            ByMbarrier#"{.Multicast16}{.CtaGroup}{.L2Hint}",
            "[dst<], "#A.Place#", [mbar<]:shared"#A.Info#
            ", ctaMask:b16?Multicast"#Policy>;
  let Version = 86,
      Targets = !if(!eq(A.Mode, ".TensorMode(im2col::w::128)"), Family100,
                    !if(!eq(A.Since, 86), ["sm_100"], ["sm_90"])) in
  def : Row<"cp.async.bulk.tensor",
            A.Dim#".StateSpace(shared::cta).SourceSpace(global)"#A.Mode#
            ByMbarrier#"{.CtaGroup}{.L2Hint}",
            "[dst<], "#A.Place#", [mbar<]:shared"#A.Info#Policy>;
  let Version = A.Since, Targets = A.Needs in
  def : Row<"cp.async.bulk.prefetch.tensor",
            A.Dim#".L2Level.SourceSpace(global)"#A.Mode#"{.L2Hint}",
            A.Place#A.Info#Policy>;
}
foreach A = [TensorTile, TensorScatter, TensorNoOffs] in
let Version = A.Since, Targets = A.Needs in
def : Row<"cp.async.bulk.tensor",
          A.Dim#".StateSpace(global).SourceSpace(shared::cta)"#A.Mode#ByGroup#
          "{.L2Hint}", A.Place#", [src<]:shared"#Policy>;
foreach A = [TensorTile, TensorNoOffs] in
let Version = A.Since, Targets = A.Needs in
def : Row<"cp.reduce.async.bulk.tensor",
          A.Dim#".StateSpace(global).SourceSpace(shared::cta).BulkOp"#A.Mode#
          ByGroup#"{.L2Hint}", A.Place#", [src<]:shared"#Policy>;

defvar KeepInL2 = ".L2Eviction(L2::evict_last)";
let Version = 94, Targets = Family107 in {
  def : Row<"cp.async.bulk.prefetch", ".L2Level.SourceSpace(global)"#KeepInL2,
            "[src]:global, size(*16):u32">;
  // From global memory, with a wide mask of CTAs or with reports.
  foreach A = [TensorTile, TensorIm2col, TensorGather, TensorIm2colW,
               TensorIm2colW128] in {
    defvar Read = A.Dim#".StateSpace(shared::cta).SourceSpace(global)"#A.Mode#
                  ByMbarrier#"{.CtaGroup}{.L2Hint}";
    defvar ReadTensor = "[dst<], "#A.Place#", [mbar<]:shared"#A.Info;
    def : Row<"cp.async.bulk.tensor",
              ToCluster<Read>.Text#
              ".Multicast(multicast::cluster::32b){.Report}",
              ReadTensor#", ctaMask:b32"#Policy>;
    def : Row<"cp.async.bulk.tensor",
              ToCluster<Read>.Text#"{.Multicast16}.Report",
              ReadTensor#", ctaMask:b16?Multicast"#Policy>;
    def : Row<"cp.async.bulk.tensor",
              Read#".Report", ReadTensor#Policy>;
    def : Row<"applypriority.async.bulk.tensor",
              A.Dim#"{.StateSpace(global)}"#ByGroup#A.Mode#
              ".L2Eviction(L2::evict_normal)", A.Place#A.Info>;
    def : Row<"cp.async.bulk.prefetch.tensor",
              A.Dim#".L2Level.SourceSpace(global)"#A.Mode#KeepInL2,
              A.Place#A.Info>;
  }
  foreach O = AllOverrides in {
    foreach A = [TensorTile, TensorIm2col, TensorGather, TensorIm2colW,
                 TensorIm2colW128] in
    if !or(!not(O.OnlyTiles), !eq(A.Mode, TensorTile.Mode)) then {
      defvar Dim = !if(O.OnlyTiles, ".TensorDim"#O.Dims, A.Dim);
      defvar Place = !subst("/global, ", "/global, gaddr$:u64"#O.Operands#", ",
                            A.Place);
      defvar Read = Dim#".StateSpace(shared::cta).SourceSpace(global)"#A.Mode#
                    ByMbarrier#O.Mods#"{.CtaGroup}{.L2Hint}";
      defvar ReadTensor = "[dst<], "#Place#", [mbar<]:shared"#A.Info;
      def : Row<"cp.async.bulk.tensor",
                Read#"{.Report}", ReadTensor#Policy>;
      if !not(O.OnlyTiles) then
      def : Row<"cp.async.bulk.tensor",
                ToCluster<Read>.Text#"{.Multicast16}{.Report}",
                ReadTensor#", ctaMask:b16?Multicast"#Policy>;
      if O.OnlyTiles then
      def : Row<"cp.async.bulk.tensor",
                ToCluster<Read>.Text#"{.Report}",
                ReadTensor#Policy>;
      def : Row<"cp.async.bulk.tensor",
                ToCluster<Read>.Text#
                ".Multicast(multicast::cluster::32b){.Report}",
                ReadTensor#", ctaMask:b32"#Policy>;
      def : Row<"cp.async.bulk.prefetch.tensor",
                Dim#".L2Level.SourceSpace(global)"#A.Mode#O.Mods#"{.L2Hint}",
                Place#A.Info#Policy>;
      def : Row<"cp.async.bulk.prefetch.tensor",
                Dim#".L2Level.SourceSpace(global)"#A.Mode#O.Mods#KeepInL2,
                Place#A.Info>;
      def : Row<"applypriority.async.bulk.tensor",
                Dim#"{.StateSpace(global)}"#ByGroup#A.Mode#O.Mods#
                ".L2Eviction(L2::evict_normal)", Place#A.Info>;
    }
    foreach A = [TensorTile, TensorScatter, TensorNoOffs, TensorNoOffsW] in
    if !or(!not(O.OnlyTiles), !eq(A.Mode, TensorTile.Mode)) then {
      defvar Dim = !if(O.OnlyTiles, ".TensorDim"#O.Dims, A.Dim);
      defvar Place = !subst("/global, ", "/global, gaddr$:u64"#O.Operands#", ",
                            A.Place);
      defvar Write = Dim#".StateSpace(global).SourceSpace(shared::cta)"#A.Mode#
                     ByGroup#O.Mods#"{.L2Hint}";
      def : Row<"cp.async.bulk.tensor", Write, Place#", [src<]:shared"#Policy>;
      if !ne(A.Mode, TensorScatter.Mode) then
      def : Row<"cp.reduce.async.bulk.tensor", Write#".BulkOp",
                Place#", [src<]:shared"#Policy>;
    }
  }
  foreach A = [TensorNoOffsW] in
  foreach Op = [["cp.async.bulk.tensor", ""],
                ["cp.reduce.async.bulk.tensor", ".BulkOp"]] in
    def : Row<Op[0], A.Dim#".StateSpace(global).SourceSpace(shared::cta)"#
                     Op[1]#A.Mode#ByGroup#"{.L2Hint}",
              A.Place#", [src<]:shared"#Policy>;
}

let Version = 83, Targets = FamilyTensormap in {
  defvar MapSpace = "{.StateSpace(global|shared::cta)}.b1024";
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(global_address)"#
                                 MapSpace#".b64", "[addr=], new:0">;
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(rank)"#
                                 MapSpace#".b32", "[addr=], new:u32">;
  def : Row<"tensormap.replace", ".TensormapTile"
            ".TensormapField(box_dim|global_dim|element_stride)"#MapSpace#
            ".b32", "[addr=], #ord(0|1|2|3|4):u32, new:u32">;
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(global_stride)"#
                                 MapSpace#".b64",
            "[addr=], #ord(0|1|2|3|4):u32, new:0">;
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(elemtype)"#
                                 MapSpace#".b32",
            "[addr=], #new(0|1|2|3|4|5|6|7|8|9|10|11|12):0">;
  def : Row<"tensormap.replace", ".TensormapTile"
            ".TensormapField(interleave_layout)"#MapSpace#".b32",
            "[addr=], #new(0|1|2):0">;
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(swizzle_mode)"#
                                 MapSpace#".b32",
            "[addr=], #new(0|1|2|3):0">;
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(fill_mode)"#
                                 MapSpace#".b32", "[addr=], #new(0|1):0">;
  let Version = 86, Targets = FamilyAny in
  def : Row<"tensormap.replace", ".TensormapTile"
            ".TensormapField(swizzle_atomicity)"#MapSpace#".b32",
            "[addr=], #new(0|1|2|3):0">;
  let Version = 87, Targets = FamilyAny in
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(elemtype)"#
                                 MapSpace#".b32", "[addr=], #new(13|14|15):0">;
  let Version = 88, Targets = ["sm_103a"] in
  def : Row<"tensormap.replace", ".TensormapTile.TensormapField(swizzle_mode)"#
                                 MapSpace#".b32", "[addr=], #new(4):0">;
}
// The class of the memory that the tensor lies in.
let Version = 95, Targets = FamilyTensormap in {
  def : Row<"tensormap.query.alloc_class_large",
            "{.StateSpace(const|param|global|shared::cta)}.b1024",
            "=large:pred, [addr=]">;
  def : Row<"tensormap.replace",
            ".TensormapTile.TensormapField(global_address).TensormapAlloc"
            "{.StateSpace(global|shared::cta)}.b1024.b64", "[addr=], new:0">;
  def : Row<"tensormap.replace",
            ".TensormapTile.TensormapAlloc(alloc_large|alloc_small)"
            "{.StateSpace(global|shared::cta)}.b1024", "[addr=]">;
}
let Version = 83, Targets = ["sm_90"] in
def : Row<"tensormap.cp_fenceproxy",
          ".StateSpace(global).SourceSpace(shared::cta).TensormapProxy"
          ".Semantics(release).Scope.sync.aligned",
          "[dst], [src]:shared, #size(128):u32">;
let Version = 80, Targets = ["sm_90"] in
def : Row<"prefetch", "{.StateSpace(const|param)}.TensormapFetch",
          "[a=]">;

//===----------------------------------------------------------------------===//
// Stores, reductions and multimem
//===----------------------------------------------------------------------===//

let Version = 81, Targets = ["sm_90"] in {
  def : Row<"st.async", "{.Semantics(weak)}{.StateSpace(shared::cluster)}"#
                        ByMbarrier#"{.Vec24}.AsyncWord",
            "[a=], b*:0, [mbar=]:shared">;
  let Version = 92 in
  def : Row<"st.async", "{.Semantics(weak)}{.StateSpace(shared::cluster)}"#
                        ByMbarrier#".b128", "[a=], b:0, [mbar=]:shared">;
  foreach S = [".AtomOp(inc|dec).u32", ".AtomOp(min|max).(u32|s32)",
               ".AtomOp(and|or|xor).b32", ".AtomOp(add).(u32|s32|u64)"] in {
    def : Row<"red.async", ".Semantics(relaxed).Scope(cluster)"
                           "{.StateSpace(shared::cluster)}"#ByMbarrier#S,
              "[a=], b:0, [mbar=]:shared">;
    let Meaningless = true in
    def : Row<"red.async", ".Semantics(relaxed).Scope(cluster)"
                           "{.StateSpace(shared::cluster)}"#ByMbarrier#S,
              "[a=], b:0">;
  }
}
let Version = 87, Targets = ["sm_100"] in {
  foreach How = [".Semantics(release).Scope(gpu|sys)",
                 ".mmio.Semantics(release).Scope(sys)"] in {
    def : Row<"st.async", How#"{.StateSpace(global)}.Memory", "[a=], b:0">;
    def : Row<"red.async", How#"{.StateSpace(global)}.AtomOp(add)"
                           ".(u32|s32|u64|s64)", "[a], b:0">;
  }
}
// The size may have 32 bits since version 9.0.
let Version = 90, Targets = ["sm_100"] in
def : Row<"st.bulk", "{.Semantics(weak)}{.StateSpace(shared::cta)}",
          "[a=$], size(*8)~:u32, #init(0):u64">;
let Version = 86, Targets = ["sm_100"] in
def : Row<"st.bulk", "{.Semantics(weak)}{.StateSpace(shared::cta)}",
          "[a=$], size(*8):u64, #init(0):u64">;

// Addresses that stand for the memories of several devices.
let Version = 81, Targets = ["sm_90"] in {
  foreach Order = [["{.Semantics(weak)}", "{.Semantics(weak)}",
                    ""],
                   [".Semantics(relaxed|acquire).Scope",
                    ".Semantics(relaxed|release).Scope",
                    ".Semantics(relaxed|release).Scope"]] in {
    foreach S = [".AtomOp(min|max|add).(u32|s32|u64)",
                 ".AtomOp(min|max).s64", ".AtomOp(and|or|xor).(b32|b64)"] in {
      def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"#S,
                "=d:0, [a]">;
      def : Row<"multimem.red", Order[2]#"{.StateSpace(global)}"#S,
                "[a=$], b:0">;
    }
    def : Row<"multimem.st", Order[1]#"{.StateSpace(global)}"
              ".(b32|b64|u32|u64|s32|s64|f64)", "[a], b:0">;
    def : Row<"multimem.st", Order[1]#"{.StateSpace(global)}{.Vec24}.f32",
              "[a], b*:0">;
    def : Row<"multimem.st", Order[1]#"{.StateSpace(global)}{.Vec24}."
              "(f16x2|bf16x2)", "[a], b*:0">;
    def : Row<"multimem.st", Order[1]#"{.StateSpace(global)}.Vec.(f16|bf16)",
              "[a], b*:0">;
    def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"
              ".AtomOp(add).f64", "=d:0, [a]">;
    def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"
              ".AtomOp(add){.Vec24}.f32", "=d*:0, [a]">;
    def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"
              ".AtomOp(add){.Accumulate(acc::f32)}{.Vec24}.(f16x2|bf16x2)",
              "=d*:0, [a]">;
    def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"
              ".AtomOp(min|max){.Vec24}.(f16x2|bf16x2)", "=d*:0, [a]">;
    def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"
              ".AtomOp(add){.Accumulate(acc::f32)}.Vec.(f16|bf16)",
              "=d*:0, [a]">;
    def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"
              ".AtomOp(min|max).Vec.(f16|bf16)", "=d*:0, [a]">;
    def : Row<"multimem.red", Order[2]#"{.StateSpace(global)}.AtomOp(add).f64",
              "[a=$], b:0">;
    def : Row<"multimem.red", Order[2]#"{.StateSpace(global)}.AtomOp(add)"
              "{.Vec24}.f32", "[a=$], b*:0">;
    def : Row<"multimem.red", Order[2]#"{.StateSpace(global)}"
              ".AtomOp(add){.Vec24}.(f16x2|bf16x2)", "[a=$], b*:0">;
    def : Row<"multimem.red", Order[2]#"{.StateSpace(global)}"
              ".AtomOp(add).Vec.(f16|bf16)", "[a=$], b*:0">;
    let Version = 86, Targets = FamilyAny in {
      foreach T = [".Vec(v4|v8).(e4m3|e5m2)", ".Vec(v2|v4|v8).(e4m3x2|e5m2x2)",
                   "{.Vec24}.(e4m3x4|e5m2x4)"] in {
        def : Row<"multimem.ld_reduce", Order[0]#"{.StateSpace(global)}"
                  ".AtomOp(add|min|max){.Accumulate(acc::f16)}"#T,
                  "=d*:0, [a]">;
        def : Row<"multimem.st", Order[1]#"{.StateSpace(global)}"#T,
                  "[a], b*:0">;
      }
    }
  }
}

let Version = 93, Targets = ["sm_100"] in
def : Row<"multimem.st.async", ".Semantics(release).Scope(gpu|sys)"
          "{.StateSpace(global)}.(b32|b64|u32|u64|s32|s64|f32|f64)",
          "[a], b:0">;

let Version = 93, Targets = ["sm_100"] in
def : Row<"multimem.red.async", ".Semantics(release).Scope(gpu|sys)"
          "{.StateSpace(global)}.AtomOp(add).(u32|s32|u64)", "[a], b:0">;

} // Version = 80

//===----------------------------------------------------------------------===//
// Cache policies
//===----------------------------------------------------------------------===//

let Version = 74, Targets = ["sm_80"] in {
  def : Row<"createpolicy.range", "{.StateSpace(global)}.PrimaryPolicy"
            "{.SecondaryPolicy}.b64",
            "=policy:0, [a=], primary:u32, total:u32">;
  let Version = 94, Targets = ["sm_100"] in
  def : Row<"createpolicy.range.fabric", ".PrimaryPolicy{.SecondaryPolicy}.b64",
            "=policy:0, [endpoint$:u32, offset$:u64], primary:u32, total:u32">;
  def : Row<"createpolicy.fractional", ".PrimaryPolicy{.SecondaryPolicy}.b64",
            "=policy:0, fraction:f32?">;
  def : Row<"createpolicy.cvt", ".L2Level.b64", "=policy:0, property:b64">;
}

//===----------------------------------------------------------------------===//
// Clusters and registers
//===----------------------------------------------------------------------===//

let Version = 86, Targets = ["sm_100"] in {
  def : Row<"clusterlaunchcontrol.try_cancel", ".Async{.StateSpace(shared::cta)}"
            ".Completion(mbarrier::complete_tx::bytes)"
            "{.Multicast(multicast::cluster::all)}.b128",
            "[addr], [mbar]:shared">;
  def : Row<"clusterlaunchcontrol.query_cancel",
            ".CancelQuery(is_canceled).pred.b128", "=p:pred, response:b128">;
  def : Row<"clusterlaunchcontrol.query_cancel",
            ".CancelQuery(get_first_ctaid).Vec(v4).b32.b128",
            "=d{4}:b32, response:b128">;
  def : Row<"clusterlaunchcontrol.query_cancel",
            ".CancelQuery(get_first_ctaid::x|get_first_ctaid::y|"
            "get_first_ctaid::z).b32.b128", "=d:b32, response:b128">;
}
def Async : ModKind<["async"]>;
def : ModSince<Multicast, "multicast::cluster::all", 86, 100, FamilyAny>;
let Version = 80, Targets = FamilyTensormap in
def : Row<"setmaxnreg", ".RegisterAction.sync.aligned.u32",
          "#n("#!interleave(!foreach(i, !range(3, 33), !mul(i, 8)), "|")#
          "):0">;
let Version = 93, Targets = ["sm_80"] in
def : Row<"clmad", ".^MulPart(lo|hi).u64", "=d:0, a:0, b:0, c:0">;
