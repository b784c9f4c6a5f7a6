# Finds LLVM and MLIR 22.1 and makes their static archives usable.

find_package(MLIR 22.1 REQUIRED CONFIG
             PATHS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")

set(LLVM_TABLEGEN_EXE "${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen")
set(MLIR_TABLEGEN_EXE "${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen")
set(HEDDLE_CLANG "${LLVM_TOOLS_BINARY_DIR}/clang++")
include(TableGen)

# The exported static MLIR targets name the LLVM shared library as well; mixed
# with the static archives that would put two copies of LLVM in one process.
foreach(Target IN LISTS MLIR_EXPORTED_TARGETS)
  get_target_property(Libs ${Target} INTERFACE_LINK_LIBRARIES)
  if(Libs)
    list(REMOVE_ITEM Libs LLVM MLIR)
    set_target_properties(${Target} PROPERTIES INTERFACE_LINK_LIBRARIES "${Libs}")
  endif()
endforeach()

# Loading a shared library costs a process as much as compiling a short kernel.
# No solver is used, and the others are taken from their archives.
find_library(HEDDLE_Z_STATIC NAMES libz.a REQUIRED)
find_library(HEDDLE_ZSTD_STATIC NAMES libzstd.a REQUIRED)
get_target_property(Libs LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER Libs EXCLUDE REGEX "libz3|ZLIB::ZLIB|zstd::")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES
  "${Libs};${HEDDLE_Z_STATIC};${HEDDLE_ZSTD_STATIC}")

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${LLVM_DEFINITIONS_LIST})
