"""What the tests of fragments and of pages read them with: the elements, the words, the numbers, the addresses."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

ADDRESS = {"src", "href", "srcset", "action", "data", "poster", "background", "formaction", "xlink:href"}


class Page(HTMLParser):
    """Elements (tag, attributes), text by tag, and complaints about what is not closed."""

    def __init__(self, content):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self.open, self.complaints = [], [], [], []
        self.feed(content)
        self.close()
        self.complaints += [f"not closed: {tag}" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.complaints.append(f"closed out of order: {tag}")

    def handle_data(self, data):
        if not self.open or self.open[-1] not in {"style", "script"}:
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())

    @property
    def tags(self):
        return {tag for tag, _ in self.elements}

    @property
    def numbers(self):
        """Every number in the page, to the last bit."""
        return [float(a["value"]) for tag, a in self.elements if tag == "data"]

    @property
    def addresses(self):
        return [v for _, a in self.elements for k, v in a.items() if k in ADDRESS]


def harmless(content):
    """Complaints about a page or fragment that could load, run or lead anywhere."""
    page = Page(content)
    found = list(page.complaints)
    found += [
        f"element {t}" for t in page.tags & {"script", "iframe", "object", "embed", "link", "base", "form", "img"}
    ]
    found += [f"handler {k}" for _, a in page.elements for k in a if k.startswith("on")]
    found += [f"address {v}" for v in page.addresses if not v.startswith(("#", "data:"))]
    style = "".join(re.findall(r"<style>(.*?)</style>", content, flags=re.DOTALL))
    found += re.findall(r"url\((?!#|['\"]?data:)|@import|expression\(", style)
    found += [f"style {a['style']}" for _, a in page.elements if "url(" in a.get("style", "")]
    found += re.findall(r"[\x00-\x08\x0b\x0e-\x1f\x7f]", content)
    return found


def tree(content):
    """The page or fragment read as XML, which is stricter than a browser."""
    return ElementTree.fromstring(content.removeprefix("<!DOCTYPE html>\n"))


def svgs(content):
    """Every figure with a text alternative: (title, description)."""
    root = tree(content)
    figures = [s for s in root.iter() if s.tag.endswith("svg") and s.get("aria-hidden") != "true"]
    return [(s.findtext("title"), s.findtext("desc"), s) for s in figures]
