// Questions: what a reader predicts is kept by the browser and shown beside the answer. A button opens all answers
// for those who come back.
{
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href).pathname;
  const page = location.pathname.slice(root.length) || "index.html";

  const kept = {
    key: field => `weft ${page}#${field.id}`,
    read(field) { try { return localStorage.getItem(this.key(field)) ?? ""; } catch { return ""; } },
    write(field) { try { localStorage.setItem(this.key(field), field.value); } catch { /* this browser keeps nothing */ } },
  };

  const show = field => {
    for (const place of document.querySelectorAll(`[data-said="${CSS.escape(field.id)}"]`)) {
      const guess = field.value.trim();
      place.hidden = !guess;
      place.textContent = guess && `you predicted: ${guess}`;
    }
  };

  for (const field of document.querySelectorAll("[data-guess]")) {
    field.value = kept.read(field);
    show(field);
    field.addEventListener("input", () => { kept.write(field); show(field); });
    // Enter in the last field of a question opens the answer.
    field.addEventListener("keydown", event => {
      if (event.key !== "Enter" || field.tagName !== "INPUT") return;
      const box = field.closest(".card, .question"), fields = [...box.querySelectorAll("[data-guess]")];
      if (field === fields.at(-1)) box.querySelector("details.fold").open = true;
      else fields[fields.indexOf(field) + 1].focus();
    });
  }

  const folds = () => [...document.querySelectorAll("details.fold")];
  const button = document.querySelector(".open-all button");
  button?.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    for (const fold of folds()) fold.open = open;
    button.setAttribute("aria-pressed", open);
    button.textContent = open ? "Close all answers" : "Open all answers";
  });

  // A link into an answer opens it.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();
}
