// The explorer: a reader changes the pattern of a warp's access and sees what it touches. Every number comes from the
// book's model, compiled to WebAssembly; the drawing is that of figures/lanes.py.
{
const {many} = explorers;
const WIDTHS = [[1, "char"], [2, "short"], [4, "float"], [8, "float2"], [16, "float4"]];
const RANGES = [  // a stride of 33 is a column of a padded tile
  ["offset", "offset, in elements", 0, 32], ["stride", "stride, in elements", 0, 33], ["lanes", "lanes that take part", 0, 32],
];
const LEFT = 50, SCALE = 2.3, PITCH = 16, BAR = 11, GAP = 5, HEAD = 14;  // as in figures/lanes.py

const rect = (kind, x, y, wide, high) =>
  `<rect class="${kind}" x="${x.toFixed(2)}" y="${y}" width="${wide.toFixed(2)}" height="${high}"/>`;
const text = (x, y, words, kind) => explorers.text(x, y + BAR / 2, words, kind);

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

explorers.start(".explorer-access", (place, model, number) => {
  const memory = MEMORIES[place.dataset.memory];
  return {
    label: memory.name,
    controls: explorers.choice(`explorer-${number}`, "width", "each lane’s element", WIDTHS) + RANGES.map(explorers.range).join(""),
    state: Object.fromEntries(["width", "offset", "stride", "lanes"].map(name => [name, +place.dataset[name]])),
    explore: pattern => {
      const {width, offset, stride, lanes} = pattern;
      const places = Array.from({length: lanes}, (_, lane) => {
        const address = model.weft_address(width, offset, stride, lanes, lane);
        return {lane, address, sector: model.weft_sector_of(address), line: model.weft_line_of(address)};
      });
      return {...memory.explore(model, [width, offset, stride, lanes], places), code: listing(pattern, memory.array)};
    },
  };
});
}
