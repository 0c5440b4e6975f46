// What is wider than its place is drawn smaller, as far as it can be read, so that little has to be pushed
// sideways; and what can be pushed can also be reached with the keyboard.
(() => {
  const smallest = { table: 0.35, formula: 0.8, columns: 0.85 };
  const formulas = ".bd-article mjx-container[display='true']";
  const fitted = (each, least) => {
    each.style.zoom = "";
    const ratio = each.parentElement.clientWidth / each.scrollWidth;
    if (ratio < 1) each.style.zoom = Math.max(least, ratio * 0.98);
  };
  // A table of letters that needs a little more than its line has. One that needs more stays as large as it is.
  const squeezed = each => {
    each.style.fontSize = "";
    const ratio = each.clientWidth / each.scrollWidth;
    if (ratio < 1 && ratio >= smallest.columns) each.style.fontSize = `${ratio * 0.995}em`;
  };
  const reach = each => {
    const { overflowX, overflowY } = getComputedStyle(each);
    const wide = each.scrollWidth > each.clientWidth + 1 && overflowX === "auto";
    const tall = each.scrollHeight > each.clientHeight + 1 && overflowY === "auto" && !each.closest("pre");
    if (wide || tall) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
    each.classList.toggle("goes-on", wide);
  };
  const fit = () => {
    document.querySelectorAll(".bd-article .output.text_html > div").forEach(each => fitted(each, smallest.table));
    document.querySelectorAll(`${formulas} > mjx-math`).forEach(each => fitted(each, smallest.formula));
    document.querySelectorAll(".bd-article pre > .columns:not(.code)").forEach(squeezed);
    const boxes = "pre, pre > .columns, .pst-scrollable-table-container";
    document.querySelectorAll(`.bd-article :is(${boxes}), ${formulas}`).forEach(reach);
  };
  const ready = () => Promise.resolve(window.MathJax?.startup?.promise).then(fit);
  window.addEventListener("load", ready);
  window.addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);
})();

// Text in a box, line by line. What wraps stands two letters further in than its line begins, so that no part
// of a line looks like a line; what is joined by a hyphen stays in one. Neither changes what is copied.
(() => {
  const shown = text => text.replace(/[&<>]/g, sign => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
  const joined = html => html.replace(/(<[^>]*>|&\w+;)|[-–](?=\S)/g, (sign, other) => other ?? `<span class="joint">${sign}</span>`);
  const long = (html, text, longest) => {
    if (text.trimEnd().length <= longest) return html;
    const indent = text.search(/\S/) + 2;
    return `<span class="long" style="padding-left: ${indent}ch; text-indent: -${indent}ch">${joined(html)}</span>`;
  };
  const lines = text => text.split(/(?<=\n)/);
  const [onPhone, onDesk] = [38, 80];  // letters that fit into every line there
  const printed = text => lines(text).map(line => long(shown(line), line, onPhone)).join("");

  // What is printed in columns stays in them, and printed code keeps its indents: site.css lets these scroll
  // where there is no room for them. From the first such line of a paragraph to its last one they move as one,
  // and with them short lines around them where these are few.
  const aligned = line => /\S {2,}\S/.test(line);
  const statement = /^\s*(@\w+$|"""|(def|class|for|if|while|with) .*:$|return |import |from \S+ import |[\w.,*()[\] ]+ [-+*/|&]?= \S)/;
  const code = line => statement.test(line.trimEnd());
  const kept = line => aligned(line) || code(line);
  const count = (some, what) => some.filter(what).length;
  const together = (part, belongs) => {
    const [first, last] = [part.findIndex(belongs), part.findLastIndex(belongs)];
    if (first < 0) return printed(part.join(""));
    const inside = part.slice(first, last + 1);
    // As a cell's code does, it wraps where a line does not fit; on a phone it scrolls.
    const program = count(inside, code) >= 3 * count(inside, line => aligned(line.replace(/ {2,}#.*/, ""))) && inside.some(code);
    const html = program
      ? `<span class="columns code">${inside.map(line => long(shown(line), line, onDesk)).join("")}</span>`
      : `<span class="columns">${shown(inside.join(""))}</span>`;
    return printed(part.slice(0, first).join("")) + html + printed(part.slice(last + 1).join(""));
  };
  const marked = paragraph => {
    const every = lines(paragraph);
    const most = count(every, kept) * 3 >= count(every, line => line.trim()) * 2;
    const starts = every.filter(aligned).map(line => line.match(/^\s*\S.*? {2,}(?=\S)/)[0].length);
    const begins = (line, place) => line[place - 1] === " " && /\S/.test(line[place] ?? " ");
    // A row whose first column is full has one blank before the second: there most others begin it. But a
    // sentence is longer than any row, and ends the table that it stands under.
    const sentence = line => !kept(line) && line.length > 1.4 * Math.max(...every.filter(kept).map(each => each.length));
    const row = line => starts.length > 1 && count(starts, place => begins(line, place)) * 2 > starts.length;
    const belongs = line => kept(line) || !sentence(line) && row(line) || most && line.length <= 60;
    const parts = every.reduce((found, line) => {
      if (sentence(line)) return [...found, [line], []];
      found.at(-1).push(line);
      return found;
    }, [[]]);
    return parts.map(part => together(part, belongs)).join("");
  };
  const ofOutput = each => {
    const text = each.textContent;
    const every = text.split("\n");
    const inColumns = count(every, kept) >= 3 || count(every, code) >= 2;
    each.innerHTML = inColumns ? text.split(/(?<=\n)(?=\n)/).map(marked).join("") : printed(text);
  };
  // No mark of a colour goes on from line to line, so that the lines can be cut apart.
  const ofCode = each => {
    const text = html => Object.assign(document.createElement("span"), { innerHTML: html }).textContent;
    each.innerHTML = lines(each.innerHTML).map(line => long(line, text(line), onDesk)).join("");
  };
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".bd-article pre").forEach(each => {
      if (each.matches(".cell_output pre, .highlight-text pre")) ofOutput(each);
      else if (each.matches("div.highlight pre")) ofCode(each);
    });
  });
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
