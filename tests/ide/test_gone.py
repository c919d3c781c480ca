"""What a client has opened for the person to look at goes when the client goes."""

import asyncio


async def test_the_viewers_of_a_client_close_with_its_last_connection(editor):
    async with editor() as it:
        it.commander.agent_tabs.grace_s = 0.0
        file = it.folder / "shown.txt"
        file.write_text("look\n")
        async with it.client() as other:
            async with it.client() as client:
                await client.call("openFile", filePath=str(file))
                assert len(it.commander.workspace.dialogs) == 1
            await other.call("getOpenEditors")
            assert len(it.commander.workspace.dialogs) == 1
        while it.commander.workspace.dialogs:
            await asyncio.sleep(0)
