"""Takes the fat binaries, and the PTX inside them, out of built programs: `seeds.py TREE FOLDER`."""

import struct
import sys
from pathlib import Path

MAGIC = struct.pack("<I", 0xBA55ED50)


def main() -> None:
    """Entry point; see the module's docstring."""
    tree, folder = map(Path, sys.argv[1:])
    for kind in ("fat_binary", "ptx"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for program in sorted((tree / "chapters/6-transpose").glob("[0-9][0-9]_*")):
        image = program.read_bytes()
        start = image.find(MAGIC)
        while start >= 0:
            header, size = struct.unpack_from("<HQ", image, start + 6)
            binary = image[start : start + header + size]
            name = f"{program.name}-{start:x}"
            (folder / "fat_binary" / name).write_bytes(binary)
            text = binary.find(b".version ")
            if text >= 0:
                (folder / "ptx" / name).write_bytes(binary[text : binary.index(b"\0", text)])
            start = image.find(MAGIC, start + 4)


if __name__ == "__main__":
    main()
