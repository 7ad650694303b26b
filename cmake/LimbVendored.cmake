# expat and libyaml from their sources, which scripts/setup web unpacks into .deps/web: for WebAssembly, for which
# there are no packages. They take the names that pkg-config would give them.
set(limb_vendored ${PROJECT_SOURCE_DIR}/.deps/web)
set(expat ${limb_vendored}/expat/expat/lib)
set(yaml ${limb_vendored}/libyaml)
foreach(source ${expat}/xmlparse.c ${yaml}/src/parser.c)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "${source} is missing; run: scripts/setup web")
  endif()
endforeach()

# The salt of expat's hash tables comes from the page (crypto.getRandomValues).
file(WRITE ${PROJECT_BINARY_DIR}/expat/expat_config.h
"#define BYTEORDER 1234
#define HAVE_ARC4RANDOM_BUF 1
#define XML_CONTEXT_BYTES 1024
#define XML_DTD 1
#define XML_NS 1
")
add_library(limb_expat STATIC ${expat}/xmlparse.c ${expat}/xmlrole.c ${expat}/xmltok.c)
target_compile_definitions(limb_expat PRIVATE HAVE_EXPAT_CONFIG_H=1)
target_include_directories(limb_expat PRIVATE ${PROJECT_BINARY_DIR}/expat)
target_include_directories(limb_expat SYSTEM INTERFACE ${expat})
add_library(PkgConfig::limb_expat ALIAS limb_expat)

add_library(limb_yaml STATIC ${yaml}/src/api.c ${yaml}/src/loader.c ${yaml}/src/parser.c ${yaml}/src/reader.c
            ${yaml}/src/scanner.c)
target_compile_definitions(
  limb_yaml PRIVATE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5 YAML_VERSION_STRING="0.2.5")
target_include_directories(limb_yaml SYSTEM PUBLIC ${yaml}/include)
add_library(PkgConfig::limb_yaml ALIAS limb_yaml)

foreach(library limb_expat limb_yaml)
  target_compile_options(${library} PRIVATE -Os -w)
endforeach()
set(limb_expat_INCLUDE_DIRS ${expat})
set(limb_yaml_INCLUDE_DIRS ${yaml}/include)
