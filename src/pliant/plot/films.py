"""Animations as files: .gif by Pillow, .mp4 by ffmpeg; and films for notebooks."""
from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..report.display import Film
from .colors import COLORS

if TYPE_CHECKING:
    from .pictures import Stage


def film(stage: Stage, fps: float) -> Film:
    file = io.BytesIO()
    write_gif(stage, file, fps)
    return Film(file.getvalue(), f"animation of {stage.title}")


def write_gif(stage: Stage, path: Path | io.BytesIO, fps: float) -> None:
    """With one palette: our colours, mixed with white where they are smoothed, and greys."""
    from matplotlib.colors import to_rgb
    from PIL import Image
    inks = np.array([to_rgb(c) for c in COLORS])
    mixed = [1 - share * (1 - inks) for share in np.linspace(0.125, 1, 8)]
    greys = np.repeat(np.linspace(0, 1, 32)[:, None], 3, axis=1)
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.rint(255 * np.vstack([*mixed, greys])).astype(int).ravel().tolist())
    film = [Image.fromarray(pixels[:, :, :3]).quantize(palette=palette, dither=Image.Dither.NONE) for pixels in stage.frames()]
    film[0].save(path, format="GIF", save_all=True, append_images=film[1:], duration=max(20, round(100 / fps) * 10), loop=0)


def write_mp4(stage: Stage, path: Path, fps: float, executable: str) -> None:
    width, height = stage.fig.canvas.get_width_height()
    even = f"{width - width % 2}:{height - height % 2}"
    command = [executable, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{width}x{height}",
               "-r", f"{fps:g}", "-i", "-", "-an", "-vf", f"crop={even}:0:0",
               "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", str(path)]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin:
            for pixels in stage.frames():
                process.stdin.write(pixels.tobytes())
        if process.wait() != 0:
            log.seek(0)
            words = log.read().decode(errors="replace").strip().splitlines()
            reason = words[-1] if words else "nothing"
            raise OSError(f"cannot write {str(path)!r}: ffmpeg says {reason!r}; write a .gif instead")


def ffmpeg() -> str:
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        found = shutil.which("ffmpeg")
    if not found:
        raise ValueError("animate: mp4 needs ffmpeg, which is not installed: pip install pliant[video], or write a .gif")
    return found
