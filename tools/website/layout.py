"""What a browser is asked about a page's layout: each script lists the places where something is wrong.

check.py runs them on every page of the site, on a desk, on a phone, or on both.
"""

# What is wider than its place and can be pushed sideways. A table, code or a formula in its own box may: WCAG
# 1.4.10.
SIDEWAYS = """() => {
    const wide = each => each.scrollWidth > each.clientWidth + 1
        && ["auto", "scroll"].includes(getComputedStyle(each).overflowX) && each.clientWidth > 0
        && !each.matches(".pst-scrollable-table-container, .wide-table, pre, .columns, mjx-container");
    const page = document.documentElement;
    const found = Array.from(document.querySelectorAll("main *")).filter(wide).map(
        each => `${each.tagName.toLowerCase()}.${each.className}: ${each.textContent.trim().slice(0, 40)}`);
    return page.scrollWidth > window.innerWidth ? [`the page is ${page.scrollWidth} wide`, ...found] : found;
}"""
# What can be pushed can be reached with the keyboard.
OUT_OF_REACH = """() => Array.from(document.querySelectorAll("main *")).filter(each =>
    each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1 && each.tabIndex < 0
    && ["auto", "scroll"].includes(getComputedStyle(each).overflowX)
    && !each.querySelector("a, button, [tabindex]")
).map(each => each.textContent.trim().slice(0, 40))"""
# A line of code is seen whole.
CUT_OFF = """() => Array.from(document.querySelectorAll("main pre, main pre > .columns.code")).filter(
    each => each.clientWidth && each.scrollWidth > each.clientWidth + 1
).map(each => each.textContent.trim().slice(0, 40))"""
# What wraps in a box of code or print stands further in than its line begins, and no line ends at a hyphen.
TORN = """() => {
    const range = document.createRange();
    const places = (text, from, to) => {
        range.setStart(text, from);
        range.setEnd(text, to);
        return Array.from(range.getClientRects()).filter(each => each.width);
    };
    // Where each row begins. Signs of another font stand a little higher or lower in theirs.
    const rows = rects => rects.sort((a, b) => a.top - b.top).reduce((found, { top, left }) => {
        const last = found.at(-1);
        if (!last || top > last.top + 8) return [...found, { top, left }];
        last.left = Math.min(last.left, left);
        return found;
    }, []).map(each => each.left);
    const hangs = line => {
        range.selectNodeContents(line);
        const [first, ...others] = rows(Array.from(range.getClientRects()).filter(each => each.width));
        return others.every(each => each > first + 5);
    };
    const torn = text => Array.from(text.data.matchAll(/[^\\n]{35,}/g)).filter(({ 0: line, index }) =>
        rows(places(text, index, index + line.length)).length > 1
    ).map(({ 0: line }) => line.trim().slice(0, 60));
    const parted = text => Array.from(text.data.matchAll(/\\w[-–]\\w/g)).some(({ index }) => {
        const [sign, letter] = [1, 2].map(n => places(text, index + n, index + n + 1)[0]);
        return sign && letter && letter.top > sign.top + 5;
    });
    const boxes = Array.from(document.querySelectorAll("main pre")).filter(each => each.clientWidth);
    return boxes.flatMap(each => {
        const texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
        const found = Array.from(each.querySelectorAll(".long, .rows .line")).filter(line => !hangs(line))
            .map(line => line.textContent.trim().slice(0, 60));
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (!text.parentElement.closest(".long, .rows .line")) found.push(...torn(text));
            if (parted(text)) found.push(`${text.data.trim().slice(0, 60)} (at a hyphen)`);
        }
        return found;
    });
}"""
# A full stop or a bracket after a word of code stands in the line in which that word ends.
LONELY = """() => Array.from(document.querySelectorAll("main code.literal")).filter(each => {
    const after = each.nextSibling;
    if (!(after instanceof Text) || !/^[.,;:)]/.test(after.data) || !each.offsetWidth) return false;
    const sign = document.createRange();
    sign.setStart(after, 0);
    sign.setEnd(after, 1);
    return sign.getBoundingClientRect().left < Array.from(each.getClientRects()).at(-1).right - 2;
}).map(each => each.textContent.slice(0, 60))"""
# A heading's own link, which is mostly unseen, takes no line of its own.
EMPTY_LINE = """() => Array.from(document.querySelectorAll(":is(h1, h2, h3) > .headerlink")).filter(each => {
    const heading = each.parentElement, before = heading.offsetHeight;
    each.style.display = "none";
    const without = heading.offsetHeight;
    each.style.display = "";
    return before > without + 5;
}).map(each => each.parentElement.textContent.slice(0, 60))"""
# Beside formulas of full size, one that is much smaller cannot be read.
TOO_SMALL = """() => Array.from(document.querySelectorAll("mjx-container[display='true'] > mjx-math")).filter(
    each => Number(getComputedStyle(each).zoom) < 0.79
).map(each => each.parentElement.textContent.slice(0, 40))"""

# On a phone print can be read without a push: it wraps, or has smaller letters. Only a table that has
# a heading and three columns or more may be pushed, where it is too wide even so.
SWIPED = """() => Array.from(document.querySelectorAll("main pre, main pre > .columns")).filter(each => {
    if (!each.clientWidth || each.scrollWidth <= each.clientWidth + 1) return false;
    const lines = each.textContent.split("\\n").filter(line => line.trim());
    const inColumns = lines.filter(line => line.trim().split(/ {2,}/).length > 2);
    const results = lines[0].trim().split(/ {2,}/).some(cell => /^[\\d.,]+$/.test(cell));
    return lines.length < 3 || results || inColumns.length * 2 < lines.length;
}).map(each => each.textContent.trim().slice(0, 60))"""
# In a box of which a part is pushed only sentences wrap: else one row would be seen whole, and another not.
MIXED = """() => Array.from(document.querySelectorAll("main pre")).filter(each => {
    const parts = [each, ...each.querySelectorAll(".columns")].filter(
        part => part.clientWidth && part.scrollWidth > part.clientWidth + 1);
    const lines = parts.flatMap(part => part.textContent.split("\\n"));
    const longest = Math.max(0, ...lines.map(line => line.length));
    const wraps = line => line.offsetHeight > 1.5 * parseFloat(getComputedStyle(line).lineHeight);
    return parts.length && Array.from(each.querySelectorAll(".long, .rows .line")).some(line =>
        wraps(line) && line.textContent.length < 1.4 * longest && !/[.?!)]$/.test(line.textContent.trim()));
}).map(each => each.textContent.trim().slice(0, 60))"""
# What can be pushed says so: a shadow at its edge is easily overlooked.
UNSIGNED = """() => Array.from(document.querySelectorAll(
    "main :is(pre, .columns, .pst-scrollable-table-container, mjx-container[display='true'])"
)).filter(each => each.clientWidth && each.scrollWidth > each.clientWidth + 1
    && ["auto", "scroll"].includes(getComputedStyle(each).overflowX)
    && !getComputedStyle(each, "::after").content.includes("→")
).map(each => each.textContent.trim().slice(0, 60))"""
# A number does not stand alone in the last row of a line, away from the word that says what it is.
ALONE = """() => {
    const range = document.createRange();
    const top = (line, from) => {
        const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let passed = 0; texts.nextNode(); passed += texts.currentNode.data.length) {
            const place = from - passed;
            if (place >= texts.currentNode.data.length) continue;
            range.setStart(texts.currentNode, place);
            range.setEnd(texts.currentNode, place + 1);
            return range.getBoundingClientRect().top;
        }
    };
    const lines = "main :is(.cell_output, .highlight-text) pre :is(.long, .rows .line)";
    return Array.from(document.querySelectorAll(lines)).filter(line => {
        const found = line.textContent.match(/(?<!\\S)([^\\s\\d]\\S*)\\s+([+−-]?[\\d.,]*\\d[%.,;:)]*)\\s*$/);
        if (!found || !line.offsetWidth || found[1].length > 14) return false;
        const number = line.textContent.indexOf(found[2], found.index + found[1].length);
        return top(line, number) > top(line, found.index) + 5;
    }).map(line => line.textContent.trim().slice(-60));
}"""
# Smaller letters of print than these cannot be read on a phone.
TINY = """() => Array.from(document.querySelectorAll("main pre, main pre > .columns")).filter(
    each => each.clientWidth && parseFloat(getComputedStyle(each).fontSize) < 8.3
).map(each => each.textContent.trim().slice(0, 60))"""

# {what is wrong: which script finds it}, at every width and on a phone.
ANYWHERE = {
    "a line of code is cut off": CUT_OFF,
    "what follows code begins a line": LONELY,
    "a line is torn": TORN,
    "no key gets there": OUT_OF_REACH,
}
ON_PHONE = {
    "can be pushed sideways": SIDEWAYS,
    "a formula is too small": TOO_SMALL,
    "cannot be read without a push": SWIPED,
    "some rows wrap and some are pushed": MIXED,
    "no sign says that it can be pushed": UNSIGNED,
    "a number stands alone": ALONE,
    "letters of print are too small": TINY,
}
