// What all explorers share: the book's model, compiled to WebAssembly, the controls, the numbers, the drawing, and what is read
// aloud. An explorer says what stands there first and what the model makes of it.
window.explorers = (() => {
  const QUIET_MILLISECONDS = 600;  // what changes faster is not announced

  const text = (x, y, words, kind = "") => `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${words}</text>`;
  const many = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

  const range = ([name, words, least, most, step = 1]) => `
    <label class="explorer-range"><span>${words}</span><b></b>
      <input type="range" name="${name}" min="${least}" max="${most}" step="${step}" aria-label="${words}"></label>`;
  const choice = (group, name, legend, values) => `
    <fieldset><legend>${legend}</legend>${values.map(([value, words]) => `
      <label><input type="radio" name="${group}-${name}" data-name="${name}" value="${value}"><span>${words}</span></label>`).join("")}
    </fieldset>`;

  const toggles = (legend, names) => `
    <fieldset class="toggles"><legend>${legend}</legend>${names.map(([name, words]) => `
      <label><input type="checkbox" name="${name}"><span>${words}</span></label>`).join("")}
    </fieldset>`;

  // `prepare(place, model, number)` gives `label`; `controls`, made of ranges, choices and toggles; `state`, the value of each, of a
  // toggle 0 or 1; `said`, a range's value in words; and `explore(state, changed)`, which gives `numbers`, `sentence`, `drawing`
  // and, if it has any, `code`.
  const start = (selector, prepare) => document.querySelectorAll(selector).forEach(async (place, number) => {
    const bytes = Uint8Array.from(atob(place.dataset.module), letter => letter.charCodeAt(0));
    const model = (await WebAssembly.instantiate(bytes)).instance.exports;
    const {label, controls, state, said = (name, value) => value, explore} = prepare(place, model, number);

    const live = document.createElement("div");
    live.className = "explorer-live";
    live.setAttribute("role", "group");
    live.setAttribute("aria-label", `Explorer: ${label}`);
    live.innerHTML = `
      <div class="explorer-controls">${controls}</div>
      <p class="explorer-code" hidden><code></code></p>
      <dl></dl>
      <svg role="img"></svg>
      <p class="visually-hidden" role="status"></p>`;
    const [code, list, svg, status] = ["code", "dl", "svg", "[role=status]"].map(name => live.querySelector(name));
    let changed, waiting;

    const show = () => {
      const found = explore(state, changed);  // which may set what follows from the change
      for (const input of live.querySelectorAll("input")) {
        if (input.type === "radio") {
          input.checked = +input.value === state[input.dataset.name];
          continue;
        }
        if (input.type === "checkbox") {
          input.checked = state[input.name];
          continue;
        }
        input.value = state[input.name];
        input.previousElementSibling.textContent = said(input.name, state[input.name]);
        input.setAttribute("aria-valuetext", said(input.name, state[input.name]));
      }
      code.parentElement.hidden = !found.code;
      code.textContent = found.code ?? "";
      list.innerHTML = Object.entries(found.numbers).map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("");
      svg.setAttribute("viewBox", `0 0 400 ${found.drawing.height}`);
      svg.setAttribute("aria-label", found.sentence);
      svg.innerHTML = found.drawing.parts;
    };
    live.addEventListener("input", ({target}) => {
      changed = target.dataset.name ?? target.name;
      state[changed] = target.type === "checkbox" ? +target.checked : +target.value;
      show();
      clearTimeout(waiting);
      waiting = setTimeout(() => { status.textContent = svg.getAttribute("aria-label"); }, QUIET_MILLISECONDS);
    });
    show();
    place.prepend(live);
    place.classList.add("explorer-started");
  });

  return {text, many, range, choice, toggles, start};
})();
