# Who answers for the Debian packages of a build. The project has no address, and
# a package is its builder's: who hands packages on says here who that is. The
# default is an address that cannot exist (RFC 2606).
set(HEDDLE_MAINTAINER "The Heddle Project <unset@heddle.invalid>" CACHE STRING
    "Maintainer of Debian packages: Name <address>")
if(NOT HEDDLE_MAINTAINER MATCHES "^[^<>\n]+ <[^<>@ \n]+@[^<>@ \n]+>$")
  message(FATAL_ERROR "HEDDLE_MAINTAINER is '${HEDDLE_MAINTAINER}'; it has to be "
                      "a name and an address, as in 'Ada Lovelace <ada@example.org>'")
endif()
