// Loads the back ends that lie beside the program before it begins: llama.cpp's
// own tests are linked to theirs, and do not look for any.
#include "ggml-backend.h"

namespace {
struct BackEnds {
  BackEnds() {
    if (ggml_backend_reg_count() == 0)
      ggml_backend_load_all();
  }
};
const BackEnds Loaded;
} // namespace
