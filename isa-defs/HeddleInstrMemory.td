//===- HeddleInstrMemory.td - Memory -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses:
//   generic and global: [R64 + imm], [UR64 + imm], [UR64 + (ext R32 << sc) + imm]
//   shared, local:      [(R32 << sc) + imm], [UR32 + imm]
//   constant:           c[bank][R32 + imm], c[bank][UR32 + imm]
// imm is a signed 24-bit byte offset. An access must be aligned to its size.
//
//===----------------------------------------------------------------------===//

// Loads of one width over all address forms of 64-bit spaces.
multiclass Load64<ISAOp op, RegisterClass rd, dag size, string sizeasm> {
  let mayLoad = 1 in {
  def _r : HInst<op, FormR, (outs rd:$d),
      !con((ins GPR64:$a, Imm24:$imm), size,
           (ins MemOrder:$order, MemScope:$scope, CacheOp:$cache)),
      sizeasm#"$order$scope$cache $d, [$a + $imm]">;
  def _u : HInst<op, FormU, (outs rd:$d),
      !con((ins UGPR64:$b, Imm24:$imm), size,
           (ins MemOrder:$order, MemScope:$scope, CacheOp:$cache)),
      sizeasm#"$order$scope$cache $d, [$b + $imm]">;
  def _x : HInst<op, FormX, (outs rd:$d),
      !con((ins UGPR64:$u, GPR32:$x, Ext:$aext, Scale:$sc, Imm24:$imm), size,
           (ins MemOrder:$order, MemScope:$scope, CacheOp:$cache)),
      sizeasm#"$order$scope$cache $d, [$u + $x$aext$sc + $imm]">;
  }
}
multiclass Store64<ISAOp op, RegisterClass rs, dag size, string sizeasm> {
  let mayStore = 1 in {
  def _r : HInst<op, FormR, (outs),
      !con((ins GPR64:$a, Imm24:$imm, rs:$c), size,
           (ins MemOrder:$order, MemScope:$scope, CacheOp:$cache)),
      sizeasm#"$order$scope$cache [$a + $imm], $c">;
  def _u : HInst<op, FormU, (outs),
      !con((ins UGPR64:$b, Imm24:$imm, rs:$c), size,
           (ins MemOrder:$order, MemScope:$scope, CacheOp:$cache)),
      sizeasm#"$order$scope$cache [$b + $imm], $c">;
  def _x : HInst<op, FormX, (outs),
      !con((ins UGPR64:$u, GPR32:$x, Ext:$aext, Scale:$sc, Imm24:$imm, rs:$c), size,
           (ins MemOrder:$order, MemScope:$scope, CacheOp:$cache)),
      sizeasm#"$order$scope$cache [$u + $x$aext$sc + $imm], $c">;
  }
}
// Loads and stores of 32-bit spaces.
multiclass Load32<ISAOp op, RegisterClass rd, dag size, string sizeasm> {
  let mayLoad = 1 in {
  def _r : HInst<op, FormR, (outs rd:$d),
      !con((ins GPR32:$a, Scale:$sc, Imm24:$imm), size, (ins MemOrder:$order)),
      sizeasm#"$order $d, [$a$sc + $imm]">;
  def _u : HInst<op, FormU, (outs rd:$d),
      !con((ins UGPR32:$b, Imm24:$imm), size, (ins MemOrder:$order)),
      sizeasm#"$order $d, [$b + $imm]">;
  }
}
multiclass Store32<ISAOp op, RegisterClass rs, dag size, string sizeasm> {
  let mayStore = 1 in {
  def _r : HInst<op, FormR, (outs),
      !con((ins GPR32:$a, Scale:$sc, Imm24:$imm, rs:$c), size, (ins MemOrder:$order)),
      sizeasm#"$order [$a$sc + $imm], $c">;
  def _u : HInst<op, FormU, (outs),
      !con((ins UGPR32:$b, Imm24:$imm, rs:$c), size, (ins MemOrder:$order)),
      sizeasm#"$order [$b + $imm], $c">;
  }
}

defvar LdMeaning = "d = the value at the address. U8 to S16 extend to 32 bits. Order: none is weak, CONST promises that nobody writes it, RELAXED and ACQUIRE as in the PTX memory model at the scope; MMIO neither merges nor repeats. An aligned access of up to 128 bits is one access. docs/memory-model.md has the model.";
defvar StMeaning = "The value at the address = c (its low bits for U8 and U16). Orders as for loads.";

//===----------------------------------------------------------------------===//
// Generic (LD, ST), global, shared, local. One operation a width.
//===----------------------------------------------------------------------===//

def OP_LD    : AccessOp<0x70, LC_LDG, SPACE_Generic, 1, "Generic load, up to 32 bits", LdMeaning>;
def OP_LD64  : AccessOp<0x71, LC_LDG, SPACE_Generic, 2, "Generic load, 64 bits", LdMeaning>;
def OP_LD128 : AccessOp<0x72, LC_LDG, SPACE_Generic, 4, "Generic load, 128 bits", LdMeaning>;
def OP_ST    : AccessOp<0x73, LC_LDG, SPACE_Generic, 1, "Generic store, up to 32 bits", StMeaning>;
def OP_ST64  : AccessOp<0x74, LC_LDG, SPACE_Generic, 2, "Generic store, 64 bits", StMeaning>;
def OP_ST128 : AccessOp<0x75, LC_LDG, SPACE_Generic, 4, "Generic store, 128 bits", StMeaning>;
defm LD    : Load64<OP_LD, GPR32, (ins MemSize:$size), "$size">;
defm LD64  : Load64<OP_LD64, GPR64, (ins), "">;
defm LD128 : Load64<OP_LD128, GPR128, (ins), "">;
defm ST    : Store64<OP_ST, GPR32, (ins MemSize:$size), "$size">;
defm ST64  : Store64<OP_ST64, GPR64, (ins), "">;
defm ST128 : Store64<OP_ST128, GPR128, (ins), "">;

def OP_LDG    : AccessOp<0x76, LC_LDG, SPACE_Global, 1, "Global load, up to 32 bits", LdMeaning>;
def OP_LDG64  : AccessOp<0x77, LC_LDG, SPACE_Global, 2, "Global load, 64 bits", LdMeaning>;
def OP_LDG128 : AccessOp<0x78, LC_LDG, SPACE_Global, 4, "Global load, 128 bits", LdMeaning>;
def OP_STG    : AccessOp<0x79, LC_LDG, SPACE_Global, 1, "Global store, up to 32 bits", StMeaning>;
def OP_STG64  : AccessOp<0x7A, LC_LDG, SPACE_Global, 2, "Global store, 64 bits", StMeaning>;
def OP_STG128 : AccessOp<0x7B, LC_LDG, SPACE_Global, 4, "Global store, 128 bits", StMeaning>;
defm LDG    : Load64<OP_LDG, GPR32, (ins MemSize:$size), "$size">;
defm LDG64  : Load64<OP_LDG64, GPR64, (ins), "">;
defm LDG128 : Load64<OP_LDG128, GPR128, (ins), "">;
defm STG    : Store64<OP_STG, GPR32, (ins MemSize:$size), "$size">;
defm STG64  : Store64<OP_STG64, GPR64, (ins), "">;
defm STG128 : Store64<OP_STG128, GPR128, (ins), "">;

def OP_LDS    : AccessOp<0x7C, LC_LDS, SPACE_Shared, 1, "Shared load, up to 32 bits", LdMeaning>;
def OP_LDS64  : AccessOp<0x7D, LC_LDS, SPACE_Shared, 2, "Shared load, 64 bits", LdMeaning>;
def OP_LDS128 : AccessOp<0x7E, LC_LDS, SPACE_Shared, 4, "Shared load, 128 bits", LdMeaning>;
def OP_STS    : AccessOp<0x7F, LC_LDS, SPACE_Shared, 1, "Shared store, up to 32 bits", StMeaning>;
def OP_STS64  : AccessOp<0x80, LC_LDS, SPACE_Shared, 2, "Shared store, 64 bits", StMeaning>;
def OP_STS128 : AccessOp<0x81, LC_LDS, SPACE_Shared, 4, "Shared store, 128 bits", StMeaning>;
defm LDS    : Load32<OP_LDS, GPR32, (ins MemSize:$size), "$size">;
defm LDS64  : Load32<OP_LDS64, GPR64, (ins), "">;
defm LDS128 : Load32<OP_LDS128, GPR128, (ins), "">;
defm STS    : Store32<OP_STS, GPR32, (ins MemSize:$size), "$size">;
defm STS64  : Store32<OP_STS64, GPR64, (ins), "">;
defm STS128 : Store32<OP_STS128, GPR128, (ins), "">;

def OP_LDL    : AccessOp<0x82, LC_LDG, SPACE_Local, 1, "Local load, up to 32 bits", LdMeaning>;
def OP_LDL64  : AccessOp<0x83, LC_LDG, SPACE_Local, 2, "Local load, 64 bits", LdMeaning>;
def OP_LDL128 : AccessOp<0x84, LC_LDG, SPACE_Local, 4, "Local load, 128 bits", LdMeaning>;
def OP_STL    : AccessOp<0x85, LC_LDG, SPACE_Local, 1, "Local store, up to 32 bits", StMeaning>;
def OP_STL64  : AccessOp<0x86, LC_LDG, SPACE_Local, 2, "Local store, 64 bits", StMeaning>;
def OP_STL128 : AccessOp<0x87, LC_LDG, SPACE_Local, 4, "Local store, 128 bits", StMeaning>;
defm LDL    : Load32<OP_LDL, GPR32, (ins MemSize:$size), "$size">;
defm LDL64  : Load32<OP_LDL64, GPR64, (ins), "">;
defm LDL128 : Load32<OP_LDL128, GPR128, (ins), "">;
defm STL    : Store32<OP_STL, GPR32, (ins MemSize:$size), "$size">;
defm STL64  : Store32<OP_STL64, GPR64, (ins), "">;
defm STL128 : Store32<OP_STL128, GPR128, (ins), "">;

//===----------------------------------------------------------------------===//
// Constant banks: 0 kernel parameters, 3 module constants
//===----------------------------------------------------------------------===//

defvar LdcMeaning = "d = the value at offset a + imm (b + imm) of the constant bank. Outside the bank is a fault.";
multiclass LoadConst<ISAOp op, RegisterClass rd, dag size, string sizeasm> {
  let mayLoad = 1 in {
  // Of a fixed address; HeddleInstrProperties.cpp.
  let isReMaterializable = 1 in
  def _r : HInst<op, FormR, (outs rd:$d),
      !con((ins BankImm:$bank, GPR32:$a, Imm24:$imm), size),
      sizeasm#" $d, c[$bank][$a + $imm]">;
  def _u : HInst<op, FormU, (outs rd:$d),
      !con((ins BankImm:$bank, UGPR32:$b, Imm24:$imm), size),
      sizeasm#" $d, c[$bank][$b + $imm]">;
  }
}
def OP_LDC    : ISAOp<0x88, LC_LDC, "Constant load, up to 32 bits", LdcMeaning>;
def OP_LDC64  : ISAOp<0x89, LC_LDC, "Constant load, 64 bits", LdcMeaning>;
def OP_LDC128 : ISAOp<0x8A, LC_LDC, "Constant load, 128 bits", LdcMeaning>;
defm LDC    : LoadConst<OP_LDC, GPR32, (ins MemSize:$size), "$size">;
defm LDC64  : LoadConst<OP_LDC64, GPR64, (ins), "">;
defm LDC128 : LoadConst<OP_LDC128, GPR128, (ins), "">;

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

defvar AtomMeaning = "d = the old value at the address, which becomes old aop c, in one step with respect to all atomic operations within the scope. INC: old >= c ? 0 : old + 1; DEC: old == 0 or old > c ? c : old - 1. Floating adds round to nearest. FTZ makes subnormal inputs and results of F32 zeros of their sign where the address is one of global memory. MIN and MAX of floats ignore a NaN and order -0 below +0. Of F16X2 and BF16X2 each half is a step of its own.";
defvar CasMeaning = "d = the old value at the address, which becomes e if it equals c. With U16 the low halves count and d is extended with zeros; other sizes than that and 32 bits are illegal instructions.";
defvar Cas64Meaning = "d = the old value at the address, which becomes e if it equals c.";
defvar RedMeaning = "As the atomic operation, without a result.";

// 'extra' are further modifiers, written last.
multiclass Atomic64<ISAOp op, RegisterClass r, Operand type, dag extra,
                    string extraasm> {
  let mayLoad = 1, mayStore = 1 in {
  def _r : HInst<op, FormR, (outs r:$d),
      !con((ins GPR64:$a, Imm24:$imm, r:$c, AtomOp:$aop, type:$aty,
                MemOrder:$order, MemScope:$scope), extra),
      "$aop$aty$order$scope"#extraasm#" $d, [$a + $imm], $c">;
  def _u : HInst<op, FormU, (outs r:$d),
      !con((ins UGPR64:$b, Imm24:$imm, r:$c, AtomOp:$aop, type:$aty,
                MemOrder:$order, MemScope:$scope), extra),
      "$aop$aty$order$scope"#extraasm#" $d, [$b + $imm], $c">;
  }
}
multiclass Reduce64<ISAOp op, RegisterClass r, Operand type, dag extra,
                    string extraasm> {
  let mayLoad = 1, mayStore = 1 in {
  def _r : HInst<op, FormR, (outs),
      !con((ins GPR64:$a, Imm24:$imm, r:$c, AtomOp:$aop, type:$aty,
                MemOrder:$order, MemScope:$scope), extra),
      "$aop$aty$order$scope"#extraasm#" [$a + $imm], $c">;
  def _u : HInst<op, FormU, (outs),
      !con((ins UGPR64:$b, Imm24:$imm, r:$c, AtomOp:$aop, type:$aty,
                MemOrder:$order, MemScope:$scope), extra),
      "$aop$aty$order$scope"#extraasm#" [$b + $imm], $c">;
  }
}
multiclass Cas64<ISAOp op, RegisterClass r, dag size, string sizeasm> {
  let mayLoad = 1, mayStore = 1 in
  def _r : HInst<op, FormR, (outs r:$d),
      !con((ins GPR64:$a, Imm24:$imm, r:$c, r:$e), size,
           (ins MemOrder:$order, MemScope:$scope)),
      sizeasm#"$order$scope $d, [$a + $imm], $c, $e">;
}
def OP_ATOM      : AccessOp<0x90, LC_ATOM, SPACE_Generic, 1, "Generic atomic, 32 bits", AtomMeaning>;
def OP_ATOM64    : AccessOp<0x91, LC_ATOM, SPACE_Generic, 2, "Generic atomic, 64 bits", AtomMeaning>;
def OP_ATOMCAS   : AccessOp<0x92, LC_ATOM, SPACE_Generic, 1, "Generic compare and swap, 32 bits", CasMeaning>;
def OP_ATOMCAS64 : AccessOp<0x93, LC_ATOM, SPACE_Generic, 2, "Generic compare and swap, 64 bits", Cas64Meaning>;
def OP_RED       : AccessOp<0x94, LC_ATOM, SPACE_Generic, 1, "Generic reduction, 32 bits", RedMeaning>;
def OP_RED64     : AccessOp<0x95, LC_ATOM, SPACE_Generic, 2, "Generic reduction, 64 bits", RedMeaning>;
defm ATOM : Atomic64<OP_ATOM, GPR32, AtomType32, (ins Ftz:$ftz), "$ftz">;
defm ATOM64 : Atomic64<OP_ATOM64, GPR64, AtomType64, (ins), "">;
defm ATOMCAS : Cas64<OP_ATOMCAS, GPR32, (ins MemSize:$size), "$size">;
defm ATOMCAS64 : Cas64<OP_ATOMCAS64, GPR64, (ins), "">;
defm RED : Reduce64<OP_RED, GPR32, AtomType32, (ins Ftz:$ftz), "$ftz">;
defm RED64 : Reduce64<OP_RED64, GPR64, AtomType64, (ins), "">;

def OP_ATOMG      : AccessOp<0x96, LC_ATOM, SPACE_Global, 1, "Global atomic, 32 bits", AtomMeaning>;
def OP_ATOMG64    : AccessOp<0x97, LC_ATOM, SPACE_Global, 2, "Global atomic, 64 bits", AtomMeaning>;
def OP_ATOMGCAS   : AccessOp<0x98, LC_ATOM, SPACE_Global, 1, "Global compare and swap, 32 bits", CasMeaning>;
def OP_ATOMGCAS64 : AccessOp<0x99, LC_ATOM, SPACE_Global, 2, "Global compare and swap, 64 bits", Cas64Meaning>;
def OP_REDG       : AccessOp<0x9A, LC_ATOM, SPACE_Global, 1, "Global reduction, 32 bits", RedMeaning>;
def OP_REDG64     : AccessOp<0x9B, LC_ATOM, SPACE_Global, 2, "Global reduction, 64 bits", RedMeaning>;
defm ATOMG : Atomic64<OP_ATOMG, GPR32, AtomType32, (ins Ftz:$ftz), "$ftz">;
defm ATOMG64 : Atomic64<OP_ATOMG64, GPR64, AtomType64, (ins), "">;
defm ATOMGCAS : Cas64<OP_ATOMGCAS, GPR32, (ins MemSize:$size), "$size">;
defm ATOMGCAS64 : Cas64<OP_ATOMGCAS64, GPR64, (ins), "">;
defm REDG : Reduce64<OP_REDG, GPR32, AtomType32, (ins Ftz:$ftz), "$ftz">;
defm REDG64 : Reduce64<OP_REDG64, GPR64, AtomType64, (ins), "">;

// Shared memory: the address is [R32 + imm]; RZ makes it absolute.
def OP_ATOMS      : AccessOp<0x9C, LC_ATOM, SPACE_Shared, 1, "Shared atomic, 32 bits", AtomMeaning>;
def OP_ATOMS64    : AccessOp<0x9D, LC_ATOM, SPACE_Shared, 2, "Shared atomic, 64 bits", AtomMeaning>;
def OP_ATOMSCAS   : AccessOp<0x9E, LC_ATOM, SPACE_Shared, 1, "Shared compare and swap, 32 bits", CasMeaning>;
def OP_ATOMSCAS64 : AccessOp<0x9F, LC_ATOM, SPACE_Shared, 2, "Shared compare and swap, 64 bits", Cas64Meaning>;
let mayLoad = 1, mayStore = 1 in {
def ATOMS : HInst<OP_ATOMS, FormR, (outs GPR32:$d),
    (ins GPR32:$a, Imm24:$imm, GPR32:$c, AtomOp:$aop, AtomType32:$aty, MemOrder:$order),
    "$aop$aty$order $d, [$a + $imm], $c">;
def ATOMS64 : HInst<OP_ATOMS64, FormR, (outs GPR64:$d),
    (ins GPR32:$a, Imm24:$imm, GPR64:$c, AtomOp:$aop, AtomType64:$aty, MemOrder:$order),
    "$aop$aty$order $d, [$a + $imm], $c">;
def ATOMSCAS : HInst<OP_ATOMSCAS, FormR, (outs GPR32:$d),
    (ins GPR32:$a, Imm24:$imm, GPR32:$c, GPR32:$e, MemSize:$size, MemOrder:$order),
    "$size$order $d, [$a + $imm], $c, $e">;
def ATOMSCAS64 : HInst<OP_ATOMSCAS64, FormR, (outs GPR64:$d),
    (ins GPR32:$a, Imm24:$imm, GPR64:$c, GPR64:$e, MemOrder:$order),
    "$order $d, [$a + $imm], $c, $e">;
}

// 128 bits have generic addresses only.
def OP_ATOM128    : AccessOp<0xA2, LC_ATOM, SPACE_Generic, 4, "Generic exchange, 128 bits",
  "d = the old value at the address, which becomes c.">;
def OP_ATOMCAS128 : AccessOp<0xA3, LC_ATOM, SPACE_Generic, 4, "Generic compare and swap, 128 bits", Cas64Meaning>;
let mayLoad = 1, mayStore = 1 in
def ATOM128 : HInst<OP_ATOM128, FormR, (outs GPR128:$d),
    (ins GPR64:$a, Imm24:$imm, GPR128:$c, MemOrder:$order, MemScope:$scope),
    "$order$scope $d, [$a + $imm], $c">;
let mayLoad = 1, mayStore = 1 in
def ATOMCAS128 : HInst<OP_ATOMCAS128, FormR, (outs GPR128:$d),
    (ins GPR64:$a, Imm24:$imm, GPR128:$c, GPR128:$e, MemOrder:$order, MemScope:$scope),
    "$order$scope $d, [$a + $imm], $c, $e">;

//===----------------------------------------------------------------------===//
// Ordering and hints
//===----------------------------------------------------------------------===//

let Behind = FLOW_Next in
def OP_MEMBAR : ISAOp<0xA0, LC_BAR, "Memory fence",
  "Orders the thread's earlier memory operations before its later ones, as PTX fence.acq_rel or fence.sc at the scope. PROXY also orders accesses through different paths to the same memory: textures, surfaces and constants against loads and stores, and two addresses of one location. docs/memory-model.md has the model.">;
let hasSideEffects = 1, mayLoad = 1, mayStore = 1 in
def MEMBAR : HInst<OP_MEMBAR, FormR, (outs), (ins FenceKind:$fn, MemScope:$scope), "$fn$scope">;
let Behind = FLOW_Next in
def OP_PREFETCH : ISAOp<0xA1, LC_LDG, "Prefetch",
  "A hint that the line at the generic address will be read: into the first-level cache, or with CG into the second-level one only; EF and EL are its eviction priority there. Never a fault.">;
let hasSideEffects = 1 in
def PREFETCH : HInst<OP_PREFETCH, FormR, (outs), (ins GPR64:$a, Imm24:$imm, CacheOp:$cache),
                     "$cache [$a + $imm]">;
