#include "heddle/Emulator/Emulator.h"
