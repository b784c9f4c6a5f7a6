#include "../../../lib/Emulator/Private.h"
