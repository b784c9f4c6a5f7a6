# Debian packages of what HeddleInstall.cmake installs: `cpack` in the build
# folder makes heddle (programs and libraries), heddle-dev (what a program that
# uses the C API is built with), heddle-passes (ptx-opt), heddle-native,
# heddle-farm (ptx-farm, where it is built), heddle-service (heddle-deviced) and
# heddle-driver. They depend on the packages of the libraries that their files need. The libraries
# with NVIDIA's names stand where only ptx-env finds them; heddle-driver tells
# ld.so of them, which a machine with NVIDIA's driver cannot have.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR "The Heddle Project")
include(HeddleMaintainer)
set(CPACK_PACKAGE_CONTACT "${HEDDLE_MAINTAINER}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development driver passes native service)
if(HEDDLE_HAS_FARM)
  list(APPEND CPACK_COMPONENTS_ALL farm)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
# What links libheddle-jit.so.1 depends on the package, and ldconfig is told of
# it. The other libraries are loaded by programs of the package, by their paths.
file(CONFIGURE OUTPUT debian/shlibs CONTENT
     "libheddle-jit 1 heddle (>= @PROJECT_VERSION@)\n" @ONLY)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    "${CMAKE_BINARY_DIR}/debian/shlibs" "${CMAKE_SOURCE_DIR}/cmake/debian/triggers")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME heddle)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "compiles PTX to the microcode of the Heddle ISA and runs it
 Programs and libraries: ptx-compile takes the options of ptxas, ptx-run runs
 kernels on an emulator, ptx-env runs CUDA programs on it.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME heddle-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "headers of Heddle's C API
 For programs that compile PTX and run it by libheddle-jit.")
file(WRITE "${CMAKE_BINARY_DIR}/debian/conffiles"
     "/etc/ld.so.conf.d/heddle.conf\n")
set(CPACK_DEBIAN_DRIVER_PACKAGE_CONTROL_EXTRA
    "${CMAKE_BINARY_DIR}/debian/conffiles" "${CMAKE_SOURCE_DIR}/cmake/debian/triggers")
set(CPACK_DEBIAN_DRIVER_PACKAGE_NAME heddle-driver)
set(CPACK_DEBIAN_DRIVER_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DRIVER_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DRIVER_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DRIVER_PACKAGE_RECOMMENDS "heddle-native")
include(HeddleDriverNames)
set(CPACK_DEBIAN_DRIVER_PACKAGE_PROVIDES "${HEDDLE_DRIVER_NAMES}")
set(CPACK_DEBIAN_DRIVER_PACKAGE_CONFLICTS
    "libcuda1, libcuda.so.1, libnvidia-ml1, libnvidia-ml.so.1, nvidia-smi")
set(CPACK_COMPONENT_DRIVER_DESCRIPTION
    "Heddle in the place of NVIDIA's driver
 CUDA programs with the shared runtime, and those of the driver API, run on
 Heddle's emulator without ptx-env.")
set(CPACK_DEBIAN_PASSES_PACKAGE_NAME heddle-passes)
set(CPACK_DEBIAN_PASSES_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_PASSES_DESCRIPTION
    "runs single passes of Heddle's compiler
 ptx-opt, for work on the passes.")
set(CPACK_DEBIAN_NATIVE_PACKAGE_NAME heddle-native)
set(CPACK_DEBIAN_NATIVE_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_NATIVE_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_NATIVE_DESCRIPTION
    "translates kernels to code of the host
 Kernels that run for long go on as code of the host; without it all are
 emulated.")
set(CPACK_DEBIAN_FARM_PACKAGE_NAME heddle-farm)
set(CPACK_DEBIAN_FARM_PACKAGE_SECTION devel)
# Of the same build, as its clients have to be.
set(CPACK_DEBIAN_FARM_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_FARM_DESCRIPTION
    "compiles for many processes and machines
 ptx-farm, a server for those that compile the same kernels.")
set(CPACK_DEBIAN_SERVICE_PACKAGE_NAME heddle-service)
set(CPACK_DEBIAN_SERVICE_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_SERVICE_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_SERVICE_DESCRIPTION
    "shares devices out among processes
 heddle-deviced, for machines on which several processes use Heddle's devices.")
include(CPack)
