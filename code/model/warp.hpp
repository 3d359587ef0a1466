#pragma once

namespace weft::model {

inline constexpr int warp_size = 32;  ///< lanes of a warp

}  // namespace weft::model
