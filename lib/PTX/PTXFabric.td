//===- PTXFabric.td - Memory of other devices --------------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies to and from handles: the number of an endpoint and an offset in it.
//
//===----------------------------------------------------------------------===//

def Multimem     : ModKind<["multimem"]>;
def Counted      : ModKind<["counted::bytes"]>;
def FabricReport : ModKind<["mbarrier::report::fabric"]>;
def OpRestrict   : ModKind<["op_restrict::fetching"]>;

let Targets = ["sm_100"] in {
defvar Handle = "[endpoint$:u32, offset$:u64]";
defvar CountedHandle = "[endpoint$:u32, offset$:u64, counter$:u64]";
defvar FabricMemory = ".StateSpace(shared::cta){.Semantics(relaxed)}.Scope(sys)";
defvar FabricRead = FabricMemory#".Completion(mbarrier::complete_tx::bytes)"
                    ".FabricReport";
defvar FabricWrite = FabricMemory#".Completion(mbarrier::complete_tx::16B)"
                     ".FabricReport";
defvar Policy = ", policy:u64?L2Hint";
defvar FabricOperations = [
    ".BulkOp(and|or|xor).(b32|b64)",
    ".BulkOp(min|max).(u32|s32|u64|s64|f16|bf16)",
    ".BulkOp(add).(u32|u64|f16|bf16|f32|f64)"];
  let Version = 93 in {
    defvar Tail = ", [mbar=]:shared"#Policy;
    def : Row<"fabric.try_get.async", FabricRead#"{.L2Hint}.b128",
              "[dst], "#Handle#", size:u32"#Tail>;
    def : Row<"fabric.try_put.async",
              "{.Multimem}"#FabricWrite#"{.L2Hint}.ByteMask.b128",
              Handle#", [src], size:u32, [mbar=]:shared, byteMask:b16"#
              Policy>;
    foreach To = [["", Handle], [".Counted", CountedHandle]] in {
      defvar Write = "{.Multimem}"#FabricWrite#To[0]#"{.L2Hint}";
      defvar WriteOperands = To[1]#", [src], size:u32"#Tail;
      def : Row<"fabric.try_put.async", Write#".b128", WriteOperands>;
      foreach S = FabricOperations in
        def : Row<"fabric.try_red.async", Write#S, WriteOperands>;
    }
  }
  let Version = 93 in {
    defvar Pull = ".Multimem"#FabricRead#".sync";
    defvar PullOperands = "[dst], "#Handle#", size:u32, [mbar=]:shared, "
                          "#membermask(4294967295):b32";
    foreach S = [".BulkOp(and|or|xor).(b32|b64)",
                 ".BulkOp(min|max).(u32|s32|u64|s64|f16|bf16)",
                 ".BulkOp(add).(u32|u64|f16|bf16|f32)"] in
      def : Row<"fabric.try_pullred.async", Pull#S, PullOperands>;
    let Targets = ["sm_100f", "sm_110f", "sm_120a", "sm_121a"] in
    foreach S = [".BulkOp(min|max).(e4m3|e5m2)",
                 ".BulkOp(add).Accumulate(acc::f16).(e4m3|e5m2)",
                 ".BulkOp(add).Accumulate(acc::f32).(f16|bf16)"] in
      def : Row<"fabric.try_pullred.async", Pull#S, PullOperands>;
    def : Row<"fabric.submit", "{.OpRestrict}", "">;
    def : Row<"fabric.wait", ".SyncRestrict(sync_restrict::reads)", "">;
  }
  let Version = 95 in {
    def : Row<"fabric.submit.commit_group", "", "">;
    def : Row<"fabric.wait",
              ".SyncRestrict(sync_restrict::read|sync_restrict::reads)",
              "#n:u32">;
  }
  let Version = 94 in
  foreach S = [".AtomOp(and|or|xor).(b32|b64)",
               ".AtomOp(exch|cas).(b32|b64|b128)",
               ".AtomOp(min|max).(u32|u64|f16x2|bf16x2)",
               ".AtomOp(add).(u32|u64|f16x2|bf16x2|f32|f64)"] in
    def : Row<"fabric.try_atom.async",
              !subst("{.Semantics(relaxed)}", ".Semantics(relaxed)",
                     FabricWrite)#"{.L2Hint}"#S,
              Handle#", [dst], [src], [mbar=]:shared"#Policy>;

// Tensors. The handle takes the place of the tensor map's address.
let Version = 94, Targets = Family107 in
foreach O = AllOverrides in {
  defvar Dim = ".TensorDim"#O.Dims#"{.TensorMode(tile)}"#O.Mods#
               "{.L2Hint}";
  defvar Rest = O.Operands#", c{TensorDim}:s32]";
  def : Row<"fabric.try_get.async.tensor", Dim#FabricRead#".b128",
            "[dst], [[map$]:generic/global, endpoint$:u32, offset$:u64"#Rest#
            ", [mbar=]:shared"#Policy>;
  foreach To = [["", ""], [".Counted", ", counter$:u64"]] in {
    defvar Write = "{.Multimem}"#Dim#FabricWrite#To[0];
    defvar WriteOperands = "[[map$]:generic/global, endpoint$:u32, offset$:u64"#To[1]#
                           Rest#", [src], bytes:u32, [mbar=]:shared"#Policy;
    def : Row<"fabric.try_put.async.tensor", Write#".b128", WriteOperands>;
    def : Row<"fabric.try_red.async.tensor",
              Write#".BulkOp(and|or|xor|add|min|max)", WriteOperands>;
  }
}
}
