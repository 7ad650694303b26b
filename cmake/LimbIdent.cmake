# limb_ident: identification, on top of the core, which needs no LAPACK.
find_package(PkgConfig REQUIRED)
pkg_check_modules(limb_lapacke IMPORTED_TARGET lapacke)
set(LIMB_IDENT_FOUND ${limb_lapacke_FOUND})
if(NOT LIMB_IDENT_FOUND)
  if(LIMB_IDENT STREQUAL "ON")
    message(FATAL_ERROR "LIMB_IDENT=ON needs LAPACKE: scripts/setup build installs it")
  endif()
  message(STATUS "no limb_ident: LAPACKE was not found; scripts/setup build installs it")
  return()
endif()

add_library(limb_ident_objects OBJECT ${limb_ident_sources})
limb_library_flags(limb_ident_objects)
limb_plain_flags(limb_ident_objects)
target_compile_options(limb_ident_objects PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
target_include_directories(limb_ident_objects PRIVATE ${limb_lapacke_INCLUDE_DIRS})

add_library(limb_ident SHARED $<TARGET_OBJECTS:limb_ident_objects>)
set_target_properties(limb_ident PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${limb_soversion}
                                            EXPORT_NAME ident)
target_link_libraries(limb_ident PUBLIC limb)
target_link_libraries(limb_ident PRIVATE $<BUILD_INTERFACE:limb_base_archive> PkgConfig::limb_lapacke)
target_link_options(limb_ident PRIVATE LINKER:--exclude-libs,ALL)

add_library(limb_ident_static STATIC $<TARGET_OBJECTS:limb_ident_objects>)
set_target_properties(limb_ident_static PROPERTIES OUTPUT_NAME limb_ident EXPORT_NAME ident_static)
target_link_libraries(limb_ident_static PUBLIC limb_static)
target_link_libraries(limb_ident_static PRIVATE $<BUILD_INTERFACE:PkgConfig::limb_lapacke>
                                                $<INSTALL_INTERFACE:lapacke>)

foreach(library limb_ident limb_ident_static)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  limb_instrument(${library} PUBLIC)
endforeach()
add_library(limb::ident ALIAS limb_ident)
add_library(limb::ident_static ALIAS limb_ident_static)
add_dependencies(limb_product limb_ident limb_ident_static)
