"""Colours of code, for light and for dark: few, quiet, and those of all else (static/colours.css)."""

from __future__ import annotations

from typing import ClassVar

from pygments.style import Style
from pygments.token import Comment, Error, Generic, Keyword, Literal, Name, Number, String, Token


class Light(Style):
    """On paper."""

    background_color = "#f4f2ec"
    highlight_color = "#fbf0d6"
    styles: ClassVar = {
        Token: "#1c1b1a",
        Comment: "#5d5a55",
        Comment.Preproc: "#865c00",
        Keyword: "#0b4f86",
        Keyword.Type: "#5a3d8a",
        Name.Tag: "#0b4f86",
        Literal: "#0a664a",
        Number: "#0a664a",
        String: "#0a664a",
        Generic.Heading: "bold",
        Error: "#a3161b",
    }


class Dark(Style):
    """On black."""

    background_color = "#1a1c1f"
    highlight_color = "#35301c"
    styles: ClassVar = {
        Token: "#dcdad5",
        Comment: "#a8a49c",
        Comment.Preproc: "#d5b265",
        Keyword: "#8cbfe8",
        Keyword.Type: "#bfaeea",
        Name.Tag: "#8cbfe8",
        Literal: "#86c9ae",
        Number: "#86c9ae",
        String: "#86c9ae",
        Generic.Heading: "bold",
        Error: "#ff9a97",
    }
