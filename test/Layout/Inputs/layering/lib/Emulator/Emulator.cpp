#include "heddle/Target/Encoding.h"
#include "llvm/MC/MCInst.h"
#include "heddle/Target/Tables.inc"
#include "llvm/Support/Error.h"
