// Arithmetic with few accesses to memory.
#include "Dialect.h"

#define TILE 256

// The acceleration of each body; the fourth component is its mass.
KERNEL nbody(int Bodies, GLOBAL const float4 *RESTRICT Places,
             GLOBAL float4 *RESTRICT Out) {
  SHARED float4 Tile[TILE];
  float4 Here = Places[INDEX];
  float X = 0, Y = 0, Z = 0;
  for (int Start = 0; Start < Bodies; Start += TILE) {
    Tile[THREAD] = Places[Start + THREAD];
    BARRIER();
    for (int I = 0; I < TILE; ++I) {
      float4 There = Tile[I];
      float DX = There.x - Here.x, DY = There.y - Here.y, DZ = There.z - Here.z;
      float Square = FMA(DX, DX, FMA(DY, DY, FMA(DZ, DZ, 1.0e-3f)));
      float Inverse = RSQRT(Square);
      float Force = There.w * Inverse * Inverse * Inverse;
      X = FMA(DX, Force, X);
      Y = FMA(DY, Force, Y);
      Z = FMA(DZ, Force, Z);
    }
    BARRIER();
  }
  Here.x = X;
  Here.y = Y;
  Here.z = Z;
  Out[INDEX] = Here;
}

KERNEL mandelbrot(int Width, int Height, int Limit, GLOBAL Word *RESTRICT Out) {
  int Column = INDEX, Row = INDEX_Y;
  if (Column >= Width || Row >= Height)
    return;
  float A = FMA((float)Column, 3.0f / Width, -2.0f);
  float B = FMA((float)Row, 2.5f / Height, -1.25f);
  float X = 0, Y = 0;
  int Steps = 0;
  while (Steps < Limit) {
    float Square = Y * Y;
    if (FMA(X, X, Square) > 4.0f)
      break;
    float Next = FMA(X, X, A - Square);
    Y = FMA(2.0f * X, Y, B);
    X = Next;
    ++Steps;
  }
  Out[Row * Width + Column] = Steps;
}

// The cumulative normal distribution, by a polynomial of Abramowitz and Stegun.
FUNCTION float normal(float Value) {
  float Size = ABS(Value);
  float T = 1.0f / FMA(0.2316419f, Size, 1.0f);
  float Sum = FMA(1.330274429f, T, -1.821255978f);
  Sum = FMA(Sum, T, 1.781477937f);
  Sum = FMA(Sum, T, -0.356563782f);
  Sum = FMA(Sum, T, 0.319381530f);
  float Tail = 0.39894228f * EXP(-0.5f * Size * Size) * Sum * T;
  return Value < 0 ? Tail : 1.0f - Tail;
}

KERNEL blackscholes(int Count, float Rate, float Volatility,
                    GLOBAL const float *RESTRICT Prices,
                    GLOBAL const float *RESTRICT Strikes,
                    GLOBAL const float *RESTRICT Years,
                    GLOBAL float *RESTRICT Calls, GLOBAL float *RESTRICT Puts) {
  int I = INDEX;
  if (I >= Count)
    return;
  float Price = Prices[I], Strike = Strikes[I], Time = Years[I];
  float Spread = Volatility * SQRT(Time);
  float D1 =
      FMA(FMA(0.5f * Volatility, Volatility, Rate), Time, LOG(Price / Strike)) /
      Spread;
  float D2 = D1 - Spread;
  float Discounted = Strike * EXP(-Rate * Time);
  Calls[I] = Price * normal(D1) - Discounted * normal(D2);
  Puts[I] = Discounted * normal(-D2) - Price * normal(-D1);
}
