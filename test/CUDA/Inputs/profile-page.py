"""Looks at pages of ptx-env: source, PTX and microcode beside each other, and advice that leads to its lines.

usage: profile-page.py FOLDER-OF-BROWSER.PY PAGE LIMITER SOURCE LINE [FRAME]

PAGE is of a program with line information that LIMITER holds back at LINE of SOURCE. FRAME is a page with a page of
heddle.profile() in a frame.
"""
import os
import sys

sys.path[:0] = [sys.argv[1], os.path.dirname(os.path.abspath(sys.argv[1]))]
from browser import Browser  # noqa: E402
from page import TABS, check_phone, check_tabs  # noqa: E402


def check_reading(browser, page):
    """Keys, both themes, and a baseline: the page itself, against which nothing changes."""
    for key, name in zip("12345", TABS):
        browser.press(key)
        assert browser.run("view.tab") == name
    shade = "getComputedStyle(document.body).backgroundColor"
    before = browser.run(shade)
    browser.press("t")
    assert browser.run(shade) != before
    browser.press("t")
    assert browser.run(shade) == before
    browser.type("#baseline", os.path.abspath(page))
    browser.wait("!!view.baseline")
    for name in TABS:
        browser.click("#tab-" + name)
        changes = browser.run("[...document.querySelectorAll('.delta')].map((e) => e.textContent)")
        # A kernel that computes nothing with floats has no place under a roof.
        assert (changes or name == "roofline") and set(changes) <= {"\u00b10 %"}, (name, changes)
    browser.run("setBaseline(null)")


def main():
    page, limiter, source, line = sys.argv[2:6]
    with Browser() as browser:
        browser.open(page)
        browser.click("#tab-overview")
        assert limiter + " (" in browser.run("document.querySelector('main table').innerText")
        browser.click("#tab-details")
        # What the advice would save is proved: the launch ran again without the limiter.
        found = browser.run("[...document.querySelectorAll('.advice p')].map((p) => p.textContent)")
        assert any(text.startswith(limiter + " \u2212") and "cycles if" in text for text in found), found
        lines = browser.run("[...document.querySelectorAll('.advice .lines button')].map((b) => b.textContent)")
        assert lines and not any(":0 " in text for text in lines), lines
        browser.run("[...document.querySelectorAll('.advice')].find((e) => e.querySelector('b').textContent === a[0]).querySelector('button').click()", limiter)
        browser.wait("!!document.querySelector('.code.current')")
        assert browser.run("document.querySelector('#pane-source .current .at').textContent") == line
        assert source in browser.run("document.querySelector('#pane-source h2').textContent")
        # What belongs to the line is shown in the other panes: text of PTX, and microcode with operands.
        ptx = browser.run("[...document.querySelectorAll('#pane-ptx .linked')].map((r) => r.lastChild.textContent)")
        code = browser.run("[...document.querySelectorAll('#pane-code .linked')].map((r) => r.lastChild.textContent)")
        assert any("ld." in text for text in ptx), ptx
        assert any(text.startswith("LD") and "R" in text[3:] for text in code), code
        # And back from the microcode.
        browser.run("[...document.querySelectorAll('#pane-code .linked')].find((r) => r.lastChild.textContent.startsWith('LD')).click()")
        assert browser.run("[...document.querySelectorAll('#pane-source .linked .at')].map((e) => e.textContent)") == [line]
        check_tabs(browser, None)
        check_reading(browser, page)
        assert not browser.complaints()
        if len(sys.argv) > 6:
            browser.open(sys.argv[6])
            frame = "document.querySelector('iframe').contentWindow"
            browser.wait(frame + ".document.documentElement.dataset.ready")
            browser.run(frame + ".document.getElementById('tab-code').click()")
            browser.wait("!!" + frame + ".document.querySelector('#pane-code .code.has')")
            assert not browser.complaints()
        check_phone(browser, page, None)
        assert not browser.complaints()
    print("looked at")


if __name__ == "__main__":
    main()
