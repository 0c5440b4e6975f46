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
# On a desk a line of code is seen whole.
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
        const found = Array.from(each.querySelectorAll(".long")).filter(line => !hangs(line))
            .map(line => line.textContent.trim().slice(0, 60));
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (!text.parentElement.closest(".long")) found.push(...torn(text));
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
