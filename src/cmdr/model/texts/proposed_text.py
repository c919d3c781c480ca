"""A proposed text against the file it would change, when the two write line ends and byte order marks differently."""

from dataclasses import dataclass

from cmdr.model.texts.text_format import TextFormat

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class ProposedText:
    """What an agent sent, and the same text as it stands inside cmdr, comparable with the file."""

    sent: str
    inner: str
    mark: bool
    """Whether it was sent with a byte order mark that the file has too."""
    pairs: bool
    """Whether its lines were sent ended with `\\r\\n`, as in the file."""

    def as_sent(self, text: str) -> str:
        """A text as the agent would write it: the one it sent, byte for byte, when the person changed nothing."""
        if text == self.inner:
            return self.sent
        if self.pairs:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        return _MARK + text if self.mark else text


def take_proposed(sent: str, format: TextFormat) -> ProposedText:
    """Bring a sent text to the inner form of a file stored in this format.

    Clients send `\\n` for files that end lines with `\\r\\n`, and some send the byte order mark as a character:
    neither is a change that a person should have to look at.
    """
    inner = sent
    mark = format.bom and inner.startswith(_MARK)
    if mark:
        inner = inner[1:]
    pairs = format.eol == "\r\n" and "\r\n" in inner
    if pairs:
        inner = inner.replace("\r\n", "\n")
    return ProposedText(sent, inner, mark, pairs)
