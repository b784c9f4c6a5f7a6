//===- Orders.h - Results that depend on the order of threads ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomic additions of floating-point numbers, and atomic operations whose
// results are used, give what the order of threads makes of them. Another
// configuration takes other times, and so brings another order, which is no
// sign of a defect of the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_ORDERS_H
#define HEDDLE_TOOLS_PTX_TUNE_ORDERS_H

#include "Cases.h"

#include <mutex>
#include <set>

namespace heddle::tune {

/// The atomic operations of a kernel and of what it reaches.
struct AtomicsOf {
  bool Any = false;
  bool AddFloats = false; ///< Some add floating-point numbers.

  /// \p Text is a tuning::KernelText's.
  static AtomicsOf find(llvm::StringRef Text);
};

/// What the untuned kernels of a case leave in other orders of their threads.
class OrderSpread {
public:
  /// Runs the untuned code in some orders. One in which it cannot be run says
  /// nothing.
  explicit OrderSpread(const Case &C);

  /// Whether the order of threads explains that a configuration of a kernel
  /// with such atomic operations gave \p R. Without any, and without a race,
  /// it does not. It does in two cases. In a fixed
  /// order, in which \p Workload runs \p Code for that, nothing differs: then
  /// what does otherwise is the order. Or the result is at most a few times as
  /// far from the untuned one as the untuned kernel itself gets in random
  /// orders: so it is if the configuration changes the fixed order, too. Since
  /// few orders need not show any difference, sums of floating-point numbers
  /// may in any case differ by some units in the last place of the greatest
  /// element.
  bool explains(const CaseResult &R, AtomicsOf Atomics,
                const rt::Manifest &Workload, const CompileResult &Code) const;

  /// Accesses of the untuned kernels that nothing orders; empty: none.
  llvm::StringRef race() const { return Race; }

private:
  /// How far a buffer is from the untuned one: the most that elements of a
  /// floating-point type differ by; of other types infinity if any differs.
  double distance(size_t Buffer, llvm::ArrayRef<uint8_t> Bytes) const;
  /// Some units in the last place of the greatest element.
  double roundingOf(size_t Buffer) const;

  bool isSameInFixedOrder(const rt::Manifest &Workload,
                          const CompileResult &Code) const;
  bool isNear(const CaseResult &R, bool AddsFloats) const;

  const Case &C;
  /// The untuned result; none: it cannot be run so.
  std::optional<CaseResult> InFixedOrder;
  std::vector<double> Farthest;  ///< Of each buffer.
  std::set<std::string> Varying; ///< Variables that differ.
  bool IsOutputVarying = false;
  std::string Race;
};

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_ORDERS_H
