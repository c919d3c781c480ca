"""Resources, prompts and completions that the conformance suite reads."""

import base64
import json
import re
import struct
import zlib

import mcp_types as types
from fixture_input import ask_for_text, given_text
from mcp.shared.exceptions import MCPError


def _chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


# One red pixel, and eight samples of silence.
PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    + _chunk(b"IEND", b"")
).decode()
WAV = base64.b64encode(
    struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 44, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8, b"data", 8)
    + b"\x80" * 8
).decode()

_TEMPLATE = re.compile(r"test://template/([^/]+)/data")


def text(words):
    """A piece of text content."""
    return types.TextContent(type="text", text=words)


def image():
    """The red pixel as content."""
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri, words, mime_type="text/plain"):
    """A resource inside other content."""
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    )


async def list_resources(ctx, params):
    """The fixed resources."""
    told = [
        ("test://static-text", "Fixed text", "text/plain"),
        ("test://static-binary", "Fixed image", "image/png"),
        ("test://watched-resource", "One that can be subscribed to", "text/plain"),
    ]
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=uri, name=uri.removeprefix("test://"), description=words, mime_type=kind)
            for uri, words, kind in told
        ]
    )


async def list_templates(ctx, params):
    """The one template."""
    template = types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", description="By id", mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(ctx, params):
    """One resource."""
    uri = str(params.uri)
    if uri == "test://static-binary":
        contents = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    elif found := _TEMPLATE.fullmatch(uri):
        body = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(body))
    elif uri == "test://static-text":
        words = "This is the content of the static text resource."
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
    elif uri == "test://watched-resource":
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text="Watched resource content.")
    else:
        raise MCPError(types.INVALID_PARAMS, "Resource not found", data={"uri": uri})
    return types.ReadResourceResult(contents=[contents])


_PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def prompt_lister(changes):
    """Lists the prompts, and those that were added."""

    async def list_prompts(ctx, params):
        fixed = [
            types.Prompt(
                name=name,
                description=f"The fixture {name}",
                arguments=[types.PromptArgument(name=argument, required=True) for argument in arguments],
            )
            for name, arguments in _PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=[*fixed, *changes.prompts])

    return list_prompts


async def get_prompt(ctx, params):
    """The messages of one prompt."""
    given = params.arguments or {}
    if params.name == "test_simple_prompt":
        said = [text("This is a simple prompt for testing.")]
    elif params.name == "test_prompt_with_arguments":
        said = [text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")]
    elif params.name == "test_prompt_with_embedded_resource":
        resource = embedded(given.get("resourceUri", ""), "Embedded resource content for testing.")
        said = [resource, text("Please process the embedded resource above.")]
    elif params.name == "test_prompt_with_image":
        said = [image(), text("Please analyze the image above.")]
    elif params.name == "test_input_required_result_prompt":
        context = given_text(params, "user_context", "context")
        if context is None:
            return ask_for_text("user_context", "What context should the prompt use?", "context")
        said = [text(f"A prompt about {context}.")]
    else:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content) for content in said])


async def complete(ctx, params):
    """Words that begin with what was typed."""
    words = [word for word in ("paris", "park", "party", "test") if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=words, total=len(words), has_more=False))
