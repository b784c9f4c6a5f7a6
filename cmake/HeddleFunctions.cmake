# Functions that declare Heddle's libraries, programs and generated tables.

set(HEDDLE_INCLUDE_DIR "${CMAKE_SOURCE_DIR}/include")
set(HEDDLE_GEN_INCLUDE_DIR "${CMAKE_BINARY_DIR}/include")
include_directories("${HEDDLE_INCLUDE_DIR}" "${HEDDLE_GEN_INCLUDE_DIR}")

# Two precompiled headers serve the whole project: one for code over LLVM, one
# for code over MLIR. They are made once more for folders that alone are sanitized.
function(_heddle_add_pch Target Kind)
  string(TOLOWER ${Kind} Lower)
  add_library(${Target} OBJECT "${CMAKE_SOURCE_DIR}/cmake/pch/${Lower}.cpp")
  target_precompile_headers(${Target} PRIVATE
                            "${CMAKE_SOURCE_DIR}/cmake/pch/${Lower}.h")
endfunction()
foreach(Kind LLVM MLIR)
  _heddle_add_pch(HeddlePCH${Kind} ${Kind})
  if(HEDDLE_SANITIZE_FOLDERS)
    _heddle_add_pch(HeddleSanitizedPCH${Kind} ${Kind})
    target_compile_options(HeddleSanitizedPCH${Kind} PRIVATE
                           ${HEDDLE_SANITIZE_OPTIONS})
  endif()
endforeach()

# How sanitizers run in programs.
if("address" IN_LIST HEDDLE_SANITIZE)
  add_library(HeddleSanitizerOptions OBJECT "${CMAKE_SOURCE_DIR}/cmake/asan-options.cpp")
  target_compile_definitions(HeddleSanitizerOptions PRIVATE
                             HEDDLE_ASAN_OPTIONS="${HEDDLE_ASAN_OPTIONS}"
                             HEDDLE_UBSAN_OPTIONS="${HEDDLE_UBSAN_OPTIONS}")
elseif("thread" IN_LIST HEDDLE_SANITIZE)
  add_library(HeddleSanitizerOptions OBJECT "${CMAKE_SOURCE_DIR}/cmake/tsan-options.cpp")
endif()

# Whether this folder is one of HEDDLE_SANITIZE_FOLDERS or in one of them.
function(_heddle_is_sanitized_folder Result)
  set(${Result} FALSE PARENT_SCOPE)
  foreach(Folder IN LISTS HEDDLE_SANITIZE_FOLDERS)
    set(Path "${CMAKE_SOURCE_DIR}/${Folder}")
    cmake_path(IS_PREFIX Path "${CMAKE_CURRENT_SOURCE_DIR}" IsIn)
    if(IsIn)
      set(${Result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# heddle_add_library(Name SOURCES... [PCH LLVM|MLIR|NONE] [DEPENDS ...]
#                    [LINK_LIBS ...] [LLVM_COMPONENTS ...])
# A static library of the project. DEPENDS names table generation targets.
function(heddle_add_library Name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK_LIBS;LLVM_COMPONENTS" ${ARGN})
  add_library(${Name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  _heddle_configure(${Name})
endfunction()

# heddle_add_tool(name SOURCES... [same options]): a program in build/bin.
function(heddle_add_tool Name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK_LIBS;LLVM_COMPONENTS" ${ARGN})
  add_executable(${Name} ${ARG_UNPARSED_ARGUMENTS})
  _heddle_configure(${Name})
endfunction()

# A program that is to start fast: without the shared libstdc++, which would take
# a third of a cache hit's time to load, without the mathematical library, which
# nothing of it calls, and with relocations in a short form.
function(heddle_start_fast Name)
  target_link_options(${Name} PRIVATE -Wl,--as-needed -Wl,-z,pack-relative-relocs)
  if(NOT HEDDLE_SANITIZE)
    target_link_options(${Name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

macro(_heddle_configure Name)
  get_target_property(Type ${Name} TYPE)
  if(Type STREQUAL "EXECUTABLE" AND TARGET HeddleSanitizerOptions)
    target_sources(${Name} PRIVATE $<TARGET_OBJECTS:HeddleSanitizerOptions>)
  endif()
  set(_PCH HeddlePCH${ARG_PCH})
  _heddle_is_sanitized_folder(_Sanitized)
  if(_Sanitized)
    target_compile_options(${Name} PRIVATE ${HEDDLE_SANITIZE_OPTIONS})
    set(_PCH HeddleSanitizedPCH${ARG_PCH})
  endif()
  if(ARG_PCH AND NOT ARG_PCH STREQUAL "NONE")
    target_precompile_headers(${Name} REUSE_FROM ${_PCH})
    # The header was compiled for a library; a program would get -fPIE.
    target_compile_options(${Name} PRIVATE -fPIC)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${Name} ${ARG_DEPENDS})
  endif()
  if(ARG_LLVM_COMPONENTS)
    llvm_map_components_to_libnames(_LLVMLibs ${ARG_LLVM_COMPONENTS})
  else()
    set(_LLVMLibs)
  endif()
  target_link_libraries(${Name} PUBLIC ${ARG_LINK_LIBS} ${_LLVMLibs})
endmacro()

# heddle_add_llvm_plugin(Name SOURCES... LIBRARIES ...)
# A library that a program of the packaged LLVM loads. It takes LLVM from that
# program, so nothing of LLVM is linked in: only our LIBRARIES, as wholes.
function(heddle_add_llvm_plugin Name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  add_library(${Name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${Name} PROPERTIES PREFIX "")
  list(TRANSFORM ARG_LIBRARIES REPLACE "(.+)" "$<TARGET_FILE:\\1>"
       OUTPUT_VARIABLE Files)
  target_link_libraries(${Name} PRIVATE
    -Wl,--whole-archive ${Files} -Wl,--no-whole-archive)
  add_dependencies(${Name} ${ARG_LIBRARIES})
endfunction()

# heddle_tablegen(TargetName Output.inc Input.td -gen-... [more arguments])
# Runs heddle-tblgen; the output lands under build/include at the given path.
function(heddle_tablegen Target Output Input)
  set(Out "${HEDDLE_GEN_INCLUDE_DIR}/${Output}")
  get_filename_component(Dir "${Out}" DIRECTORY)
  file(MAKE_DIRECTORY "${Dir}")
  get_filename_component(In "${Input}" ABSOLUTE)
  file(GLOB_RECURSE TDs CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/isa-defs/*.td"
       "${CMAKE_CURRENT_SOURCE_DIR}/*.td")
  add_custom_command(OUTPUT "${Out}"
    COMMAND heddle-tblgen ${ARGN} "${In}" -I "${CMAKE_SOURCE_DIR}/isa-defs"
            -I "${CMAKE_CURRENT_SOURCE_DIR}" -I "${HEDDLE_INCLUDE_DIR}"
            -I "${LLVM_MAIN_INCLUDE_DIR}" -o "${Out}"
    DEPENDS heddle-tblgen ${TDs} VERBATIM COMMENT "heddle-tblgen ${Output}")
  add_custom_target(${Target} DEPENDS "${Out}")
endfunction()

# heddle_llvm_tablegen(TargetName Output.inc Input.td -gen-...)
# The same with llvm-tblgen.
function(heddle_llvm_tablegen Target Output Input)
  set(Out "${HEDDLE_GEN_INCLUDE_DIR}/${Output}")
  get_filename_component(Dir "${Out}" DIRECTORY)
  file(MAKE_DIRECTORY "${Dir}")
  get_filename_component(In "${Input}" ABSOLUTE)
  file(GLOB_RECURSE TDs CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/isa-defs/*.td"
       "${CMAKE_CURRENT_SOURCE_DIR}/*.td")
  add_custom_command(OUTPUT "${Out}"
    COMMAND "${LLVM_TABLEGEN_EXE}" ${ARGN} "${In}" -I "${CMAKE_SOURCE_DIR}/isa-defs"
            -I "${CMAKE_CURRENT_SOURCE_DIR}" -I "${LLVM_MAIN_INCLUDE_DIR}" -o "${Out}"
    DEPENDS ${TDs} VERBATIM COMMENT "llvm-tblgen ${Output}")
  add_custom_target(${Target} DEPENDS "${Out}")
endfunction()

# heddle_mlir_tablegen(TargetName Output.inc Input.td -gen-...)
# The same with mlir-tblgen.
function(heddle_mlir_tablegen Target Output Input)
  set(Out "${HEDDLE_GEN_INCLUDE_DIR}/${Output}")
  get_filename_component(Dir "${Out}" DIRECTORY)
  file(MAKE_DIRECTORY "${Dir}")
  get_filename_component(In "${Input}" ABSOLUTE)
  get_filename_component(InDir "${In}" DIRECTORY)
  file(GLOB TDs CONFIGURE_DEPENDS "${InDir}/*.td")
  list(GET MLIR_INCLUDE_DIRS 0 MLIRInclude)
  add_custom_command(OUTPUT "${Out}"
    COMMAND "${MLIR_TABLEGEN_EXE}" ${ARGN} "${In}" -I "${InDir}"
            -I "${HEDDLE_INCLUDE_DIR}" -I "${MLIRInclude}" -o "${Out}"
    DEPENDS ${TDs} VERBATIM COMMENT "mlir-tblgen ${Output}")
  add_custom_target(${Target} DEPENDS "${Out}")
endfunction()

# heddle_add_unittest(Name SOURCES... [same options as heddle_add_library])
# A GoogleTest program; the test driver finds it in build/test/unit.
function(heddle_add_unittest Name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK_LIBS;LLVM_COMPONENTS" ${ARGN})
  add_executable(${Name} ${ARG_UNPARSED_ARGUMENTS})
  list(APPEND ARG_LINK_LIBS GTest::gtest GTest::gtest_main)
  _heddle_configure(${Name})
  set_target_properties(${Name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        "${CMAKE_BINARY_DIR}/test/unit")
  add_test(NAME ${Name} COMMAND ${Name} --gtest_brief=1)
  set_tests_properties(${Name} PROPERTIES LABELS unit TIMEOUT 600)
  add_dependencies(heddle-unittests ${Name})
endfunction()
