// Integer arithmetic and bits, as docs/ir-contract.md says.
// RUN: ptx-opt %s --convert-ptx-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK-LABEL: define i32 @arith(i32 %0, i32 %1)
ptx.func visible @arith(%a: i32, %b: i32) -> i32 {
  // CHECK: call i32 @llvm.sadd.sat.i32(i32 %0, i32 %1)
  %0 = ptx.add s32 sat %a, %b : (i32, i32) -> i32
  // CHECK: mul i32
  %1 = ptx.mul s32 mode(lo) %0, %b : (i32, i32) -> i32
  // CHECK: zext i32 %{{.*}} to i64
  // CHECK: zext i32 %{{.*}} to i64
  // CHECK: %[[P:.*]] = mul i64
  // CHECK: %[[H:.*]] = lshr i64 %[[P]], 32
  // CHECK: trunc i64 %[[H]] to i32
  %2 = ptx.mul u32 mode(hi) %1, %b : (i32, i32) -> i32
  // CHECK: sext i32 %{{.*}} to i64
  // CHECK: mul i64
  %3 = ptx.mul s32 mode(wide) %2, %b : (i32, i32) -> i64
  // CHECK: %[[M:.*]] = mul i64
  // CHECK: add i64 %[[M]], %{{.*}}
  %4 = ptx.mad u32 mode(wide) %2, %b, %3 : (i32, i32, i64) -> i64
  // CHECK: shl i32 %{{.*}}, 8
  // CHECK: ashr i32 %{{.*}}, 8
  %5 = ptx.mul24 s32 mode(lo) %a, %b : (i32, i32) -> i32
  // CHECK: and i32 %{{.*}}, 16777215
  // CHECK: lshr i64 %{{.*}}, 16
  %6 = ptx.mul24 u32 mode(hi) %a, %b : (i32, i32) -> i32
  // CHECK: call i32 @llvm.umax.i32
  // CHECK: call i32 @llvm.umin.i32
  %7 = ptx.sad u32 %a, %b, %6 : (i32, i32, i32) -> i32
  ptx.ret %7 : i32
}

// A divisor that is not known to be harmless goes to the device library.
// CHECK-LABEL: define void @division
ptx.func visible @division(%a: i32, %b: i32, %h: i16, %w: i64) {
  // CHECK: call i32 @__heddle_sdiv32(i32 %0, i32 %1)
  %0 = ptx.div s32 %a, %b : (i32, i32) -> i32
  // CHECK: call i64 @__heddle_urem64(i64 %3, i64 %3)
  %1 = ptx.rem u64 %w, %w : (i64, i64) -> i64
  // CHECK: %[[N:.*]] = sext i16 %2 to i32
  // CHECK: %[[Q:.*]] = call i32 @__heddle_sdiv32(i32 %[[N]], i32 %{{.*}})
  // CHECK: trunc i32 %[[Q]] to i16
  %2 = ptx.div s16 %h, %h : (i16, i16) -> i16
  %seven = ptx.constant 7 : i32
  // CHECK: udiv i32 %0, 7
  %3 = ptx.div u32 %a, %seven : (i32, i32) -> i32
  %minus = ptx.constant -1 : i32
  // CHECK: sub i32 0, %0
  %4 = ptx.div s32 %a, %minus : (i32, i32) -> i32
  %zero = ptx.constant 0 : i32
  // CHECK: call i32 @__heddle_udiv32(i32 %0, i32 0)
  %5 = ptx.div u32 %a, %zero : (i32, i32) -> i32
  ptx.ret
}

// CHECK-LABEL: define i32 @carries
ptx.func visible @carries(%a: i32, %b: i32) -> i32 {
  // CHECK: %[[LO:.*]] = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %0, i32 %1)
  // CHECK: %[[C:.*]] = extractvalue { i32, i1 } %[[LO]], 1
  %0, %c = ptx.add_carry u32 %a, %b : (i32, i32) -> (i32, i1)
  // CHECK: %[[IN:.*]] = zext i1 %[[C]] to i32
  // CHECK: call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %{{.*}}, i32 %[[IN]])
  // CHECK: %[[C2:.*]] = or i1
  %1, %c2 = ptx.add_carry u32 %a, %b carry %c : (i32, i32, i1) -> (i32, i1)
  // The flag is the carry out of an adder: without a carry there is a borrow.
  // CHECK: %[[BORROW:.*]] = xor i1 %[[C2]], true
  // CHECK: %[[IN2:.*]] = zext i1 %[[BORROW]] to i32
  // CHECK: call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %{{.*}}, i32 %[[IN2]])
  %2, %c3 = ptx.sub_carry u32 %1, %b carry %c2 : (i32, i32, i1) -> (i32, i1)
  ptx.ret %2 : i32
}

// Shifts by the width or more clamp.
// CHECK-LABEL: define i32 @shifts
ptx.func visible @shifts(%a: i32, %n: i32, %h: i16) -> i32 {
  // CHECK: %[[S:.*]] = shl i32 %0, %1
  // CHECK: %[[IN:.*]] = icmp ult i32 %1, 32
  // CHECK: select i1 %[[IN]], i32 %[[S]], i32 0
  %0 = ptx.shl b32 %a, %n : (i32, i32) -> i32
  // CHECK: %[[MIN:.*]] = call i32 @llvm.umin.i32(i32 %1, i32 31)
  // CHECK: ashr i32 %{{.*}}, %[[MIN]]
  %1 = ptx.shr s32 %0, %n : (i32, i32) -> i32
  %three = ptx.constant 3 : i32
  // CHECK-NEXT: lshr i32 %{{.*}}, 3
  %2 = ptx.shr u32 %1, %three : (i32, i32) -> i32
  // CHECK: icmp ult i32 %1, 16
  %3 = ptx.shl b16 %h, %n : (i16, i32) -> i16
  // CHECK: call i32 @llvm.fshl.i32(i32 %{{.*}}, i32 %0, i32 %1)
  %4 = ptx.shf l wrap b32 %a, %2, %n : (i32, i32, i32) -> i32
  // CHECK: %[[F:.*]] = call i32 @llvm.fshr.i32(i32 %[[HI:.*]], i32 %0, i32 %1)
  // CHECK: icmp ult i32 %1, 32
  // CHECK: select i1 %{{.*}}, i32 %[[F]], i32 %[[HI]]
  %5 = ptx.shf r clamp b32 %a, %4, %n : (i32, i32, i32) -> i32
  ptx.ret %5 : i32
}

// CHECK-LABEL: define void @bits
ptx.func visible @bits(%a: i32, %w: i64) {
  // CHECK: call i64 @llvm.ctpop.i64
  // CHECK: trunc i64
  %0 = ptx.popc b64 %w : (i64) -> i32
  // CHECK: call i32 @llvm.ctlz.i32(i32 %{{.*}}, i1 false)
  %1 = ptx.clz b32 %a : (i32) -> i32
  // CHECK: call i32 @__heddle_bfind_s32
  %2 = ptx.bfind s32 %a : (i32) -> i32
  // CHECK: call i64 @llvm.ctlz.i64
  // CHECK: sub i32 63, %{{.*}}
  %3 = ptx.bfind u64 %w : (i64) -> i32
  // CHECK: call i32 @llvm.bitreverse.i32
  %4 = ptx.brev b32 %a : (i32) -> i32
  // CHECK: call i32 @__heddle_bfe_u32
  %5 = ptx.bfe u32 %a, %4, %4 : (i32, i32, i32) -> i32
  // CHECK: call i32 @__heddle_bfi_b32
  %6 = ptx.bfi b32 %a, %5, %4, %4 : (i32, i32, i32, i32) -> i32
  // CHECK: call i32 @__heddle_lop3(i32 %0, i32 %0, i32 %0, i32 150)
  %7 = ptx.lop3 b32 lut(150) %a, %a, %a : (i32, i32, i32) -> i32
  // CHECK: call i32 @llvm.nvvm.prmt(
  %8 = ptx.prmt b32 %a, %a, %a : (i32, i32, i32) -> i32
  // CHECK: call i32 @llvm.nvvm.prmt.rc16(i32 %{{.*}}, i32 %{{.*}})
  %9 = ptx.prmt b32 mode(rc16) %a, %a, %a : (i32, i32, i32) -> i32
  // CHECK: call i32 @llvm.nvvm.idp2a.s.u(i32 %0, i32 %0, i1 true, i32 %0)
  %10 = ptx.dp2a mode(hi) s32 u32 %a, %a, %a : (i32, i32, i32) -> i32
  // CHECK: icmp eq i32 %0, 0
  // CHECK: zext i1
  %11 = ptx.cnot b32 %a : (i32) -> i32
  ptx.ret
}
