#include "heddle/Support/Check.h"
#include "llvm/ADT/StringRef.h"
#include "Store.h"
#include <string>
