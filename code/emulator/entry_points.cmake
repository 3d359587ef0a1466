# Reads the list of entry points, and writes what the linker must know for each version of CUDA.

# Writes `not_provided.cpp`, where every function of the runtime has a weak definition, and for each version a script
# for the linker with the other names of functions and a map of what is exported.
function(write_entry_points list folder versions)
  file(STRINGS "${list}" lines REGEX "^[^#]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
  set(functions "extern \"C\" {\nint weft_not_provided(const char*);\n")
  foreach(version IN LISTS versions)
    set(aliases_${version} "")
  endforeach()
  foreach(line IN LISTS lines)
    if(line MATCHES "^([^ ]+) = ([^ ]+) ([0-9]+)$")
      string(APPEND aliases_${CMAKE_MATCH_3} "${CMAKE_MATCH_1} = ${CMAKE_MATCH_2};\n")
    elseif(line MATCHES "^([^ ]+) = ([^ ]+)$|^((.+)_pt[sd][sz])$")
      foreach(version IN LISTS versions)
        string(APPEND aliases_${version} "${CMAKE_MATCH_1}${CMAKE_MATCH_3} = ${CMAKE_MATCH_2}${CMAKE_MATCH_4};\n")
      endforeach()
    else()
      string(APPEND functions "[[gnu::weak]] int ${line}() { return weft_not_provided(\"${line}\"); }\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${folder}/not_provided.cpp" CONTENT "${functions}}\n" @ONLY)
  foreach(version IN LISTS versions)
    file(CONFIGURE OUTPUT "${folder}/aliases.${version}.ld" CONTENT "${aliases_${version}}" @ONLY)
    file(CONFIGURE OUTPUT "${folder}/exports.${version}.map" CONTENT
         "libcudart.so.${version} {\n  global: cuda*; __cuda*; weft_runtime; weft_counted; weft_mark;\n  local: *;\n};\n" @ONLY)
  endforeach()
endfunction()
