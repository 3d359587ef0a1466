"""Kernels whose PTX the compiler of CUDA 12 writes run on the emulator as CUDA 12's runtime."""

import ctypes
import os
import struct
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / os.environ.get("TREE", "build")
COMPILER = Path(sysconfig.get_path("purelib")) / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so.12"

SOURCE = r"""
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__device__ __noinline__ double series(int n) {
  return n == 0 ? 1.0 : 1.0 / n + series(n - 1);
}
extern "C" __global__ void harmonic(double* out) { out[threadIdx.x] = series(threadIdx.x); }

extern "C" __global__ void sum(const unsigned* in, unsigned long long* total, int n) {
  __shared__ unsigned partial[8];
  unsigned value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long block = 0;
    for (int warp = 0; warp < 8; ++warp) block += partial[warp];
    atomicAdd(total, block);
  }
}
"""


def compile_to_ptx(architecture: int) -> bytes:
    """SOURCE as NVRTC 12 compiles it."""
    nvrtc = ctypes.CDLL(str(COMPILER))
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE.encode(), b"test.cu", 0, None, None) == 0
    options = (ctypes.c_char_p * 2)(f"--gpu-architecture=compute_{architecture}".encode(), b"-lineinfo")
    assert nvrtc.nvrtcCompileProgram(program, 2, options) == 0
    size = ctypes.c_size_t()
    assert nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
    ptx = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetPTX(program, ptx) == 0
    return ptx.value


def fat_binary(ptx: bytes, architecture: int) -> bytes:
    """A fat binary that holds PTX as it is."""
    text = ptx + b"\0"
    text += b"\0" * (-len(text) % 8)
    entry = struct.pack("<HHIQIIIIQQQQ", 1, 0x101, 64, len(text), 0, 0, 0, architecture, 0, 0x41, 0, 0)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(text)) + entry + text


class Dim3(ctypes.Structure):
    """CUDA's dim3."""

    _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))


class Device:
    """A program's view of the runtime: its module, registered by hand."""

    def __init__(self, architecture: int) -> None:
        self.runtime = ctypes.CDLL(str(TREE / "lib" / "libweft_emulator_cuda12.so"))
        self.contents = ctypes.create_string_buffer(fat_binary(compile_to_ptx(architecture), architecture))
        self.wrapper = ctypes.create_string_buffer(
            struct.pack("<IIQQ", 0x466243B1, 1, ctypes.addressof(self.contents), 0)
        )
        register_binary = self.runtime["__cudaRegisterFatBinary"]
        register_binary.restype = ctypes.c_void_p
        self.module = ctypes.c_void_p(register_binary(self.wrapper))
        register_function = self.runtime["__cudaRegisterFunction"]
        self.stubs: dict[str, ctypes.Array[ctypes.c_char]] = {}
        for name in ("saxpy", "harmonic", "sum"):
            self.stubs[name] = ctypes.create_string_buffer(1)
            register_function(
                self.module, self.stubs[name], name.encode(), name.encode(), -1, None, None, None, None, None
            )
        self.memory: list[ctypes.c_void_p] = []

    def upload(self, data: bytes) -> ctypes.c_void_p:
        """Memory on the device that holds a copy of some bytes."""
        place = ctypes.c_void_p()
        assert self.runtime.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(len(data))) == 0
        assert self.runtime.cudaMemcpy(place, data, ctypes.c_size_t(len(data)), 1) == 0
        self.memory.append(place)
        return place

    def launch(self, name: str, blocks: int, threads: int, *arguments: ctypes._SimpleCData) -> None:
        """Runs a kernel to its end."""
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        launched = self.runtime.cudaLaunchKernel(
            self.stubs[name], Dim3(blocks, 1, 1), Dim3(threads, 1, 1), pointers, ctypes.c_size_t(0), None
        )
        assert launched == 0
        assert self.runtime.cudaDeviceSynchronize() == 0

    def download(self, place: ctypes.c_void_p, letter: str, count: int) -> tuple[float, ...]:
        """Values from the device's memory, of the type that struct knows by a letter."""
        data = ctypes.create_string_buffer(struct.calcsize(letter) * count)
        assert self.runtime.cudaMemcpy(data, place, ctypes.c_size_t(len(data)), 2) == 0
        return struct.unpack(f"<{count}{letter}", data.raw)


@pytest.fixture(params=[75, 90])
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    if not COMPILER.exists():
        pytest.skip("no NVRTC of CUDA 12: `make test` installs it")
    made = Device(request.param)
    yield made
    for place in made.memory:
        assert made.runtime.cudaFree(place) == 0


def test_arithmetic(device: Device) -> None:
    n = 1000
    x = device.upload(struct.pack(f"<{n}f", *range(n)))
    y = device.upload(struct.pack(f"<{n}f", *([0.5] * n)))
    device.launch("saxpy", 8, 128, ctypes.c_float(2), x, y, ctypes.c_int(n))
    assert device.download(y, "f", n) == tuple(2.0 * i + 0.5 for i in range(n))


def test_recursive_functions(device: Device) -> None:
    out = device.upload(bytes(8 * 32))
    device.launch("harmonic", 1, 32, out)
    expected = [1.0]
    for n in range(1, 32):
        expected.append(1.0 / n + expected[-1])
    assert device.download(out, "d", 32) == tuple(expected)


def test_shuffles_shared_memory_and_atomics(device: Device) -> None:
    values = [i * 7919 % 1_000_003 for i in range(10_000)]
    data = device.upload(struct.pack(f"<{len(values)}I", *values))
    total = device.upload(bytes(8))
    device.launch("sum", 5, 256, data, total, ctypes.c_int(len(values)))
    assert device.download(total, "Q", 1) == (sum(values),)
