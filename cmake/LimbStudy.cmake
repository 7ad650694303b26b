# limb_study: verification, studies, drawings, the view and runs of run files, on top of the core, limb_sim and limb_io.

# Runs read tables, and the view has meshes: without limb_io there are none.
set(limb_study_io "")
set(limb_study_io_static "")
set(limb_pc_study_io "")
if(LIMB_IO)
  list(APPEND limb_study_sources ${limb_run_sources})
  set(limb_study_io limb_io)
  set(limb_study_io_static limb_io_static)
  set(limb_pc_study_io ", limb-io")
else()
  list(FILTER limb_study_sources EXCLUDE REGEX "/draw/view_")
endif()
# Pages compute in WebAssembly, which has no sockets.
if(LIMB_WASM)
  list(FILTER limb_study_sources EXCLUDE REGEX "/draw/live[^/]*$")
endif()

# Style sheets are text files, compiled in.
set(limb_study_texts "")
foreach(text plot.css map.css report.css animation_svg.css)
  string(REPLACE . _ name ${text})
  limb_text_to_c(${PROJECT_SOURCE_DIR}/src/draw/${text} ${name} draw/figure.h ${PROJECT_BINARY_DIR}/draw/${name}.c)
  list(APPEND limb_study_texts ${PROJECT_BINARY_DIR}/draw/${name}.c)
endforeach()

add_library(limb_study_objects OBJECT ${limb_study_sources} ${limb_study_texts})
limb_library_flags(limb_study_objects)
limb_plain_flags(limb_study_objects)

set(limb_study_libraries limb_study_static)
if(LIMB_SHARED)
  add_library(limb_study SHARED $<TARGET_OBJECTS:limb_study_objects>)
  set_target_properties(limb_study PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${limb_soversion}
                                              EXPORT_NAME study)
  target_link_libraries(limb_study PUBLIC limb limb_sim ${limb_study_io})
  target_link_libraries(limb_study PRIVATE $<BUILD_INTERFACE:limb_linalg_archive>
                                           $<BUILD_INTERFACE:limb_base_archive>)
  target_link_options(limb_study PRIVATE LINKER:--exclude-libs,ALL)
  list(APPEND limb_study_libraries limb_study)
  add_library(limb::study ALIAS limb_study)
endif()

add_library(limb_study_static STATIC $<TARGET_OBJECTS:limb_study_objects>)
set_target_properties(limb_study_static PROPERTIES OUTPUT_NAME limb_study EXPORT_NAME study_static)
target_link_libraries(limb_study_static PUBLIC limb_sim_static ${limb_study_io_static} limb_static)

foreach(library IN LISTS limb_study_libraries)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  limb_instrument(${library} PUBLIC)
endforeach()
add_library(limb::study_static ALIAS limb_study_static)
add_dependencies(limb_product ${limb_study_libraries})
