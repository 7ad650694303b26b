# cmake --install: libraries, headers, tool, documents, examples, CMake package, pkg-config files. Everything finds the
# rest relative to itself, so that an installed prefix may be anywhere and may be moved.
include(CMakePackageConfigHelpers)

# Libraries find each other beside themselves: RUNPATH of a program does not hold for what its libraries need.
foreach(library limb limb_io limb_sim limb_ident limb_study)
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endforeach()
if(LIMB_CLI)
  file(RELATIVE_PATH limb_to_libdir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(limb_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${limb_to_libdir}")
endif()

set(limb_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limb)

install(TARGETS limb limb_static EXPORT limbTargets)
if(LIMB_IO)
  install(TARGETS limb_io limb_io_static EXPORT limbTargets)
endif()
if(LIMB_SIM)
  install(TARGETS limb_sim limb_sim_static EXPORT limbTargets)
endif()
if(LIMB_IDENT)
  install(TARGETS limb_ident limb_ident_static EXPORT limbTargets)
endif()
if(LIMB_STUDY)
  install(TARGETS limb_study limb_study_static EXPORT limbTargets)
endif()
if(TARGET limb_mpi)
  install(TARGETS limb_mpi LIBRARY DESTINATION lib/limb)
endif()
if(LIMB_CLI)
  install(TARGETS limb_cli)
  install(FILES ${PROJECT_BINARY_DIR}/limb-view.html DESTINATION ${CMAKE_INSTALL_DATADIR}/limb OPTIONAL)
  install(FILES ${PROJECT_BINARY_DIR}/limb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/completion/limb
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/_limb
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/limb.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/limb TYPE INCLUDE FILES_MATCHING PATTERN *.h)
# Beside each other as in the sources, for links between them.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md TYPE DOC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples TYPE DOC)

install(EXPORT limbTargets NAMESPACE limb:: DESTINATION ${limb_package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/limbConfig.cmake.in ${PROJECT_BINARY_DIR}/limbConfig.cmake
  INSTALL_DESTINATION ${limb_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break the ABI.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/limbConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/limbConfig.cmake ${PROJECT_BINARY_DIR}/limbConfigVersion.cmake
        DESTINATION ${limb_package_dir})

# pkg-config replaces ${pcfiledir} by the folder of limb.pc.
set(limb_pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH limb_pc_prefix ${limb_pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH limb_pc_libdir ${limb_pc_dir} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH limb_pc_includedir ${limb_pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(limb_packages limb)
if(LIMB_IO)
  list(APPEND limb_packages limb-io)
endif()
if(LIMB_SIM)
  list(APPEND limb_packages limb-sim)
endif()
if(LIMB_IDENT)
  list(APPEND limb_packages limb-ident)
endif()
if(LIMB_STUDY)
  list(APPEND limb_packages limb-study)
endif()
foreach(package IN LISTS limb_packages)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc
                 @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
