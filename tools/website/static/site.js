// What is wider than its place is drawn smaller, as far as it can be read, so that little has to be pushed
// sideways; and what can be pushed can also be reached with the keyboard.
(() => {
  const smallest = { table: 0.35, formula: 0.8, desk: 0.85 };
  const formulas = ".bd-article mjx-container[display='true']";
  const phone = matchMedia("(max-width: 720px)");
  const fitted = (each, least) => {
    each.style.zoom = "";
    const ratio = each.parentElement.clientWidth / each.scrollWidth;
    if (ratio < 1) each.style.zoom = Math.max(least, ratio * 0.98);
    return ratio;
  };
  // On a phone a formula goes on in the next row, before a relation or, where there is none, before another sign.
  const [relations, others] = [/^[=≈≤≥<>→⟹∝]$/, /^[+−·⋅×]$/];
  const letter = part => String.fromCodePoint(parseInt(part.querySelector("mjx-c")?.className.match(/mjx-c([0-9A-F]+)/)?.[1] ?? "20", 16));
  const broken = each => {
    each.querySelectorAll(".break").forEach(old => old.remove());
    if (fitted(each, smallest.formula) * 0.98 >= smallest.formula || !phone.matches) return;
    let host = each;
    while (host.children.length === 1) host = host.firstElementChild;
    each.style.zoom = "";
    const parts = Array.from(host.children);
    const right = part => part.getBoundingClientRect().right;
    const room = each.parentElement.clientWidth;
    let begin = 0;
    parts.forEach((part, i) => {
      const left = parts[begin].getBoundingClientRect().left;
      if (right(part) - left + (begin ? 24 : 0) <= room) return;
      const sign = which => parts.findLastIndex((one, k) => k > begin && k <= i && one.matches("mjx-mo") && which.test(letter(one)));
      const at = sign(relations) > begin ? sign(relations) : sign(others);
      if (at <= begin) return;
      parts[at].before(Object.assign(document.createElement("span"), { className: "break" }));
      begin = at;
    });
    fitted(each, smallest.formula);
  };
  // Columns of print. On a phone: as they are, or with narrow gaps, or in smaller letters that can still be read,
  // or row by row, each hanging below its beginning. Only a table that has a heading is pushed if it must be.
  const ratio = each => each.clientWidth / each.scrollWidth;
  const sized = (each, least, size = 1) => {
    if (ratio(each) >= 1 || size <= least) return size;
    const next = Math.max(least, size * ratio(each) * 0.995);
    each.style.fontSize = `${next}em`;
    return sized(each, least, next);  // letters do not shrink evenly on every machine
  };
  const columns = box => {
    const groups = Array.from(box.querySelectorAll(":scope > .columns:not(.code)"));
    [box, ...groups].forEach(each => { each.style.fontSize = ""; });
    groups.forEach(each => each.classList.remove("rows", "tight"));
    if (!box.clientWidth) return;
    // A table that needs a little more than its line has. One that needs more stays as large as it is.
    if (!phone.matches) return groups.filter(each => ratio(each) >= smallest.desk).forEach(each => sized(each, smallest.desk));
    groups.filter(each => ratio(each) < 1).forEach(each => {
      each.classList.add("tight");
      sized(each, Number(each.dataset.least));
      if (ratio(each) >= 1 || each.matches(".headed")) return;
      each.style.fontSize = "";
      each.classList.replace("tight", "rows");
    });
    // Letters of one size in a box, but where a sentence wraps beside a table.
    const least = Math.min(1, ...groups.map(each => parseFloat(each.style.fontSize) || 1));
    if (least < 1 && !box.querySelector(":scope > .long, .rows")) {
      groups.forEach(each => { each.style.fontSize = ""; });
      box.style.fontSize = `${least * parseFloat(getComputedStyle(box).fontSize)}px`;
    }
  };
  // A table that does not fit although it is drawn closely stands row by row, with its headings in each.
  const tables = each => {
    each.classList.remove("stacked", "close");
    if (!phone.matches || each.scrollWidth <= each.clientWidth + 1) return;
    each.classList.add("close");
    if (each.scrollWidth <= each.clientWidth + 1) return;
    const rows = Array.from(each.querySelectorAll("tbody tr"));
    const sentences = rows.filter(row => Array.from(row.cells).some(cell => cell.textContent.trim().length > 40));
    if (sentences.length * 2 < rows.length) return;
    const headings = Array.from(each.querySelectorAll("thead th"), head => head.textContent.trim());
    each.classList.replace("close", "stacked");
    const roles = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader", td: "cell" };
    for (const [name, role] of Object.entries(roles)) each.querySelectorAll(name).forEach(one => one.setAttribute("role", role));
    rows.forEach(row => Array.from(row.cells).forEach((cell, i) => {
      cell.dataset.heading = headings[i] ?? "";
      cell.classList.toggle("sentences", cell.textContent.trim().length > 24);
      cell.classList.toggle("nothing", !cell.textContent.trim());
    }));
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
    const boxes = "pre, pre > .columns, .pst-scrollable-table-container";
    const every = document.querySelectorAll(`.bd-article :is(${boxes}), ${formulas}`);
    every.forEach(each => each.classList.remove("goes-on"));
    document.querySelectorAll(".bd-article .output.text_html > div").forEach(each => fitted(each, smallest.table));
    document.querySelectorAll(`${formulas} > mjx-math`).forEach(broken);
    document.querySelectorAll(".bd-article pre:has(> .columns)").forEach(columns);
    document.querySelectorAll(".bd-article .pst-scrollable-table-container").forEach(tables);
    every.forEach(reach);
  };
  const ready = () => Promise.resolve(window.MathJax?.startup?.promise).then(fit);
  window.addEventListener("load", ready);
  window.addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);
})();

// Text in a box, line by line. What wraps stands two letters further in than its line begins, so that no part
// of a line looks like a line; what is joined by a hyphen stays in one. None of it changes what is copied.
(() => {
  const onPhone = 38;  // letters that fit into every line there
  const shown = text => text.replace(/[&<>]/g, sign => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
  const joined = html => html.replace(/(<[^>]*>|&\w+;)|[-–](?=\S)/g, (sign, other) => other ?? `<span class="joint">${sign}</span>`);
  const hanging = (html, indent) => `<span class="long" style="padding-left: ${indent}ch; text-indent: -${indent}ch">${joined(html)}</span>`;
  const long = (html, text) => text.trimEnd().length <= onPhone ? html : hanging(html, text.search(/\S/) + 2);
  // A long word of code may go on in the next row after a bracket, a comma or a stop, rather than inside a name.
  const breakable = html => html.replace(/(?:<[^>]*>|&\w+;|[^\s<>&])+/g, word =>
    word.replace(/<[^>]*>|&\w+;/g, "").length < 30 ? word : word.replace(/(<[^>]*>)|(?:[[(,]|(?<!\d)\.)(?!$)/g, (sign, tag) => tag ?? `${sign}<wbr>`));
  const lines = text => text.split(/(?<=\n)/);
  const count = (some, what) => some.filter(what).length;

  // What belongs together in a printed line stays in one row where it wraps: "mean +4.63 ± 0.32", "[0.7 0.2 0.1]".
  // A line is cut after its semicolons, then at its commas and stops, then after ":" where more than a number follows, then before brackets.
  const separators = [/;\s+/y, /[,.]\s+/y, /:\s+(?=.{9})/y, /\s+(?=[[({])/y];
  const [mostLetters, number] = [30, /^[([{'"]*[+−–-]?\.?\d/];
  const measure = /^(?:%|[kKMG]i?B(?:\/s)?|B|[mµ]?s|GB\/s|nats|[TG]FLOP\/s|times|tokens|cards|keys|words|positions|million|of|±|×|÷|·|=|[\])}]+)['"]?[,;.:\])]*$/;
  const outside = (text, separator) => {
    const parts = [""];
    for (let i = 0, depth = 0; i < text.length; i += 1) {
      if ("([{".includes(text[i])) depth += 1;
      if (")]}".includes(text[i])) depth = Math.max(0, depth - 1);
      separator.lastIndex = i;
      const found = depth || !parts.at(-1).trim() ? null : separator.exec(text);
      parts[parts.length - 1] += found?.[0] ?? text[i];
      if (found) i += found[0].length - 1;
      if (found) parts.push("");
    }
    return parts.filter(Boolean);
  };
  const unit = text => text.replace(/^(\s*)(\S.*?)(\s*)$/s, (_, before, inside, after) => `${before}<span class="unit">${shown(inside)}</span>${after}`);
  const tied = (text, room) => {
    const words = text.match(/\s*\S+\s*/g) ?? [text];
    const ties = (a, b, last) => number.test(b) && (!number.test(a) || /^[±×÷·=]$/.test(a)) && a.length <= 14
      || (number.test(a) || /^[±×÷·]$/.test(a)) && measure.test(b) || /^\(\S+,$/.test(a) && number.test(b) || last && b.length <= 3;
    return words.reduce((parts, word, i) => {
      const before = parts.at(-1);
      const fits = before && (before + word).trim().length <= Math.min(room, mostLetters);
      if (fits && ties(words[i - 1].trim(), word.trim(), i === words.length - 1)) parts[parts.length - 1] += word;
      else parts.push(word);
      return parts;
    }, []).map(part => /\s/.test(part.trim()) ? unit(part) : shown(part)).join("");
  };
  const units = (text, room, level = 0) => {
    const size = text.trim().length;
    if (!/\d/.test(text)) return shown(text);
    if (size <= (/^\[+[^[\]]*\]+\W*$/.test(text.trim()) ? room : Math.min(room, mostLetters))) return unit(text);
    if (level === separators.length) return tied(text, room);
    return outside(text, separators[level]).map(part => units(part, room, level + 1)).join("");
  };
  // Blanks between columns. On a phone they are drawn narrower: site.css.
  const blanks = (text, name = "gap") => text.length > 1 ? `<span class="${name}" style="--n: ${text.length}">${text}</span>` : text;
  const spaced = (line, room) => {
    const [, indent, rest] = line.match(/^( *)(.*)$/s);
    const cells = outside(rest, / {2,}(?=\S|$)/y).map(cell => {
      const [, inside, gap] = cell.match(/^(.*?)( {2,})?$/s);
      return units(inside, room) + blanks(gap ?? "", "pad");
    });
    return blanks(indent, "indent") + cells.join("");
  };
  const printedLine = line => {
    if (line.trimEnd().length <= onPhone) return shown(line);
    const indent = line.search(/\S/) + 2;
    const [before, rest, room] = [line.slice(0, indent - 2), line.slice(indent - 2), onPhone + 2 - indent];
    const sentence = /[.?!][)”"]?$/.test(line.trimEnd()) && !/ {2}/.test(rest);
    return hanging(before + (sentence ? tied(rest, room) : spaced(rest, room)), indent);
  };
  const printed = text => lines(text).map(printedLine).join("");

  // Where the columns of some lines are apart: blank in all of them, but that some last cell may reach further.
  // Brackets are one thing, blanks and all.
  const gapsOf = rows => {
    const solid = rows.map(row => row.replace(/\[[^[\]]*\]/g, inside => "x".repeat(inside.length)));
    const longest = Math.max(...solid.map(row => row.trimEnd().length));
    const blank = (row, place) => (row[place] ?? " ").trim() === "";
    const lasts = solid.map(row => row.length - row.match(/(?:\S| (?! ))*$/)[0].trimStart().length);
    const apart = (place, from) => solid.every((row, i) => blank(row, place) || lasts[i] < from) && count(solid, row => blank(row, place)) * 5 >= solid.length * 4;
    const found = [];
    for (let place = 0; place < longest; place += 1) {
      if (!apart(place, place)) continue;
      let end = place;
      while (end < longest && apart(end, place)) end += 1;
      // One blank parts two columns where the first of them is mostly filled up with blanks.
      const filled = count(solid, row => place && blank(row, place - 1)) * 2 >= solid.length;
      if (place && end < longest && (end - place > 1 || filled)) found.push([place, end]);
      place = end;
    }
    return found;
  };
  const cellOf = (cell, place) => place ? spaced(cell, onPhone - 4) : `<span class="begins">${spaced(cell, onPhone - 4)}</span>`;
  const inRows = part => {
    const rows = part.map(line => line.trimEnd());
    const gaps = gapsOf(rows.filter(Boolean));
    const matrix = count(rows, row => /^\s*(\w+\()?\[/.test(row)) * 2 > rows.length;
    const heading = rows.find(Boolean);
    // A heading has words where most rows have numbers. It may hold a number ("after step 3"), but no result.
    const number = cell => /^[[(]?[+−-]?\d[\d,.]*%?[\])]?$/.test(cell);
    const numbers = row => count(row.trim().split(/ {2,}/), number);
    const headed = gaps.length > 1 && rows.length > 2 && !numbers(heading) && !/\d\.\d|[:;]/.test(heading) && count(rows, numbers) * 2 > rows.length;
    const html = part.map(line => {
      const end = gaps.reduce((from, [a, b]) => {
        const apart = line.slice(a, b);
        if (apart.trim() || line.length <= a) return from;
        const cell = line.slice(from.place, a);
        return { html: from.html + cellOf(cell, from.place) + blanks(apart), place: a + apart.length };
      }, { html: "", place: 0 });
      return `<span class="line">${joined(end.html + cellOf(line.slice(end.place), end.place))}</span>`;
    }).join("");
    return `<span class="columns${headed ? " headed" : ""}" data-least="${headed ? 0.7 : matrix || gaps.length > 1 ? 0.72 : 0.85}">${html}</span>`;
  };

  // What is printed in columns stays in them as far as it fits. Printed code keeps its indents, as a cell's code
  // does. From the first such line of a paragraph to its last one they are one, and with them short lines around
  // them where these are few.
  const aligned = line => /\S {2,}\S/.test(line);
  const statement = /^\s*(@\w+$|"""|(def|class|for|if|while|with) .*:$|return |import |from \S+ import |[\w.,*()[\] ]+ [-+*/|&]?= \S)|^\s+[\w.]+(\[.*\])?\(.*\)$/;
  const code = line => statement.test(line.trimEnd());
  const kept = line => aligned(line) || code(line);
  const together = (part, belongs) => {
    const [first, last] = [part.findIndex(belongs), part.findLastIndex(belongs)];
    if (first < 0) return printed(part.join(""));
    const inside = part.slice(first, last + 1);
    const program = count(inside, code) >= 3 * count(inside, line => aligned(line.replace(/ {2,}#.*/, ""))) && inside.some(code);
    const html = program ? `<span class="columns code">${inside.map(line => long(breakable(shown(line)), line)).join("")}</span>` : inRows(inside);
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
    // So does a row whose numbers fill up their columns.
    const shape = line => line.replace(/[\d.,]*\d/g, "0").replace(/ +/g, " ").trim();
    const shapes = new Set(every.filter(aligned).map(shape));
    const belongs = line => kept(line) || shapes.has(shape(line)) || !sentence(line) && row(line) || most && line.length <= 60;
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
    each.innerHTML = lines(each.innerHTML).map(line => long(breakable(line), text(line))).join("");
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
