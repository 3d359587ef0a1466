#pragma once

namespace weft::emulator {

/// Whether reads of memory that was never written, races and divergent barriers are looked for;
/// WEFT_EMULATOR_CHECK=0 says no. What lies outside of every allocation is always found.
bool checking();

}  // namespace weft::emulator
