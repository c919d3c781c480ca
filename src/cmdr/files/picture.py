"""A picture made small enough for a terminal, by Pillow when it is installed."""

from cmdr.files.viewing import NotViewable
from cmdr.model.installing import how_to_install

Pixel = tuple[int, int, int]
MOST_PIXELS = 200_000_000


def picture(path: bytes, width: int, height: int) -> list[list[Pixel]]:
    """Rows of pixels, at most so wide and high; blocks, so it runs in a thread."""
    try:
        from PIL import Image
    except ImportError:
        raise NotViewable(f"Pictures need Pillow: {how_to_install('pillow')}") from None
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path.decode("utf-8", "surrogateescape")) as image:
                _check_size(image.width * image.height)
                image.draft("RGB", (width * 2, height * 2))
                image.thumbnail((width, height))
                small = image.convert("RGBA")
    except NotViewable:
        raise
    except Exception as error:
        # Decoders raise whatever they like on damaged files.
        raise NotViewable(f"Not a picture that can be shown ({type(error).__name__}).") from error
    canvas = Image.new("RGBA", small.size, (16, 20, 26, 255))
    canvas.alpha_composite(small)
    flat = canvas.convert("RGB").tobytes()
    line = small.width * 3
    return [
        [(flat[at], flat[at + 1], flat[at + 2]) for at in range(row * line, (row + 1) * line, 3)]
        for row in range(small.height)
    ]


def _check_size(pixels: int) -> None:
    if pixels > MOST_PIXELS:
        raise NotViewable("This picture is too large to show.")
