"""Stand-ins for the two files of the course, which this project may not copy."""

import shutil
from pathlib import Path

_FIRST = """
import ast, getpass, pprint, socket, ssl

HOOKS = {"Game start": ("game_start", 1), "Game end": ("game_over", 2),
         "Series end": ("series_over", 1), "Tournament end": ("tournament_over", 1),
         "Illegal action": ("illegal_action", 2)}


class BasicClientActorAbs:
    def __init__(self, IP_address=None, verbose=True):
        self.verbose = verbose
        self.IP_address = IP_address
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations("server.crt")
        self.ssl_sock = context.wrap_socket(socket.socket(socket.AF_INET, socket.SOCK_STREAM))

    def connect_to_server(self):
        print("Attempting to connect to server using ip-address: " + self.IP_address + ":33000...")
        self.ssl_sock.connect((self.IP_address, 33000))
        pprint.pprint(self.ssl_sock.getpeercert())
        while True:
            text = self.receive()
            if "username" in text:
                reply = input(text)
            elif "password" in text:
                reply = getpass.getpass(text)
            elif "Welcome" in text:
                print(text)
                self.play_tournament()
                self.disconnect_from_server()
            elif "Invalid credentials" in text:
                print("Wrong credentials")
                print(text)
                self.disconnect_from_server()
            elif "player-name" in text or "qualify" in text or "stress" in text:
                reply = input(text)
            elif "Sorry" in text:
                exit()
            else:
                print("Unrecognized response from server, disconnecting now.")
                self.disconnect_from_server()
            self.ssl_sock.send(bytes(reply, "utf8"))

    def receive(self):
        return self.ssl_sock.recv(1024).decode("utf8")

    def value(self):
        return ast.literal_eval(self.receive())

    def play_tournament(self):
        while True:
            text = self.receive()
            if self.verbose:
                print(text)
            if text == "Series start":
                own, player_map, num_games, params = [self.value() for _ in range(4)]
                series_id = [pair[1] for pair in player_map if pair[0] == own][0]
                self.handle_series_start(own, series_id, player_map, num_games, params)
            elif text in HOOKS:
                hook, values = HOOKS[text]
                getattr(self, "handle_" + hook)(*[self.value() for _ in range(values)])
                if text in ("Tournament end", "Illegal action"):
                    break
            else:
                move = str(self.handle_get_action(ast.literal_eval(text)))
                self.ssl_sock.send(bytes(move, "utf8"))

    def disconnect_from_server(self):
        self.ssl_sock.close()
        exit()
"""

_SECOND = """
import getpass, json, logging, os, socket, ssl, struct

AUTH, QUALIFY, ECHO = (os.getenv(f"IT3105_{name}") for name in ("AUTH", "QUALIFY", "ECHO"))
ANSWERS = {**dict.fromkeys(("yes", "y", "1", "true", "t"), True),
           **dict.fromkeys(("no", "n", "0", "false", "f"), False)}
HOOKS = {"game_start": ["start_player"], "game_over": ["winner", "end_state"],
         "series_over": ["stats"], "tournament_over": ["score"]}


class ActorClient:
    def __init__(self, host, port, cert, auth=AUTH, echo=ECHO, qualify=QUALIFY, league_port="0"):
        self.host, self.port, self.cert, self.auth = host, port, cert, auth
        self.league_port = league_port
        self.answers = {"qualify": qualify}
        self.logger = logging.Logger("ActorClient")
        self.logger.addHandler(logging.StreamHandler())
        self.logger.setLevel(logging.DEBUG if echo else logging.INFO)

    def run(self, mode="qualifiers"):
        port = {"qualifiers": self.port, "league": self.league_port}[mode]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(self.cert)
        self.sock = context.wrap_socket(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        with self.sock:
            self.logger.info("Connecting to %s:%s", self.host, port)
            self.sock.connect((self.host, int(port)))
            while self.handle(self.recv()):
                pass

    def handle(self, msg):
        topic = msg.get("topic")
        if topic == "message":
            self.logger.info(msg["message"])
        elif topic == "authentication":
            auth = getpass.getpass("Enter API token: ") if self.auth is None else self.auth
            self.send(auth)
            self.logger.info("Authenticating...")
        elif topic == "question":
            self.send(self.handle_question(msg["question"], msg["prompt"]))
        elif topic == "finish":
            self.logger.info("Connection closed")
            return False
        elif topic == "error":
            self.logger.error(msg["error"])
            raise Exception(msg["error"])
        elif topic == "series_start":
            own = msg["unique_player_id"]
            series_id = [pair[1] for pair in msg["player_id_map"] if pair[0] == own][0]
            self.handle_series_start(
                unique_id=own, series_id=series_id, player_map=msg["player_id_map"],
                num_games=msg["num_games"], game_params=msg["game_params"])
        elif topic == "request_action":
            self.send(self.handle_get_action(state=msg["state"]))
        elif topic in HOOKS:
            getattr(self, "handle_" + topic)(**{key: msg[key] for key in HOOKS[topic]})
        else:
            raise RuntimeError("Received unexpected message from server " + repr(msg))
        return True

    def handle_question(self, question, prompt):
        answer = self.answers.get(question)
        if answer is None:
            answer = input(prompt + " [y/n] ")
        answer = str(answer).lower().strip()
        if answer not in ANSWERS:
            raise Exception("Bad answer")
        return ANSWERS[answer]

    def recv(self):
        (size,) = struct.unpack("i", self.exactly(struct.calcsize("i")))
        body = self.exactly(size)
        self.logger.debug("Received payload: %s", body)
        return json.loads(body.decode("utf-8"))

    def exactly(self, size):
        data = b""
        while len(data) < size:
            part = self.sock.recv(size - len(data))
            if not part:
                raise socket.error("Received empty string")
            data += part
        return data

    def send(self, msg):
        self.logger.debug("Sending: %s", msg)
        body = json.dumps(msg).encode("utf-8")
        self.sock.send(struct.pack("i", len(body)))
        self.sock.send(body)
"""

NAMES = {1: "BasicClientActorAbs.py", 2: "ActorClient.py"}


def put_client(protocol: int, folder: Path, certificate: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAMES[protocol]).write_text(_FIRST if protocol == 1 else _SECOND)
    shutil.copy(certificate, folder / "server.crt")
    return folder
