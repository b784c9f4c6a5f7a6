//===- PTXModule.td - Directives of a module and of bodies -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PTX says beside functions and variables. The header is attributes of
// the module: `ptx.version`, `ptx.target`, `ptx.target_options`,
// `ptx.address_size`, `ptx.files` (an array of #ptx.file) and `ptx.pragmas`.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_PTXMODULE_TD
#define HEDDLE_DIALECT_PTX_PTXMODULE_TD

def PTX_FileAttr : PTX_Attr<"File", "file"> {
  let summary = "an entry of the file table that .loc refers to";
  let description = [{
    The time stamp and the size in bytes are both there or both -1.
  }];
  let parameters = (ins "uint64_t":$index, "::mlir::StringAttr":$name,
    DefaultValuedParameter<"int64_t", "-1">:$timestamp,
    DefaultValuedParameter<"int64_t", "-1">:$size);
  let assemblyFormat = "`<` $index `,` $name (`,` $timestamp^ `,` $size)? `>`";
}

def PTX_SectionItemKindAttr : PTX_Enum<"SectionItemKind",
  "what stands in a section", ["label", "data", "text", "symbol"]>;

def PTX_SectionItemAttr : PTX_Attr<"SectionItem", "item"> {
  let summary = "a label or data of a section";
  let description = [{
    * `label`: `name` is the address of what follows;
    * `data`: `values`, `width` bytes each; `text`: the bytes of `name`;
    * `symbol`: in `width` bytes the address of `name` plus `addend`, or less
      the address of `minus`.
  }];
  let parameters = (ins
    EnumParameter<PTX_SectionItemKindAttr>:$kind,
    DefaultValuedParameter<"uint64_t", "0">:$width,
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::StringAttr">:$minus,
    DefaultValuedParameter<"int64_t", "0">:$addend,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$values);
  let assemblyFormat = "`<` $kind (`,` struct($width, $name, $minus, $addend, $values)^)? `>`";
}

def PTX_SectionOp : PTX_Op<"section"> {
  let summary = "a section of debug information";
  let arguments = (ins StrAttr:$name,
    TypedArrayAttrBase<PTX_SectionItemAttr, "items of a section">:$items);
  let assemblyFormat = "$name $items attr-dict";
}

def PTX_AliasOp : PTX_Op<"alias", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "another name of a function, for other modules";
  let description = "Within the module uses of the name are those of `aliasee`.";
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$aliasee,
    DefaultValuedAttr<PTX_LinkageAttr, "::heddle::ptxir::Linkage::Internal">:$linkage);
  let assemblyFormat = "(`linkage` `(` $linkage^ `)`)? $sym_name `=` $aliasee attr-dict";
}

// The operations of bodies that mark a place. They have effects so that they
// stay there.
class PTX_Marker<string m, dag args, string format>
    : PTX_Op<m, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = args;
  let assemblyFormat = format # " attr-dict";
}

def PTX_LabelOp : PTX_Marker<"label", (ins StrAttr:$name, UnitAttr:$behind),
                             "$name (`behind` $behind^)?"> {
  let summary = "a label";
  let description = [{
    At the start of a block it is the block's name, which changes nothing that
    is executed; sections of debug information may refer to it. With `behind`
    it stands behind the terminator of its block, as the label at
    the end of a function does.
  }];
}
def PTX_LocIntermediateOp : PTX_Marker<"loc_intermediate",
    (ins I32Attr:$file, I32Attr:$line, I32Attr:$column), "$file $line $column"> {
  let summary = "a place in an intermediate language, by a number of the file table";
}
def PTX_PragmaOp : PTX_Marker<"pragma", (ins StrArrayAttr:$strings), "$strings"> {
  let summary = "a .pragma in a body";
}

// What debuggers see. The entries are those of .debug_info; nothing that is
// executed depends on them.
class PTX_DebugOp<string m, dag args, string format>
    : PTX_Op<m, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = !con((ins StrAttr:$name, I64Attr:$entry), args);
  let assemblyFormat = "$name `at` $entry" # format # " attr-dict";
}

def PTX_DebugValueOp : PTX_DebugOp<"debug_value",
    (ins Optional<AnyType>:$value), " (`=` $value^ `:` type($value))?"> {
  let summary = "a variable of the source has a value from here on";
  let description = "Without a value it has none that is known.";
}
def PTX_DebugPlaceOp : PTX_DebugOp<"debug_place",
    (ins AnyType:$address, I64Attr:$offset), " `in` $address `+` $offset `:` type($address)"> {
  let summary = "a variable of the source is in memory from here on";
}

#endif // HEDDLE_DIALECT_PTX_PTXMODULE_TD
