# `ninja docs-api` makes the reference of the public headers in build/docs-api/html,
# where Doxygen is installed; a warning ends it. Nothing else needs it.
find_program(HEDDLE_DOXYGEN doxygen)
configure_file(cmake/Doxyfile.in docs-api/Doxyfile @ONLY)
if(HEDDLE_DOXYGEN)
  add_custom_target(docs-api
    COMMAND "${HEDDLE_DOXYGEN}" "${CMAKE_BINARY_DIR}/docs-api/Doxyfile"
    USES_TERMINAL VERBATIM)
endif()
