"""CUDA C++ for Pygments: its own CUDA lexer knows only C."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pygments.lexers.c_cpp import CppLexer
from pygments.lexers.c_like import CudaLexer
from pygments.token import Comment, Keyword, Name, Operator, Punctuation, _TokenType


class CudaCppLexer(CppLexer):
    """C++ with CUDA's qualifiers, types, variables and functions."""

    name = "CUDA C++"
    aliases: ClassVar = ["cuda-cpp"]
    filenames: ClassVar = ["*.cu", "*.cuh"]
    mimetypes: ClassVar = []
    url = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"
    version_added = ""

    kinds: ClassVar[dict[str, _TokenType]] = {
        **dict.fromkeys(CudaLexer.variable_qualifiers | CudaLexer.function_qualifiers, Keyword.Type),
        **dict.fromkeys(CudaLexer.vector_types, Keyword.Type),
        **dict.fromkeys(CudaLexer.variables, Name.Builtin),
        **dict.fromkeys(CudaLexer.functions | CudaLexer.execution_confs, Name.Builtin),
        "__restrict__": Keyword.Type,
        "__launch_bounds__": Keyword.Type,
        "__grid_constant__": Keyword.Type,
        "__cluster_dims__": Keyword.Type,
    }

    def get_tokens_unprocessed(
        self, text: str, stack: tuple[str, ...] = ("root",)
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield C++'s tokens, with CUDA's names marked as what they are."""
        for index, token, value in super().get_tokens_unprocessed(text, stack):
            kind = self.kinds.get(value)
            if kind and token not in Comment:
                yield index, kind, value
            else:  # a colour on every star and dot would tell nothing and be a tenth of a page
                yield index, Punctuation if token is Operator else token, value


LANGUAGES = {
    ".cu": "cuda-cpp",
    ".cuh": "cuda-cpp",
    ".hpp": "cuda-cpp",
    ".cpp": "cuda-cpp",
    ".py": "python",
    ".cmake": "cmake",
    ".sh": "bash",
    ".json": "json",
    ".js": "javascript",
}


def language_of(name: str) -> str:
    """Pygments' name for the language of a file."""
    if name.endswith("CMakeLists.txt"):
        return "cmake"
    if name.endswith("Makefile"):
        return "make"
    return LANGUAGES.get(name[name.rfind(".") :], "text")
