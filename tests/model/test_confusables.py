"""Names that would be mistaken for others are marked, and names as people write them are not."""

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.confusables import _DOUBLES, mistakable, skeleton
from cmdr.model.names import display_name, display_text, from_wire, taken_for, to_wire


def shown(name):
    return display_name(name.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize(
    "name",
    [
        "report.txt", "a b.txt", "Отчёт о работе.docx", "сор.txt", "роса", "оса.pdf", "Ёлка.jpg", "Їжак.txt", "файл.ру",
        "Αθήνα.txt", "νέο αρχείο.odt", "οικονομία", "Հայերեն.txt", "ԵՐԵՎԱՆ.pdf", "日本語のファイル.txt", "Ｔシャツ.png",
        "Tシャツ.png", "ＡＢＣ株式会社.pdf", "한국어 文書.hwp", "中文 report v2.txt", "füße.txt", "naïve café.txt",
        "kısa.txt",
        "TNFα.csv", "Δt.csv", "β2m.fasta", "μm.txt", "PDFфайл.doc", "WiFiМастер.doc", "USBконнектор.jpg",
        "1ª parte.txt",
        "Henry Ⅷ.txt", "x².txt", "😀 party 🎉.png", "❤\ufe0f.png", "1\ufe0f\u20e3.txt", "葛\U000e0100.txt", "עברית.txt",
        "العربية.txt", "ไทยดี.txt", "हिन्दी.txt", "Tiếng Việt.txt", "Tiếng Việt".encode().decode(),
        "Задача B.txt", "фото 2023 IMG.jpg", "full　width　space.txt", "ﬁnal.txt",
    ],
)  # fmt: skip
def test_names_as_people_write_them_are_left_alone(name):
    assert shown(name) == name
    assert shown(unicodedata.normalize("NFD", name)) == unicodedata.normalize("NFD", name)


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("p\u0430ypal.exe", "p\\u{430}ypal.exe"),  # a Cyrillic a
        ("invoice.\u0440df", "invoice.\\u{440}df"),
        ("photo.\u0435\u0445\u0435", "photo.\\u{435}\\u{445}\\u{435}"),  # all of the extension
        ("my \u0440\u0430\u0443 file.txt", "my \\u{440}\\u{430}\\u{443} file.txt"),
        ("g\u03bf\u03bfgle", "g\\u{3bf}\\u{3bf}gle"),  # two Greek o
        ("п\u0061пка", "п\\u{61}пка"),  # a Latin a in a Russian word
        ("\u0421ONFIG", "\\u{421}ONFIG"),
        ("p\uff41ypal", "p\\u{ff41}ypal"),
        ("p\U0001d41aypal", "p\\u{1d41a}ypal"),
        ("confi\u0261.sys", "confi\\u{261}.sys"),
        ("fi\u217ce", "fi\\u{217c}e"),
        ("\u0585penssl", "\\u{585}penssl"),
        ("\u0430a", "\\u{430}a"),
        ("etc\u2215passwd", "etc\\u{2215}passwd"),
        ("safe\u2024exe", "safe\\u{2024}exe"),
        ("name ", "name\\u{20}"),
        (" name", "\\u{20}name"),
        ("two  blanks", "two \\u{20}blanks"),
        ("   ", "\\u{20}\\u{20}\\u{20}"),
        ("wide\u3000", "wide\\u{3000}"),
        ("no\u00a0break", "no\\u{a0}break"),
        ("a\u3164b", "a\\u{3164}b"),
        ("\u3164", "\\u{3164}"),
        ("soft\u00adhyphen", "soft\\u{ad}hyphen"),
        ("a\u2800b", "a\\u{2800}b"),
        ("a\ufe0fb", "a\\u{fe0f}b"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + "\\u{301}\\u{301}"),
        ("\u0338x", "\\u{338}x"),
    ],
)
def test_what_would_be_mistaken_is_marked(name, marked):
    assert shown(name) == marked
    assert from_wire(marked) == name.encode()


def test_a_path_is_marked_name_by_name():
    assert display_name(b"/a /b/ c/d") == "/a\\u{20}/b/\\u{20}c/d"
    assert display_name("/Мои файлы/p\u0430y.txt".encode()) == "/Мои файлы/p\\u{430}y.txt"


def test_a_whole_word_of_doubles_is_marked_beside_the_name_it_would_be_taken_for():
    name = "сор.txt".encode()
    assert taken_for(name) == b"cop.txt"
    assert display_name(name) == "сор.txt"
    assert display_name(name, beside=True) == "\\u{441}\\u{43e}\\u{440}.txt"
    assert taken_for(b"cop.txt") is None
    assert taken_for("жук.txt".encode()) is None


def test_words_of_a_command_are_marked_and_its_blanks_are_not():
    assert display_text("  rm  ./p\u0430y\t.") == "  rm  ./p\\u{430}y\\u{9}."
    assert display_text("echo отчёт | сор") == "echo отчёт | сор"


LETTERS = {
    "CYRILLIC": "абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯіїєґў",
    "GREEK": "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
    "ARMENIAN": "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ",
    "LATIN": string.ascii_letters + "äöüßéèñçşğłøåæœðþ",
    "JAPANESE": "あいうカキク日本語一二三ー",
}


@given(
    st.sampled_from(sorted(LETTERS)).flatmap(lambda script: st.text(LETTERS[script] + "0123456789-_().", max_size=30))
)
def test_no_name_of_one_script_is_marked(name):
    assert not mistakable(name)
    assert shown(name + ".txt") == name + ".txt"


@given(
    st.text(string.ascii_lowercase, min_size=1, max_size=8),
    st.sampled_from([letter for letters, _ in _DOUBLES.values() for letter in letters]),
    st.text(string.ascii_lowercase, min_size=1, max_size=8),
)
def test_a_double_inside_a_plain_word_is_always_marked(before, double, after):
    assert mistakable(before + double + after) == {len(before)}


@given(st.binary(max_size=200) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_what_is_displayed_is_still_that_very_name(name):
    assert from_wire(display_name(name)) == name
    assert from_wire(display_name(name, beside=True)) == name


@given(st.text(" \u3000\u00a0ab\u3164\u2800\u115f\u1160\uffa0\u200b\ufe0f\u034f", min_size=1, max_size=12))
def test_two_names_that_are_displayed_alike_are_the_same(name):
    """Every blank can be counted: none but single ones between letters is drawn as nothing."""
    drawn = shown(name)
    assert drawn == drawn.strip(" \u3000")
    assert "  " not in drawn
    assert not set(drawn) & set("\u00a0\u3164\u2800\u115f\u1160\uffa0\u200b\ufe0f\u034f")


@given(st.text(string.ascii_letters + string.digits + string.punctuation.replace("\\", ""), max_size=40))
def test_plain_names_are_what_they_are(name):
    assert shown(name) == name == to_wire(name.encode())


@given(st.text(max_size=40))
def test_a_skeleton_is_plain(name):
    plain = skeleton(name)
    assert plain is None or plain.isascii()
