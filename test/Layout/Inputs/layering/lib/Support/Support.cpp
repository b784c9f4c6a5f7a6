#include "../../tools/ptx-run/Run.h"
