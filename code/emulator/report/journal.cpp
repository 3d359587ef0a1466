#include "emulator/report/journal.hpp"

#include <fstream>
#include <map>

namespace weft::emulator {

std::string entry(const std::string& name, const std::string& text) { return name + ' ' + text + '\n'; }

std::string repetition(const std::string& name) { return name + '\n'; }

void read_journal(const std::filesystem::path& file, const std::function<void(const LaunchRecord&)>& use) {
  std::ifstream stream(file);
  std::map<std::string, LaunchRecord> by_name;
  std::string line;
  while (std::getline(stream, line)) {
    if (stream.eof()) break;  // its end is missing
    const std::size_t blank = line.find(' ');
    const std::string name = line.substr(0, blank);
    if (blank != std::string::npos) by_name[name] = from_text(line.substr(blank + 1));
    use(by_name.at(name));
  }
}

}  // namespace weft::emulator
