"""Files that are no YAML, hostile YAML, and the top of a model: sections, names."""
from itertools import pairwise

from .base import JOINT, ONE, PIN, ROD, SIMULATE, body, expression, wrong

# -- files
wrong("empty", "", "1: a model is a mapping that begins with 'pliant: 1'; it is empty")
wrong("only a comment", "# nothing here\n", "1: a model is a mapping that begins with 'pliant: 1'; it is empty")
wrong("null", "~", "1: a model is a mapping that begins with 'pliant: 1'; it is empty")
wrong("a word", "hello", "1: a model is a mapping that begins with 'pliant: 1'; it is 'hello'")
wrong("a list", "- 1\n- 2\n", "1: a model is a mapping that begins with 'pliant: 1'; it is [1, 2]")
wrong("binary", b"\x89HDF\r\n\x1a\n\x00\x00\x00\xff", " is a file of results or of a part, not a model; pl.load('m.yaml') reads results")
wrong("bytes", b"\x89PNG\r\n\x1a\n\xff", '1: byte 0 is not UTF-8 text; a model is a YAML file, save it as UTF-8')
wrong("nul bytes", b"pliant: 1\nname: a\x00b\n", '2: the character #x0000 is not text; a model is a YAML file in UTF-8')
wrong("utf-16", "pliant: 1\nbodies: {a: {mass: -1}}\n".encode("utf-16"), '1: looks like UTF-16 text; save it as UTF-8')
wrong("utf-16 no bom", "pliant: 1\nbodies: {a: {mass: -1}}\n".encode("utf-16-le"), '1: looks like UTF-16 text; save it as UTF-8')
wrong("latin-1", "pliant: 1\nname: Kurbel für Öl\n".encode("latin-1"),
      '2: byte 24 is not UTF-8 text; a model is a YAML file, save it as UTF-8')
wrong("bom", b"\xef\xbb\xbfpliant: 1\nbodies: {a: {mass: -1}}\n", '2: bodies.a.mass: -1 must be at least 0')
wrong("tabs", "pliant: 1\nbodies:\n\ta: {mass: 1}\n", '3: not YAML: a tab stands here; indent with blanks')
wrong("two documents", "pliant: 1\n---\npliant: 1\n", '2: a second document begins; a file holds one model')
wrong("unclosed bracket", "pliant: 1\ngravity: [0, 0\nbodies: {}\n",
      "3: not YAML: ']' or a comma is missing; the bracket opens in line 2")
wrong("unclosed quote", "pliant: 1\nname: \"crank\nbodies: {}\n", '4: not YAML: a quote is not closed; it opens in line 2')
wrong("bad indentation", body("mass: 1}\n b: {mass: 1"),
      '4: not YAML: the indentation does not fit the lines above; entries that belong together begin in the same column')
wrong("missing colon", "pliant: 1\nbodies\n  a: {mass: 1}\n",
      "3: not YAML: a colon is missing or one too many: write 'key: value', one in a line, and put texts that hold a colon in quotes")
wrong("colon without blank", body("mass:1"), "3: bodies.a.mass: a blank is missing after the colon: write 'mass: 1'")
wrong("colon without blank in a joint", JOINT + "{kind:revolute, between: [ground, crank.start], axs: z}\n",
      "5: joints.A.kind: a blank is missing after the colon: write 'kind: revolute'",
      "5: joints.A.axs: unknown key 'axs'; did you mean 'axis'?")
wrong("colon without blank in a line", JOINT + "\n    kind:revolute\n    between: [ground, crank.start]\n",
      "6: not YAML: a blank is missing after the colon: write 'kind: revolute'")
wrong("colon without blank in the last line", JOINT + "\n    between: [ground, crank.start]\n    kind:revolute\n",
      "7: not YAML: a blank is missing after the colon: write 'kind: revolute'")
wrong("colon without blank alone", ROD + "joints:\n  A:\n    kind:revolute\n",
      "5: joints.A: 'kind:revolute' must be a mapping such as {kind: revolute, between: [ground, crank.start]}; a blank is missing after "
      "the colon: write 'kind: revolute'")
wrong("colon without blank before a mapping", "pliant: 1\nbodies:\n  a:{mass: 1}\n", "3: bodies.a: a blank is missing after 'a:'", "***")
wrong("decimal comma in braces", body("mass: 1,5 kg, inertia: [1, 1, 1]"), "3: bodies.a.mass: the decimal mark is a point; write '1.5 kg'")
wrong("decimal comma of the duration", SIMULATE + "{duration: 0,5}\n", "6: simulate.duration: the decimal mark is a point; write '0.5'")
wrong("decimal comma in a line", ONE.replace("mass: 1", "mass: 1,5"), "4: bodies.a.mass: '1,5': the decimal mark is a point; write '1.5'")
wrong("decimal comma in an expression", expression("1,5*t"),
      "7: drives.motor.function: unexpected ','; the decimal mark is a point (column 2)***")
wrong("colon in value", "pliant: 1\nname: a: b\n",
      "2: not YAML: a colon is missing or one too many: write 'key: value', one in a line, and put texts that hold a colon in quotes")
wrong("percent", "pliant: 1\nname: %x\n", "2: not YAML: a text cannot begin with '%'; put it in quotes")
wrong("at sign", "pliant: 1\nname: @x\n", "2: not YAML: a text cannot begin with '@'; put it in quotes")
wrong("python tag", "pliant: 1\nname: !!python/object/apply:os.system ['true']\n",
      "2: tag 'tag:yaml.org,2002:python/object/apply:os.system': tags are not used in a model; leave it out")
wrong("custom tag", "pliant: 1\nbodies: !bodies {a: {mass: 1}}\n", "2: tag '!bodies': tags are not used in a model; leave it out")
wrong("binary tag", "pliant: 1\nname: !!binary aGFsbG8=\n",
      "2: tag 'tag:yaml.org,2002:binary': tags are not used in a model; leave it out")
wrong("yaml directive", "%YAML 1.1\n---\npliant: 2\n", '3: pliant: version 2 of the text model is not known; this program reads 1')
wrong("bomb",
      "pliant: 1\na: &a [x,x,x,x,x,x,x,x,x]\n"
      + "".join(f"{q}: &{q} [{','.join(['*'+p]*9)}]\n" for p, q in pairwise("abcdefghi")),
      '7: aliases make more than 100000 values; write what is meant once')
wrong("merge bomb",
      "pliant: 1\na: &a {x: 1}\n"
      + "".join(f"{q}: &{q} {{<<: *{p}, p: *{p}, q: *{p}, r: *{p}, s: *{p}}}\n" for p, q in pairwise("abcdefghijklm")),
      '9: aliases make more than 100000 values; write what is meant once')
wrong("self alias", "pliant: 1\nbodies: &b\n  a: *b\n", '3: alias *b stands inside itself; write what is meant')
wrong("unknown alias", "pliant: 1\nbodies: {a: *link}\n", '2: alias *link has no anchor before it; write what is meant')
wrong("wrong merge", body("<<: 3, mass: 1"), "3: << merges a mapping, found 3; write '<<: *name' with '&name' at a mapping before it")
wrong("merge list", "pliant: 1\nbodies:\n  a: &a {mass: 1}\n  b: {<<: [*a], mass: 1}\n",
      "4: << merges a mapping, found [{mass: 1}]; write '<<: *name' with '&name' at a mapping before it")
wrong("merge of wrong key", "pliant: 1\nbodies:\n  a: &a {mass: 1}\n  b: {<<: *a, mas: 2}\n",
      "4: bodies.b.mas: unknown key 'mas'; did you mean 'mass'?")
wrong("merged wrong value", "pliant: 1\nbodies:\n  a: &a {mass: -1}\n  b: {<<: *a}\n",
      '3: bodies.a.mass: -1 must be at least 0',
      '3: bodies.b.mass: -1 must be at least 0')
wrong("deep list", "pliant: 1\nname: " + "[" * 5000, '2: nested more than 50 levels deep; a model needs far fewer')
wrong("deep blocks", "pliant: 1\n" + "".join("  " * i + "a:\n" for i in range(80)),
      '52: nested more than 50 levels deep; a model needs far fewer')
wrong("list as key", "pliant: 1\n? [a, b]\n: 1\n", '2: a key must be a word, not a list or mapping')
wrong("number as key", "pliant: 1\n1: 2\n", "2: 1: unknown key '1'; there ***")
wrong("empty key", "pliant: 1\nbodies:\n  : {mass: 1}\n",
      "3: bodies.'': name '' must be a word of letters, digits and _ that does not begin with a digit")
wrong("long line", "pliant: 1\nbodies:\n  a: {mass: 1, name: " + "x" * 200000 + "}\n",
      '3: a text of 200007 characters, must have at most 100000; use a table or a file')
wrong("very long key", "pliant: 1\n" + "k" * 900 + ": 1\n",
      '2: kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…: unknown key '
      "'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk'… (900 characters); there ***")
wrong("huge integer", "pliant: 1\nbodies:\n  a: {mass: " + "9" * 3000 + "}\n",
      "3: bodies.a.mass: '99999999999999999999999999999999999999999999999999'… (3000 characters) must be a number and a "
      "unit; write for example '2 kg'")
wrong("huge hex", "pliant: 1\nbodies:\n  a: {mass: 0x" + "f" * 4000 + "}\n",
      "3: bodies.a.mass: '0xffffffffffffffffffffffffffffffffffffffffffffffff'… (4002 characters) must be a number and a "
      "unit; write for example '2 kg'")
wrong("many keys twice", body("mass: 1, mass: 2}\n  a: {mass: 1"),
      "3: bodies.a.mass: the key 'mass' stands here twice, first in line 3; remove one",
      "4: bodies.a: the key 'a' stands here twice, first in line 3; remove one")

# -- top
wrong("version missing", "bodies: {a: {mass: 1}}\n", "1: pliant: is missing; a model begins with 'pliant: 1'")
wrong("version 2", "pliant: 2\n", '1: pliant: version 2 of the text model is not known; this program reads 1')
wrong("version text", "pliant: one\n", "1: pliant: version 'one' of the text model is not known; this program reads 1")
wrong("version true", "pliant: true\n", '1: pliant: version true of the text model is not known; this program reads 1')
wrong("version float", "pliant: 1.0.2\n", "1: pliant: version '1.0.2' of the text model is not known; this program reads 1")
wrong("unknown section", "pliant: 1\nbody: {a: {mass: 1}}\n", "2: body: unknown key 'body'; did you mean 'bodies'?")
wrong("unknown section far", "pliant: 1\nxyzzy: 1\n", "2: xyzzy: unknown key 'xyzzy'; there ***")
wrong("section capital", "pliant: 1\nBodies: {a: {mass: 1}}\n", "2: Bodies: unknown key 'Bodies'; did you mean 'bodies'?")
wrong("name number", "pliant: 1\nname: 3\n", '2: name: 3 must be a text; put it in quotes')
wrong("name list", "pliant: 1\nname: [a]\n", "2: name: ['a'] must be a text; put it in quotes")
wrong("gravity two", "pliant: 1\ngravity: [0, -9.81]\n", '2: gravity: [0, -9.81] must be a list of three numbers [m/s^2]')
wrong("gravity number", "pliant: 1\ngravity: 9.81\n", '2: gravity: 9.81 must be a list of three numbers [m/s^2]')
wrong("gravity text", "pliant: 1\ngravity: -9.81 m/s^2\n", "2: gravity: '-9.81 m/s^2' must be a list of three numbers [m/s^2]")
wrong("gravity unit", "pliant: 1\ngravity: [0, 0, -9.81 m/s]\n",
      "2: gravity: '-9.81 m/s' is a velocity [m/s], an acceleration [m/s^2] is due")
wrong("gravity nan", "pliant: 1\ngravity: [0, .nan, 0]\n", '2: gravity: nan must be finite; an acceleration [m/s^2] is due')
wrong("gravity nested", "pliant: 1\ngravity: [[0], 0, 0]\n", "2: gravity: [0] must be a number or a text such as '2 m/s^2'")
wrong("gravity map", "pliant: 1\ngravity: {x: 0, y: 0, z: 0}\n",
      '2: gravity: {x: 0, y: 0, z: 0} must be a list of three numbers [m/s^2]')
wrong("gravity bool", "pliant: 1\ngravity: [true, 0, 0]\n", "2: gravity: true must be a number or a text such as '2 m/s^2'")
wrong("bodies list", "pliant: 1\nbodies:\n  - {mass: 1}\n", '2: bodies: must be a mapping of names to bodies, found [{mass: 1}]')
wrong("bodies number", "pliant: 1\nbodies: 3\n", '2: bodies: must be a mapping of names to bodies, found 3')
wrong("body number", "pliant: 1\nbodies:\n  a: 3\n", '3: bodies.a: 3 must be a mapping such as {mass: 2 kg, inertia: [1, 1, 1]}')
wrong("body empty", "pliant: 1\nbodies:\n  a:\n",
      '3: bodies.a: no value is given, it must be a mapping such as {mass: 2 kg, inertia: [1, 1, 1]}')
wrong("body list", "pliant: 1\nbodies:\n  a: [1, 2]\n",
      '3: bodies.a: [1, 2] must be a mapping such as {mass: 2 kg, inertia: [1, 1, 1]}')
wrong("ground mass", "pliant: 1\nground: {mass: 1}\n", "2: ground.mass: unknown key 'mass'; the ground has frames")
wrong("ground text", "pliant: 1\nground: fixed\n", "2: ground: must be a mapping of the one entry frames, found 'fixed'")
wrong("ground frames list", "pliant: 1\nground: {frames: [[0, 0, 0]]}\n",
      '2: ground.frames: [[0, 0, 0]] must be a mapping of names to points')
wrong("ground frame text", "pliant: 1\nground: {frames: {wall: here}}\n",
      "2: ground.frames.wall: 'here' must be a list of three numbers or a mapping")

# -- names
wrong("name reserved", "pliant: 1\nbodies:\n  ground: {mass: 1}\n", "3: bodies.ground: name 'ground' is reserved; choose another")
wrong("name t", "pliant: 1\nbodies:\n  t: {mass: 1}\n", "3: bodies.t: name 't' is reserved; choose another")
wrong("name digit", "pliant: 1\nbodies:\n  1a: {mass: 1}\n",
      "3: bodies.1a: name '1a' must be a word of letters, digits and _ that does not begin with a digit; write '_1a'")
wrong("name dots", "pliant: 1\nbodies:\n  a..b: {mass: 1}\n",
      "3: bodies.a..b: name 'a..b' must be a word of letters, digits and _ that does not begin with a digit; write 'a_b'")
wrong("name blank", "pliant: 1\nbodies:\n  left arm: {mass: 1}\n",
      "3: bodies.left arm: name 'left arm' must be a word of letters, digits and _ that does not begin with a digit; write 'left_arm'")
wrong("name hyphen", "pliant: 1\nbodies:\n  left-arm: {mass: 1}\n",
      "3: bodies.left-arm: name 'left-arm' must be a word of letters, digits and _ that does not begin with a digit; write 'left_arm'")
wrong("name quotes empty", "pliant: 1\nbodies:\n  '': {mass: 1}\n",
      "3: bodies.'': name '' must be a word of letters, digits and _ that does not begin with a digit")
wrong("name newline", "pliant: 1\nbodies:\n  \"a\\nb\": {mass: 1}\n",
      "3: bodies.'a\\nb': name 'a\\nb' must be a word of letters, digits and _ that does not begin with a digit")
wrong("name escape", "pliant: 1\nbodies:\n  \"\\e[31mred\": {mass: 1}\n",
      "3: bodies.'\\x1b[31mred': name '\\x1b[31mred' must be a word of letters, digits and _ that does not begin with a digit")
wrong("name twice", body("mass: 1}\n  a: {mass: 2"), "4: bodies.a: the key 'a' stands here twice, first in line 3; remove one")
wrong("name across sections", PIN + "forces:\n  A: {kind: force, frame: crank, vector: [0, 0, 1]}\n",
      "7: forces.A: the name 'A' is taken by joints.A; names are unique in a model")
wrong("name long", "pliant: 1\nbodies:\n  " + "a" * 500 + ": {mass: -1}\n",
      '3: bodies.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…: name '
      "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'… (500 characters) must have at most 100 letters",
      '3: bodies.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa….mass: -1 must be at least 0')
wrong("frame name bad", ONE + "    frames: {my frame: [0, 0, 0]}\n",
      "5: bodies.a.frames.my frame: name 'my frame' must be a word of letters, digits and _ that does not begin with a digit; write "
      "'my_frame'")
