# What an installed tree consists of: programs, the libraries that someone else's
# program loads, their headers, and what find_package and pkg-config need.
include(CMakePackageConfigHelpers)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

# Every program of tools/ but what only the build or the libraries start. Each
# has a manual page and completions for shells, made from its --help.
file(GLOB Programs RELATIVE "${CMAKE_SOURCE_DIR}/tools" CONFIGURE_DEPENDS
     "${CMAKE_SOURCE_DIR}/tools/*-*")
list(REMOVE_ITEM Programs heddle-tblgen heddle-compiler-process)
if(NOT HEDDLE_HAS_FARM)
  list(REMOVE_ITEM Programs ptx-farm)
endif()
# The compiler in one library serves all programs but those that take it apart,
# for who works on passes: cmake --install build --component passes
set(PassPrograms ptx-opt)
set(UserPrograms ${Programs})
# A server that few machines run, with libraries that nothing else needs.
set(FarmPrograms)
if(HEDDLE_HAS_FARM)
  set(FarmPrograms ptx-farm)
endif()
# Another one, for machines that several processes share.
set(ServicePrograms heddle-deviced)
list(REMOVE_ITEM UserPrograms ${PassPrograms} ${FarmPrograms} ${ServicePrograms})
install(TARGETS ${UserPrograms} RUNTIME)
install(TARGETS ${PassPrograms} RUNTIME COMPONENT passes EXCLUDE_FROM_ALL)
install(TARGETS ${ServicePrograms} RUNTIME COMPONENT service EXCLUDE_FROM_ALL)
if(FarmPrograms)
  install(TARGETS ${FarmPrograms} RUNTIME COMPONENT farm EXCLUDE_FROM_ALL)
endif()
set(ShareDir "${CMAKE_BINARY_DIR}/share")
set(Script "${CMAKE_SOURCE_DIR}/cmake/make-manual.py")
function(heddle_add_manual Program File)
  add_custom_command(OUTPUT "${ShareDir}/man/man1/${Program}.1"
    COMMAND "${Python3_EXECUTABLE}" "${Script}" "${File}" ${PROJECT_VERSION} "${ShareDir}"
    DEPENDS ${ARGN} "${Script}" "${CMAKE_SOURCE_DIR}/cmake/completions.py"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY HEDDLE_MANUALS "${ShareDir}/man/man1/${Program}.1")
endfunction()
foreach(Program IN LISTS Programs)
  heddle_add_manual(${Program} "$<TARGET_FILE:${Program}>" ${Program})
endforeach()
# A program in Python, which needs 3.11.
set(ScriptPrograms)
if(Python3_VERSION VERSION_GREATER_EQUAL 3.11)
  set(ScriptPrograms heddle-perf)
  heddle_add_manual(heddle-perf "${CMAKE_BINARY_DIR}/bin/heddle-perf"
    "${CMAKE_BINARY_DIR}/bin/heddle-perf"
    "${ShareDir}/heddle/python/heddle_perf/cli.py"
    "${ShareDir}/heddle/python/heddle_perf/helptext.py")
endif()
get_property(Manuals GLOBAL PROPERTY HEDDLE_MANUALS)
add_custom_target(heddle-manuals ALL DEPENDS ${Manuals})
add_dependencies(check heddle-manuals)
add_dependencies(check-lit heddle-manuals)
function(heddle_install_help Programs)
  set(Man "${CMAKE_INSTALL_MANDIR}/man1")
  set(Data "${CMAKE_INSTALL_DATADIR}")
  foreach(Program IN LISTS Programs)
    install(FILES "${ShareDir}/man/man1/${Program}.1" DESTINATION "${Man}" ${ARGN})
    install(FILES "${ShareDir}/bash-completion/completions/${Program}"
            DESTINATION "${Data}/bash-completion/completions" ${ARGN})
    install(FILES "${ShareDir}/zsh/site-functions/_${Program}"
            DESTINATION "${Data}/zsh/site-functions" ${ARGN})
    install(FILES "${ShareDir}/fish/vendor_completions.d/${Program}.fish"
            DESTINATION "${Data}/fish/vendor_completions.d" ${ARGN})
  endforeach()
endfunction()
heddle_install_help("${UserPrograms}")
# What Grafana shows of the metrics of ptx-smi.
install(FILES tools/ptx-smi/Grafana/heddle-devices.json
        DESTINATION "${CMAKE_INSTALL_DATADIR}/heddle/grafana")
heddle_install_help("${PassPrograms}" COMPONENT passes EXCLUDE_FROM_ALL)
heddle_install_help("${FarmPrograms}" COMPONENT farm EXCLUDE_FROM_ALL)
heddle_install_help("${ServicePrograms}" COMPONENT service EXCLUDE_FROM_ALL)
heddle_install_help("${ScriptPrograms}" COMPONENT development)

install(TARGETS heddle-compiler-process
        RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS heddle-compiler heddle-cache-remote
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# As large as the compiler; without it kernels are emulated.
install(TARGETS heddle-native LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        COMPONENT native EXCLUDE_FROM_ALL)
install(TARGETS heddle-jit EXPORT HeddleTargets
        LIBRARY NAMELINK_COMPONENT development)
# In a folder of their own, so that nothing takes them for NVIDIA's by accident.
install(TARGETS heddle-cuda heddle-cudart heddle-cudart11 heddle-cudart12
                heddle-libcuda heddle-nvjitlink heddle-nvml heddle-cufft heddle-cufft10 heddle-cufft11
                heddle-nccl heddle-nvtx heddle-cupti heddle-cupti12
                heddle-audit heddle-clock heddle-oscalls heddle-preload
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/heddle-cuda")
install(FILES "${CMAKE_BINARY_DIR}/installed/programs/nvidia-smi"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/heddle-cuda/programs")
# ... unless a machine is to behave as one with a driver: then ld.so looks there.
file(CONFIGURE OUTPUT debian/heddle.conf
     CONTENT "/usr/@CMAKE_INSTALL_LIBDIR@/heddle-cuda\n" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/debian/heddle.conf"
        DESTINATION /etc/ld.so.conf.d COMPONENT driver EXCLUDE_FROM_ALL)
install(FILES "${CMAKE_BINARY_DIR}/installed/driver/nvidia-smi"
        DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT driver EXCLUDE_FROM_ALL)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(DIRECTORY include/heddle-c DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")

set(PackageDir "${CMAKE_INSTALL_LIBDIR}/cmake/Heddle")
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION "${PackageDir}")
configure_package_config_file(cmake/HeddleConfig.cmake.in HeddleConfig.cmake
  INSTALL_DESTINATION "${PackageDir}")
write_basic_package_version_file(HeddleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH PrefixOfPackage "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" PrefixOfPackage "${PrefixOfPackage}")
configure_file(cmake/heddle.pc.in heddle.pc @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/HeddleConfig.cmake"
              "${CMAKE_BINARY_DIR}/HeddleConfigVersion.cmake"
        DESTINATION "${PackageDir}")
install(FILES "${CMAKE_BINARY_DIR}/heddle.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
