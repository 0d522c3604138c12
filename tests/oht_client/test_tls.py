"""The certificate of the local server."""

import datetime
import os
import socket
import ssl
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from oht_client.server.tls import ensure_certificate
from online.errors import TournamentError
from tests.project import TIMEOUT

Pair = tuple[Path, Path]


def server_context(pair: Pair) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)
    return context


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_clients_that_check_the_host_accept_the_certificate(certificates: Pair, name: str) -> None:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    client.load_verify_locations(certificates[0])
    assert client.check_hostname
    here, there = socket.socketpair()
    with here, ThreadPoolExecutor(1) as pool:
        served = pool.submit(server_context(certificates).wrap_socket, there, server_side=True)
        with client.wrap_socket(here, server_hostname=name):
            served.result(TIMEOUT).close()


def test_the_certificate_resembles_the_real_one_and_is_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    certificate, key = ensure_certificate(folder)
    assert {*folder.iterdir()} == {certificate, key}
    assert (certificate.name, key.name) == ("server.crt", "server.key")
    before = certificate.read_bytes(), key.read_bytes()
    for mode in (0o600, 0o644):  # the key becomes private even if it was not
        key.chmod(mode)
        ensure_certificate(folder)
        assert os.name != "posix" or stat.S_IMODE(key.stat().st_mode) == 0o600
    assert (certificate.read_bytes(), key.read_bytes()) == before
    made = x509.load_pem_x509_certificate(before[0])
    public = made.public_key()
    assert isinstance(public, rsa.RSAPublicKey)
    assert public.key_size == 2048
    assert isinstance(made.signature_hash_algorithm, hashes.SHA256)
    assert (made.version, made.issuer) == (x509.Version.v3, made.subject)
    assert made.not_valid_after_utc - made.not_valid_before_utc > datetime.timedelta(days=3600)
    with pytest.raises(TournamentError, match=r"server\.crt.*: cannot be used: "):
        ensure_certificate(certificate / "folder")


@pytest.mark.parametrize("damaged", ["server.crt", "server.key"])
def test_a_damaged_certificate_or_key_replaces_both_files(tmp_path: Path, damaged: str) -> None:
    pair = ensure_certificate(tmp_path)
    before = pair[0].read_bytes()
    (tmp_path / damaged).write_bytes(b"-----BEGIN")
    ensure_certificate(tmp_path)
    assert pair[0].read_bytes() != before
    server_context(pair)


def test_another_servers_certificate_is_used_with_its_key_and_never_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        name = x509.NameAttribute(NameOID.COMMON_NAME, "somebody else")
        patch.setattr("oht_client.server.tls._NAME", x509.Name([name]))
        certificate, key = ensure_certificate(tmp_path)
    before, private = certificate.read_bytes(), key.read_bytes()
    key.unlink()
    with pytest.raises(TournamentError, match=r"server\.crt: expected .* another server's"):
        ensure_certificate(tmp_path)
    key.write_bytes(private)
    assert ensure_certificate(tmp_path)[0].read_bytes() == certificate.read_bytes() == before
