#include "check/arrays.hpp"

#include <stdexcept>

#include "check/array_of.hpp"

namespace weft {

template class ArrayOf<float>;
template class ArrayOf<double>;
template class ArrayOf<std::int32_t>;
template class ArrayOf<std::uint32_t>;
template class ArrayOf<std::int64_t>;
template class ArrayOf<std::uint64_t>;

ArrayProblem::ArrayProblem() = default;
ArrayProblem::~ArrayProblem() = default;

void ArrayProblem::own(AnyArray* array) { arrays_.push_back(Owned<AnyArray>(array)); }

std::int64_t* ArrayProblem::numbers(std::int64_t count) {
  numbers_ = make_owned<GuardedBuffer<std::int64_t>>(count);
  numbers_->poison();
  return numbers_->data();
}

Numbers ArrayProblem::written_numbers() const {
  if (numbers_.get() == nullptr) throw std::logic_error("this problem has no numbers");
  Numbers written(static_cast<std::size_t>(numbers_->size()));
  numbers_->copy_out(0, numbers_->size(), written.data());
  return written;
}

void ArrayProblem::fill(std::uint64_t seed) {
  previous_seed_ = std::exchange(seed_, seed);
  for (const auto& array : arrays_) array->fill(seed);
}

void ArrayProblem::poison(cudaStream_t stream) {
  for (const auto& array : arrays_) array->poison(stream);
}

Verdict ArrayProblem::verify() {
  for (const bool written : {true, false}) {
    for (const auto& array : arrays_) {
      if (array->is_written() != written) continue;
      if (auto mismatch = array->verify(seed_, previous_seed_)) return mismatch;
    }
  }
  return {};
}

Numbers written_numbers(Problem& problem) { return dynamic_cast<ArrayProblem&>(problem).written_numbers(); }

Function<double(Problem&)> written_number(double factor) {
  return [=](Problem& problem) { return factor * static_cast<double>(written_numbers(problem).front()); };
}

}  // namespace weft
