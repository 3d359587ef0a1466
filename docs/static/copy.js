// A button beside each listing copies its code: without numbers, counts, or the lines that a difference removes.
for (const pre of document.querySelectorAll(".highlight > pre")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  pre.after(button);
  button.addEventListener("click", async () => {
    const code = pre.cloneNode(true);
    for (const beside of code.querySelectorAll(".gutter, .linenos, .sign, .removed, summary")) beside.remove();
    try {
      await navigator.clipboard.writeText(code.textContent.replace(/\n*$/, "\n"));
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
