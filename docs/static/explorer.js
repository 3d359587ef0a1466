// The explorer: a reader changes the pattern of a warp's access and sees what it touches. Every number comes from the
// book's model, compiled to WebAssembly; the drawing is that of figures/lanes.py.
const WIDTHS = [[1, "char"], [2, "short"], [4, "float"], [8, "float2"], [16, "float4"]];
const RANGES = [  // a stride of 33 is a column of a padded tile
  ["offset", "offset, in elements", 32], ["stride", "stride, in elements", 33], ["lanes", "lanes that take part", 32],
];
const QUIET_MILLISECONDS = 600;  // what changes faster is not announced
const LEFT = 50, SCALE = 2.3, PITCH = 16, BAR = 11, GAP = 5, HEAD = 14;  // as in figures/lanes.py

const many = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;
const rect = (kind, x, y, wide, high) =>
  `<rect class="${kind}" x="${x.toFixed(2)}" y="${y}" width="${wide.toFixed(2)}" height="${high}"/>`;
const text = (x, y, words, kind = "") => `<text class="${kind}" x="${x}" y="${y + BAR / 2}">${words}</text>`;

// Rows of memory, one to each 128 bytes in which a lane's bytes lie. `frame(row, line, x, y)` draws what stands behind
// the lanes' bytes, `kind(address)` says how they look.
const rows = (model, places, width, top, frame, kind) => {
  const lineBytes = model.weft_line_bytes();
  const right = LEFT + lineBytes * SCALE + 5;
  const lines = new Map(places.map(place => [place.line, []]));
  for (const place of places) lines.get(place.line).push(place);
  let y = HEAD, before, parts = text(LEFT - 5, 0, "byte", "end quiet") + text(right, 0, "lanes", "quiet") + top;
  for (const [line, row] of lines) {
    if (before !== undefined) y += PITCH + (line - before > 1 ? GAP : 0);
    before = line;
    const x = byte => LEFT + (byte - line * lineBytes) * SCALE;
    parts += frame(row, line, x, y);
    for (const address of new Set(row.map(place => place.address))) {
      parts += rect(kind(address), x(address) + 0.35, y + 2, width * SCALE - 0.7, BAR - 4);
    }
    const [first, last] = [row[0].lane, row[row.length - 1].lane];
    parts += text(LEFT - 5, y, line * lineBytes, "end") + text(right, y, first === last ? first : `${first}–${last}`);
  }
  return lines.size ? {parts, height: y + PITCH} : {parts: "", height: 0};
};

const exploreGlobal = (model, pattern, places) => {
  const sectorBytes = model.weft_sector_bytes(), lineBytes = model.weft_line_bytes();
  const [requests, lines, sectors, wanted, tags, data] =
    ["requests", "lines", "sectors", "wanted_bytes", "tag_wavefronts", "data_wavefronts"].map(name => model[`weft_${name}`](...pattern));
  const moved = sectors * sectorBytes;
  const efficiency = moved ? `${Math.round(100 * wanted / moved)} %` : "–";
  const frame = (row, line, x, y) => {
    const touched = new Set(row.map(place => place.sector));
    let parts = "";
    for (let byte = line * lineBytes; byte < (line + 1) * lineBytes; byte += sectorBytes) {
      const kind = touched.has(model.weft_sector_of(byte)) ? "sector moved" : "sector";
      parts += rect(kind, x(byte), y, sectorBytes * SCALE, BAR);
    }
    return parts;
  };
  return {
    numbers: {requests, lines, sectors, "bytes wanted": `${wanted} of ${moved}`, efficiency,
      "tag wavefronts of a hit": tags, "data wavefronts of a hit": data},
    sentence: `${many(requests, "request")}, ${many(lines, "line")}, ${many(sectors, "sector")}; ` +
      (moved ? `${wanted} of ${moved} bytes wanted, ${efficiency}; ` +
        `${many(tags, "tag wavefront")} and ${data} of data if it hits the L1` : "nothing moves"),
    drawing: rows(model, places, pattern[0], "", frame, () => "wanted"),
  };
};

const exploreShared = (model, pattern, places) => {
  const width = pattern[0], wordBytes = model.weft_word_bytes(), lineBytes = model.weft_line_bytes();
  const [load, store] = ["load", "store"].map(name => model[`weft_shared_${name}_wavefronts`](...pattern));
  const words = new Set();
  for (const {address} of places) {
    for (let byte = 0; byte < width; byte += wordBytes) words.add(model.weft_word_of(address + byte));
  }
  const inBank = new Array(model.weft_banks()).fill(0);
  for (const word of words) ++inBank[model.weft_bank_of(word)];
  // Wider accesses come in phases, each with a fullest bank of its own.
  const most = Math.max(...inBank), fullest = width <= wordBytes && most > 1 ? inBank.indexOf(most) : undefined;
  const note = width > wordBytes ? `a store serves ${model.weft_lanes_per_phase(width)} lanes at a time` :
    fullest === undefined ? "no bank is asked for two words" : `bank ${fullest} is asked for ${most} words`;
  const kind = address => model.weft_bank_of(model.weft_word_of(address)) === fullest ? "wanted crowded" : "wanted";
  const frame = (row, line, x, y) => rect("sector", LEFT, y, lineBytes * SCALE, BAR);
  const banks = text(LEFT, 0, "bank 0", "quiet") + text(LEFT + lineBytes * SCALE, 0, inBank.length - 1, "end quiet");
  const drawing = rows(model, places, width, banks, frame, kind);
  if (places.length) {
    drawing.parts += text(LEFT, drawing.height, note, "quiet");
    drawing.height += PITCH;
  }
  return {
    numbers: {
      "load wavefronts": load,
      "store wavefronts": store,
      "words wanted": words.size,
      "words per load wavefront": load ? Math.round(10 * words.size / load) / 10 : "–",
      "banks used": inBank.filter(count => count).length,
    },
    sentence: `${many(load, "wavefront")} to load, ${store} to store ${many(words.size, "word")}` +
      (places.length ? `; ${note}` : ""),
    drawing,
  };
};

const MEMORIES = {
  global: {array: "in", name: "what a warp’s access touches", explore: exploreGlobal},
  shared: {array: "tile", name: "the banks that a warp’s access to shared memory asks", explore: exploreShared},
};

const listing = ({width, offset, stride, lanes}, array) => {
  const type = WIDTHS.find(([bytes]) => bytes === width)[1];
  const index = [offset || "", `${stride === 1 ? "" : stride + " * "}lane`].filter(Boolean).join(" + ");
  return `${lanes < 32 ? `if (lane < ${lanes}) ` : ""}${type} value = ${array}[${stride ? index : offset}];`;
};

const start = async (place, number) => {
  const bytes = Uint8Array.from(atob(place.dataset.module), letter => letter.charCodeAt(0));
  const model = (await WebAssembly.instantiate(bytes)).instance.exports;
  const memory = MEMORIES[place.dataset.memory];
  const pattern = Object.fromEntries(["width", "offset", "stride", "lanes"].map(name => [name, +place.dataset[name]]));

  const live = document.createElement("div");
  live.className = "explorer-live";
  live.setAttribute("role", "group");
  live.setAttribute("aria-label", `Explorer: ${memory.name}`);
  live.innerHTML = `
    <div class="explorer-controls">
      <fieldset><legend>each lane’s element</legend>${WIDTHS.map(([width, type]) => `
        <label><input type="radio" name="explorer-${number}-width" value="${width}"><span>${type}</span></label>`).join("")}
      </fieldset>${RANGES.map(([name, words, most]) => `
      <label class="explorer-range"><span>${words}</span><b></b>
        <input type="range" name="${name}" min="0" max="${most}" aria-label="${words}"></label>`).join("")}
    </div>
    <p class="explorer-code"><code></code></p>
    <dl></dl>
    <svg role="img"></svg>
    <p class="visually-hidden" role="status"></p>`;
  const [code, list, svg, status] = ["code", "dl", "svg", "[role=status]"].map(name => live.querySelector(name));
  let waiting;

  const show = () => {
    for (const input of live.querySelectorAll("input[type=range]")) {
      input.value = input.previousElementSibling.textContent = pattern[input.name];
    }
    live.querySelector(`input[value="${pattern.width}"]`).checked = true;
    const {width, offset, stride, lanes} = pattern;
    const places = Array.from({length: lanes}, (_, lane) => {
      const address = model.weft_address(width, offset, stride, lanes, lane);
      return {lane, address, sector: model.weft_sector_of(address), line: model.weft_line_of(address)};
    });
    const {numbers, sentence, drawing} = memory.explore(model, [width, offset, stride, lanes], places);
    code.textContent = listing(pattern, memory.array);
    list.innerHTML = Object.entries(numbers).map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("");
    svg.setAttribute("viewBox", `0 0 400 ${drawing.height}`);
    svg.setAttribute("aria-label", sentence);
    svg.innerHTML = drawing.parts;
  };
  live.addEventListener("input", ({target}) => {
    pattern[target.type === "radio" ? "width" : target.name] = +target.value;
    show();
    clearTimeout(waiting);
    waiting = setTimeout(() => { status.textContent = svg.getAttribute("aria-label"); }, QUIET_MILLISECONDS);
  });
  show();
  place.prepend(live);
  place.classList.add("explorer-started");
};

document.querySelectorAll(".explorer[data-memory]").forEach(start);
