// The implementation of doctest, compiled once: a step that held it would take seconds more to build.

#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#include <doctest/doctest.h>
