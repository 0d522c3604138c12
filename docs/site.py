"""What the site of these docs adds to MkDocs: a board to play on, and files outside ``docs/``.

Its root is ``docs/``: the README becomes the first page, and other linked files lie beside it. The
first page begins with the exported page of the best net, in place of the README's moving picture.
"""

import json
import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
_UNMOVED = (
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "benchmarks/README.md", "nets/README.md"),
    *("benchmarks/learning.md", "nets/best.yaml", "oht_client/official.py", "params.yaml"),
)
OUTSIDE = {"README.md": "index.md", **{name: name for name in _UNMOVED}}
"""Files outside ``docs/``, and where they are in the site."""
_PICTURE = re.compile(r"<!-- play -->\n.*?\n<!-- played -->\n", re.DOTALL)
_BOARD = """<iframe class="play" src="play.html#1.1.casual.7.swap" title="A game of Hex"></iframe>

You are red and join top and bottom. <a href="play.html">The board alone</a>, for a phone, too; it
also works as a saved file, without a network.
"""
_LINK = re.compile(r"(?P<before>\]\(|src=\")(?!https?:|#|data:)(?P<target>[^)\"#\s]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what lies outside ``docs/``, and the notebook as a page."""
    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / source)))
    content = notebook_page(ROOT / "docs" / "notebook.ipynb")
    files.append(File.generated(config, "notebook.md", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    name = page.file.src_uri
    real = {site: source for source, site in OUTSIDE.items()}.get(name, f"docs/{name}")

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(real), link["target"]))
        there = OUTSIDE.get(target, target.removeprefix("docs/"))
        if (ROOT / target).is_dir():
            there = OUTSIDE.get(f"{target}/README.md", there)
        return link["before"] + os.path.relpath(there, posixpath.dirname(name) or ".")

    if real == "README.md":
        markdown, boards = _PICTURE.subn(_BOARD, markdown)
        assert boards == 1
    return _LINK.sub(moved, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Add what the theme's switch of colours looks for, since it loads no highlighter."""
    return output.replace("</head>", '<link id="hljs-light"><link id="hljs-dark"></head>', 1)


@event_priority(-100)  # after the search plugin has written its index
def on_post_build(config: MkDocsConfig) -> None:
    """Write the page that plays, and the index of the search for pages that are opened as files."""
    board = Path(config.site_dir) / "play.html"
    board.unlink(missing_ok=True)
    export = [sys.executable, "main.py", "export", "--html", "best", "--out", str(board)]
    subprocess.run(export, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    folder = Path(config.site_dir) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"const searchIndex = {index};\n", encoding="utf-8")


def notebook_page(path: Path) -> str:
    """Return an executed notebook as Markdown: text, code, and what the code has put out."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                picture = "".join(data["image/png"]).replace("\n", "")
                parts.append(f'<img src="data:image/png;base64,{picture}" alt="The picture">')
            elif text := "".join(output.get("text", data.get("text/plain", ""))).rstrip():
                parts.append(f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"
