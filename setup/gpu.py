"""Prints the compute capability (`90` for sm_90) of the GPU that can be used here, or one line why none can.

`python setup/gpu.py NVCC` asks for programs of that compiler. Exit status 0: usable; 1: no GPU; 3: a GPU that
those programs cannot use. Asks the driver itself, so that no other program is needed.
"""

import ctypes
import re
import subprocess
import sys

COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR = 75, 76  # CUdevice_attribute
OLDEST_CARD_OF_CUDA_13 = 75


class NoGpu(Exception):
    """There is no GPU that a program could open."""


class UnusableGpu(Exception):
    """There is a GPU, but not for programs of the compiler asked about."""


def capability(major_of_programs: int) -> int:
    """Compute capability of the first GPU, times ten, if programs of that CUDA run on it."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise NoGpu("no NVIDIA driver is installed here") from None
    if status := driver.cuInit(0):
        raise NoGpu(f"the NVIDIA driver finds no GPU to use (cuInit returned {status})")
    version, device, major, minor = (ctypes.c_int() for _ in range(4))
    driver.cuDriverGetVersion(ctypes.byref(version))
    if driver.cuDeviceGet(ctypes.byref(device), 0):
        raise NoGpu("the NVIDIA driver shows no GPU (is CUDA_VISIBLE_DEVICES empty?)")
    driver.cuDeviceGetAttribute(ctypes.byref(major), COMPUTE_CAPABILITY_MAJOR, device)
    driver.cuDeviceGetAttribute(ctypes.byref(minor), COMPUTE_CAPABILITY_MINOR, device)
    card = 10 * major.value + minor.value
    if version.value // 1000 < major_of_programs:
        known = f"{version.value // 1000}.{version.value % 1000 // 10}"
        raise UnusableGpu(
            f"the driver knows CUDA {known}, the compiler is of CUDA {major_of_programs}: "
            "update the driver (580 or later for CUDA 13), "
            "or name an older compiler, 12.4 or later, with NVCC=/path/to/nvcc"
        )
    if major_of_programs >= 13 and card < OLDEST_CARD_OF_CUDA_13:
        raise UnusableGpu(
            f"this card is sm_{card}, and CUDA {major_of_programs} knows none below "
            f"sm_{OLDEST_CARD_OF_CUDA_13}: name an older compiler, 12.4 or later, with NVCC=/path/to/nvcc"
        )
    return card


def cuda_major(nvcc: str) -> int:
    """Major version of a CUDA compiler, as it says itself."""
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"release (\d+)\.", text)
    if not found:
        raise UnusableGpu(f"{nvcc} does not say which CUDA it is of")
    return int(found[1])


def main() -> int:
    """Entry point; see the module's docstring."""
    try:
        print(capability(cuda_major(sys.argv[1])))
    except NoGpu as reason:
        print(reason, file=sys.stderr)
        return 1
    except UnusableGpu as reason:
        print(reason, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
