#include "llvm/IR/Module.h"
