"""The figure of the toy."""

import functools

from figures.lanes import Access, lanes_and_sectors

ACCESSES = (Access.strided("places"),)
FIGURES = {"together": functools.partial(lanes_and_sectors, title="What a warp loads", accesses=ACCESSES)}
