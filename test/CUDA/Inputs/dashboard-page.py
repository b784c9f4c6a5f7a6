"""Looks at the page of a dashboard as a reader would, while a program runs.

usage: dashboard-page.py PTX FOLDER-OF-BROWSER.PY [PICTURES]
"""
import os
import sys

sys.path.insert(0, sys.argv[2])
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402
from dashboard import SCALE, Live  # noqa: E402



def card(browser, title):
    return browser.run("[...document.querySelectorAll('.card')].find((c) => c.lastChild.textContent === a[0]).firstChild.textContent", title)


def kernel_rows(browser):
    return browser.run("[...document.getElementById('filter').closest('section').querySelectorAll('tbody tr')].map((r) => [...r.children].map((c) => c.textContent))")


def check_figures(live, browser):
    """What the page says is what the program did."""
    live.do("launch scale 5")
    live.do("launch touch 2")
    live.do("allocate 1000000")
    browser.wait("board.state && board.state.launches === 7 && board.state.memory > 1e6")
    assert card(browser, "launches") == "7" and card(browser, "faults") == "0" and card(browser, "processes") == "1 of 1"
    assert card(browser, "memory of devices") == "1 MB" and card(browser, "loads found in L1").endswith(" %")
    rows = kernel_rows(browser)
    assert {row[0] for row in rows} == {"scale<\u2026>(float*)", "touch(int*)"}, rows
    assert sorted(row[3] for row in rows) == ["2", "5"]
    browser.wait("[...document.querySelectorAll('canvas')].length === 4 && [...document.querySelectorAll('canvas')].every((c) => c.chart)")
    charts = browser.run("[...document.querySelectorAll('canvas')].map((c) => [c.getAttribute('aria-label'), c.chart.data.labels || [], c.chart.data.datasets[0].data])")
    by_name = {name: (labels, data) for name, labels, data in charts}
    state = live.state()
    assert by_name["Time by kernel"][1] == [kernel["ns"] / 1e3 for kernel in state["kernels"]]
    total = sum(s["cycles"] for s in state["states"])
    shown = dict(zip(*by_name["What warps do"]))
    assert all(abs(shown[s["name"]] - 100 * s["cycles"] / total) < 1e-9 for s in state["states"] if s["cycles"])
    # It goes on by itself, and the rate of launches is what its samples are.
    live.do("launch scale 20")
    browser.wait("board.state.launches === 27")
    browser.wait("(() => { const c = document.querySelector('canvas').chart.data.datasets[0].data; return c.some((p) => p.y > 0) && c[c.length - 1].y === 0; })()")
    assert browser.run("document.querySelector('canvas').chart.data.datasets[0].data.reduce((sum, p, i, all) => sum + (i ? p.y * (p.x - all[i - 1].x) : 0), 0)") > 19
    text = browser.run("document.getElementById('main').innerText")
    assert not browser.run(r"/\de[+-]?\d\d/.test(a[0]) || /NaN|undefined|\[object|Infinity/.test(a[0])", text), text


def check_reading(browser, live):
    """Sorting, searching, opening a name, holding the page still; by keys too."""
    browser.run("(document.querySelector('.name button').click(), document.querySelector('.name button').setAttribute('data-mine', ''), 1)")
    opened = browser.run("document.querySelector('.name button').textContent")
    head = "document.getElementById('filter').closest('section').querySelectorAll('th')[3]"
    browser.run(head + ".focus()")
    browser.press("\ue007")
    assert [row[3] for row in kernel_rows(browser)] == ["25", "2"] and browser.run(head + ".getAttribute('aria-sort')") == "descending"
    browser.press("\ue007")
    assert [row[3] for row in kernel_rows(browser)] == ["2", "25"]
    live.do("launch touch 1")
    browser.wait("board.state.launches === 28")
    assert [row[3] for row in kernel_rows(browser)] == ["3", "25"]
    # What was opened stays so, and the focus where it was.
    assert browser.run("document.querySelector('[data-mine]').textContent") == opened
    assert browser.run(head + " === document.activeElement")
    browser.press("/")
    browser.type("#filter", "SCALE")
    assert [row[3] for row in kernel_rows(browser)] == ["25"]
    browser.press("\ue00c")
    browser.run("(document.getElementById('filter').value = '', document.getElementById('filter').dispatchEvent(new Event('input')), 1)")
    browser.press("p")
    assert browser.run("document.getElementById('status').textContent") == "held"
    live.do("launch touch 1")
    browser.wait("board.state.launches === 29")
    assert card(browser, "launches") == "28"
    browser.click("#pause")
    assert card(browser, "launches") == "29" and browser.run("document.getElementById('status').textContent") == "running"
    browser.press("?")
    assert browser.run("document.getElementById('keys').open")
    browser.press("\ue00c")


def check_theme(browser):
    shade = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, n) => sum + Number(n), 0)"
    before = browser.run(shade)
    browser.press("t")
    assert (before > 600) != (browser.run(shade) > 600)
    browser.wait("[...document.querySelectorAll('canvas')].length === 4 && [...document.querySelectorAll('canvas')].every((c) => c.chart)")


def main():
    pictures = sys.argv[3] if len(sys.argv) > 3 else None
    with Live(sys.argv[1]) as live, Browser(1100, 1180) as browser:
        browser.open(live.url)
        check_figures(live, browser)
        check_reading(browser, live)
        check_theme(browser)
        if pictures:
            browser.picture(os.path.join(pictures, "live-dark.png"))
        browser.press("t")
        live.do("run launch scale 30")
        live.do("launch wrong 1")
        browser.wait("document.querySelector('.fault')")
        fault = browser.run("document.querySelector('.fault').textContent")
        assert fault.startswith("null in wrong(int*)") and "live.ptx:35" in fault and card(browser, "faults") == "1", fault
        assert card(browser, "processes") == "1 of 2"
        if pictures:
            browser.picture(os.path.join(pictures, "live.png"))
        browser.imitate_phone()
        browser.wait("innerWidth < 400")
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        if pictures:
            browser.picture(os.path.join(pictures, "live-phone.png"))
        # The last figures stay when the program is over.
        live.end()
        browser.wait("document.getElementById('status').textContent.startsWith('ended after')")
        assert card(browser, "launches") == "60" and card(browser, "kernels a second") == "0" and card(browser, "memory of devices") == "0 B"
        assert SCALE in browser.run("board.state.kernels.map((k) => k.name)")
        complaints = browser.complaints()
        assert not complaints, complaints
    print("looked at")


if __name__ == "__main__":
    main()
