// A term opens its definition: by pointing at it, by the keyboard's focus, by touch. Escape closes it. Without scripts a
// term is a link to the glossary.
{
  const bubble = document.createElement("div");
  bubble.className = "term-bubble";
  bubble.hidden = true;
  document.body.append(bubble);

  let shown, closing;
  const hide = () => { clearTimeout(closing); bubble.hidden = true; shown = undefined; };
  const hideSoon = () => { closing = setTimeout(hide, 200); };

  const show = term => {
    clearTimeout(closing);
    if (shown === term) return;
    shown = term;
    const definition = document.getElementById(term.getAttribute("aria-describedby"));
    const more = document.createElement("a");
    more.href = term.href;
    more.textContent = "glossary";
    more.tabIndex = -1;  // the term itself leads there
    bubble.replaceChildren(...[...definition.childNodes].map(node => node.cloneNode(true)), " ", more);
    bubble.hidden = false;
    const place = term.getClientRects()[0], margin = 8;
    const left = Math.min(place.left, document.documentElement.clientWidth - bubble.offsetWidth - margin);
    const below = place.bottom + 4 + bubble.offsetHeight < innerHeight;
    bubble.style.left = `${Math.max(margin, left) + scrollX}px`;
    bubble.style.top = `${(below ? place.bottom + 4 : place.top - bubble.offsetHeight - 4) + scrollY}px`;
  };

  for (const term of document.querySelectorAll("a.term")) {
    let touched = false;
    term.addEventListener("pointerdown", event => { touched = event.pointerType !== "mouse" && shown !== term; });
    term.addEventListener("click", event => {
      if (touched) { event.preventDefault(); show(term); }
      touched = false;
    });
    term.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") show(term); });
    term.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") hideSoon(); });
    term.addEventListener("focus", () => { if (term.matches(":focus-visible")) show(term); });
    term.addEventListener("blur", hideSoon);
  }
  bubble.addEventListener("pointerenter", () => clearTimeout(closing));
  bubble.addEventListener("pointerleave", hideSoon);
  addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
  addEventListener("pointerdown", event => { if (!event.target.closest?.("a.term, .term-bubble")) hide(); });
}
