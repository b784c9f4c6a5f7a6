//===- LaunchConstants.cpp - Extents from the constant bank -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special registers are read through the pipe of the plain integer
// instructions, which each takes for many cycles. With Knob::LaunchConstants
// the extents of the launch come from where the parameters are
// (heddle/ISA/LaunchConstants.h), through a pipe that has little to do.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/LaunchConstants.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Tuning/Knobs.h"
#include "passes/tuning/Passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"

using namespace heddle::tuning;
using namespace llvm;

namespace heddle::passes {

/// Where the bank has what a special register has; none if it does not.
static std::optional<uint32_t> placeOf(Intrinsic::ID Register) {
  constexpr uint32_t Word = 4;
  switch (Register) {
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return isa::BlockConstants;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return isa::BlockConstants + Word;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return isa::BlockConstants + 2 * Word;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return isa::GridConstants;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return isa::GridConstants + Word;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return isa::GridConstants + 2 * Word;
  default:
    return std::nullopt;
  }
}

static void readAsConstant(IntrinsicInst &Read, uint32_t Place) {
  LLVMContext &C = Read.getContext();
  IRBuilder<> B(&Read);
  Value *Address = B.CreateIntToPtr(B.getInt32(Place),
                                    PointerType::get(C, addrspace::Param));
  LoadInst *Load = B.CreateAlignedLoad(Read.getType(), Address, Align(4));
  Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(C, {}));
  // What is known of the register is known of the word.
  if (std::optional<ConstantRange> Range = Read.getRange())
    Load->setMetadata(
        LLVMContext::MD_range,
        MDBuilder(C).createRange(Range->getLower(), Range->getUpper()));
  Read.replaceAllUsesWith(Load);
  Read.eraseFromParent();
}

PreservedAnalyses LaunchConstantsPass::run(Function &F,
                                           FunctionAnalysisManager &) {
  if (!ir::isKernel(F) || knobOf(F, Knob::LaunchConstants) == 0)
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Read = dyn_cast<IntrinsicInst>(&I))
      if (std::optional<uint32_t> Place = placeOf(Read->getIntrinsicID())) {
        readAsConstant(*Read, *Place);
        Changed = true;
      }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
