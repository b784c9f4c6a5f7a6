#include "heddle/Lower/Lower.h"
