#include "shape.h"
__device__ Circle::Circle(float Size) : Shape(Size) {}
__device__ float Circle::area(float Scale) const { return 3.14159f * Size * Size * Scale; }
__device__ float Circle::grow(float By) const { return Size + 0.5f * By; }
