# HEDDLE_DRIVER_NAMES: by which names packages of Debian and NVIDIA ask for a
# driver. They want a version of a library at least, or a driver that knows a
# release of CUDA, and a name without a version does not satisfy the former.
set(CUDA_VERSION_HEADER "${CMAKE_CURRENT_LIST_DIR}/../include/heddle/Support/CUDAVersion.h")
file(STRINGS "${CUDA_VERSION_HEADER}" DRIVER_LINE REGEX "DriverRelease\\[\\]")
string(REGEX MATCH "[0-9]+\\.[0-9.]*[0-9]" DRIVER_VERSION "${DRIVER_LINE}")
file(STRINGS "${CUDA_VERSION_HEADER}" CUDA_LINE REGEX "CUDAMinor =")
string(REGEX MATCH "CUDAMajor = ([0-9]+), CUDAMinor = ([0-9]+)" CUDA_LINE "${CUDA_LINE}")
set(LAST_MAJOR "${CMAKE_MATCH_1}")
set(LAST_MINOR "${CMAKE_MATCH_2}")
if(NOT DRIVER_VERSION OR NOT LAST_MAJOR)
  message(FATAL_ERROR "${CUDA_VERSION_HEADER} does not say which driver this is")
endif()

set(HEDDLE_DRIVER_NAMES
    "libcuda.so.1 (= ${DRIVER_VERSION})"
    "libnvidia-ml.so.1 (= ${DRIVER_VERSION})"
    "libcuda1 (= ${DRIVER_VERSION})"
    "libnvidia-ml1 (= ${DRIVER_VERSION})"
    "nvidia-smi (= ${DRIVER_VERSION})"
    libcuda1-any)
# The last releases of the majors whose packages Debian still has.
foreach(LAST "10.2" "11.8" "12.9" "${LAST_MAJOR}.${LAST_MINOR}")
  string(REPLACE "." ";" LAST "${LAST}")
  list(GET LAST 0 MAJOR)
  list(GET LAST 1 MINOR)
  foreach(EACH RANGE ${MINOR})
    list(APPEND HEDDLE_DRIVER_NAMES "libcuda-${MAJOR}.${EACH}-1")
  endforeach()
endforeach()
list(JOIN HEDDLE_DRIVER_NAMES ", " HEDDLE_DRIVER_NAMES)
