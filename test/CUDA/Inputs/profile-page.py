"""Looks at pages of ptx-env: source, PTX and microcode beside each other, and advice that leads to its lines.

usage: profile-page.py FOLDER-OF-BROWSER.PY PAGE LIMITER SOURCE LINE [FRAME]

PAGE is of a program with line information that LIMITER holds back at LINE of SOURCE. FRAME is a page with a page of
heddle.profile() in a frame.
"""
import sys

sys.path.insert(0, sys.argv[1])
from browser import Browser  # noqa: E402


def main():
    page, limiter, source, line = sys.argv[2:6]
    with Browser() as browser:
        browser.open(page)
        browser.click("#tab-overview")
        assert limiter + "?" in browser.run("document.querySelector('main table').innerText")
        browser.click("#tab-details")
        names = browser.run("[...document.querySelectorAll('.advice')].map((a) => a.querySelector('b').textContent + a.querySelector('.dim').textContent)")
        assert limiter + "(suspected)" in names, names
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
        assert not browser.complaints()
        if len(sys.argv) > 6:
            browser.open(sys.argv[6])
            frame = "document.querySelector('iframe').contentWindow"
            browser.wait(frame + ".document.documentElement.dataset.ready")
            browser.run(frame + ".document.getElementById('tab-code').click()")
            browser.wait("!!" + frame + ".document.querySelector('#pane-code .code.has')")
            assert not browser.complaints()
    print("looked at")


if __name__ == "__main__":
    main()
