// What is wider than a narrow screen is drawn smaller, so that nothing has to be pushed sideways.
(() => {
  const smallest = 0.35;
  const fitted = (each, room) => {
    each.style.zoom = "";
    const ratio = room / each.scrollWidth;
    if (ratio < 1) each.style.zoom = Math.max(smallest, ratio * 0.98);
  };
  const fit = () => {
    document.querySelectorAll(".bd-article .output.text_html > div, .bd-article mjx-container[display='true'] > mjx-math")
      .forEach(each => fitted(each, each.parentElement.clientWidth));
  };
  const ready = () => Promise.resolve(window.MathJax?.startup?.promise).then(fit);
  window.addEventListener("load", ready);
  window.addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);
})();

// What is printed in columns stays in them, and printed code keeps its indents: site.css lets these scroll on
// a phone, where other lines wrap. From the first such line of a paragraph to its last one they move as one,
// and with them short lines around them where these are few.
document.addEventListener("DOMContentLoaded", () => {
  const aligned = line => /\S {2,}\S/.test(line);
  const statement = /^\s*(@\w+$|"""|(def|class|for|if|while|with) .*:$|return |import |from \S+ import |[\w.,*()[\] ]+ [-+*/|&]?= \S)/;
  const code = line => statement.test(line.trimEnd());
  const kept = line => aligned(line) || code(line);
  const marked = paragraph => {
    const lines = paragraph.split(/(?<=\n)/);
    const most = lines.filter(kept).length * 3 >= lines.filter(line => line.trim()).length * 2;
    const starts = lines.filter(aligned).map(line => line.match(/^\s*\S.*? {2,}(?=\S)/)[0].length);
    const begins = (line, place) => line[place - 1] === " " && /\S/.test(line[place] ?? " ");
    // A row whose first column is full has one blank before the second: there most others begin it.
    const row = line => starts.length > 1 && starts.filter(place => begins(line, place)).length * 2 > starts.length;
    const belongs = line => kept(line) || row(line) || most && line.length <= 60;
    const [first, last] = [lines.findIndex(belongs), lines.findLastIndex(belongs)];
    if (first < 0) return [paragraph];
    const columns = Object.assign(document.createElement("span"), { className: "columns" });
    columns.textContent = lines.slice(first, last + 1).join("");
    return [lines.slice(0, first).join(""), columns, lines.slice(last + 1).join("")];
  };
  document.querySelectorAll("div.cell_output pre, div.highlight-text pre").forEach(each => {
    const lines = each.textContent.split("\n");
    if (lines.filter(kept).length < 3 && lines.filter(code).length < 2) return;
    each.replaceChildren(...each.textContent.split(/(?<=\n)(?=\n)/).flatMap(marked));
  });
});

// A line of code that may wrap: what wraps stands two letters further in than the line begins.
document.addEventListener("DOMContentLoaded", () => {
  const longest = 80;
  document.querySelectorAll(".bd-article div.highlight pre").forEach(each => {
    if (each.closest(".cell_output, .highlight-text")) return;
    if (!each.textContent.split("\n").some(line => line.length > longest)) return;
    // No mark of a colour goes on from line to line, so that the lines can be cut apart.
    each.innerHTML = each.innerHTML.split(/(?<=\n)/).map(line => {
      const text = Object.assign(document.createElement("span"), { innerHTML: line }).textContent;
      if (text.trimEnd().length <= longest) return line;
      const indent = text.search(/\S/) + 2;
      return `<span class="long" style="padding-left: ${indent}ch; text-indent: -${indent}ch">${line}</span>`;
    }).join("");
  });
});

// What can be pushed sideways can also be reached with the keyboard.
(() => {
  const reach = () => document.querySelectorAll(".bd-article pre, .bd-article pre > .columns").forEach(each => {
    const wide = each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX === "auto";
    if (wide) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
  });
  window.addEventListener("load", reach);
  window.addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
})();

// A figure opens as large as it is, in a box that can be pushed and that Escape closes.
document.addEventListener("click", event => {
  const link = event.target.closest("a.enlarge");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const box = Object.assign(document.createElement("dialog"), { className: "enlarged" });
  const close = Object.assign(document.createElement("button"), { type: "button", textContent: "Close" });
  const place = Object.assign(document.createElement("div"), { tabIndex: 0 });
  const { src, alt } = link.querySelector("img");
  box.setAttribute("aria-label", "The figure, enlarged");
  place.append(Object.assign(document.createElement("img"), { src, alt }));
  box.append(close, place);
  document.body.append(box);
  close.addEventListener("click", () => box.close());
  box.addEventListener("click", inside => inside.target === box && box.close());
  box.addEventListener("close", () => box.remove());
  box.showModal();
});

// What the search shows of a page is the page's own text, without what the theme puts around it.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const whole = Search.htmlToText;
  Search.htmlToText = (page, anchor) => {
    const article = new DOMParser().parseFromString(page, "text/html").querySelector("article.bd-article");
    article?.querySelectorAll(".lesson-links").forEach(each => each.remove());
    return whole(article ? `<div role="main">${article.outerHTML}</div>` : page, anchor);
  };
});
