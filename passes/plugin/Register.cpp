//===- Register.cpp - The passes by name ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the names of Passes.def. A pass with a parameter is written
// name<parameter=N>, or by its name alone for the default.
//
//===----------------------------------------------------------------------===//

#include "passes/plugin/Register.h"

#include "passes/loops/Passes.h"
#include "passes/lto/Passes.h"
#include "passes/pgo/Passes.h"
#include "passes/scalar/Passes.h"
#include "passes/tuning/Passes.h"

#include "heddle/Target/TargetAnalyses.h"

using namespace llvm;

namespace heddle::passes {

/// The number of `Name<Parameter=N>` in \p Text: \p Default for the name alone,
/// nothing where the text is something else.
static std::optional<unsigned> numberOf(StringRef Text, StringRef Name,
                                        StringRef Parameter, unsigned Default) {
  if (!Text.consume_front(Name))
    return std::nullopt;
  if (Text.empty())
    return Default;
  unsigned Value;
  if (!Text.consume_front("<") || !Text.consume_front(Parameter) ||
      !Text.consume_front("=") || !Text.consume_back(">") ||
      Text.getAsInteger(10, Value))
    return std::nullopt;
  return Value;
}

using Elements = ArrayRef<PassBuilder::PipelineElement>;

static bool parseModulePass(StringRef Name, ModulePassManager &PM, Elements) {
#define HEDDLE_MODULE_PASS(PassName, Make, Summary)                            \
  if (Name == PassName) {                                                      \
    PM.addPass(Make);                                                          \
    return true;                                                               \
  }
#include "passes/Passes.def"
  return false;
}

static bool parseFunctionPass(StringRef Name, FunctionPassManager &PM,
                              Elements) {
#define HEDDLE_FUNCTION_PASS(PassName, Make, Summary)                          \
  if (Name == PassName) {                                                      \
    PM.addPass(Make);                                                          \
    return true;                                                               \
  }
#define HEDDLE_FUNCTION_PASS_WITH_NUMBER(PassName, Class, Parameter, Default,  \
                                         Summary)                              \
  if (std::optional<unsigned> Value =                                          \
          numberOf(Name, PassName, Parameter, Default)) {                      \
    PM.addPass(Class(*Value));                                                 \
    return true;                                                               \
  }
#include "passes/Passes.def"
  return false;
}

static bool parseLoopPass(StringRef Name, LoopPassManager &PM, Elements) {
#define HEDDLE_LOOP_PASS(PassName, Make, Summary)                              \
  if (Name == PassName) {                                                      \
    PM.addPass(Make);                                                          \
    return true;                                                               \
  }
#include "passes/Passes.def"
  return false;
}

void registerPasses(PassBuilder &Builder) {
  Builder.registerAnalysisRegistrationCallback(
      [](FunctionAnalysisManager &FAM) {
        FAM.registerPass([] { return RegisterPlanAnalysis(); });
      });
  Builder.registerPipelineParsingCallback(parseModulePass);
  Builder.registerPipelineParsingCallback(parseFunctionPass);
  Builder.registerPipelineParsingCallback(parseLoopPass);
}

} // namespace heddle::passes
