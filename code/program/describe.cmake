# Runs PROGRAM --describe under RECORDER and puts what it prints into OUTPUT, whole or not at all.
# The folder goes into LD_LIBRARY_PATH and the bare name into LD_PRELOAD, which takes no path with a space.
cmake_path(GET RECORDER PARENT_PATH folder)
cmake_path(GET RECORDER FILENAME library)
cmake_path(GET OUTPUT PARENT_PATH output_folder)
file(MAKE_DIRECTORY "${output_folder}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${folder}:$ENV{LD_LIBRARY_PATH}" "LD_PRELOAD=${library}"
          "${PROGRAM}" --describe
  OUTPUT_FILE "${OUTPUT}.part" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  file(REMOVE "${OUTPUT}.part" "${OUTPUT}")
  message(FATAL_ERROR "${PROGRAM} --describe failed under the recorder (${result})")
endif()
file(RENAME "${OUTPUT}.part" "${OUTPUT}")
