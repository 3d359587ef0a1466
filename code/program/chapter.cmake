# What a chapter is built into: a program for each step, what the programs say of themselves, and what the emulator counts.
include("${CMAKE_CURRENT_LIST_DIR}/architectures.cmake")
set(WEFT_WHOLE_OUTPUT "${CMAKE_CURRENT_LIST_DIR}/whole_output.cmake" CACHE INTERNAL "")
set(WEFT_DISASSEMBLER "${CMAKE_SOURCE_DIR}/.venv/cuda/bin/cuobjdump" CACHE FILEPATH "NVIDIA's cuobjdump")
cmake_path(GET WEFT_DISASSEMBLER PARENT_PATH tools)
set(WEFT_RUN_WITH_TOOLS "${CMAKE_COMMAND}" -E env "PATH=${tools}:$ENV{PATH}" CACHE INTERNAL "")  # cuobjdump calls another
set(WEFT_TOGETHER 8 CACHE STRING "how many programs are compiled at a time; each then holds the kernels of all of them")
add_custom_target(counts)
add_custom_target(disassemblies)

# weft_note(TARGET KIND FILE DEPENDS … COMMAND …): FILE holds what the command prints, or what it writes to the file that its
# arguments call {output}, anew whenever the target or one of DEPENDS is. Target TARGET-KIND stands for it.
function(weft_note target kind file)
  cmake_parse_arguments(PARSE_ARGV 3 note "" "" "DEPENDS;COMMAND")
  add_custom_command(OUTPUT "${file}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${file}" -P "${WEFT_WHOLE_OUTPUT}" -- ${note_COMMAND}
    DEPENDS ${target} ${note_DEPENDS} "${WEFT_WHOLE_OUTPUT}"
    COMMENT "Noting ${target}'s ${kind}"
    VERBATIM)
  add_custom_target(${target}-${kind} DEPENDS "${file}")
endfunction()

# weft_describe(TARGET FILE): FILE holds what the program's --describe prints under the recorder. The folder goes into
# LD_LIBRARY_PATH and the bare name into LD_PRELOAD, which takes no path with a space.
function(weft_describe target file)
  weft_note(${target} description "${file}" DEPENDS weft_recorder
    COMMAND "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:weft_recorder>:$ENV{LD_LIBRARY_PATH}"
            "LD_PRELOAD=$<TARGET_FILE_NAME:weft_recorder>" "$<TARGET_FILE:${target}>" --describe)
  set_property(TARGET ${target}-description PROPERTY EXCLUDE_FROM_ALL OFF)
endfunction()

# weft_count(TARGET FILE): FILE holds what the emulator counts for each of the program's variants. Target `counts` stands
# for all such files.
function(weft_count target file)
  weft_note(${target} counts "${file}" DEPENDS emulate emulate_cuda${cuda_major}
    COMMAND $<TARGET_FILE:emulate> --counters {output} $<TARGET_FILE:${target}> --count)
  add_dependencies(counts ${target}-counts)
endfunction()

# weft_disassemble(TARGET CODE FILE): FILE holds the machine code of what TARGET builds, the file CODE, and what each kernel takes.
function(weft_disassemble target code file)
  if(TARGET ${target}-disassembly)
    return()
  endif()
  weft_note(${target} disassembly "${file}" DEPENDS "${code}"
    COMMAND ${WEFT_RUN_WITH_TOOLS} "${WEFT_DISASSEMBLER}" -res-usage -sass "${code}")
  add_dependencies(disassemblies ${target}-disassembly)
endfunction()

# weft_program_namespace(SOURCE OUT): that of a program that is compiled together with others.
function(weft_program_namespace source out)
  cmake_path(REMOVE_EXTENSION source)
  string(MAKE_C_IDENTIFIER "weft_program_${source}" name)
  set(${out} ${name} PARENT_SCOPE)
endfunction()

# weft_write_together(FILE SOURCE…): a file that holds several programs, each in a namespace of its own; in it is a namespace
# weft, like the outer one, in which the program defines register_steps(). All headers stand before.
function(weft_write_together file)
  set(headers "#include \"step/step.hpp\"")
  set(programs "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    file(STRINGS "${source}" includes REGEX "^#include")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/\\1" beside "${include}")
      if(EXISTS "${beside}")
        set(include "#include \"${beside}\"")
      endif()
      list(APPEND headers "${include}")
    endforeach()
    weft_program_namespace("${source}" program)
    set(path "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    string(APPEND programs "
namespace ${program} {
namespace weft {
using namespace ::weft;
void register_steps();
}
extern const char source[] = \"${path}\";
#include \"${path}\"
}
")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  file(CONFIGURE OUTPUT "${file}" CONTENT "@headers@\n@programs@" @ONLY)
endfunction()

# weft_compile_together(SOURCE…): compiles WEFT_TOGETHER programs at a time, for nvcc takes most of its time for headers. The property
# WEFT_OBJECTS of a source names the object library that it is in, if it is in one: a program that defines macros, or a main
# of its own, is compiled alone.
function(weft_compile_together)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME chapter)
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" own REGEX "^#(define|if)|^int main")
    if(NOT own)
      weft_architectures("${source}" architectures)
      string(REPLACE ";" "_" kind "${architectures}")
      list(APPEND kinds ${kind})
      list(APPEND sources_${kind} "${source}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES kinds)
  foreach(kind IN LISTS kinds)
    while(sources_${kind})
      list(SUBLIST sources_${kind} 0 ${WEFT_TOGETHER} together)
      list(REMOVE_ITEM sources_${kind} ${together})
      list(GET together 0 first)
      cmake_path(REMOVE_EXTENSION first OUTPUT_VARIABLE name)
      string(REPLACE "/" "-" target "${chapter}-from-${name}")
      set(file "${CMAKE_CURRENT_BINARY_DIR}/Unity/${target}.cu")
      weft_write_together("${file}" ${together})
      add_library(${target} OBJECT EXCLUDE_FROM_ALL "${file}")
      target_link_libraries(${target} PRIVATE weft_main)
      target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
      weft_architectures("${first}" architectures)
      set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES ${architectures})
      set_property(SOURCE ${together} PROPERTY WEFT_OBJECTS ${target})
    endwhile()
  endforeach()
endfunction()

# weft_add_executable(TARGET SOURCE FOLDER): the program of one source, in a folder of the build tree.
function(weft_add_executable target source folder)
  cmake_path(GET source STEM name)
  get_property(objects SOURCE "${source}" PROPERTY WEFT_OBJECTS)
  if(objects)
    add_executable(${target} $<TARGET_OBJECTS:${objects}>)
    set_property(TARGET ${target} PROPERTY LINKER_LANGUAGE CUDA)
    weft_program_namespace("${source}" program)
    string(LENGTH "${program}" length)
    target_link_options(${target} PRIVATE
      "LINKER:--defsym=_ZN4weft14register_stepsEv=_ZN${length}${program}4weft14register_stepsEv"
      "LINKER:--defsym=weft_source=_ZN${length}${program}6sourceE")
  else()
    add_executable(${target} ${source})
  endif()
  target_link_libraries(${target} PRIVATE weft_main)
  if(GOLD_LINKER)
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME "${name}" RUNTIME_OUTPUT_DIRECTORY "${folder}")
  weft_architectures("${source}" architectures)
  set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES ${architectures})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
endfunction()

# weft_add_chapter([MACHINE_CODE ALL | STEP…] [ALONE REGEX] [APART REGEX…])
# The folder that this is called in is a chapter: each numbered CUDA source is a step, and each in experiments/ an
# experiment, a program with its description, its counts and its test. What else is built of it lies beside the steps:
#   *.cpp                    what all of its programs share, compiled once
#   solutions/, errata/ *.cu programs that only the tests build
#   errata/*.cpp             one program for the mistakes that the host can show
# With MACHINE_CODE, its page shows what these steps' machine code is made of. The disassembler takes half a second to start. Steps
# whose names match ALONE are compiled alone; those that match one of APART with each other, and with no others.
function(weft_add_chapter)
  cmake_parse_arguments(PARSE_ARGV 0 with "" "ALONE" "MACHINE_CODE;APART")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME chapter)
  set(programs "${CMAKE_BINARY_DIR}/chapters/${chapter}")
  add_custom_target(${chapter}-steps)
  add_dependencies(book ${chapter}-steps)

  file(GLOB shared CONFIGURE_DEPENDS *.cpp)
  if(shared)
    add_library(${chapter}-problem STATIC ${shared})
    target_link_libraries(${chapter}-problem PUBLIC weft)
  else()
    add_library(${chapter}-problem INTERFACE)
  endif()

  file(GLOB steps RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS [0-9][0-9]_*.cu experiments/*.cu)
  set(together ${steps})
  if(with_ALONE)
    list(FILTER together EXCLUDE REGEX "${with_ALONE}")
  endif()
  foreach(regex IN LISTS with_APART)
    set(apart ${together})
    list(FILTER apart INCLUDE REGEX "${regex}")
    list(FILTER together EXCLUDE REGEX "${regex}")
    weft_compile_together(${apart})
  endforeach()
  weft_compile_together(${together})
  foreach(source IN LISTS steps)
    cmake_path(REMOVE_EXTENSION source OUTPUT_VARIABLE name)
    set(program "${programs}/${name}")
    cmake_path(GET program PARENT_PATH folder)
    string(REPLACE "/" "-" target "${chapter}-${name}")
    weft_add_executable(${target} ${source} "${folder}")
    target_link_libraries(${target} PRIVATE ${chapter}-problem)
    set(description "${CMAKE_BINARY_DIR}/describe/${chapter}/${name}.json")
    set(counters "${CMAKE_BINARY_DIR}/counters/${chapter}/${name}.json")
    weft_describe(${target} "${description}")
    weft_count(${target} "${counters}")
    set_property(GLOBAL APPEND PROPERTY WEFT_NOTES "${description}" "${counters}")
    add_dependencies(${chapter}-steps ${target}-description ${target}-counts)
    set(machine "${CMAKE_BINARY_DIR}/machine/${chapter}")
    get_property(built SOURCE "${source}" PROPERTY WEFT_OBJECTS)
    if(built)  # its listing is that of all that is compiled with it
      set(code "$<TARGET_OBJECTS:${built}>")
      set(listing "${machine}/${built}.sass")
      file(MAKE_DIRECTORY "${machine}/experiments")
      file(CREATE_LINK "${listing}" "${machine}/${name}.sass" SYMBOLIC)
    else()
      set(built ${target})
      set(code "$<TARGET_FILE:${target}>")
      set(listing "${machine}/${name}.sass")
      if(IS_SYMLINK "${listing}")  # it was compiled with others before
        file(REMOVE "${listing}")
      endif()
    endif()
    if(name IN_LIST with_MACHINE_CODE OR (with_MACHINE_CODE STREQUAL "ALL" AND name MATCHES "^[0-9]"))
      weft_disassemble(${built} "${code}" "${listing}")
    endif()
    add_test(NAME "${chapter}/${name}" COMMAND ${target})
    set_tests_properties("${chapter}/${name}" PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu)
  endforeach()

  file(GLOB beside RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS
       solutions/*.cu errata/*.cu)
  weft_compile_together(${beside})
  foreach(source IN LISTS beside)
    cmake_path(REMOVE_EXTENSION source OUTPUT_VARIABLE program)
    cmake_path(GET program PARENT_PATH folder)
    string(REPLACE "/" "-" target "${chapter}-${program}")
    weft_add_executable(${target} ${source} "${programs}/${folder}")
    target_link_libraries(${target} PRIVATE ${chapter}-problem)
    set_property(TARGET ${target} PROPERTY EXCLUDE_FROM_ALL ON)
    add_dependencies(tests ${target} emulate)
    add_test(NAME "${chapter}/${program}" COMMAND ${target})
    set_tests_properties("${chapter}/${program}" PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu)
  endforeach()

  file(GLOB on_host CONFIGURE_DEPENDS errata/*.cpp)
  if(on_host)
    add_executable(${chapter}-errata EXCLUDE_FROM_ALL ${on_host})
    target_link_libraries(${chapter}-errata PRIVATE weft doctest_main)
    target_include_directories(${chapter}-errata PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    set_target_properties(${chapter}-errata PROPERTIES
      OUTPUT_NAME errata RUNTIME_OUTPUT_DIRECTORY "${programs}/errata")
    add_dependencies(tests ${chapter}-errata)
    add_test(NAME "${chapter}/errata" COMMAND ${chapter}-errata)
  endif()
endfunction()

# Removes what an earlier build noted of steps that are gone or have another name, which would be read as theirs, and
# their programs.
function(weft_forget_steps)
  get_property(notes GLOBAL PROPERTY WEFT_NOTES)
  file(GLOB_RECURSE known "${CMAKE_BINARY_DIR}/describe/*.json" "${CMAKE_BINARY_DIR}/counters/*.json")
  list(REMOVE_ITEM known ${notes})
  foreach(note IN LISTS known)
    cmake_path(RELATIVE_PATH note BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE name)
    string(REGEX REPLACE "^[a-z]+/(.*)[.]json$" "\\1" name "${name}")
    file(REMOVE "${note}" "${CMAKE_BINARY_DIR}/chapters/${name}")
  endforeach()
endfunction()
