# limb_io: model files and tables, on top of the core, which needs neither expat nor libyaml.
include(LimbModels)
if(LIMB_WASM)
  include(LimbVendored)
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(limb_expat REQUIRED IMPORTED_TARGET expat)
  pkg_check_modules(limb_yaml REQUIRED IMPORTED_TARGET yaml-0.1)
endif()

limb_models_to_c(${PROJECT_SOURCE_DIR}/models ${PROJECT_BINARY_DIR}/models.c)
add_library(limb_io_objects OBJECT ${limb_io_sources} ${PROJECT_BINARY_DIR}/models.c)
limb_library_flags(limb_io_objects)
limb_plain_flags(limb_io_objects)
# Small, and as fast but for numbers of tables.
target_compile_options(limb_io_objects PRIVATE $<$<CONFIG:Release>:-Os>)
set_source_files_properties(
  src/io/csv_read.c src/io/csv_rows.c src/io/csv_write.c src/io/parquet_codec.c src/io/parquet_page.c
  src/io/parquet_read.c PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
target_compile_definitions(limb_io_objects PRIVATE _XOPEN_SOURCE=700)
target_include_directories(limb_io_objects PRIVATE ${limb_expat_INCLUDE_DIRS}
                                                   ${limb_yaml_INCLUDE_DIRS})

set(limb_io_libraries limb_io_static)
if(LIMB_SHARED)
  add_library(limb_io SHARED $<TARGET_OBJECTS:limb_io_objects>)
  set_target_properties(limb_io PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${limb_soversion}
                                           EXPORT_NAME io)
  target_link_libraries(limb_io PUBLIC limb)
  target_link_libraries(limb_io PRIVATE $<BUILD_INTERFACE:limb_base_archive>
                                        PkgConfig::limb_expat PkgConfig::limb_yaml ${CMAKE_DL_LIBS})
  target_link_options(limb_io PRIVATE LINKER:--exclude-libs,liblimb_base_archive.a)
  list(APPEND limb_io_libraries limb_io)
  add_library(limb::io ALIAS limb_io)
endif()

add_library(limb_io_static STATIC $<TARGET_OBJECTS:limb_io_objects>)
set_target_properties(limb_io_static PROPERTIES OUTPUT_NAME limb_io EXPORT_NAME io_static)
target_link_libraries(limb_io_static PUBLIC limb_static)
target_link_libraries(
  limb_io_static
  PRIVATE $<BUILD_INTERFACE:PkgConfig::limb_expat> $<BUILD_INTERFACE:PkgConfig::limb_yaml>
          $<INSTALL_INTERFACE:expat> $<INSTALL_INTERFACE:yaml> ${CMAKE_DL_LIBS})

foreach(library IN LISTS limb_io_libraries)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  limb_instrument(${library} PUBLIC)
endforeach()
add_library(limb::io_static ALIAS limb_io_static)
add_dependencies(limb_product ${limb_io_libraries})
