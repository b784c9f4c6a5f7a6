#include "passes/scalar/Passes.h"
