# SPDX-License-Identifier: LGPL-2.1-or-later
# Removes the files that the last `cmake --install` listed, and the folders of ours that are empty then.
# usage: [DESTDIR=DIR] cmake -D MANIFEST=BUILD/install_manifest.txt -P uninstall.cmake
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "nothing was installed from this build: there is no ${MANIFEST}")
endif()
file(STRINGS "${MANIFEST}" files)
set(folders)
foreach(file ${files})
  file(REMOVE "$ENV{DESTDIR}${file}")
  # The part of its path that is called after us: include/cgpol, share/cgpol/schema, share/cgpol.
  get_filename_component(folder "${file}" DIRECTORY)
  while(folder MATCHES "/(include|cmake|share|libexec)/cgpol(/|$)")
    list(APPEND folders "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES folders)
# The deepest first.
list(SORT folders ORDER DESCENDING)
foreach(folder ${folders})
  file(GLOB left "$ENV{DESTDIR}${folder}/*")
  if(IS_DIRECTORY "$ENV{DESTDIR}${folder}" AND NOT left)
    file(REMOVE_RECURSE "$ENV{DESTDIR}${folder}")
  endif()
endforeach()
file(REMOVE "${MANIFEST}")
