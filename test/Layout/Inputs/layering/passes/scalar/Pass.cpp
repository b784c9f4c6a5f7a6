#include "heddle/Compiler/Compiler.h"
#include "heddle/IR/LoopPlan.h"
