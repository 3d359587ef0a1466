# Puts the machine code of PROGRAM's kernels, as DISASSEMBLER shows it, and what each takes into OUTPUT, whole or not at
# all. It calls a second program beside it.
cmake_path(GET DISASSEMBLER PARENT_PATH tools)
cmake_path(GET OUTPUT PARENT_PATH folder)
file(MAKE_DIRECTORY "${folder}")
foreach(option IN ITEMS -res-usage -sass)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PATH=${tools}:$ENV{PATH}" "${DISASSEMBLER}" ${option} "${PROGRAM}"
    OUTPUT_VARIABLE said ERROR_VARIABLE error RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${DISASSEMBLER} ${option} ${PROGRAM} failed (${result}): ${error}")
  endif()
  string(APPEND listing "${said}")
endforeach()
file(WRITE "${OUTPUT}.part" "${listing}")
file(RENAME "${OUTPUT}.part" "${OUTPUT}")
