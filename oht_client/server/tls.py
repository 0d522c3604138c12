"""The local server's certificate: self-signed, its own trust anchor, like the real server's.

Only clients that use ``requests`` check the host's name, so the certificate names the host. The key
is written before the certificate: a certificate without a key is not ours.
"""

import contextlib
import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from base.storage import atomic_path
from online.errors import TournamentError

CERTIFICATE_FILE, KEY_FILE = "server.crt", "server.key"

# Recognises certificates of earlier runs.
_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Online Hex Tournament at home")])
_VALID = datetime.timedelta(days=3650)
_CLOCK_SKEW = datetime.timedelta(days=1)


def ensure_certificate(folder: Path) -> tuple[Path, Path]:
    """Return the PEM files of certificate and key, made if needed; else a ``TournamentError``."""
    certificate_path, key_path = folder / CERTIFICATE_FILE, folder / KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        subject = _NAME
        with contextlib.suppress(FileNotFoundError, ValueError):  # none, or a damaged one
            subject = x509.load_pem_x509_certificate(certificate_path.read_bytes()).subject
        if _fit(certificate_path, key_path):
            key_path.chmod(0o600)
        elif subject == _NAME:
            _make(certificate_path, key_path)
        else:
            words = "expected a valid certificate with its key beside it, got another server's"
            problem = f"{certificate_path}: {words}; move it away, and a new one is made"
            raise TournamentError(problem)
    except OSError as error:
        place = error.filename or folder
        raise TournamentError(f"{place}: cannot be used: {error.strerror or error}") from error
    return certificate_path, key_path


def _fit(certificate_path: Path, key_path: Path) -> bool:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate_path, key_path, "")
    except (OSError, ValueError):  # among them all that TLS raises
        return False
    return True


def _make(certificate_path: Path, key_path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.IPv4Address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    with atomic_path(key_path) as temporary:
        temporary.chmod(0o600)
        temporary.write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    with atomic_path(certificate_path) as temporary:
        temporary.write_bytes(certificate.public_bytes(pem))
