"""Clicks through the page of a profile as a reader would.

usage: page.py PAGE REPORT BASELINE MANY INLINED [PICTURES]

PAGE is a page of the launches of limiters.py, REPORT the same as JSON, BASELINE a report of other code of them, and
MANY a page of a thousand launches, INLINED one of inlined.json. Pictures go to a folder, if one is named.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from browser import Browser  # noqa: E402

TABS = ("overview", "details", "roofline", "memory", "code")
CHART = "document.querySelector('%s canvas').chart"


def check_formats(browser):
    """Numbers, units and names, against what people write."""
    for script, text in (
            ("formatNumber(1363150)", "1.36 M"), ("formatNumber(999.7e3)", "1 M"), ("formatNumber(9999)", "9,999"),
            ("formatNumber(0.25)", "0.25"), ("formatNumber(65536)", "65.5 k"), ("formatSI(12.4e9, 'B/s')", "12.4 GB/s"),
            ("formatSI(512, 'B')", "512 B"), ("formatTime(3.2)", "3.2 \u00b5s"), ("formatTime(0.4567)", "457 ns"),
            ("formatTime(1500)", "1.5 ms"), ("formatMetric(99.97, '%')", "100 %"), ("formatMetric(1, 'warp')", "1 warp"),
            ("formatMetric(8, 'warp')", "8 warps"), ("formatChange(90, 100)", "\u221210.0 %"), ("formatChange(5, 5)", "\u00b10 %"),
            ("shortName('void a::f<b::c<int, 3>, (d)1>(int*) ')", "a::f<\u2026>"), ("shortName('f(int (*)(float))')", "f"),
            ("shortName('s::operator<< <int>(s&)')", "s::operator<< <int>"), ("shortName('saxpy')", "saxpy"),
            ("shortName('(anonymous namespace)::k(int)')", "(anonymous namespace)::k")):
        assert browser.run(script) == text, (script, browser.run(script))


def check_tabs(browser, pictures):
    """Each part is there, says no number as a machine does, and asks nothing of any network."""
    for name in TABS:
        browser.click("#tab-" + name)
        assert browser.run("document.querySelector('#tab-' + a[0]).getAttribute('aria-selected')", name) == "true"
        text = browser.wait("document.getElementById('main').innerText")
        assert len(text) > 200, (name, text)
        assert not browser.run(r"/\de[+-]?\d\d/.test(a[0]) || /NaN|undefined|\[object|Infinity/.test(a[0])", text), (name, text)
        browser.wait("[...document.querySelectorAll('canvas')].every((canvas) => canvas.chart)")
        if pictures:
            browser.picture(os.path.join(pictures, "page-%s.png" % name))
    assert browser.run("performance.getEntriesByType('resource').length") == 0


def check_overview(browser, report):
    browser.click("#tab-overview")
    rows = browser.run("[...document.querySelectorAll('main section:nth-of-type(1) tbody tr')].length")
    kernels = {launch["kernel"] for launch in report["launches"]}
    assert rows == len(kernels), rows
    # The name of a template folds.
    assert "transposeShared<\u2026>" in browser.run("document.querySelector('main').innerText.replace(/\\s+/g, '')")
    fold = "[...document.querySelectorAll('.name button')].find((b) => b.title === '<256, 32>')"
    browser.run(fold + ".click()")
    assert browser.run(fold + ".textContent") == "<256, 32>"
    # A row leads to the slowest launch of its kernel, by the keyboard too.
    browser.run("document.querySelector('main tbody tr').focus()")
    browser.press("\ue007")
    slowest = max(report["launches"], key=lambda l: l["profile"]["cycles"])
    assert browser.run("view.tab + view.launch.index") == "details%d" % report["launches"].index(slowest)


def check_roofline(browser, report):
    """A point can be hovered and clicked, and is where arithmetic says."""
    browser.click("#tab-roofline")
    browser.wait("!!" + CHART % "#main")
    place = browser.run("""(() => {
        const chart = document.querySelector('#main canvas').chart, box = chart.canvas.getBoundingClientRect();
        for (const [index, set] of chart.data.datasets.entries())
          for (const [place, point] of set.data.entries())
            if (set.isPoints && point.level === 'DRAM' && point.launch.short === 'demo::diverging') {
              const drawn = chart.getDatasetMeta(index).data[place];
              return { x: box.x + drawn.x, y: box.y + drawn.y, intensity: point.x, rate: point.y, index: point.launch.index };
            }
    })()""")
    roofline = report["launches"][place["index"]]["roofline"]
    assert abs(place["intensity"] * roofline["dram_bytes"] / roofline["operations"] - 1) < 1e-9
    assert abs(place["rate"] * roofline["seconds"] / roofline["operations"] - 1) < 1e-9
    assert {level["name"] for level in roofline["levels"]} == {"DRAM", "L2", "L1 and shared"}
    browser.point(place["x"], place["y"])
    title = browser.wait((CHART % "#main") + ".tooltip.opacity && " + (CHART % "#main") + ".tooltip.title.join(' ')")
    assert "demo::diverging" in title, title
    labels = browser.run("['x', 'y'].map((axis) => " + (CHART % "#main") + ".scales[axis].ticks.map((tick) => tick.label).filter(Boolean))")
    assert len(labels[0]) >= 3 and any(label.endswith(" GFLOP/s") for label in labels[1]), labels
    browser.point(place["x"], place["y"], click=True)
    browser.wait("view.tab === 'details'")
    assert "demo::diverging" in browser.run("document.querySelector('main h2').innerText.replace(/\\s+/g, '')")
    # A level can be left out.
    browser.click("#tab-roofline")
    browser.click("#main input[type=checkbox]")
    browser.wait("!!" + CHART % "#main")
    assert not browser.run((CHART % "#main") + ".data.datasets.some((set) => set.label.startsWith('DRAM'))")
    browser.click("#main input[type=checkbox]")


def check_charts(browser, report):
    """The charts of a launch have its figures, and a bar says its own when it is hovered."""
    index, launch = next((n, l) for n, l in enumerate(report["launches"]) if "transposeShared" in l["kernel"])
    browser.run("view.open('details', view.report.launches[a[0]])", index)
    browser.wait("[...document.querySelectorAll('#main canvas')].every((canvas) => canvas.chart)")
    chart = "[...document.querySelectorAll('#main canvas')].map((canvas) => canvas.chart).find((c) => c.data.labels.includes('%s'))"
    states, issued = launch["profile"]["states"], launch["profile"]["warp_instructions"]
    shown = dict(browser.run("((c) => c.data.labels.map((name, n) => [name, c.data.datasets[0].data[n]]))(%s)" % chart % "selected"))
    assert set(shown) == {name for name, cycles in states.items() if cycles}, shown
    assert all(abs(value * issued - states[name]) < 1e-6 * states[name] for name, value in shown.items()), shown
    assert list(shown.values()) == sorted(shown.values(), reverse=True)
    reached = browser.run("((c) => c.data.datasets[0].data)(%s)" % chart % "reached")
    assert abs(reached[1] - launch["metrics"]["sm__warps_active.avg.pct_of_peak_sustained_active"]["value"]) < 1e-6, reached
    # Names leave room to bars, and are not cut.
    cut = browser.run("""[...document.querySelectorAll('#main canvas')].map((canvas) => canvas.chart)
        .filter((c) => c.options.indexAxis === 'y' && c.scales.y.width > 200).map((c) => c.data.labels)""")
    assert not cut, cut
    browser.run(chart % "selected" + ".canvas.scrollIntoView({ block: 'center' })")
    place = browser.run("""((c) => {
        const box = c.canvas.getBoundingClientRect(), bar = c.getDatasetMeta(0).data[0];
        return [box.x + (bar.base + bar.x) / 2, box.y + bar.y, c.data.labels[0]];
    })(%s)""" % chart % "selected")
    browser.point(place[0], place[1])
    title = browser.wait("((c) => c.tooltip.opacity && c.tooltip.title.join(' '))(%s)" % chart % "selected")
    assert title == place[2], (title, place)


def check_occupancy_curves(browser, report):
    """Warps on a core by each resource: the report's numbers, through the point of the launch, and never more for more."""
    index, launch = next((n, l) for n, l in enumerate(report["launches"]) if "transposeShared" in l["kernel"])
    browser.run("view.open('details', view.report.launches[a[0]])", index)
    browser.wait("[...document.querySelectorAll('#main canvas')].every((canvas) => canvas.chart)")
    metric = {name: figure["value"] for name, figure in launch["metrics"].items()}
    most = report["chip_figures"]["warps_per_core"]
    warps = metric["sm__maximum_warps_per_active_cycle_pct"] * most / 100
    shared = metric["launch__shared_mem_per_block_static"] + metric["launch__shared_mem_per_block_dynamic"]
    for label, resource, amount in (("registers of a thread", "by_registers", metric["launch__registers_per_thread"]),
                                    ("threads of a CTA", "by_threads", metric["launch__block_size"]),
                                    ("shared memory of a CTA", "by_shared_bytes", shared)):
        curve, point, top, labels = browser.run("""((c) => [c.data.datasets[0].data.map((p) => [p.x, p.y]), c.data.datasets[1].data[0],
            c.scales.y.max, [c.options.scales.x.title.text, c.options.scales.y.title.text]])(
            document.querySelector('#main canvas[aria-label="' + a[0] + '"]').chart)""", label)
        assert curve == launch["occupancy"][resource] and len(curve) >= 16, (label, curve)
        assert (point["x"], top, labels) == (amount, most, [label, "warps"]), (label, point, top, labels)
        assert abs(point["y"] - warps) < 1e-6, (label, point, warps)
        assert all(0 <= y <= most for _, y in curve)
        # The point is whole, at the edge too: a disc of one colour, across which the line goes.
        disc = browser.run("""((c) => {
            const { x, y } = c.getDatasetMeta(1).data[0], scale = c.currentDevicePixelRatio, side = Math.round(6 * scale) + 1;
            const { data } = c.ctx.getImageData(Math.round((x - 3) * scale), Math.round((y - 3) * scale), side, side);
            return [0, side - 1, side * (side - 1), side * side - 1].map((n) => String(data.slice(4 * n, 4 * n + 4)));
        })(document.querySelector('#main canvas[aria-label="' + a[0] + '"]').chart)""", label)
        assert len(set(disc)) == 1 and disc[0].endswith(",255"), (label, disc)
        if resource != "by_threads":  # more threads are more warps, as long as they fit
            assert all(a[1] >= b[1] for a, b in zip(curve, curve[1:])), (label, curve)
        # Amounts are allocated in steps: that of the launch lies between those next to it.
        below = [y for x, y in curve if x <= amount][-1:] or curve[0][1:]
        above = [y for x, y in curve if x >= amount][:1] or curve[-1][1:]
        assert min(below[0], above[0]) <= warps <= max(below[0], above[0]), (label, below, warps, above)


def check_activity(browser, report):
    """What happens over the time of a launch adds up to what the launch did."""
    index, launch = next((n, l) for n, l in enumerate(report["launches"]) if "transposeShared" in l["kernel"])
    browser.run("view.open('details', view.report.launches[a[0]])", index)
    browser.wait("[...document.querySelectorAll('#main canvas')].every((canvas) => canvas.chart)")
    chip, profile = report["chip_figures"], launch["profile"]
    memory = profile["memory"]
    for label, amount, peak in (
            ("DRAM", memory["dram_read_bytes"] + memory["dram_write_bytes"], chip["dram_bytes_per_cycle"]),
            ("L2", memory["l2_read_sectors"] + memory["l2_write_sectors"], chip["l2_bytes_per_cycle"] / chip["sector_bytes"])):
        points = browser.run("""document.querySelector('#main canvas[aria-label="' + a[0] + ' over time"]').chart
            .data.datasets[0].data.map((p) => [p.x, p.y])""", label)
        ends = [x for x, _ in points[1:]]
        sums = sum(y / 100 * peak * (end - x) * chip["clock_mhz"] for (x, y), end in zip(points, ends))
        assert abs(sums / amount - 1) < 1e-6 and len(points) > 4, (label, sums, amount, points)
        assert len({y for _, y in points}) > 2, points
    # No matrix instruction, no chart.
    assert not browser.run("document.querySelector('#main canvas[aria-label^=\"matrix\"]')")


def check_heats(browser, report):
    """What may colour lines is there where the kernel has some of it, and sums to the report's."""
    for kernel, heat, figure in (
            ("diverging", "idle", lambda i: 32 * i["issued"] - i["active_threads"]),
            ("transposeShared", "conflicts", lambda i: i["metrics"].get("memory_l1_wavefronts_shared", 0) -
             i["metrics"].get("memory_l1_wavefronts_shared_ideal", 0)),
            ("transposeShared", "sectors", lambda i: i["metrics"].get("memory_l2_theoretical_sectors_global", 0) +
             i["metrics"].get("memory_l2_theoretical_sectors_local", 0)),
            ("transposeShared", "stalls", lambda i: sum(i["states"].values()) - i["states"].get("selected", 0)),
            ("transposeShared", "issued", lambda i: i["issued"])):
        index, launch = next((n, l) for n, l in enumerate(report["launches"]) if kernel in l["kernel"])
        browser.run("(view.heat = 'cycles', view.open('code', view.report.launches[a[0]]))", index)
        browser.wait("document.querySelector('.code.current')")
        browser.run("((choice) => { choice.value = a[0]; choice.dispatchEvent(new Event('change')); })(document.getElementById('heat'))",
                    heat)
        shown = sum(count for _, count in browser.run("[...heatBy(view.code, 'code')]"))
        expected = sum(figure(i) for i in launch["profile"]["instructions"])
        assert shown == expected > 0, (kernel, heat, shown, expected)


def check_code(browser, report):
    """Advice leads to its line, and lines to what belongs to them; the heat is that of the report."""
    index, launch = next((n, l) for n, l in enumerate(report["launches"]) if "transposeShared" in l["kernel"])
    advice = next(a for a in launch["advice"] if a["limiter"] == "bank-conflicts")
    browser.run("view.open('details', view.report.launches[a[0]])", index)
    browser.click(".advice .lines button")
    browser.wait("document.querySelector('.code.current')")
    line = advice["culprits"][0]["line"]
    assert browser.run("document.querySelector('#pane-source .current .at').textContent") == str(line)
    assert browser.run("document.getElementById('heat').value") == "conflicts"
    profile = launch["profile"]
    for pane, name in (("ptx", "ptx_line"), ("code", "pc")):
        shown = browser.run("[...document.querySelectorAll('#pane-' + a[0] + ' .linked .at')].map((e) => Number(e.textContent))", pane)
        expected = {i.get(name) for i in profile["instructions"] if i.get("line") == line}
        assert set(shown) == expected and shown, (pane, shown, expected)
    # Each metric, line by line and instruction by instruction, is that of the report.
    browser.run("(document.getElementById('heat').value = 'cycles', document.getElementById('heat').dispatchEvent(new Event('change')), 1)")
    heats = browser.run("[...heatBy(view.code, 'source')]")
    expected = {"%s:%d" % (l["file"], l["line"]): l["warp_cycles"] for l in launch["lines"] if l["line"]}
    assert dict(heats) == expected, (heats, expected)
    heats = dict(browser.run("[...heatBy(view.code, 'ptx')]"))
    assert sum(heats.values()) == sum(sum(i["states"].values()) for i in profile["instructions"] if "ptx_line" in i)
    # A click on microcode shows its PTX.
    browser.click("#pane-code .code.has")
    first = profile["instructions"][0]
    assert browser.run("document.querySelector('#pane-ptx .linked .at').textContent") == str(first["ptx_line"])
    browser.press("j")
    assert browser.run("view.code.current.place") == "%s:%d" % (first["section"], profile["instructions"][1]["pc"])
    browser.press("k", "h")
    hottest = max(expected, key=expected.get)
    assert browser.run("view.code.current.place") == hottest


def check_memory(browser, report):
    index, launch = next((n, l) for n, l in enumerate(report["launches"]) if "transposeShared" in l["kernel"])
    browser.run("view.open('memory', view.report.launches[a[0]])", index)
    for name, count in (("dramReads", launch["profile"]["memory"]["dram_read_bytes"]),
                        ("l2Writes", 32 * launch["profile"]["memory"]["l2_write_sectors"])):
        title = browser.run("document.getElementById('way-' + a[0]).title", name)
        assert title.startswith("{:,} bytes".format(count)), (title, count)
        rate = count / launch["roofline"]["seconds"]
        assert browser.run("formatSI(a[0], 'B/s')", rate) in browser.run("document.getElementById('way-' + a[0]).innerText", name)


def check_keys(browser):
    for key, name in zip("12345", TABS):
        browser.press(key)
        assert browser.run("view.tab") == name
    browser.press("2")
    browser.run("view.open('details', view.report.launches[1])")
    browser.press("]")
    assert browser.run("view.launch.index") == 2
    browser.press("[", "[")
    assert browser.run("view.launch.index") == 0
    browser.run("history.back()")
    browser.wait("view.launch.index === 1")
    browser.press("?")
    assert browser.run("document.getElementById('keys').open")
    browser.press("\ue00c")
    assert not browser.run("document.getElementById('keys').open")
    browser.press("/")
    browser.type("#filter", "diverg")
    assert browser.run("document.querySelectorAll('main section:last-of-type tbody tr').length") == 1
    browser.press("\ue00c")
    browser.run("document.activeElement.blur()")
    browser.run("document.getElementById('tab-overview').focus()")
    browser.press("\ue014")
    assert browser.run("view.tab + document.activeElement.id") == "detailstab-details"


def check_theme(browser, pictures):
    shade = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, n) => sum + Number(n), 0)"
    browser.run("view.open('details', view.report.launches[2])")
    before = browser.run(shade)
    browser.press("t")
    assert (before > 600) != (browser.run(shade) > 600)
    browser.wait("!!" + CHART % "#main")
    if pictures:
        browser.picture(os.path.join(pictures, "page-dark.png"))
    browser.press("t")
    assert browser.run(shade) == before


def check_baseline(browser, page, baseline, pictures):
    """Against itself nothing changes; against other code every figure says how far."""
    browser.type("#baseline", os.path.abspath(page))
    browser.wait("!!view.baseline")
    for name in TABS:
        browser.click("#tab-" + name)
        changes = browser.run("[...document.querySelectorAll('.delta')].map((e) => e.textContent)")
        assert changes and set(changes) <= {"\u00b10 %"}, (name, changes)
        # Only the numbers of launches have none.
        plain = browser.run("""[...document.querySelectorAll('#main td.n, #main .card')].filter((e) => !e.querySelector('.delta')
            && e.textContent && !(e.tagName === 'TD' && /^\\d+$/.test(e.textContent) && e.cellIndex === 0)).map((e) => e.textContent)""")
        assert not plain, (name, plain)
    browser.run("setBaseline(null)")
    browser.type("#baseline", os.path.abspath(baseline))
    browser.wait("!!view.baseline")
    with open(baseline, encoding="utf-8") as file:
        before = json.load(file)["launches"]
    browser.run("view.open('details', view.report.launches[5])")
    shown = browser.run("document.querySelector('.card .delta').title.replace(/,/g, '')")
    assert abs(float(shown.split()[-1]) / before[5]["metrics"]["gpu__time_duration.sum"]["value"] - 1) < 1e-4
    assert browser.run("document.querySelectorAll('.card .delta').length === document.querySelectorAll('.card').length")
    if pictures:
        browser.click("#tab-code")
        browser.wait("document.querySelector('.code.current')")
        browser.picture(os.path.join(pictures, "page-baseline.png"))
    browser.click("#drop-baseline")
    assert not browser.run("document.querySelector('.delta')")
    # What is no report is said.
    browser.run("(window.alert = (text) => { window.said = text; })")
    browser.run("loadBaseline(new File(['{}'], 'other.json')), 1")
    assert "no report" in browser.wait("window.said")


def check_inlined(browser, inlined):
    """Advice on code of a header leads to the line that called it, and that line to the header's."""
    browser.open(inlined)
    browser.run("view.open('details', view.report.launches[0])")
    button = "[...document.querySelectorAll('.advice .lines button')].find((b) => b.textContent.includes('inlined'))"
    assert browser.run(button + ".textContent").startswith("kernel.cu:5 (inlined from fetch.h:9)")
    browser.run(button + ".click()")
    browser.wait("document.querySelector('.code.current')")
    assert browser.run("view.code.current.place") == "kernel.cu:5"
    assert browser.run("document.getElementById('heat').value") == "excess"
    own = browser.run("[...heatBy(view.code, 'source')].filter(([place, heat]) => heat)")
    assert dict(own)["kernel.cu:5"] == dict(own)["include/fetch.h:9"] > 0 and len(own) == 2, own
    assert browser.run("document.querySelectorAll('#pane-code .linked').length") > 1


def check_plain(browser, page):
    """Without the library of charts there are tables in their places."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    begin = text.index("<script>") + len("<script>")
    plain = page + ".plain.html"
    with open(plain, "w", encoding="utf-8") as file:
        file.write(text[:begin] + text[text.index("</script>", begin):])
    browser.open(plain)
    check_tabs(browser, None)
    assert not browser.run("hasCharts")
    browser.click("#tab-roofline")
    assert "of what is possible" in browser.run("document.getElementById('main').innerText")


def check_phone(browser, page, pictures):
    browser.imitate_phone()
    browser.open(page)
    for name in TABS:
        browser.click("#tab-" + name)
        browser.wait("[...document.querySelectorAll('canvas')].every((canvas) => canvas.chart)")
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), name
        if pictures and name == "details":
            browser.picture(os.path.join(pictures, "page-phone.png"))


def check_many(browser, many):
    """A thousand launches are there within a second; of several tries the best, since others may use the machine."""
    times = []
    for _ in range(4):
        browser.open(many)
        times.append(int(browser.run("document.documentElement.dataset.ready")))
    assert browser.run("view.report.launches.length") == 1000
    assert min(times) < 1000, times
    # Launches that do not differ have the instructions of one that is there.
    browser.run("view.open('code', view.report.launches[999])")
    assert browser.run("document.querySelectorAll('#pane-code .code.has').length") > 5
    assert "this one is not in detail" in browser.run("document.querySelector('main h2').innerText")
    print("a thousand launches: %d ms" % min(times), file=sys.stderr)


def main():
    page, report, baseline, many, inlined = sys.argv[1:6]
    pictures = sys.argv[6] if len(sys.argv) > 6 else None
    with open(report, encoding="utf-8") as file:
        report = json.load(file)
    with (Browser(1100, 780) if pictures else Browser()) as browser:
        browser.open(page)
        check_formats(browser)
        check_tabs(browser, pictures)
        check_overview(browser, report)
        check_roofline(browser, report)
        check_charts(browser, report)
        check_occupancy_curves(browser, report)
        check_activity(browser, report)
        check_code(browser, report)
        check_heats(browser, report)
        check_memory(browser, report)
        check_keys(browser)
        check_theme(browser, pictures)
        check_baseline(browser, page, baseline, pictures)
        check_many(browser, many)
        check_inlined(browser, inlined)
        check_plain(browser, page)
        check_phone(browser, page, pictures)
        complaints = browser.complaints()
        assert not complaints, complaints
    print("clicked through")


if __name__ == "__main__":
    main()
