//===- HeddleISA.td - The whole ISA -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single description of the ISA. The backend's tables, the decoder of the
// emulator and the manual are generated from it.
//
//===----------------------------------------------------------------------===//

include "llvm/Target/Target.td"

include "HeddleRegisters.td"
include "HeddleFormats.td"
include "HeddleInstrInteger.td"
include "HeddleInstrFloat.td"
include "HeddleInstrMemory.td"
include "HeddleInstrTexture.td"
include "HeddleInstrMatrix.td"
include "HeddleInstrAsync.td"
include "HeddleInstrTensor.td"
include "HeddleInstrControl.td"
include "HeddleInstrUniform.td"
include "HeddleCompact.td"
include "HeddleABI.td"
include "HeddleChips.td"
include "HeddleManual.td"
include "HeddleTextureObjects.td"
