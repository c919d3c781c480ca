"""An agent that proposes to bring secrets into its reach: the person sees which, and must type the word."""

from cmdr.model.plans.plan_text import summary_of, word_to_type


async def test_an_agents_copy_of_secrets_needs_the_typed_word_and_a_persons_does_not(desk):
    async with desk(engine=True) as at:
        (at.root / "left" / ".aws").mkdir()
        (at.root / "left" / ".aws" / "credentials").write_text("S")
        (at.root / "left" / "id_ed25519").write_text("S")
        secrets = [at.path("left/.aws/credentials"), at.path("left/id_ed25519")]
        wish = {"paths": [*secrets, at.path("left/a9.txt")], "to": at.path("right")}
        assert (await at.agent("copy", **wish)).startswith("OK: Copy dialog opened")
        (asked,) = at.commander.proposals.pending()
        assert word_to_type(asked.plan) == "copy"
        told = [line for line in summary_of(asked.plan) if line.startswith("protected:")]
        assert [line.split()[1] for line in told] == secrets
        assert (await at.agent("rename", path=at.path("left/.aws"), newName="notes")).startswith(
            "OK: Rename dialog opened"
        )
        assert word_to_type(at.commander.proposals.pending()[-1].plan) == "rename"
        await at.person("copy", paths=wish["paths"][:1], to=wish["to"])
        assert word_to_type(at.commander.proposals.pending()[-1].plan) is None
