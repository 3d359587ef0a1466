// A program that asks a library of NVIDIA's for random numbers.

extern "C" int curandCreateGenerator();

int main() { return curandCreateGenerator(); }
