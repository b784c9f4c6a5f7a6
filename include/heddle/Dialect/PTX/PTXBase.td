//===- PTXBase.td - Dialect, enums and attributes of ptx ---*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect itself, the enumerations of PTX's types and modifiers, and the
// attributes that describe parameters and relocations.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_PTXBASE_TD
#define HEDDLE_DIALECT_PTX_PTXBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"

def PTX_Dialect : Dialect {
  let name = "ptx";
  let cppNamespace = "::heddle::ptxir";
  let summary = "PTX in SSA form, one operation per instruction family";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Memory for places, which lives as long as the context does.
    heddle::Arena &newPlaces();

  private:
    std::mutex PlacesMutex;
    std::vector<std::unique_ptr<heddle::Arena>> Places;

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Enumerations. The keyword printed is PTX's own spelling without the dot.
//===----------------------------------------------------------------------===//

class PTX_Enum<string name, string summary, list<string> keywords>
    : I32EnumAttr<name, summary,
        !foreach(i, !range(!size(keywords)),
                 I32EnumAttrCase<
                   !toupper(!substr(keywords[i], 0, 1)) # !substr(keywords[i], 1),
                   i, keywords[i]>)> {
  let cppNamespace = "::heddle::ptxir";
}

def PTX_ScalarTypeAttr : PTX_Enum<"ScalarType", "PTX instruction type", [
  "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64",
  "s8", "s16", "s32", "s64", "f16", "bf16", "tf32", "f32", "f64",
  "u16x2", "s16x2", "f16x2", "bf16x2", "f32x2",
  "texref", "samplerref", "surfref"]>;

def PTX_RoundingAttr : PTX_Enum<"Rounding",
  "rounding modifier; none: the instruction has no rounding modifier", [
  "none", "rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"]>;

def PTX_MulModeAttr : PTX_Enum<"MulMode",
  "which part of a product is kept", ["none", "lo", "hi", "wide"]>;

def PTX_CmpAttr : PTX_Enum<"Cmp", "comparison", [
  "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
  "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]>;

def PTX_BoolOpAttr : PTX_Enum<"BoolOp",
  "combination of a comparison with a predicate", ["none", "and", "or", "xor"]>;

def PTX_TestAttr : PTX_Enum<"Test", "property that testp tests", [
  "finite", "infinite", "number", "notanumber", "normal", "subnormal"]>;

def PTX_SpaceAttr : PTX_Enum<"Space",
  "state space; generic: no state space given", [
  "generic", "global", "shared", "shared_cluster", "const", "local",
  "param_entry", "param_func"]>;

def PTX_MemSemAttr : PTX_Enum<"MemSem", "memory consistency semantics", [
  "weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "seq_cst", "mmio"]>;

def PTX_ScopeAttr : PTX_Enum<"Scope", "scope of an ordered operation", [
  "none", "cta", "cluster", "gpu", "sys"]>;

def PTX_CacheOpAttr : PTX_Enum<"CacheOp", "cache operator", [
  "none", "ca", "cg", "cs", "lu", "cv", "wb", "wt"]>;

def PTX_EvictAttr : PTX_Enum<"Evict", "cache eviction priority", [
  "none", "evict_normal", "evict_unchanged", "evict_first", "evict_last",
  "no_allocate"]>;

def PTX_AtomKindAttr : PTX_Enum<"AtomKind", "read-modify-write operation", [
  "and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"]>;

def PTX_ShflModeAttr : PTX_Enum<"ShflMode", "lane that a shuffle reads", [
  "up", "down", "bfly", "idx"]>;

def PTX_VoteModeAttr : PTX_Enum<"VoteMode", "result of a vote", [
  "all", "any", "uni", "ballot"]>;

def PTX_MatchModeAttr : PTX_Enum<"MatchMode", "form of match", [
  "any", "all"]>;

def PTX_BarrierModeAttr : PTX_Enum<"BarrierMode", "form of barrier", [
  "sync", "arrive", "red_popc", "red_and", "red_or"]>;

def PTX_ClusterBarrierAttr : PTX_Enum<"ClusterBarrier",
  "half of a cluster barrier", ["arrive", "wait"]>;

def PTX_PrmtModeAttr : PTX_Enum<"PrmtMode", "byte permutation", [
  "none", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]>;

def PTX_WrapModeAttr : PTX_Enum<"WrapMode",
  "what an amount beyond the width does", ["clamp", "wrap"]>;

def PTX_ShiftDirAttr : PTX_Enum<"ShiftDir", "direction of a funnel shift", [
  "l", "r"]>;

def PTX_LinkageAttr : PTX_Enum<"Linkage", "linking directive", [
  "internal", "visible", "external", "weak", "common"]>;

//===----------------------------------------------------------------------===//
// Attributes with structure
//===----------------------------------------------------------------------===//

class PTX_Attr<string name, string attrMnemonic> : AttrDef<PTX_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def PTX_PtrAttr : PTX_Attr<"Ptr", "ptr"> {
  let summary = "what .ptr says of what a parameter points at";
  let description = [{
    The state space, `generic` when PTX does not say, and the alignment in
    bytes, 0 when PTX does not say; `object` is the opaque type of a texture,
    sampler or surface.
  }];
  let parameters = (ins EnumParameter<PTX_SpaceAttr>:$space, "uint64_t":$alignment,
    OptionalParameter<"::heddle::ptxir::ScalarTypeAttr">:$object);
  let assemblyFormat = "`<` $space `,` $alignment (`,` $object^)? `>`";
}

def PTX_EntryParamAttr : PTX_Attr<"EntryParam", "param"> {
  let summary = "a parameter of an entry";
  let description = [{
    `count` is 0 for a scalar, else the number of elements of an array;
    `alignment` is in bytes and always given.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    EnumParameter<PTX_ScalarTypeAttr>:$type,
    "uint64_t":$count, "uint64_t":$alignment,
    OptionalParameter<"::heddle::ptxir::PtrAttr">:$ptr);
  let assemblyFormat = "`<` $name `,` $type `,` $count `,` $alignment (`,` $ptr^)? `>`";
}

def PTX_AggregateAttr : PTX_Attr<"Aggregate", "aggregate"> {
  let summary = "an argument that is a .param array, passed by address";
  let description = [{
    The operand is the array's address in the caller's local memory. The callee
    gets a copy, or, with `result`, writes its result there. Sizes in bytes;
    `type` is that of an element.
  }];
  let parameters = (ins "uint64_t":$size, "uint64_t":$alignment, "bool":$result,
    EnumParameter<PTX_ScalarTypeAttr>:$type);
  let assemblyFormat = "`<` $size `,` $alignment `,` $result `,` $type `>`";
}

def PTX_RelocAttr : PTX_Attr<"Reloc", "reloc"> {
  let summary = "an address in the initial value of a variable";
  let description = [{
    The element of the variable at byte `offset` holds the address of `symbol`
    plus `addend`, as a generic address when `generic` is set. With a `mask`
    other than 0 it holds (address & mask), shifted right by the zeros at the
    end of the mask.
  }];
  let parameters = (ins "uint64_t":$offset, "::mlir::FlatSymbolRefAttr":$symbol,
                        "int64_t":$addend, "bool":$generic,
                        DefaultValuedParameter<"uint64_t", "0">:$mask);
  let assemblyFormat = "`<` $offset `,` $symbol `,` $addend `,` $generic (`,` `mask` `=` $mask^)? `>`";
}

def PTX_PlaceAttr : LocationAttrDef<PTX_Dialect, "Place"> {
  let mnemonic = "at";
  let summary = "where an operation stands in the PTX text";
  let description = [{
    File, line and column, and `source`, the place that `.loc` gives, or null.
    The import makes one for nearly every operation, each another one: to look
    them up in the context's tables, as those of MLIR are, took longer than all
    the rest. So these are not unique; two places that say the same may differ.
    They stay in memory: `replacePlaces` makes MLIR's own of them for printing.
  }];
  let parameters = (ins "::mlir::StringAttr":$file, "unsigned":$line,
                        "unsigned":$column, "::mlir::LocationAttr":$source);
  let genStorageClass = 0;
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Makes a place in memory that PTXDialect::newPlaces gave.
    static PlaceAttr create(heddle::Arena &Memory,
                            ::mlir::StringAttr File, unsigned Line,
                            unsigned Column, ::mlir::LocationAttr Source);
  }];
}

#endif // HEDDLE_DIALECT_PTX_PTXBASE_TD
