#include "emulator/handlers/print.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string_view>
#include <utility>

namespace weft::emulator {
namespace {

/// A conversion such as `%-8.3llx`.
struct Conversion {
  std::string prefix;  ///< `%-8.3`, with the numbers that stars stood for
  bool wide = false;   ///< the argument takes 8 bytes
  char kind = 0;       ///< 0: the format ends within it
};

/// Nobody means a field of more characters, and a random number must not fill the memory.
constexpr int widest_field = 4096;

class Printer {
 public:
  Printer(std::string_view format, const PrintArguments& arguments)
      : format_(format), arguments_(arguments) {}

  Printed run() {
    while (at_ < format_.size()) {
      if (format_[at_] != '%') {
        printed_.text += format_[at_++];
      } else {
        convert();
      }
    }
    return std::move(printed_);
  }

 private:
  std::uint64_t take(int bytes) {
    ++printed_.arguments;
    return arguments_.next(bytes);
  }

  void take_number_or_star(std::string& prefix) {
    if (at_ < format_.size() && format_[at_] == '*') {
      ++at_;
      const auto value = static_cast<std::int32_t>(take(4));
      prefix += std::to_string(std::clamp(value, -widest_field, widest_field));
      return;
    }
    int value = 0;
    bool any = false;
    for (; at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9'; ++at_) {
      value = std::min(value * 10 + (format_[at_] - '0'), widest_field);
      any = true;
    }
    if (any) prefix += std::to_string(value);
  }

  Conversion parse() {
    constexpr std::string_view flags = "-+ #0";
    Conversion conversion;
    conversion.prefix = "%";
    ++at_;
    while (at_ < format_.size() && flags.find(format_[at_]) != std::string_view::npos)
      conversion.prefix += format_[at_++];
    take_number_or_star(conversion.prefix);
    if (at_ < format_.size() && format_[at_] == '.') {
      conversion.prefix += format_[at_++];
      take_number_or_star(conversion.prefix);
    }
    for (; at_ < format_.size(); ++at_) {
      const char letter = format_[at_];
      if (letter == 'l' || letter == 'j' || letter == 'z' || letter == 't') {
        conversion.wide = true;
      } else if (letter != 'h' && letter != 'L') {
        break;
      }
    }
    if (at_ < format_.size()) conversion.kind = format_[at_++];
    return conversion;
  }

  void append(const std::string& format, auto value) {
    std::array<char, 2 * widest_field> text{};
    const int length = std::snprintf(text.data(), text.size(), format.c_str(), value);
    if (length > 0) printed_.text.append(text.data(), std::min<std::size_t>(length, text.size() - 1));
  }

  void convert() {
    const std::size_t start = at_;
    const Conversion conversion = parse();
    const std::string& prefix = conversion.prefix;
    switch (conversion.kind) {
      case '%':
        printed_.text += '%';
        break;
      case 'd':
      case 'i': {
        const std::uint64_t bits = take(conversion.wide ? 8 : 4);
        append(prefix + "lld", conversion.wide ? static_cast<long long>(bits)
                                               : static_cast<long long>(static_cast<std::int32_t>(bits)));
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        append(prefix + "ll" + conversion.kind,
               static_cast<unsigned long long>(take(conversion.wide ? 8 : 4)));
        break;
      case 'c':
        append(prefix + 'c', static_cast<int>(take(4)));
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        append(prefix + conversion.kind, std::bit_cast<double>(take(8)));
        break;
      case 'p':
        append(prefix + 'p', reinterpret_cast<void*>(take(8)));
        break;
      case 's':
        print_string(prefix);
        break;
      case 'n':
        take(8);
        break;
      default:  // as it stands
        printed_.text += format_.substr(start, at_ - start);
    }
  }

  void print_string(const std::string& prefix) {
    const std::uint64_t address = take(8);
    const std::string text = address == 0 ? "(null)" : arguments_.string_at(address);
    if (prefix == "%") {
      printed_.text += text;  // of any length
    } else {
      append(prefix + 's', text.c_str());
    }
  }

  std::string_view format_;
  const PrintArguments& arguments_;
  std::size_t at_ = 0;
  Printed printed_;
};

}  // namespace

Printed print(const std::string& format, const PrintArguments& arguments) {
  return Printer(format, arguments).run();
}

}  // namespace weft::emulator
