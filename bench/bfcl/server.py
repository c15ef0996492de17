"""The classes of BFCL's multi-turn tasks as an MCP server over standard input and output.

    python3 server.py DIRECTORY

DIRECTORY is `berkeley-function-call-leaderboard` of ShishirPatil/gorilla. Besides the tools that it lists, the server has
four for the benchmark: `bfcl_tasks`, `bfcl_direct`, `bfcl_load` and `bfcl_compare`.
"""

import ast
import copy
import importlib
import inspect
import json
import pathlib
import sys

DIRECTORY = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(DIRECTORY))

from bfcl_eval.constants.executable_backend_config import (  # noqa: E402
    CLASS_FILE_PATH_MAPPING,
    MULTI_TURN_FUNC_DOC_FILE_MAPPING,
    STATELESS_CLASSES,
)
from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils  # noqa: E402

DATA = DIRECTORY / "bfcl_eval" / "data"
KINDS = ["base", "long_context", "miss_func", "miss_param"]
CLASSES = "GorillaFileSystem MathAPI MessageAPI TwitterAPI TicketAPI TradingBot TravelAPI VehicleControlAPI".split()

# What BFCL's documentation calls types, in JSON Schema.
TYPES = {"dict": "object", "float": "number", "tuple": "array"}


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def to_schema(documented):
    if isinstance(documented, list):
        return [to_schema(one) for one in documented]
    if not isinstance(documented, dict):
        return documented
    schema = {key: to_schema(one) for key, one in documented.items()}
    if isinstance(schema.get("type"), str):
        schema["type"] = TYPES.get(schema["type"], schema["type"])
    return schema


class Benchmark:
    def __init__(self):
        self.classes = {name: getattr(importlib.import_module(CLASS_FILE_PATH_MAPPING[name]), name) for name in CLASSES}
        self.tools = []
        self.class_of = {}
        for name in CLASSES:
            for tool in read_lines(DATA / "multi_turn_func_doc" / MULTI_TURN_FUNC_DOC_FILE_MAPPING[name]):
                schema = to_schema(tool["parameters"])
                self.tools.append({"name": tool["name"], "description": tool["description"], "inputSchema": schema})
                self.class_of[tool["name"]] = name
        self.tasks = {}
        for kind in KINDS:
            answers = read_lines(DATA / "possible_answer" / f"BFCL_v4_multi_turn_{kind}.json")
            for task, answer in zip(read_lines(DATA / f"BFCL_v4_multi_turn_{kind}.json"), answers):
                self.tasks[task["id"]] = {**task, "turns": answer["ground_truth"]}
        self.instances = {}
        self.expected = None

    def bfcl_tasks(self):
        """Each task with the names of its tools, and what the user says in each turn."""
        tools_of = {name: [tool for tool, own in self.class_of.items() if own == name] for name in CLASSES}
        return [
            {
                "id": task["id"],
                "tools": [tool for name in task["involved_classes"] for tool in tools_of[name]],
                "questions": [" ".join(message["content"] for message in turn) for turn in task["question"]],
            }
            for task in self.tasks.values()
        ]

    def bfcl_direct(self, id):
        """The reference calls, run by BFCL itself: its texts, and the calls with names for all arguments."""
        task = self.tasks[id]
        texts, instances = [], {}
        for turn in task["turns"]:
            results, instances = multi_turn_utils.execute_multi_turn_func_call(
                turn, task["initial_config"], task["involved_classes"], "direct", id, "long_context" in id
            )
            texts.append(results)
        # BFCL keeps the instances of all tasks, which would take much memory.
        for name in [name for name in vars(multi_turn_utils) if name.endswith("_instance")]:
            delattr(multi_turn_utils, name)
        self.expected = texts, state_of(instances)
        return {"turns": [[self.read_call(call) for call in turn] for turn in task["turns"]], "texts": texts}

    def read_call(self, text):
        call = ast.parse(text, mode="eval").body
        name = call.func.id
        parameters = list(inspect.signature(getattr(self.classes[self.class_of[name]], name)).parameters)[1:]
        named = dict(zip(parameters, call.args), **{keyword.arg: keyword.value for keyword in call.keywords})
        return {"name": name, "arguments": {key: ast.literal_eval(value) for key, value in named.items()}}

    def bfcl_load(self, id):
        task = self.tasks[id]
        self.instances = {name: self.classes[name]() for name in task["involved_classes"]}
        for name, instance in self.instances.items():
            if name not in STATELESS_CLASSES:
                config = copy.deepcopy(task["initial_config"].get(name, {}))
                instance._load_scenario(config, long_context="long_context" in id)

    def bfcl_compare(self, lines):
        """What programs printed, one line of JSON for each call, compared with the direct replay."""
        texts, state = self.expected
        wrong = []
        for turn, (expected, printed) in enumerate(zip(texts, lines)):
            for place, text in enumerate(expected):
                line = printed[place] if place < len(printed) else None
                if line is None or not is_same(text, line):
                    wrong.append({"turn": turn, "call": place, "expected": text[:300], "printed": (line or "")[:300]})
        return {"wrong": wrong, "isStateSame": state_of(self.instances) == state}

    def call(self, name, arguments):
        instance = self.instances.get(self.class_of.get(name))
        if instance is None:
            return text_result("The task does not have this tool.", True)
        try:
            result = getattr(instance, name)(**arguments)
        except Exception as error:
            return text_result(str(error), True)
        return text_result(as_text(result))


def as_text(result):
    """As BFCL passes results to models."""
    if isinstance(result, dict):
        try:
            return json.dumps(result)
        except TypeError:
            pass
    return str(result)


def is_same(text, line):
    """A program gets the text of a JSON object or list as a value, and other text as it is."""
    try:
        expected = json.loads(text) if text.lstrip()[:1] in ("{", "[") else text
    except ValueError:
        expected = text
    return expected == json.loads(line)


def state_of(instances):
    """All that BFCL compares: the attributes without a leading underscore."""
    return {name: plain(instance, set()) for name, instance in instances.items()}


def plain(value, seen):
    if isinstance(value, dict):
        return {str(key): plain(one, seen) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one, seen) for one in value]
    # Numbers are compared, and not their texts: JSON has no difference between 10 and 10.0.
    if isinstance(value, (str, int, float)):
        return value
    if not hasattr(value, "__dict__"):
        return repr(value)
    # Directories know the one that they are in.
    if id(value) in seen:
        return type(value).__name__
    seen.add(id(value))
    return {key: plain(one, seen) for key, one in vars(value).items() if not key.startswith("_")}


def text_result(text, is_error=False):
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def answer(benchmark, method, params):
    if method == "initialize":
        info = {"name": "bfcl", "version": "4"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": benchmark.tools}
    if method == "tools/call":
        name, arguments = params["name"], params.get("arguments", {})
        if name.startswith("bfcl_"):
            return text_result(json.dumps(getattr(benchmark, name)(**arguments)))
        return benchmark.call(name, arguments)
    return {} if method == "ping" else None


def main():
    benchmark = Benchmark()
    replies, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = answer(benchmark, request["method"], request.get("params", {}))
        unknown = {"error": {"code": -32601, "message": "Method not found"}}
        outcome = unknown if result is None else {"result": result}
        replies.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **outcome}) + "\n")
        replies.flush()


main()
