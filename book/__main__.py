"""`python -m book`: an interrupt, even while it is still being loaded, ends it without a word."""

import sys

try:
    from book.command_line import main

    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
