"""`python -m figures`: an interrupt, even while it is still being loaded, ends it without a word."""

import sys

try:
    from figures.command_line import main

    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
