//===- PTXTcgen05.td - Fifth generation of tensor cores ----*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions on tensor memory, whose addresses are 32-bit registers, and those
// that make sparse vectors.
//
//===----------------------------------------------------------------------===//

def TmemShape   : ModKind<["16x64b", "16x128b", "16x256b", "32x32b",
                           "16x32bx2"]>;
def TmemCount   : ModKind<["x1", "x2", "x4", "x8", "x16", "x32", "x64",
                           "x128"], [1, 2, 4, 8, 16, 32, 64, 128]>;
def TmemPack    : ModKind<["pack::16b", "unpack::16b"]>;
def TmemReduce  : ModKind<["min", "max"]>;
def TmemCopy    : ModKind<["128x256b", "4x256b", "128x128b", "64x128b",
                           "32x128b"]>;
def WarpCast    : ModKind<["warpx2::02_13", "warpx2::01_23", "warpx4"]>;
def ShiftDown   : ModKind<["down"]>;
def Tcgen05Kind : ModKind<["kind::f16", "kind::tf32", "kind::f8f6f4",
                           "kind::i8", "kind::mxf8f6f4", "kind::mxf4",
                           "kind::mxf4nvf4", "kind::ti16"]>;
def Tcgen05Scale : ModKind<["scale_vec::1X", "scale_vec::2X", "scale_vec::4X",
                            "block16", "block32"]>;
def AShift      : ModKind<["ashift"]>;
def CollectorA  : ModKind<["collector::a::fill", "collector::a::use",
                           "collector::a::lastuse", "collector::a::discard"]>;
def CollectorB  : ModKind<!foldl([]<string>, ["b0", "b1", "b2", "b3"], all, b,
                                 !listconcat(all,
                                   !foreach(op, ["fill", "use", "lastuse",
                                                 "discard"],
                                            "collector::"#b#"::"#op)))>;
def ReuseB      : ModKind<["collector::b::fill", "collector::b::use",
                           "collector::b::lastuse", "collector::b::discard"]>;
def LookUpB     : ModKind<["decompress::lut::b"]>;
def Exclusive   : ModKind<["exclusive"]>;
def SparseRatio : ModKind<["sp::1:2", "sp::1:4", "sp::1:8", "sp::1:16",
                           "sp::2:4", "sp::2:8", "sp::2:16", "sp::4:8",
                           "sp::4:16"]>;
// Of one GPU, not of its family.
defvar Only100 = ["sm_100a", "sm_101a", "sm_103a", "sm_107a", "sm_110a"];
foreach S = ["scale_vec::1X", "scale_vec::2X", "scale_vec::4X"] in
  def : ModSince<Tcgen05Scale, S, 86, 100, Only100>;
def : ModSince<Tcgen05Scale, "block16", 88, 100>;
def : ModSince<Tcgen05Scale, "block32", 88, 100>;
def : ModSince<Tcgen05Kind, "kind::mxf4nvf4", 87, 100>;
def : ModSince<Tcgen05Kind, "kind::i8", 86, 100,
               ["sm_100a", "sm_101a", "sm_110a"]>;

let Version = 86, Targets = Family100 in {
  def : Row<"tcgen05.alloc", ".CtaGroup.sync.aligned{.StateSpace(shared::cta)}.b32",
            "[dst=]:shared, nCols(32|64|128|256|512):u32">;
  def : Row<"tcgen05.dealloc", ".CtaGroup.sync.aligned.b32",
            "taddr:u32, nCols(32|64|128|256|512):u32">;
  def : Row<"tcgen05.relinquish_alloc_permit", ".CtaGroup.sync.aligned", "">;
  def : Row<"tcgen05.fence::before_thread_sync", "", "">;
  def : Row<"tcgen05.fence::after_thread_sync", "", "">;
  def : Row<"tcgen05.wait::ld", ".sync.aligned", "">;
  def : Row<"tcgen05.wait::st", ".sync.aligned", "">;
  def : Row<"tcgen05.commit", ".CtaGroup.Completion(mbarrier::arrive::one)"
            "{.StateSpace(shared::cluster)}{.Multicast16}"
            ".b64", "[mbar=]:shared, ctaMask:b16?Multicast">;
  let Version = 94, Targets = Family107 in {
    defvar Commit = ".CtaGroup.Completion(mbarrier::arrive::one)"
                    "{.StateSpace(shared::cluster)}";
    defvar ReadOfA = ".SyncRestrict(sync_restrict::shared::read::mma::a)";
    def : Row<"tcgen05.commit", Commit#ReadOfA#"{.Multicast16}.b64",
              "[mbar=]:shared, ctaMask:b16?Multicast">;
    foreach Restrict = ["", ReadOfA] in
      def : Row<"tcgen05.commit",
                Commit#Restrict#".Multicast(multicast::cluster::32b).b64",
                "[mbar=]:shared, ctaMask:b32">;
  }
  let Version = 94, Targets = ["sm_100f", "sm_110f"] in {
    def : Row<"tcgen05.alloc",
              ".Exclusive.CtaGroup.sync.aligned{.StateSpace(shared::cta)}.b32",
              "[dst=]:shared, nCols(*32):u32">;
    def : Row<"tcgen05.dealloc", ".Exclusive.CtaGroup.sync.aligned.b32",
              "taddr:u32, nCols(*32):u32">;
  }
  def : Row<"tcgen05.shift", ".CtaGroup.ShiftDown", "[taddr]:tmem">;
  foreach S = [".TmemCopy(128x256b|4x256b|128x128b)",
               ".TmemCopy(64x128b).WarpCast(warpx2::02_13|warpx2::01_23)",
               ".TmemCopy(32x128b).WarpCast(warpx4)"] in {
    def : Row<"tcgen05.cp", ".CtaGroup"#S, "[taddr]:tmem, sDesc:u64">;
    def : Row<"tcgen05.cp", ".CtaGroup"#S#".UnpackTo.UnpackFrom",
              "[taddr]:tmem, sDesc:u64">;
  }

  // Loads and stores; a shape with its registers for each repetition and the
  // most repetitions.
  foreach S = [["16x64b", "", "|x64|x128"], ["32x32b", "", "|x64|x128"],
               ["16x128b", "*2", "|x64"], ["16x256b", "*4", ""]] in {
    defvar Count = ".TmemCount(x1|x2|x4|x8|x16|x32"#S[2]#")";
    def : Row<"tcgen05.ld", ".sync.aligned.TmemShape("#S[0]#")"#Count#
              "{.TmemPack(pack::16b)}.b32",
              "=r!{TmemCount"#S[1]#"}:b32, [taddr]:tmem">;
    def : Row<"tcgen05.st", ".sync.aligned.TmemShape("#S[0]#")"#Count#
              "{.TmemPack(unpack::16b)}.b32",
              "[taddr]:tmem, r$!{TmemCount"#S[1]#"}:b32">;
  }
  def : Row<"tcgen05.ld", ".sync.aligned.TmemShape(16x32bx2).TmemCount"
            "{.TmemPack(pack::16b)}.b32",
            "=r!{TmemCount}:b32, [taddr]:tmem, #half:s32">;
  def : Row<"tcgen05.st", ".sync.aligned.TmemShape(16x32bx2).TmemCount"
            "{.TmemPack(unpack::16b)}.b32",
            "[taddr]:tmem, #half:s32, r$!{TmemCount}:b32">;
}
let Version = 88, Targets = ["sm_101a", "sm_101f", "sm_103a", "sm_103f",
                             "sm_110a", "sm_110f"] in
foreach S = [["32x32b", ""], ["16x32bx2", ", #half:s32"]] in {
  defvar Shape = ".sync.aligned.TmemShape("#S[0]#")"
                 ".TmemCount(x2|x4|x8|x16|x32|x64|x128).TmemReduce";
  def : Row<"tcgen05.ld.red", Shape#"{.AbsMode}{.NaN}.f32",
            "=r!{TmemCount}:0, =value:0, [taddr]:tmem"#S[1]>;
  def : Row<"tcgen05.ld.red", Shape#".(u32|s32)",
            "=r!{TmemCount}:0, =value:0, [taddr]:tmem"#S[1]>;
}

// mma: A is a descriptor or in tensor memory. The mask of lanes that are not
// written has a bit for each of the 128 lanes of a group.
// What is kept of A; only an A in tensor memory is shifted, and then it is not
// kept.
class ReuseOfA<bit InTmem> {
  list<string> Forms = !if(InTmem,
      ["{.CollectorA}",
       ".AShift{.CollectorA(collector::a::lastuse|collector::a::discard)}"],
      ["{.CollectorA}"]);
}
// Sparse products of four bits are of one GPU, not of its family.
class TargetsOfScaled<bit IsSparse, string kind, list<string> family = Family100,
                      list<string> alone = Only100> {
  list<string> Names = !if(!and(IsSparse, !eq(!find(kind, "mxf8"), -1)), alone,
                           family);
}
foreach IsSparse = [false, true] in
foreach InTmem = [false, true] in
let Version = 86, Targets = Family100 in {
  defvar Op = "tcgen05.mma"#!if(IsSparse, ".~sp", "");
  defvar Ws = "tcgen05.mma.ws"#!if(IsSparse, ".~sp", "");
  defvar Start = "[d]:tmem, "#!if(InTmem, "[a]:tmem", "aDesc:u64")#
                 ", bDesc:u64"#!if(IsSparse, ", [spMeta]:tmem", "")#
                 ", idesc:u32";
  defvar Reuses = ReuseOfA<InTmem>.Forms;
  foreach G = [["cta_group::1", "4"], ["cta_group::2", "8"]] in {
    defvar Group = ".CtaGroup("#G[0]#")";
    foreach Reuse = Reuses in
    foreach Disable = ["", ", disable!{"#G[1]#"}:b32"] in {
      def : Row<Op, Group#".Tcgen05Kind(kind::f16|kind::tf32)"#Reuse,
                Start#Disable#", enable:pred, #scaleD("#
                !interleave(!range(0, 16), "|")#"):u64?">;
      def : Row<Op, Group#".Tcgen05Kind(kind::f8f6f4|kind::i8)"#Reuse,
                Start#Disable#", enable:pred">;
    }
  }
  // The scale that is not written is .block32.
  foreach K = ["kind::mxf8f6f4", "kind::mxf4"] in
  let Targets = TargetsOfScaled<IsSparse, K>.Names in
  def : Row<Op, ".CtaGroup.Tcgen05Kind("#K#").block_scale{.CollectorA}",
            Start#", [scaleA]:tmem, [scaleB]:tmem, enable:pred">;
  foreach K = ["kind::mxf8f6f4).block_scale.Tcgen05Scale(scale_vec::1X|"
               "block32)",
               "kind::mxf4).block_scale.Tcgen05Scale(scale_vec::2X|block32)",
               "kind::mxf4nvf4).block_scale.Tcgen05Scale(scale_vec::2X|"
               "scale_vec::4X|block16|block32)"] in
    let Targets = TargetsOfScaled<IsSparse, K>.Names in
    def : Row<Op, ".CtaGroup.Tcgen05Kind("#K#"{.CollectorA}",
              Start#", [scaleA]:tmem, [scaleB]:tmem, enable:pred">;
  def : Row<Ws, ".CtaGroup(cta_group::1)"
            ".Tcgen05Kind(kind::f16|kind::tf32|kind::f8f6f4|kind::i8)"
            "{.CollectorB}", Start#", enable:pred, zeroMask:b64?">;
}

// What version 9.4 added: 16-bit integers, a collector for B and a B from a
// table of values. What is kept of B has no effect on the result.
let Version = 94, Targets = Family107 in
foreach IsSparse = [false, true] in
foreach InTmem = [false, true] in {
  defvar Op = "tcgen05.mma"#!if(IsSparse, ".~sp", "");
  defvar Ws = "tcgen05.mma.ws"#!if(IsSparse, ".~sp", "");
  defvar A = "[d]:tmem, "#!if(InTmem, "[a]:tmem", "aDesc:u64")#", bDesc:u64";
  defvar Start = A#!if(IsSparse, ", [spMeta]:tmem", "")#", idesc:u32";
  foreach G = [["cta_group::1", "4"], ["cta_group::2", "8"]] in
  foreach Disable = ["", ", disable!{"#G[1]#"}:b32"] in {
    defvar Group = ".CtaGroup("#G[0]#")";
    foreach ReuseA = ReuseOfA<InTmem>.Forms in {
      defvar Reuse = ReuseA#".ReuseB";
      def : Row<Op, Group#".Tcgen05Kind(kind::ti16)"#ReuseA#"{.ReuseB}",
                Start#Disable#", enable:pred">;
      def : Row<Op, Group#".Tcgen05Kind(kind::f16|kind::tf32)"#Reuse,
                Start#Disable#", enable:pred, #scaleD("#
                !interleave(!range(0, 16), "|")#"):u64?">;
      def : Row<Op, Group#".Tcgen05Kind(kind::f8f6f4)"#Reuse,
                Start#Disable#", enable:pred">;
    }
    if !not(IsSparse) then
    def : Row<Op, Group#".Tcgen05Kind(kind::f8f6f4).LookUpB"
                  "{.CollectorA}{.ReuseB}",
              A#", [table]:tmem, idesc:u32"#Disable#", enable:pred">;
  }
  foreach K = ["kind::mxf8f6f4).block_scale", "kind::mxf4).block_scale",
               "kind::mxf8f6f4).block_scale.Tcgen05Scale(scale_vec::1X|"
               "block32)",
               "kind::mxf4).block_scale.Tcgen05Scale(scale_vec::2X|block32)",
               "kind::mxf4nvf4).block_scale.Tcgen05Scale(scale_vec::2X|"
               "scale_vec::4X|block16|block32)"] in
    let Targets = TargetsOfScaled<IsSparse, K, Family107,
                                  ["sm_107a"]>.Names in
    def : Row<Op, ".CtaGroup.Tcgen05Kind("#K#"{.CollectorA}.ReuseB",
              Start#", [scaleA]:tmem, [scaleB]:tmem, enable:pred">;
  if !not(IsSparse) then
  def : Row<Op, ".CtaGroup.Tcgen05Kind(kind::mxf8f6f4).block_scale.LookUpB"
                "{.Tcgen05Scale(block32)}{.CollectorA}{.ReuseB}",
            A#", [table]:tmem, idesc:u32, [scaleA]:tmem, [scaleB]:tmem, "
            "enable:pred">;
  def : Row<Ws, ".CtaGroup(cta_group::1).Tcgen05Kind(kind::ti16){.CollectorB}",
            Start#", enable:pred, zeroMask:b64?">;
}

//===----------------------------------------------------------------------===//
// Sparse vectors
//===----------------------------------------------------------------------===//

// `*n` or `/n`: so many words have `count` bits for each repetition.
class WordsOf<int count> {
  string Text = !if(!ge(count, 32), "*"#!div(count, 32), "/"#!div(32, count));
}
let Version = 94, Targets = ["sm_107a"] in {
  defvar Selected = ".sync.aligned.TmemShape(32x32b)"
                    ".TmemCount(x4|x8|x16|x32|x64|x128).TmemReduce"
                    ".SparseRatio(sp::2:4){.AbsMode}";
  defvar SelectedTo = "=mdata!{TmemCount/32}:b32, =cdata!{TmemCount/2}:b32, ";
  def : Row<"tcgen05.ld.spcompress", Selected#".f32.b2",
            SelectedTo#"[taddr]:tmem">;
  def : Row<"tcgen05.ld.red.spcompress", Selected#"{.NaN}.f32.b2",
            SelectedTo#"=value:0, [taddr]:tmem">;
  foreach Element = [8, 16] in
  foreach Index = [2, 4] in {
    defvar Sizes = ".b"#Element#".b"#Index;
    def : Row<"spcompress", Sizes#".SparseRatio(sp::2:4)"
                            ".TmemCount(x1|x2|x4|x8|x16|x32|x64)",
              "=mdata!{TmemCount/"#!div(Element, Index)#"}:b32, "
              "=cdata!{TmemCount}:b32, data$!{TmemCount*2}:b32, spdesc$:b32">;
    foreach From = [1, 2, 4] in
    foreach To = [2, 4, 8, 16] in
    // The elements of a group are in one word, an index reaches all places, and
    // the result has 1 to 128 words.
    if !and(!lt(From, To), !not(!and(!eq(From, 4), !eq(To, 4))),
            !le(!mul(From, Element), 32), !le(To, !shl(1, Index))) then {
      defvar Bits = !mul(To, Element);
      defvar Counts = !filter(n, [1, 2, 4, 8, 16, 32, 64],
                              !and(!ge(!mul(n, Bits), 32),
                                   !le(!mul(n, Bits), 4096)));
      def : Row<"spdecompress",
                Sizes#".SparseRatio(sp::"#From#":"#To#").TmemCount("#
                !interleave(!foreach(n, Counts, "x"#n), "|")#")",
                "=data!{TmemCount"#WordsOf<Bits>.Text#"}:b32, "
                "mdata$!{TmemCount"#WordsOf<!mul(From, Index)>.Text#"}:b32, "
                "cdata$!{TmemCount"#WordsOf<!mul(From, Element)>.Text#"}:b32">;
    }
  }
}
