# Turns a table of tiles, `make tune7`'s or the published one, into what 14_tuned.cu includes: a line to a product.
#
# write_tiles(TABLE FILE): FILE is changed only if it becomes another one.
function(write_tiles table file)
  set(rows "")
  if(table)
    file(STRINGS "${table}" lines REGEX "^[^#]")
    foreach(line IN LISTS lines)
      if(NOT line MATCHES "^([0-9]+,[0-9]+,[0-9]+),([0-9]+(,[0-9]+)+)$")
        message(FATAL_ERROR "${table} is damaged: '${line}' is no line of numbers. `make tune7` writes it anew once it is removed")
      endif()
      string(APPEND rows "{${CMAKE_MATCH_1}, number_of(${CMAKE_MATCH_2})},\n")
    endforeach()
  endif()
  file(CONFIGURE OUTPUT "${file}" CONTENT "${rows}")
endfunction()
