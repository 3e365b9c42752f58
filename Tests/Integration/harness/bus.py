"""A D-Bus of a test's own, with stand-ins for the desktop's portal and notification service."""

import signal
import socket
import subprocess
import threading
from pathlib import Path

from jeepney import HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney import DBusAddress
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

from .waiting import PATIENCE, until


class Bus:
    """`dbus-daemon --session` on a socket in `home`."""

    def __init__(self, home, activatable=None):
        """`activatable`: programs that the bus may start, by their services' names."""
        self.path = Path(home) / "bus"
        services = Path(home) / "services"
        services.mkdir()
        for name, program in (activatable or {}).items():
            (services / f"{name}.service").write_text(
                f"[D-BUS Service]\nName={name}\nExec={program}\n")
        self.address = f"unix:path={self.path}"
        configuration = Path(home) / "bus.conf"
        # The standard session's rules, without its folders of services.
        configuration.write_text(f"""<busconfig><type>session</type>
            <listen>{self.address}</listen><servicedir>{services}</servicedir>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>""")
        self.process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self._listens, "the bus listens")
        self.services = []

    def _listens(self):
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.path)) == 0

    @property
    def environment(self):
        return {"DBUS_SESSION_BUS_ADDRESS": self.address}

    def freeze(self):
        """From now on it takes connections and answers nobody."""
        self.process.send_signal(signal.SIGSTOP)

    def add(self, kind, *arguments):
        service = kind(self.address, *arguments)
        self.services.append(service)
        return service

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        for service in self.services:
            service.close()
        self.process.kill()
        self.process.wait(PATIENCE)


class Service:
    """Owns a name, and answers calls in a thread of its own."""

    name = ""

    def __init__(self, address):
        self.connection = open_dbus_connection(address)
        reply = self.connection.send_and_get_reply(message_bus.RequestName(self.name))
        assert reply.body == (1,), reply.body
        self.calls = []
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                message = self.connection.receive()
            except (OSError, ConnectionError, ValueError):
                return
            if message.header.message_type is not MessageType.method_call:
                continue
            fields = message.header.fields
            self.calls.append((fields[HeaderFields.member], message.body))
            for answer in self.answers(message):
                self.connection.send(answer)

    def answers(self, message):
        raise NotImplementedError

    def close(self):
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join(PATIENCE)
        self.connection.close()


class Notifications(Service):
    """`org.freedesktop.Notifications`."""

    name = "org.freedesktop.Notifications"

    def answers(self, message):
        yield new_method_return(message, "u", (len(self.calls),))

    @property
    def shown(self):
        """(summary, body) of each, and nothing that asks for more than to be shown."""
        result = []
        for member, body in list(self.calls):
            assert member == "Notify"
            application, replaces, _, summary, text, actions, _, _ = body
            assert (application, replaces, actions) == ("mero-consent", 0, [])
            result.append((summary, text))
        return result


class Portal(Service):
    """`org.freedesktop.portal.OpenURI`. `response` is the code of its Response signal; `None` for
    no word at all, "silent" for not even an answer to the call, "missing" for no such interface."""

    name = "org.freedesktop.portal.Desktop"

    def __init__(self, address, response):
        self.response = response
        super().__init__(address)

    def answers(self, message):
        if self.response == "silent":
            return
        if self.response == "missing":
            yield new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
            return
        sender = message.header.fields[HeaderFields.sender][1:].replace(".", "_")
        token = message.body[2]["handle_token"][1]
        path = f"/org/freedesktop/portal/desktop/request/{sender}/{token}"
        yield new_method_return(message, "o", (path,))
        if self.response is not None:
            request = DBusAddress(path, interface="org.freedesktop.portal.Request")
            yield new_signal(request, "Response", "ua{sv}", (self.response, {}))

    @property
    def opened(self):
        """(address, options) of each call."""
        return [(body[1], {name: value[1] for name, value in body[2].items()})
                for member, body in list(self.calls) if member == "OpenURI"]
