/// A server that answers as a test asks for, over TLS or not, in Python: it shares no code with
/// what is tested. Run in a directory with the certificates; writes its ports to `ports` there.
///
/// A request's last path segments say what happens. What it does not model: HTTP in all its
/// forms. It reads a head and a body with a content length, and nothing else.
let testNodeScript = #"""
  import json, os, re, shutil, socket, ssl, struct, threading, time

  seen = {}          # marker -> how many requests of it were read
  lock = threading.Lock()
  counter = iter(range(1, 1 << 30))

  def count(key):
      with lock:
          seen[key] = seen.get(key, 0) + 1
          return seen[key]

  def reset(raw):
      raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
      os.close(raw.detach())

  def cut(stream):
      # An end of TCP without the closing alert of TLS.
      os.close(stream.detach())

  def answer(stream, body, status="200 OK", fields=""):
      head = "HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n" % (status, len(body), fields)
      stream.sendall(head.encode() + body)

  def serve(stream, number):
      data = b""
      requests = 0
      while True:
          while b"\r\n\r\n" not in data:
              piece = stream.recv(65536)
              if not piece:
                  return
              data += piece
          head, data = data.split(b"\r\n\r\n", 1)
          length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
          while len(data) < length:
              data += stream.recv(65536)
          body, data = data[:length], data[length:]
          requests += 1
          path = head.split(b" ")[1].decode()
          count(path)
          if not act(stream, number, requests, path, head, body):
              return

  def act(stream, number, requests, path, head, body):
      what = path.split("/")[2]
      argument = path.split("/")[-1]
      if what == "show":
          answer(stream, b"connection %d\n%s\n\n%s" % (number, head.replace(b"\r", b""), body))
      elif what == "count":
          answer(stream, str(seen.get("/node-7/" + body.decode(), 0)).encode())
      elif what == "sealed":
          answer(stream, b"x", fields="Content-Type: application/vnd.calimero.sealed\r\n"
                 "Retry-After:  3 \r\nDATE: Tue, 15 Nov 1994 08:12:31 GMT\r\n")
      elif what == "twice":
          answer(stream, b"x", fields="Content-Type: a/b\r\nContent-Type: c/d\r\n")
      elif what == "status":
          answer(stream, b"<html>", status=argument + " Reason", fields="Content-Type: text/html\r\n")
      elif what == "redirect":
          answer(stream, b"", status="302 Found", fields="Location: http://127.0.0.1:%d/\r\n" % ports["trap"])
      elif what == "interim":
          stream.sendall(b"HTTP/1.1 103 Early Hints\r\nContent-Type: early/hint\r\n\r\n")
          answer(stream, b"late", fields="Content-Type: a/b\r\n")
      elif what == "open-end":
          stream.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + b'{"status":"approved"}')
          if argument == "cut":
              cut(stream)
          else:
              stream.unwrap() if argument == "tls" else stream.shutdown(socket.SHUT_WR)
          return False
      elif what == "short":
          stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b'{"status":"approved"}')
          return False
      elif what == "cut-chunk":
          stream.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
          return False
      elif what == "reset":
          if argument == "late":
              stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
              time.sleep(0.05)
          reset(stream)
          return False
      elif what == "big":
          size = int(argument)
          stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
          send(stream, size, path)
      elif what == "chunked":
          size = int(argument)
          stream.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % size)
          send(stream, size, path)
          stream.sendall(b"\r\n0\r\nX-Trailer: 1\r\n\r\n")
      elif what == "header":
          answer(stream, b"x", fields="".join("X-%d: %s\r\n" % (n, "y" * 990) for n in range(int(argument))))
      elif what == "silent":
          # The peer ends it.
          stream.recv(1)
          count("/node-7/ended")
          return False
      elif what == "drip":
          stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
          while True:
              stream.sendall(b".")
              time.sleep(0.05)
      elif what == "not-http":
          stream.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
          return False
      elif what == "last":
          # Says that it goes on, and does not.
          answer(stream, str(number).encode())
          return False
      elif what == "break-second":
          # The second request on a connection is read and not answered.
          if requests > 1:
              reset(stream)
              return False
          answer(stream, str(number).encode())
      elif what == "swallow-second":
          if requests > 1:
              time.sleep(3600)
          answer(stream, str(number).encode())
      return True

  def send(stream, size, key):
      sent = 0
      while sent < size:
          sent += stream.send(b"z" * min(16384, size - sent))
          seen[key + "/sent"] = sent

  def listen():
      listener = socket.socket()
      listener.bind(("127.0.0.1", 0))
      listener.listen(1000)
      return listener

  def run(listener, handle):
      def one(raw):
          try:
              handle(raw, next(counter))
          except (OSError, AttributeError, IndexError):
              pass
          finally:
              raw.close()
      while True:
          raw, _ = listener.accept()
          raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
          threading.Thread(target=one, args=(raw,), daemon=True).start()

  def tls(certificate):
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(certificate + ".pem", "node.key")
      def handle(raw, number):
          with context.wrap_socket(raw, server_side=True, suppress_ragged_eofs=True) as stream:
              serve(stream, number)
      return handle

  def trap(raw, number):
      count("/node-7/trapped")

  def reset_handshake(raw, number):
      raw.recv(10)
      reset(raw)

  def mute(raw, number):
      time.sleep(3600)

  handlers = {name: tls(name) for name in ["node", "self-signed", "wrong-name", "expired"]}
  handlers |= {"plain": serve, "trap": trap, "reset-handshake": reset_handshake, "mute": mute}
  listeners = {name: listen() for name in handlers}
  ports = {name: listener.getsockname()[1] for name, listener in listeners.items()}
  for name in handlers:
      threading.Thread(target=run, args=(listeners[name], handlers[name]), daemon=True).start()
  with open("ports.new", "w") as file:
      json.dump(ports, file)
  os.rename("ports.new", "ports")
  parent = os.getppid()
  while os.getppid() == parent:
      time.sleep(0.2)
  shutil.rmtree(os.getcwd())
  """#

/// Makes an authority and the certificates that it gives, and one that nobody gave.
let testCertificatesScript = #"""
  set -eu
  exec 2>/dev/null
  key() { openssl ecparam -genkey -name prime256v1 -noout -out "$1.key"; }
  key authority; key node
  openssl req -x509 -new -key authority.key -subj "/CN=test authority" -days 30 -out authority.pem \
    -addext "keyUsage=critical,keyCertSign"
  issue() {
    echo "subjectAltName=$2" > names
    openssl req -new -key node.key -subj "/CN=node" | openssl x509 -req -CA authority.pem \
      -CAkey authority.key -CAcreateserial -days "$3" -extfile names -out "$1.pem"
  }
  issue node IP:127.0.0.1,DNS:localhost 30
  issue wrong-name DNS:other.example 30
  issue expired IP:127.0.0.1 -1
  openssl req -x509 -new -key node.key -subj "/CN=node" -days 30 -out self-signed.pem \
    -addext "subjectAltName=IP:127.0.0.1"
  """#
