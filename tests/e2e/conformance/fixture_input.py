"""Tools that ask the client for something before they answer: the multi-round flow of 2026-07-28."""

import mcp_types as types


def form(message, **properties):
    """A request for a filled-in form."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sampling(prompt, most):
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=prompt))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=most))


def _wanted(requests, state=None):
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def _said(words):
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)])


def _given(params, key, kind):
    answer = (params.input_responses or {}).get(key)
    return answer if isinstance(answer, kind) else None


def given_text(params, key, field):
    """What the person filled into one field, or None when the answer is missing or is no such form."""
    answer = _given(params, key, types.ElicitResult)
    if answer is None or answer.action != "accept":
        return None
    value = (answer.content or {}).get(field)
    return value if isinstance(value, str) else None


def ask_for_text(key, message, field, state=None):
    """Ask for one field of text."""
    return _wanted({key: form(message, **{field: {"type": "string"}})}, state)


def _elicitation(ctx, params):
    name = given_text(params, "user_name", "name")
    return ask_for_text("user_name", "What is your name?", "name") if name is None else _said(f"Hello, {name}!")


def _sample(ctx, params):
    answer = _given(params, "capital_question", types.CreateMessageResult)
    if answer is None:
        return _wanted({"capital_question": _sampling("What is the capital of France?", 100)})
    return _said(getattr(answer.content, "text", "no text"))


def _roots(ctx, params):
    answer = _given(params, "client_roots", types.ListRootsResult)
    if answer is None:
        return _wanted({"client_roots": types.ListRootsRequest()})
    return _said("Roots: " + ", ".join(str(root.uri) for root in answer.roots))


def _state(ctx, params):
    if _given(params, "confirm", types.ElicitResult) and params.request_state == "asked":
        return _said("state-ok")
    return _wanted({"confirm": form("Please confirm", ok={"type": "boolean"})}, "asked")


def _several(ctx, params):
    name = given_text(params, "user_name", "name")
    greeting = _given(params, "greeting", types.CreateMessageResult)
    roots = _given(params, "client_roots", types.ListRootsResult)
    if name is not None and greeting and roots and params.request_state == "three":
        return _said(f"{getattr(greeting.content, 'text', 'Hello')}, {name}: {len(roots.roots)} roots")
    return _wanted(
        {
            "user_name": form("What is your name?", name={"type": "string"}),
            "greeting": _sampling("Generate a greeting", 50),
            "client_roots": types.ListRootsRequest(),
        },
        "three",
    )


def _rounds(ctx, params):
    name = given_text(params, "step1", "name")
    if params.request_state and params.request_state.startswith("name:"):
        color = given_text(params, "step2", "color")
        if color is not None:
            return _said(f"{params.request_state.removeprefix('name:')} likes {color}")
        name = params.request_state.removeprefix("name:")
    if name is not None and params.request_state:
        return ask_for_text("step2", "Step 2: What is your favorite color?", "color", f"name:{name}")
    return ask_for_text("step1", "Step 1: What is your name?", "name", "step1")


def _capabilities(ctx, params):
    """Asks only for what the client says it can do."""
    has = ctx.session.client_capabilities or types.ClientCapabilities()
    requests = {}
    if has.sampling is not None:
        requests["sampled"] = _sampling("Say something", 20)
    if has.elicitation is not None:
        requests["asked"] = form("Say something", words={"type": "string"})
    if not requests or params.input_responses:
        return _said("done")
    return _wanted(requests)


INPUT_TOOLS = {
    "test_input_required_result_elicitation": _elicitation,
    "test_input_required_result_sampling": _sample,
    "test_input_required_result_list_roots": _roots,
    "test_input_required_result_request_state": _state,
    "test_input_required_result_multiple_inputs": _several,
    "test_input_required_result_multi_round": _rounds,
    "test_input_required_result_capabilities": _capabilities,
    "test_input_required_result_tampered_state": _state,
}
