# Compiler flags and output directories that every target of the project shares.

include(GNUInstallDirs)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(HEDDLE_WARNINGS_AS_ERRORS
       "Whether a warning about our own code ends the build" OFF)

set(HEDDLE_SANITIZE "" CACHE STRING
    "Sanitizers for our own code: empty, or address;undefined, or thread")
set(HEDDLE_SANITIZE_FOLDERS "" CACHE STRING
    "Folders whose code alone the sanitizers look at; empty for all of them")

# The packaged LLVM was built with NDEBUG, and some of its headers change class
# layout without it, so NDEBUG is defined in every build type. HEDDLE_CHECK
# (include/heddle/Support/Check.h) takes the place of assert.
add_compile_definitions(NDEBUG)
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -D_GLIBCXX_ASSERTIONS")

add_compile_options(
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
  -ffunction-sections -fdata-sections -Wall -Wextra -Wno-unused-parameter)
add_link_options(-Wl,--gc-sections)
# Headers of LLVM and MLIR are the system's and warn of nothing.
if(HEDDLE_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Werror=return-type>
                      -fcolor-diagnostics)
  # Lets ccache share objects that were built with a precompiled header.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
# For shared libraries: all that they use is in them. A sanitizer's functions
# are in the program.
set(HEDDLE_NO_UNDEFINED -Wl,--no-undefined)
if(HEDDLE_SANITIZE)
  set(HEDDLE_NO_UNDEFINED)
endif()
# What a sanitizer finds ends the program, so that no test passes in spite of it.
set(HEDDLE_SANITIZE_OPTIONS)
if(HEDDLE_SANITIZE)
  list(JOIN HEDDLE_SANITIZE "," Sanitizers)
  set(HEDDLE_SANITIZE_OPTIONS -fsanitize=${Sanitizers} -fno-sanitize-recover=all
      -O1 -gline-tables-only -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${Sanitizers})
endif()
# LLVM's allocators mark what they have not handed out. The packaged LLVM was
# built without that and does not take marks away which our instances of the
# same functions make.
set(HEDDLE_ASAN_OPTIONS allow_user_poisoning=0)
# The place alone does not say whose argument was wrong.
set(HEDDLE_UBSAN_OPTIONS print_stacktrace=1)
# With some folders only, HeddleFunctions.cmake gives their targets the options.
# The objects of the others are those of a build without sanitizers, which ccache
# may have.
if(NOT HEDDLE_SANITIZE_FOLDERS)
  add_compile_options(${HEDDLE_SANITIZE_OPTIONS})
endif()

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(HEDDLE_CCACHE_COMMAND ${CMAKE_SOURCE_DIR}/cmake/ccache-launcher.sh
      ${HEDDLE_CCACHE} ${CMAKE_SOURCE_DIR})
  set(CMAKE_C_COMPILER_LAUNCHER ${HEDDLE_CCACHE_COMMAND})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEDDLE_CCACHE_COMMAND})
endif()
