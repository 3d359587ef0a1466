#pragma once

/// @file
/// What compute-sanitizer's racecheck takes for a race where there is none.

namespace weft {

/// Says in register_steps() that racecheck reports races in this program's kernels where there are none. Why
/// there is none stands beside the kernel. The checks of its variants then count to a test case whose name
/// ends in "(beyond racecheck)": `reproduce sanitize` leaves out such cases for racecheck alone.
void check_beyond_racecheck();

/// Whether this program has said so.
bool is_beyond_racecheck();

}  // namespace weft
