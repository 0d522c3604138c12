"""What a page must have beside its function: names, contrast, sizes, weight, in Chromium."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.project import ROOT, TIMEOUT
from tests.web.conftest import PHONE
from tests.web.program import Open, Server
from tests.web.runs.test_watch import STANDINGS, write_run

TABS = {
    **{"play": "[data-cell]", "review": ".panel", "puzzles": "[data-cell]"},
    **{"watch": ".chart", "explain": ".tree .node", "friends": ".panel"},
}
"""What each tab shows when it is loaded."""
CONTROLS = {
    *("button", "checkbox", "combobox", "gridcell", "image", "img", "link", "progressbar"),
    *("radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox"),
}
"""Roles that need a name."""

MARKUP = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  return {
    lang: document.documentElement.lang,
    viewport: document.querySelector("meta[name=viewport]")?.content,
    twice: ids.filter((each, n) => ids.indexOf(each) !== n),
    bare: [...document.images].filter((each) => !each.hasAttribute("alt")).map((each) => each.src),
    width: document.scrollingElement.scrollWidth,
  };
}"""
SMALL = """() => {
  const shown = [...document.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }));
  return shown.flatMap((each) => {
    // A click on its label is a click on the control.
    const parts = [each, ...each.labels ?? []].map((part) => part.getBoundingClientRect());
    const spread = (side, size) => Math.max(...parts.map((part) => part[side]))
      - Math.min(...parts.map((part) => part[size]));
    const [width, height] = [spread("right", "left"), spread("bottom", "top")];
    const words = `${each.outerHTML.slice(0, 80)} ${width} ${height}`;
    return Math.min(width, height) < 24 ? [words] : [];
  });
}"""
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = rgba(colour).map((part) => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if (rgba(backgroundColor)[3] === 255) return backgroundColor;
    }
    return "white";
  };
  const texts = document.evaluate("//body//text()[normalize-space()]", document, null,
    XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  const found = [];
  for (let n = 0; n < texts.snapshotLength; n += 1) {
    const element = texts.snapshotItem(n).parentElement, isSvg = element.closest("svg") !== null;
    const isName = element.closest(".names") !== null;
    // Numbers on cells have the colours of the evaluation below them.
    const isShown = element.checkVisibility({ visibilityProperty: true });
    if (!isShown || element.matches(":disabled, option") || (isSvg && !isName)) continue;
    const style = getComputedStyle(element);
    const both = [luminance(isSvg ? style.fill : style.color), luminance(behind(element))];
    found.push([isName, texts.snapshotItem(n).textContent.slice(0, 30),
      (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)]);
  }
  return found;
}"""


@pytest.fixture(autouse=True)
def _run(server: Server) -> None:
    """Let there be a run to watch."""
    run = write_run(server.folder / "runs" / "good")
    (run / "standings.json").write_text(json.dumps(STANDINGS))


def open_tab(page: Page, server: Server, name: str) -> None:
    """Open a tab of a page, and wait until it is filled."""
    page.goto(f"{server.link}#{name}")
    expect(page.locator(f"#{name} {TABS[name]}").first).to_be_attached()
    expect(page.locator(f"#{name}")).to_be_visible()


def unnamed(page: Page) -> list[str]:
    """Return the roles of controls that have no accessible name."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    shown = (each for each in nodes if not each["ignored"])
    return [
        each["role"]["value"]
        for each in shown
        if each["role"]["value"] in CONTROLS and not each.get("name", {}).get("value", "").strip()
    ]


def check(page: Page, width: int) -> None:
    """Check that a tab is sound markup that fits and can be touched."""
    for each in page.locator("details:visible").all():
        each.evaluate("(details) => { details.open = true; }")
    found = page.evaluate(MARKUP)
    assert found.pop("viewport").startswith("width=device-width"), page.url
    assert found.pop("width") <= width, page.url
    assert found == {"lang": "en", "twice": [], "bare": []}, page.url
    assert unnamed(page) == [], page.url
    assert page.evaluate(SMALL) == [], page.url


def test_each_tab_fits_a_phone_can_be_read_and_lists_keys(open_page: Open, server: Server) -> None:
    page = open_page("", **PHONE)
    for name in TABS:
        open_tab(page, server, name)
        check(page, 390)
    docs = (ROOT / "docs" / "page.md").read_text("utf-8").partition("## Keys")[2]
    in_docs = {*re.findall("`(.)`", docs.partition("\n## ")[0])}
    page, names = open_page("", color_scheme="light"), 0
    rows = " ".join(page.locator("#play dl > *").all_text_contents()).lower()
    shortcuts = "all => all.map((each) => each.ariaKeyShortcuts.toLowerCase())"
    for name in TABS:
        open_tab(page, server, name)
        keys = {*page.locator(f"#{name} [aria-keyshortcuts]").evaluate_all(shortcuts)}
        own = {key for key in keys if len(key) == 1}
        assert own <= in_docs, name
        if name == "play":
            assert {"5", "x"} < own <= {*rows.replace(",", " ").split()}
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            for is_name, text, contrast in page.evaluate(CONTRASTS):
                assert contrast >= 4.5, (name, theme, text)
                names += is_name
        check(page, 1280)
    assert names > 12


def test_the_page_is_light_and_loads_only_its_own_files(browser: Browser, server: Server) -> None:
    page = browser.new_context().new_page()
    page.set_default_timeout(1000 * TIMEOUT)
    problems, urls = list[str](), set[str]()
    page.on("console", lambda said: problems.extend([said.text] if said.type == "error" else []))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: urls.add(request.url))
    for name in TABS:
        open_tab(page, server, name)
        if name == "play":
            modules = {url for url in urls if url.endswith(".js")}
    preloads = set(re.findall(r'"modulepreload" href="/(static/\w+/\w+\.js)"', server.page()))
    first = {f"{server.link}static/page/{each}.js" for each in ("page", "theme")}
    assert modules | first == {f"{server.link}{each}" for each in preloads} | first
    assert len(preloads) > 20
    assert problems == []
    own = re.compile(rf"(data:|{re.escape(server.link)}).*")
    assert [url for url in urls if not own.fullmatch(url)] == []
    entries = page.evaluate(
        "['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))"
        ".map((each) => [each.name, each.encodedBodySize])"
    )
    loaded = {name: size for name, size in entries if "/api/" not in name}
    assert loaded[f"{server.link}static/watch/watch.js"] > 1000
    assert sum(loaded.values()) < 150_000
    page.context.close()
