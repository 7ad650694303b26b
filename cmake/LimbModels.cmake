# Turns models/*.limb.yaml into one C file: the built-in robots of src/io/robots.c, by name.
#
# A model file opens with comments: the first line is the title, the lines after it, up to the line
# `limb: 1`, say where the figures are from (`# origin: ...`). Texts are written as bytes: a string
# literal may not be so long in standard C.
function(limb_models_to_c folder c_file)
  file(GLOB models CONFIGURE_DEPENDS ${folder}/*.limb.yaml)
  list(SORT models)
  set(texts "")
  set(table "")
  foreach(model IN LISTS models)
    get_filename_component(name ${model} NAME)
    string(REGEX REPLACE "\\.limb\\.yaml$" "" name ${name})
    limb_model_header(${model} title origin)
    file(READ ${model} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x0a,)" "\\1\n  " bytes "${bytes}")
    string(APPEND texts "static const char text_${name}[] = {\n  ${bytes}0};\n\n")
    string(APPEND table "  {\"${name}\", \"${title}\", \"${origin}\", text_${name}},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model})
  endforeach()
  file(WRITE ${c_file}.new
"// Made from models/*.limb.yaml at configure time.
#include \"io/reading.h\"

#include <stddef.h>

${texts}const limb_robot_info limb_robot_files[] = {
${table}  {NULL, NULL, NULL, NULL},
};
")
  file(COPY_FILE ${c_file}.new ${c_file} ONLY_IF_DIFFERENT)
endfunction()

# Title and origin of a model file, ready to stand between quotes in C.
function(limb_model_header model title_out origin_out)
  file(READ ${model} text)
  if(NOT text MATCHES "^# ([^\n]+)\n# origin: ([^\n]+\n(# [^\n]+\n)*)limb: 1\n")
    message(FATAL_ERROR "${model}: must begin with '# title', '# origin: ...', 'limb: 1'")
  endif()
  set(title "${CMAKE_MATCH_1}")
  set(origin "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "\n$" "" origin "${origin}")
  string(REPLACE "\n# " " " origin "${origin}")
  foreach(item title origin)
    string(REPLACE "\\" "\\\\" ${item} "${${item}}")
    string(REPLACE "\"" "\\\"" ${item} "${${item}}")
    set(${${item}_out} "${${item}}" PARENT_SCOPE)
  endforeach()
endfunction()
