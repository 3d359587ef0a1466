"""`python -m figures`: an interrupt, even while it is still being loaded, ends it without a word."""

import sys

try:
    import book.inputs  # noqa: F401  first, for it notes what is read
    from figures.command_line import main

    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
