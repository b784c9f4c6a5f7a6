#include "llvm/Target/TargetMachine.h"
