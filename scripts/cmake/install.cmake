# SPDX-License-Identifier: LGPL-2.1-or-later
# What is installed where, how others find it (pkg-config cgpol, find_package(cgpol)), and how it goes again (uninstall).
set(cgpol_cmakedir ${CMAKE_INSTALL_LIBDIR}/cmake/cgpol)

set_target_properties(libcgpol PROPERTIES EXPORT_NAME cgpol)
install(TARGETS libcgpol EXPORT cgpolTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cgpol RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS $<TARGET_FILE:cgpol-full> DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/cgpol RENAME cgpol)
install(DIRECTORY libpolicy/include/cgpol DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# Paths in cgpol.pc are relative to the file, so that a tree that was moved or staged (DESTDIR) still works.
file(RELATIVE_PATH cgpol_pc_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(scripts/cmake/cgpol.pc.in cgpol.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cgpol.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(scripts/cmake/cgpolConfig.cmake.in cgpolConfig.cmake INSTALL_DESTINATION ${cgpol_cmakedir})
write_basic_package_version_file(cgpolConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cgpolConfig.cmake ${PROJECT_BINARY_DIR}/cgpolConfigVersion.cmake
  DESTINATION ${cgpol_cmakedir})
install(EXPORT cgpolTargets NAMESPACE cgpol:: DESTINATION ${cgpol_cmakedir})

foreach(section 1 3 5 7)
  file(GLOB pages CONFIGURE_DEPENDS man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
file(GLOB schemas CONFIGURE_DEPENDS share/cgpol/schema/*.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/cgpol/schema)
install(FILES completions/cgpol.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cgpol)
install(FILES completions/_cgpol DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/cgpol.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/scripts/cmake/uninstall.cmake
  VERBATIM COMMENT "Removing what the last install put there")
