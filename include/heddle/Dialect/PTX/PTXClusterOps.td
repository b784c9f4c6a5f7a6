//===- PTXClusterOps.td - Clusters and register counts -----*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses in the shared memory of a cluster's CTAs, and what a warp asks of
// the hardware that runs it. Included by PTXOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_PTXCLUSTEROPS_TD
#define HEDDLE_DIALECT_PTX_PTXCLUSTEROPS_TD

def ClusterSpace
    : PTX_EnumMod<PTX_SpaceAttr, "::heddle::ptxir::Space::Generic", "space">;

def PTX_MapaOp : PTX_Inst<"mapa", [ClusterSpace, AnyTy],
  (ins PTX_Address:$a, I32:$b), "$a `,` $b", (outs PTX_Address:$d), [Pure]> {
  let summary = "the address in CTA b of the cluster that corresponds to a";
}
def PTX_GetctarankOp : PTX_Inst<"getctarank", [ClusterSpace, AnyTy],
  (ins PTX_Address:$a), "$a", (outs PTX_Reg:$d),
  [MemoryEffects<[MemRead]>]> {
  let summary = "the rank in the cluster of the CTA whose shared memory holds a";
}
def PTX_SetmaxnregOp
    : PTX_Op<"setmaxnreg", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "setmaxnreg.inc, or with the flag .dec, in registers a thread";
  let arguments = (ins I32Attr:$count, UnitAttr:$dec);
  let assemblyFormat = "(`dec` $dec^)? $count attr-dict";
}

#endif // HEDDLE_DIALECT_PTX_PTXCLUSTEROPS_TD
