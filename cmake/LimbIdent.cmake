# limb_ident: identification, on top of the core.
add_library(limb_ident_objects OBJECT ${limb_ident_sources})
limb_library_flags(limb_ident_objects)
limb_plain_flags(limb_ident_objects)
target_compile_options(limb_ident_objects PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>)

set(limb_ident_libraries limb_ident_static)
if(LIMB_SHARED)
  add_library(limb_ident SHARED $<TARGET_OBJECTS:limb_ident_objects>)
  set_target_properties(limb_ident PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${limb_soversion}
                                              EXPORT_NAME ident)
  target_link_libraries(limb_ident PUBLIC limb)
  target_link_libraries(limb_ident PRIVATE $<BUILD_INTERFACE:limb_linalg_archive>
                                           $<BUILD_INTERFACE:limb_base_archive>)
  target_link_options(limb_ident PRIVATE LINKER:--exclude-libs,ALL)
  list(APPEND limb_ident_libraries limb_ident)
  add_library(limb::ident ALIAS limb_ident)
endif()

add_library(limb_ident_static STATIC $<TARGET_OBJECTS:limb_ident_objects>)
set_target_properties(limb_ident_static PROPERTIES OUTPUT_NAME limb_ident EXPORT_NAME ident_static)
target_link_libraries(limb_ident_static PUBLIC limb_static)

foreach(library IN LISTS limb_ident_libraries)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  limb_instrument(${library} PUBLIC)
endforeach()
add_library(limb::ident_static ALIAS limb_ident_static)
add_dependencies(limb_product ${limb_ident_libraries})
