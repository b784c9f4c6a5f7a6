# llama.cpp's library of tensors as a package of the registry has it, for programs that
# are built from llama.cpp's sources (LLAMA_USE_SYSTEM_GGML): PACKAGES is the folder of
# the environment's packages. Headers are those of the sources.
file(GLOB_RECURSE GGML_SHARED "${PACKAGES}/cyllama*.libs/libggml-*.so*")
file(GLOB GGML_CUBLAS "${PACKAGES}/nvidia/cublas/lib/libcublas*.so.*")

add_library(ggml::ggml INTERFACE IMPORTED)
target_include_directories(ggml::ggml INTERFACE "${CMAKE_SOURCE_DIR}/ggml/include")
target_sources(ggml::ggml INTERFACE "${CMAKE_CURRENT_LIST_DIR}/load_back_ends.cpp")
# The CUDA back end takes cuBLAS from the program, which does not name it itself.
target_link_options(ggml::ggml INTERFACE "LINKER:--no-as-needed")
foreach(library IN LISTS GGML_SHARED GGML_CUBLAS)
  get_filename_component(name "${library}" NAME)
  if(name MATCHES "^libggml-(cuda|cpu)-")
    # A back end is found beside the program, by a name without the package's hash.
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
    file(CREATE_LINK "${library}" "${CMAKE_BINARY_DIR}/bin/libggml-${CMAKE_MATCH_1}.so" SYMBOLIC)
  else()
    target_link_libraries(ggml::ggml INTERFACE "${library}")
  endif()
endforeach()
