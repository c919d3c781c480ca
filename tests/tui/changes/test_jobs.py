"""The list of jobs."""


async def test_jobs_can_be_looked_at(face):
    async with face() as it:
        await it.press("end", "f5", "enter")
        await it.until(lambda: (it.right / "readme.md").exists())
        await it.press("ctrl+j")
        await it.until(lambda: "copy done" in it.drawn or "done" in it.drawn)
