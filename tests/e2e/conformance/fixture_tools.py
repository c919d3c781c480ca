"""The tools that the conformance suite calls by name."""

import asyncio
import json

import mcp_types as types
from fixture_content import WAV, embedded, image, text
from fixture_input import INPUT_TOOLS, form
from mcp.shared.exceptions import MCPError

_PAUSE = 0.05
"""The suite asks for pauses, so that notices travel one by one."""


def _said(*contents, is_error=False):
    return types.CallToolResult(content=list(contents), is_error=is_error)


async def _simple_text(ctx, given):
    return _said(text("This is a simple text response for testing."))


async def _image(ctx, given):
    return _said(image())


async def _audio(ctx, given):
    return _said(types.AudioContent(type="audio", data=WAV, mime_type="audio/wav"))


async def _embedded(ctx, given):
    return _said(embedded("test://embedded-resource", "This is an embedded resource content."))


async def _mixed(ctx, given):
    resource = embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return _said(text("Multiple content types test:"), image(), resource)


async def _error(ctx, given):
    return _said(text("This tool intentionally returns an error for testing"), is_error=True)


async def _progress(ctx, given):
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100, f"{done} of 100")
        await asyncio.sleep(_PAUSE)
    return _said(text("Done in three steps"))


async def _logging(ctx, given):
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await asyncio.sleep(_PAUSE)
    return _said(text("Logged three times"))


async def _sampling(ctx, given):
    prompt = types.TextContent(type="text", text=given["prompt"])
    answer = await ctx.session.create_message(
        [types.SamplingMessage(role="user", content=prompt)], max_tokens=100, related_request_id=ctx.request_id
    )
    return _said(text(f"LLM response: {getattr(answer.content, 'text', '')}"))


async def _elicit(ctx, message, schema, words):
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return _said(text(f"{words}action={answer.action}, content={json.dumps(answer.content)}"))


async def _elicitation(ctx, given):
    schema = {
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    }
    return await _elicit(ctx, given["message"], schema, "User response: ")


async def _defaults(ctx, given):
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    schema = {"type": "object", "properties": properties}
    return await _elicit(ctx, "Check these", schema, "Elicitation completed: ")


async def _enums(ctx, given):
    options = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    chosen = [
        {"const": f"value{n}", "title": f"{word} Choice"} for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    properties = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": chosen}},
    }
    schema = {"type": "object", "properties": properties}
    return await _elicit(ctx, "Choose some", schema, "Elicitation completed: ")


async def _missing_capability(ctx, given):
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs a client that can sample.",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return _said(text("The client can sample"))


async def _streaming_elicitation(ctx, given):
    await ctx.session.report_progress(1, 2, "about to ask")
    return types.InputRequiredResult(input_requests={"asked": form("Go on?", ok={"type": "boolean"})})


async def _reconnection(ctx, given):
    return _said(text("The stream was not interrupted"))


async def _echo(ctx, given):
    return _said(text(json.dumps(given)))


_TEXT = {"type": "string"}
_NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
# Keywords of JSON Schema 2020-12 that must reach the client as they are.
_RICH = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": _TEXT, "city": _TEXT}}},
    "properties": {
        "name": _TEXT,
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": _TEXT,
        "email": _TEXT,
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_IN_HEADER = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "query": _TEXT},
    "required": ["region"],
}

_TOOLS = {
    "test_simple_text": (_simple_text, _NOTHING),
    "test_image_content": (_image, _NOTHING),
    "test_audio_content": (_audio, _NOTHING),
    "test_embedded_resource": (_embedded, _NOTHING),
    "test_multiple_content_types": (_mixed, _NOTHING),
    "test_error_handling": (_error, _NOTHING),
    "test_tool_with_progress": (_progress, _NOTHING),
    "test_tool_with_logging": (_logging, _NOTHING),
    "test_logging_tool": (_logging, _NOTHING),
    "test_sampling": (_sampling, {"type": "object", "properties": {"prompt": _TEXT}, "required": ["prompt"]}),
    "test_elicitation": (_elicitation, {"type": "object", "properties": {"message": _TEXT}, "required": ["message"]}),
    "test_elicitation_sep1034_defaults": (_defaults, _NOTHING),
    "test_elicitation_sep1330_enums": (_enums, _NOTHING),
    "test_missing_capability": (_missing_capability, _NOTHING),
    "test_streaming_elicitation": (_streaming_elicitation, _NOTHING),
    "test_reconnection": (_reconnection, _NOTHING),
    "json_schema_2020_12_tool": (_echo, _RICH),
    "test_header_parameter": (_echo, _IN_HEADER),
}
_TRIGGERS = ("test_trigger_tool_change", "test_trigger_prompt_change")


def schema_of(name):
    """The schema of a tool's arguments, or None for one that does not exist."""
    if name in _TOOLS:
        return _TOOLS[name][1]
    return _NOTHING if name in INPUT_TOOLS or name in _TRIGGERS else None


def lister(changes):
    """Lists the tools, and those that were added."""

    async def list_tools(ctx, params):
        fixed = [
            types.Tool(name=name, description=f"The fixture {name}", input_schema=schema_of(name))
            for name in (*_TOOLS, *INPUT_TOOLS, *_TRIGGERS)
        ]
        return types.ListToolsResult(tools=[*fixed, *changes.tools])

    return list_tools


def caller(changes):
    """Calls a tool by name."""

    async def call_tool(ctx, params):
        if params.name in _TOOLS:
            return await _TOOLS[params.name][0](ctx, params.arguments or {})
        if params.name in INPUT_TOOLS:
            return INPUT_TOOLS[params.name](ctx, params)
        if params.name == "test_trigger_tool_change":
            await changes.add_tool()
        elif params.name == "test_trigger_prompt_change":
            await changes.add_prompt()
        else:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return _said(text("The list has changed"))

    return call_tool
