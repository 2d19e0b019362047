"""A reader of an FE format of one's own, outside the package (docs/extending.md): words and numbers, one thing in a line."""
from pliant.flex.readers.mesh import COUNT, Maker
from pliant.flex.readers.registry import reads_mesh
from pliant.flex.readers.source import Source


@reads_mesh(".plain")
def read_plain(path):
    """``node 1 0.0 0.1 0.0``, ``hex8 7 1 2 3 4 5 6 7 8`` (kind, number, nodes), ``group left 1 4``"""
    source = Source(path)
    maker = Maker(source, "plain mesh")
    for line, text in source:
        word, name, *rest = text.split() if len(text.split()) > 1 else ("", "")
        if word == "node":
            maker.node(source.whole(name, line), tuple(source.real(x, line) for x in rest), line)
        elif word in COUNT:
            maker.element(source.whole(name, line), word, [source.whole(n, line) for n in rest], line)
        elif word == "group":
            maker.add_to(name, [source.whole(n, line) for n in rest])
        else:
            raise source.fail(line, f"must begin with node, group or one of {', '.join(COUNT)}, and a number or a name")
    return maker.mesh()
