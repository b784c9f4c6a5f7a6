//===- PTXInst.td - The operation of any instruction -------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx.inst stands for every instruction that has a row in the PTX table and no
// operation of its own.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_PTXINST_TD
#define HEDDLE_DIALECT_PTX_PTXINST_TD

def PTX_OperandKindAttr : PTX_Enum<"OperandKind", "what stands in an operand", [
  "none", "sink", "result", "value", "immediate", "address", "vector", "pair",
  "negated", "updated"]>;

def PTX_OperandAttr : PTX_Attr<"Operand", "operand"> {
  let summary = "the form of an operand of ptx.inst";
  let description = [{
    * `none`: an optional operand that is left out; `sink`: `_`;
    * `result`, `value`, `negated`: the next result, the next operand of the
      operation, the same with a minus; the number `value` is what a video
      instruction selects of it, as ptx::Operand::getSelector() counts;
    * `updated`: one register that is both the next operand and the next
      result, as the accumulator of wgmma;
    * `immediate`: the integer `value`;
    * `address`: `[parts[0] + value]`;
    * `vector`: `{parts}`; `pair`: `parts[0]|parts[1]`.
  }];
  let parameters = (ins
    EnumParameter<PTX_OperandKindAttr>:$kind,
    DefaultValuedParameter<"int64_t", "0">:$value,
    OptionalArrayRefParameter<"::mlir::Attribute">:$parts);
  let assemblyFormat = "`<` $kind (`=` $value^)? (`[` $parts^ `]`)? `>`";
  let extraClassDeclaration = [{
    OperandAttr getPart(unsigned I) const {
      return ::llvm::cast<OperandAttr>(getParts()[I]);
    }
  }];
}

def PTX_InstOp : PTX_Op<"inst", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "an instruction by its row in the PTX table";
  let description = [{
    `opcode` is the table's, `modifiers` are the spellings, without dots, of the
    modifiers and types behind it in the order of the row. `forms` has an
    element for each operand of the row; registers in them are the operation's
    operands and results, from left to right. A guard is a branch around the
    operation, as for every instruction that must not be executed in vain.

        %0:2 = ptx.inst "elect.sync" [](= | =, %mask) : (i32) -> (i32, i1)
        ptx.inst "cp.async" ["cg", "shared", "global"]
            ([%dst], [%src + 16], 16, none, none) : (i32, i64) -> ()
  }];
  let arguments = (ins StrAttr:$opcode, StrArrayAttr:$modifiers,
    TypedArrayAttrBase<PTX_OperandAttr, "operand forms">:$forms,
    Variadic<PTX_Reg>:$args);
  let results = (outs Variadic<PTX_Reg>:$values);
  let assemblyFormat = [{$opcode $modifiers custom<Forms>($forms, $args) attr-dict
                         `:` functional-type($args, $values)}];
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECT_PTX_PTXINST_TD
