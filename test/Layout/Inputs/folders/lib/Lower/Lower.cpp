#include "heddle/Upper/Upper.h"
