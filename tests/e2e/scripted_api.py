"""A stand-in for the model behind a coding agent: it reads a file, edits it once, and says that it is done."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedApi:
    """Speaks as much of the Messages API as an agent's one edit needs; `edit` is (path, old, new)."""

    def __init__(self, edit):
        self.edit = edit
        self.results = []
        """What the agent's tools answered, as the model would see it."""
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
                if "count_tokens" in self.path:
                    return self._json({"input_tokens": 10})
                if "/v1/messages" not in self.path:
                    return self._json({})
                blocks = api.answer(body)
                if body.get("stream"):
                    return self._stream(body, blocks)
                return self._json(api.message(body, blocks))

            def do_GET(self):
                self._json({"data": []})

            def do_HEAD(self):
                self.do_GET()

            def _json(self, value):
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def _stream(self, body, blocks):
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                for event in api.events(body, blocks):
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                self.close_connection = True

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body):
        """What the model says next: read, edit, done; anything without tools is small talk."""
        if not any(tool.get("name") == "Edit" for tool in body.get("tools", [])):
            return [{"type": "text", "text": "A title"}]
        results = [
            block
            for message in body["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block.get("type") == "tool_result"
        ]
        self.results = [json.dumps(block.get("content"), ensure_ascii=False) for block in results]
        path, old, new = self.edit
        if not results:
            return [{"type": "tool_use", "id": "toolu_read", "name": "Read", "input": {"file_path": path}}]
        if len(results) == 1:
            given = {"file_path": path, "old_string": old, "new_string": new}
            return [{"type": "tool_use", "id": "toolu_edit", "name": "Edit", "input": given}]
        return [{"type": "text", "text": "All done now."}]

    def message(self, body, blocks):
        stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "m"),
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }

    def events(self, body, blocks):
        whole = self.message(body, blocks)
        yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield {"type": "content_block_start", "index": index, "content_block": start}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        yield {
            "type": "message_delta",
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": 10},
        }
        yield {"type": "message_stop"}
