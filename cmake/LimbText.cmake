# Turns a text file into a C array of lines, closed by NULL, which the header declares.
function(limb_text_to_c text_file name header c_file)
  file(READ ${text_file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REGEX REPLACE "\n$" "" text "${text}")
  string(REPLACE "\n" "\",\n  \"" text "${text}")
  get_filename_component(base ${text_file} NAME)
  file(WRITE ${c_file}.new
"// Made from ${base} at configure time.
#include \"${header}\"

#include <stddef.h>

const char* const ${name}[] = {
  \"${text}\",
  NULL,
};
")
  file(COPY_FILE ${c_file}.new ${c_file} ONLY_IF_DIFFERENT)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${text_file})
endfunction()
