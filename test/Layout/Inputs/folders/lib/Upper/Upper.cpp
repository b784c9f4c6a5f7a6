#include "heddle/Lower/Lower.h"
#include "llvm/ADT/StringRef.h"
