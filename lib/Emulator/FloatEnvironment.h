//===- FloatEnvironment.h - How the host rounds -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches run on threads of the program, which may have them round in another
// way, take subnormal numbers for zeros (-ffast-math, PyTorch's
// set_flush_denormal), or end with a signal where a result is no number
// (-ffpe-trap). A device does not see that.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_FLOATENVIRONMENT_H
#define HEDDLE_LIB_EMULATOR_FLOATENVIRONMENT_H

#include <cfenv>

namespace heddle::emu {

/// While it lives, this thread and those that it starts round to nearest, keep
/// subnormal numbers and go on with NaNs; then the thread is as it was, its
/// flags included.
class DefaultFloatEnvironment {
public:
  DefaultFloatEnvironment() {
    std::fegetenv(&Before);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&Before); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;

private:
  std::fenv_t Before;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_FLOATENVIRONMENT_H
