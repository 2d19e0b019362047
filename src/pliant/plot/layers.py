"""Places of boxes and lines of a diagram: layers from left to right, lines with right angles, what leads back in lanes below (Sugiyama,
Tagawa and Toda 1981). Lengths are in inches, y upward."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

SWEEPS = 8            # to order layers, and to place them
PITCH, TRACK = 0.17, 0.09  # between lines: across, along
SPACE, MARGIN = 0.16, 0.12  # between boxes of a layer; of a gap between layers, on both sides
Point = tuple[float, float]


@dataclass
class Node:
    """A box, or (``net`` is given) where a line passes a layer. ``slots``: heights that the lines that begin at it need."""
    layer: int
    width: float = 0.0
    height: float = PITCH
    net: int = -1
    y: float = 0.0
    entries: dict[int, float] = field(default_factory=dict)  # nets: where they come in, and where they begin
    exits: dict[int, float] = field(default_factory=dict)


@dataclass
class Net:
    """A line from a box to others, with a text of this size where it begins."""
    source: str
    targets: list[str]
    width: float = 0.0
    height: float = PITCH
    back: list[str] = field(default_factory=list)      # targets that are not to the right
    pieces: list[list[Point]] = field(default_factory=list)  # what is drawn; the last point of each that ends at a box
    ends: list[list[Point]] = field(default_factory=list)
    dots: list[Point] = field(default_factory=list)    # where it branches


def layered(names: Sequence[str], edges: Iterable[tuple[str, str]], last: Sequence[str]) -> dict[str, int]:
    """Layers by the longest way from the left. What leads from ``last`` (the mechanism) to something that leads to it leads back, and so
    do few of the others where they close rings."""
    ahead: dict[str, set[str]] = {name: set() for name in names}
    for a, b in edges:
        if a != b:
            ahead[a].add(b)
    for end in last:
        leading = set(_distances(ahead, [end]))
        ahead[end] -= leading
    order = _in_order(ahead, _distances(ahead, last))
    place, layer = {name: k for k, name in enumerate(order)}, dict.fromkeys(names, 0)
    forward = {a: [b for b in ahead[a] if place[b] > place[a]] for a in names}
    for a in order:
        for b in forward[a]:
            layer[b] = max(layer[b], layer[a] + 1)
    entered = {b for others in forward.values() for b in others}
    for a in names:  # what nothing enters stands beside its first reader
        if a not in entered and forward[a]:
            layer[a] = min(layer[b] for b in forward[a]) - 1
    return layer


def _distances(ahead: dict[str, set[str]], ends: Iterable[str]) -> dict[str, int]:
    """Of what leads to the ends, in edges."""
    behind: dict[str, list[str]] = {name: [] for name in ahead}
    for a, others in ahead.items():
        for b in others:
            behind[b].append(a)
    found = dict.fromkeys(ends, 0)
    todo = list(found)
    for b in todo:
        for a in behind[b]:
            if a not in found:
                found[a] = found[b] + 1
                todo.append(a)
    return found


def _in_order(ahead: dict[str, set[str]], distance: dict[str, int]) -> list[str]:
    """With few edges that lead back (Eades, Lin and Smyth 1993): what only reads goes to the end, what is only read to the beginning, else
    what is read most, and of those what is farthest from the mechanism."""
    out, into = {a: set(others) for a, others in ahead.items()}, {a: set[str]() for a in ahead}
    for a, others in ahead.items():
        for b in others:
            into[b].add(a)
    left, first, end = list(ahead), list[str](), list[str]()
    while left:
        sink = next((a for a in left if not out[a]), None)
        source = next((a for a in left if not into[a]), None)
        if sink is not None:
            end.append(sink)
        else:
            far = len(left)
            first.append(source or max(left, key=lambda a: (len(out[a]) - len(into[a]), distance.get(a, far))))
        chosen = first[-1] if sink is None else sink
        left.remove(chosen)
        for b in out[chosen]:
            into[b].discard(chosen)
        for b in into[chosen]:
            out[b].discard(chosen)
    return first + end[::-1]


@dataclass
class Span:
    """A line in a gap: heights that it connects; whether it goes ``down`` to a lane from the first, or comes ``up`` from there."""
    ys: list[float] = field(default_factory=list)
    down: bool = False
    up: bool = False
    ahead: bool = False

    def order(self) -> tuple[int, float]:
        first, rest = self.ys[0], self.ys[1:]
        if self.up:
            return 2, min(self.ys)
        falls = sum(rest) / max(1, len(rest)) < first
        return (1, first if falls else -first) if self.ahead else (0, first)


class Layout:
    """``boxes``: widths and heights; after it: ``node`` places, ``x`` of the layers, ``nets`` with their lines, and the ``corners``."""

    def __init__(self, boxes: dict[str, tuple[float, float]], nets: list[Net], last: Sequence[str]) -> None:
        self.nets = nets
        layer = layered(list(boxes), ((net.source, t) for net in nets for t in net.targets), last)
        self.node: dict[Hashable, Node] = {name: Node(layer[name], *size) for name, size in boxes.items()}
        for k, net in enumerate(nets):
            net.back = [t for t in net.targets if layer[t] <= layer[net.source]]
            far = max((layer[t] for t in net.targets), default=0)
            for between in range(layer[net.source] + 1, far):
                self.node[k, between] = Node(between, net=k)
        self.rows: list[list[Hashable]] = [[] for _ in range(1 + max(layer.values(), default=0))]
        for key, node in self.node.items():
            self.rows[node.layer].append(key)
        self._sizes()
        self.links = self._links()
        self._order()
        self._heights()
        self._ports()
        self._lines()

    def _sizes(self) -> None:
        """Boxes are as high as the lines at them need."""
        for name, node in self.node.items():
            if node.net < 0:
                out = sum(net.height for net in self.nets if net.source == name)
                node.height = max(node.height, out + PITCH / 2, PITCH * (0.5 + sum(name in net.targets for net in self.nets)))

    def _steps(self, k: int) -> Iterable[tuple[Hashable, Hashable]]:
        """From layer to layer, where a net leads ahead."""
        net = self.nets[k]
        start = self.node[net.source].layer
        for target in net.targets:
            if target not in net.back:
                at = self.node[target].layer
                yield (net.source if at == start + 1 else (k, at - 1)), target
        passed = sorted(key[1] for key in self.node if isinstance(key, tuple) and key[0] == k)
        for between in passed:
            yield (net.source if between == start + 1 else (k, between - 1)), (k, between)

    def _links(self) -> list[tuple[int, Hashable, Hashable]]:
        return [(k, a, b) for k in range(len(self.nets)) for a, b in self._steps(k)]

    def _neighbours(self) -> tuple[dict[Hashable, list[Hashable]], dict[Hashable, list[Hashable]]]:
        left: dict[Hashable, list[Hashable]] = {key: [] for key in self.node}
        right: dict[Hashable, list[Hashable]] = {key: [] for key in self.node}
        for _, a, b in self.links:
            left[b].append(a)
            right[a].append(b)
        return left, right

    def _order(self) -> None:
        """Every layer by the mean place of its neighbours, to and fro."""
        left, right = self._neighbours()
        for sweep in range(SWEEPS):
            near = right if sweep % 2 else left
            place = {key: k / max(1, len(row) - 1) if len(row) > 1 else 0.5 for row in self.rows for k, key in enumerate(row)}
            for row in self.rows[::-1] if sweep % 2 else self.rows:
                row.sort(key=lambda key: sum(place[n] for n in near[key]) / len(near[key]) if near[key] else place[key])
                place |= {key: k / max(1, len(row) - 1) if len(row) > 1 else 0.5 for k, key in enumerate(row)}

    def _heights(self) -> None:
        """As near to the mean of the neighbours as the distances in a layer allow."""
        left, right = self._neighbours()
        for row in self.rows:
            self._placed(row, lambda key: 0.0)
        for sweep in range(SWEEPS):
            near = right if sweep % 2 else left
            for row in self.rows[::-1] if sweep % 2 else self.rows:
                self._placed(row, partial(self._mean, near))

    def _mean(self, near: dict[Hashable, list[Hashable]], key: Hashable) -> float:
        return sum(self.node[n].y for n in near[key]) / len(near[key]) if near[key] else self.node[key].y

    def _placed(self, row: list[Hashable], wanted: Callable[[Hashable], float]) -> None:
        """Least squares with given distances: neighbours that would overlap move as one (pool adjacent violators)."""
        offset, pools, below = 0.0, list[list[float]](), 0.0
        offsets = []
        for k, key in enumerate(row):
            offset += (below + self.node[key].height / 2 + SPACE) if k else 0.0
            below = self.node[key].height / 2
            offsets.append(offset)
            pools.append([wanted(key) + offset, 1.0])
            while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
                a, n = pools.pop()
                pools[-1] = [(pools[-1][0] * pools[-1][1] + a * n) / (pools[-1][1] + n), pools[-1][1] + n]
        values = [value for value, n in pools for _ in range(int(n))]
        for key, value, off in zip(row, values, offsets, strict=True):
            self.node[key].y = value - off

    def _ports(self) -> None:
        """Where lines meet the boxes, in the order of their other ends; what leads back is lowest."""
        for name, node in self.node.items():
            if node.net >= 0:
                node.entries, node.exits = {node.net: node.y}, {node.net: node.y}
                continue
            out = [(k, net) for k, net in enumerate(self.nets) if net.source == name]
            ends = {k: [self.node[b].y for j, a, b in self.links if j == k and a == name] for k, _ in out}
            top = node.y + sum(net.height for _, net in out) / 2
            for k, net in sorted(out, key=lambda x: -sum(ends[x[0]]) / len(ends[x[0]]) if ends[x[0]] else float("inf")):
                top -= net.height
                node.exits[k] = top
            into = [(k, self.node[a].y) for k, a, b in self.links if b == name]
            into += [(k, -float("inf")) for k, net in enumerate(self.nets) if name in net.back]
            for place, (k, _) in enumerate(sorted(into, key=lambda x: -x[1])):
                node.entries[k] = node.y + ((len(into) - 1) / 2 - place) * PITCH

    # -- lines
    def _lines(self) -> None:
        """Tracks between the layers, lanes below, and the points of all lines."""
        floor = min((n.y - n.height / 2 for n in self.node.values()), default=0.0) - SPACE
        lanes = self._lanes(floor)
        spans: list[dict[int, Span]] = [{} for _ in range(len(self.rows) + 1)]  # gap g is left of layer g
        for k, a, b in self.links:
            span = spans[self.node[b].layer].setdefault(k, Span(ahead=True))
            span.ys += self.node[a].exits[k], self.node[b].entries[k]
        for k, lane in lanes.items():
            net = self.nets[k]
            span = spans[self.node[net.source].layer + 1].setdefault(k, Span(down=True))
            span.ys += self.node[net.source].exits[k], lane
            for target in net.back:
                span = spans[self.node[target].layer].setdefault(k, Span(up=True))
                span.ys += lane, self.node[target].entries[k]
        tracks = [_tracks(span) for span in spans]
        self._apart(tracks)
        self._columns(tracks)
        for k, net in enumerate(self.nets):
            self._draw(k, net, lanes.get(k), [self._track(tracks, g, k) for g in range(len(spans))])
        low = min([floor, *lanes.values()])
        self.corners = (self.gap[0][0], low - SPACE), (self.gap[-1][1], max((n.y + n.height / 2 for n in self.node.values()), default=0.0))

    def _apart(self, tracks: list[dict[int, int]]) -> None:
        """Where a line comes in at the height of another one that goes farther to the right from there, it is moved a little."""
        comes = [(k, b) for k, _, b in self.links] + [(k, t) for k, net in enumerate(self.nets) for t in net.back]
        begins: list[list[tuple[int, Hashable]]] = [[] for _ in tracks]
        for key, node in self.node.items():
            begins[node.layer + 1] += [(k, key) for k in node.exits]
        for k, key in comes:
            node = self.node[key]
            track = tracks[node.layer]
            others = [self.node[a].exits[j] for j, a in begins[node.layer] if j != k and track.get(j, -1) > track[k]]
            free = (y for y in (node.entries[k] + part * PITCH for part in (0, 0.3, -0.3, 0.4, -0.4))
                    if all(abs(y - other) > PITCH / 8 for other in others))
            node.entries[k] = next(free, node.entries[k])
            if node.net >= 0:
                node.exits[k] = node.entries[k]

    def _lanes(self, floor: float) -> dict[int, float]:
        """The shorter the nearer."""
        found, taken = dict[int, float](), list[list[tuple[int, int]]]()
        wants = {k: (min(self.node[t].layer for t in net.back), self.node[net.source].layer + 1)
                 for k, net in enumerate(self.nets) if net.back}
        for k, (a, b) in sorted(wants.items(), key=lambda x: x[1][1] - x[1][0]):
            lane = next((i for i, others in enumerate(taken) if all(b < c or d < a for c, d in others)), len(taken))
            taken += [[]] if lane == len(taken) else []
            taken[lane].append((a, b))
            found[k] = floor - lane * PITCH
        return found

    def _columns(self, tracks: list[dict[int, int]]) -> None:
        """x of the layers and of the gaps between them."""
        self.widths = [max((self.node[key].width for key in row), default=0.0) for row in self.rows]
        x, self.x, self.gap = 0.0, list[float](), list[tuple[float, float, float]]()  # left, right, where tracks begin
        for g in range(len(self.rows) + 1):
            told = max((net.width for net in self.nets if g and self.node[net.source].layer == g - 1), default=0.0)
            count = 1 + max(tracks[g].values(), default=-1)
            begin = x + MARGIN + told
            self.gap.append((x, begin + count * TRACK + 2 * MARGIN, begin))
            x = self.gap[-1][1]
            if g < len(self.rows):
                self.x.append(x)
                x += self.widths[g]

    def _track(self, tracks: list[dict[int, int]], g: int, k: int) -> float:
        return self.gap[g][2] + TRACK * (tracks[g].get(k, 0) + 0.5)

    def sides(self, key: Hashable) -> tuple[float, float]:
        node = self.node[key]
        left, width = self.x[node.layer], self.widths[node.layer]
        inset = (width - node.width) / 2 if node.net < 0 else 0.0
        return left + inset, left + width - inset

    def _draw(self, k: int, net: Net, lane: float | None, track: list[float]) -> None:
        meets: dict[int, list[float]] = {}
        for _, a, b in (link for link in self.links if link[0] == k):
            g = self.node[b].layer
            here, there, x = self.node[a].exits[k], self.node[b].entries[k], track[g]
            points = [(self.sides(a)[1], here), (x, here), (x, there), (self.sides(b)[0], there)]
            (net.ends if self.node[b].net < 0 else net.pieces).append(points)
            if self.node[b].net >= 0:
                net.pieces.append([(self.sides(b)[0], there), (self.sides(b)[1], there)])
            meets.setdefault(g, [here]).append(there)
        if lane is not None:
            g, start = self.node[net.source].layer + 1, self.node[net.source].exits[k]
            meets.setdefault(g, [start]).append(lane)
            far = min(track[self.node[t].layer] for t in net.back)
            net.pieces.append([(self.sides(net.source)[1], start), (track[g], start), (track[g], lane), (far, lane)])
            for target in net.back:
                x, there = track[self.node[target].layer], self.node[target].entries[k]
                net.ends.append([(x, lane), (x, there), (self.sides(target)[0], there)])
            risers = sorted({track[self.node[t].layer] for t in net.back})
            net.dots += [(x, lane) for x in risers[1:]]
            for x in risers:
                onto = sorted(self.node[t].entries[k] for t in net.back if track[self.node[t].layer] == x)
                net.dots += [(x, y) for y in onto[:-1]]
        for g, ys in meets.items():
            ends = set(ys[1:])
            net.dots += [(track[g], y) for y in {*ys} if (y < max(ys) and y > min(ys)) or (y == ys[0] and len(ends) > 1 and y in ends)]


def _tracks(spans: dict[int, Span]) -> dict[int, int]:
    """Beside each other where they would lie on each other, in an order with few crossings: what goes down to the lanes, what leads ahead
    (the outer ones last), what comes up from the lanes (the lowest first)."""
    found, taken = dict[int, int](), list[tuple[float, float, int]]()
    for k, span in sorted(spans.items(), key=lambda x: x[1].order()):
        low, high = min(span.ys) - PITCH / 2, max(span.ys) + PITCH / 2
        found[k] = 1 + max((t for a, b, t in taken if low <= b and a <= high), default=-1)
        taken.append((low, high, found[k]))
    return found
