# heddle_embed_kernels(TARGET FOLDER SOURCE HEADERS...): the kernels of
# FOLDER/Device/SOURCE.cu as PTX, in heddle/CUDA/SOURCE.inc. They use nothing of
# CUDA's headers or libraries, which do not have to be there.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
file(MAKE_DIRECTORY "${HEDDLE_GEN_INCLUDE_DIR}/heddle/CUDA")
function(heddle_embed_kernels Target Folder Source)
  set(Text "${CMAKE_CURRENT_BINARY_DIR}/${Source}.ptx")
  set(Embedded "${HEDDLE_GEN_INCLUDE_DIR}/heddle/CUDA/${Source}.inc")
  set(Embed "${CMAKE_CURRENT_SOURCE_DIR}/embed-ptx.py")
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/${Folder}/" OUTPUT_VARIABLE Headers)
  # The source is named relative to its folder, so that the text is the same
  # wherever the project is built.
  add_custom_command(OUTPUT "${Text}"
    COMMAND "${HEDDLE_CLANG}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_90
            --cuda-path=/none -nocudainc -nocudalib
            -Xclang -target-feature -Xclang +ptx80 -ffreestanding -std=c++20 -O2
            -fno-exceptions -fno-rtti -Wall -Wextra -I ../..
            -S "${Source}.cu" -o "${Text}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${Folder}/Device"
    DEPENDS "${Folder}/Device/${Source}.cu" ${Headers}
    VERBATIM COMMENT "Kernels of ${Folder}: compile")
  add_custom_command(OUTPUT "${Embedded}"
    COMMAND "${Python3_EXECUTABLE}" "${Embed}" "${Text}" "${Embedded}"
    DEPENDS "${Text}" "${Embed}"
    VERBATIM COMMENT "Kernels of ${Folder}: embed")
  add_custom_target(${Target} DEPENDS "${Embedded}")
endfunction()
