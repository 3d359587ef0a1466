// What a program must be linked with to want CUDA 12's runtime: names under its version, and nothing behind
// them.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void __cudaRegisterFatBinary() {}
void __cudaRegisterFatBinaryEnd() {}
void __cudaUnregisterFatBinary() {}
void __cudaRegisterFunction() {}
void cudaDeviceSynchronize() {}
void cudaFree() {}
void cudaGetDeviceProperties() {}
void cudaGetDeviceProperties_v2() {}
void cudaGraphAddDependencies() {}
void cudaGraphAddDependencies_v2() {}
void cudaGraphAddEmptyNode() {}
void cudaGraphCreate() {}
void cudaGraphGetEdges() {}
void cudaLaunchKernel() {}
void cudaMallocManaged() {}
void cudaMemAdvise() {}
void cudaMemPrefetchAsync() {}
void cudaMemPrefetchAsync_v2() {}
void cudaPointerGetAttributes() {}
void cudaRuntimeGetVersion() {}
void cudaSetDoubleForDevice() {}
void cudaStreamBeginCapture() {}
void cudaStreamCreate() {}
void cudaStreamEndCapture() {}
void cudaStreamGetCaptureInfo_v2() {}
void cudaThreadSynchronize() {}
}
// NOLINTEND(bugprone-reserved-identifier)
