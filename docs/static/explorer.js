// The explorer: a reader changes the pattern of a warp's access and sees what it touches. Every number comes from the
// book's model, compiled to WebAssembly; the drawing is that of figures/lanes.py.
const WIDTHS = [[1, "char"], [2, "short"], [4, "float"], [8, "float2"], [16, "float4"]];
const RANGES = [["offset", "offset, in elements"], ["stride", "stride, in elements"], ["lanes", "lanes that take part"]];
const QUIET_MILLISECONDS = 600;  // what changes faster is not announced
const LEFT = 50, SCALE = 2.3, PITCH = 16, BAR = 11, GAP = 5, HEAD = 14;  // as in figures/lanes.py

const many = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

const count = (model, {width, offset, stride, lanes}) => {
  const pattern = [width, offset, stride, lanes];
  const places = [];
  for (let lane = 0; lane < lanes; ++lane) {
    const address = model.weft_address(...pattern, lane);
    places.push({lane, address, sector: model.weft_sector_of(address), line: model.weft_line_of(address)});
  }
  const sectors = model.weft_sectors(...pattern);
  return {
    requests: model.weft_requests(...pattern),
    lines: model.weft_lines(...pattern),
    sectors,
    wanted: model.weft_wanted_bytes(...pattern),
    moved: sectors * model.weft_sector_bytes(),
    places,
  };
};

const share = ({wanted, moved}) => moved ? `${Math.round(100 * wanted / moved)} %` : "–";

const sentence = counts =>
  `${many(counts.requests, "request")}, ${many(counts.lines, "line")}, ${many(counts.sectors, "sector")}; ` +
  (counts.moved ? `${counts.wanted} of ${counts.moved} bytes wanted, ${share(counts)}` : "nothing moves");

const listing = ({width, offset, stride, lanes}) => {
  const type = WIDTHS.find(([bytes]) => bytes === width)[1];
  const index = [offset || "", `${stride === 1 ? "" : stride + " * "}lane`].filter(Boolean).join(" + ");
  return `${lanes < 32 ? `if (lane < ${lanes}) ` : ""}${type} value = in[${stride ? index : offset}];`;
};

const draw = (model, width, places) => {
  const sectorBytes = model.weft_sector_bytes(), lineBytes = model.weft_line_bytes();
  const rect = (kind, x, y, wide, high) =>
    `<rect class="${kind}" x="${x.toFixed(2)}" y="${y}" width="${wide.toFixed(2)}" height="${high}"/>`;
  const text = (x, y, words, kind) => `<text class="${kind}" x="${x}" y="${y + BAR / 2}">${words}</text>`;
  const right = LEFT + lineBytes * SCALE + 5;
  const rows = new Map(places.map(place => [place.line, []]));
  for (const place of places) rows.get(place.line).push(place);
  let y = HEAD, before, parts = "";
  if (rows.size) parts += text(LEFT - 5, 0, "byte", "end quiet") + text(right, 0, "lanes", "quiet");
  for (const [line, row] of rows) {
    if (before !== undefined) y += PITCH + (line - before > 1 ? GAP : 0);
    before = line;
    const x = byte => LEFT + (byte - line * lineBytes) * SCALE;
    const moved = new Set(row.map(place => place.sector));
    for (let byte = line * lineBytes; byte < (line + 1) * lineBytes; byte += sectorBytes) {
      const kind = moved.has(model.weft_sector_of(byte)) ? "sector moved" : "sector";
      parts += rect(kind, x(byte), y, sectorBytes * SCALE, BAR);
    }
    for (const address of new Set(row.map(place => place.address))) {
      parts += rect("wanted", x(address) + 0.35, y + 2, width * SCALE - 0.7, BAR - 4);
    }
    const [first, last] = [row[0].lane, row[row.length - 1].lane];
    parts += text(LEFT - 5, y, line * lineBytes, "end") + text(right, y, first === last ? first : `${first}–${last}`, "");
  }
  return {parts, height: rows.size ? y + PITCH : 0};
};

const start = async (place, number) => {
  const bytes = Uint8Array.from(atob(place.dataset.module), letter => letter.charCodeAt(0));
  const model = (await WebAssembly.instantiate(bytes)).instance.exports;
  const pattern = Object.fromEntries(["width", "offset", "stride", "lanes"].map(name => [name, +place.dataset[name]]));

  const live = document.createElement("div");
  live.className = "explorer-live";
  live.setAttribute("role", "group");
  live.setAttribute("aria-label", "Explorer: what a warp’s access touches");
  live.innerHTML = `
    <div class="explorer-controls">
      <fieldset><legend>each lane’s element</legend>${WIDTHS.map(([width, type]) => `
        <label><input type="radio" name="explorer-${number}-width" value="${width}"><span>${type}</span></label>`).join("")}
      </fieldset>${RANGES.map(([name, words]) => `
      <label class="explorer-range"><span>${words}</span><output></output>
        <input type="range" name="${name}" min="0" max="32"></label>`).join("")}
    </div>
    <p class="explorer-code"><code></code></p>
    <dl>${["requests", "lines", "sectors", "bytes wanted", "efficiency"].map(name =>
      `<div><dt>${name}</dt><dd></dd></div>`).join("")}</dl>
    <svg role="img"></svg>
    <p class="visually-hidden" role="status"></p>`;
  const [code, svg, status] = ["code", "svg", "[role=status]"].map(name => live.querySelector(name));
  const numbers = live.querySelectorAll("dd");
  let waiting;

  const show = () => {
    for (const input of live.querySelectorAll("input[type=range]")) {
      input.value = pattern[input.name];
      input.previousElementSibling.value = pattern[input.name];
    }
    live.querySelector(`input[value="${pattern.width}"]`).checked = true;
    const counts = count(model, pattern);
    const {parts, height} = draw(model, pattern.width, counts.places);
    code.textContent = listing(pattern);
    const values = [counts.requests, counts.lines, counts.sectors, `${counts.wanted} of ${counts.moved}`, share(counts)];
    values.forEach((value, index) => { numbers[index].textContent = value; });
    svg.setAttribute("viewBox", `0 0 400 ${height}`);
    svg.setAttribute("aria-label", sentence(counts));
    svg.innerHTML = parts;
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

document.querySelectorAll(".explorer").forEach(start);
