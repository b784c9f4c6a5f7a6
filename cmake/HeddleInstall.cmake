# What an installed tree consists of: programs, the libraries that someone else's
# program loads, their headers, and what find_package and pkg-config need.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ptx-compile ptx-link ptx-objdump ptx-prof ptx-run RUNTIME)
install(TARGETS heddle-compiler-process
        RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS heddle-compiler heddle-cache-remote
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS heddle-jit EXPORT HeddleTargets LIBRARY)
# In a folder of its own, so that nothing takes it for NVIDIA's by accident.
install(TARGETS heddle-cudart
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/heddle-cuda")
install(DIRECTORY include/heddle-c DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")

set(PackageDir "${CMAKE_INSTALL_LIBDIR}/cmake/Heddle")
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION "${PackageDir}")
configure_package_config_file(cmake/HeddleConfig.cmake.in HeddleConfig.cmake
  INSTALL_DESTINATION "${PackageDir}")
write_basic_package_version_file(HeddleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/heddle.pc.in heddle.pc @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/HeddleConfig.cmake"
              "${CMAKE_BINARY_DIR}/HeddleConfigVersion.cmake"
        DESTINATION "${PackageDir}")
install(FILES "${CMAKE_BINARY_DIR}/heddle.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
