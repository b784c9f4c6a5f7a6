// A bitonic sort: steps within tiles of shared memory, and steps across tiles.
#include "Dialect.h"

#define TILE 1024
#define THREADS_OF_TILE 512

FUNCTION void order(OF_SHARED Word *Keys, int Low, int High, int Descending) {
  Word A = Keys[Low], B = Keys[High];
  if ((A > B) != Descending) {
    Keys[Low] = B;
    Keys[High] = A;
  }
}

// The steps of all runs of `First` to `Last` elements that fit into a tile.
KERNEL sortTiles(int First, int Last, GLOBAL const Word *In, GLOBAL Word *Out) {
  SHARED Word Keys[TILE];
  int Start = BLOCK * TILE;
  Keys[THREAD] = In[Start + THREAD];
  Keys[THREAD + THREADS_OF_TILE] = In[Start + THREAD + THREADS_OF_TILE];
  for (int Run = First; Run <= Last; Run *= 2)
    for (int Distance = Run < TILE ? Run / 2 : TILE / 2; Distance > 0;
         Distance /= 2) {
      BARRIER();
      int Low = 2 * THREAD - (THREAD & (Distance - 1));
      order(Keys, Low, Low + Distance, ((Start + Low) & Run) != 0);
    }
  BARRIER();
  Out[Start + THREAD] = Keys[THREAD];
  Out[Start + THREAD + THREADS_OF_TILE] = Keys[THREAD + THREADS_OF_TILE];
}

KERNEL sortAcross(int Run, int Distance, GLOBAL Word *Keys) {
  int Low = 2 * INDEX - (INDEX & (Distance - 1));
  Word A = Keys[Low], B = Keys[Low + Distance];
  if ((A > B) != ((Low & Run) != 0)) {
    Keys[Low] = B;
    Keys[Low + Distance] = A;
  }
}
