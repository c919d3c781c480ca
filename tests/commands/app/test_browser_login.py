"""The link that makes a browser the person's own."""


async def test_only_the_person_gets_a_login_link_and_only_while_there_is_a_server(desk):
    async with desk() as at:
        assert await at.person("web.link") == "ERROR: The server is not running, so there is no page to open."
        at.commander.new_login_link = lambda: "http://127.0.0.1:9224/login?code=x"
        assert await at.person("web.link") == "OK: http://127.0.0.1:9224/login?code=x"
        assert (await at.agent("web.link")).startswith("ERROR: web.link is for the person only")
