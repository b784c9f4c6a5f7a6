#include "heddle/Upper/Upper.h"
#include "heddle/Lower/Lower.h"
