"""Lines that did not change are not drawn again, and lines that did are."""


async def test_news_in_the_status_line_draws_no_pane_again(face):
    async with face() as it:
        pane = it.main.left
        before = pane.render_lines(pane.size.region)
        it.main.show_message("Something happened.")
        await it.pilot.pause()
        assert pane.render_lines(pane.size.region) is before


async def test_a_moved_cursor_draws_its_pane_again(face):
    async with face() as it:
        pane = it.main.left
        before = pane.render_lines(pane.size.region)
        await it.press("down")
        assert pane.render_lines(pane.size.region) != before
