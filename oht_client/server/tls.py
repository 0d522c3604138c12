"""The local server's certificate: self-signed, its own trust anchor, like the real server's.

Only clients that use ``requests`` check the host's name, so the certificate names the host. The key
is written before the certificate: a certificate without a key is not ours.
"""

import contextlib
import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from base.storage import atomic_path
from oht_client.errors import OHTError

CERTIFICATE_FILE, KEY_FILE = "server.crt", "server.key"

# Recognises certificates of earlier runs.
_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Online Hex Tournament at home")])
_VALID = datetime.timedelta(days=3650)
_VALID_AT_LEAST = datetime.timedelta(days=7)
_CLOCK_SKEW = datetime.timedelta(days=1)


def ensure_certificate(folder: Path) -> tuple[Path, Path]:
    """Return the paths of a certificate and its key in ``folder``, both PEM; make them if needed.

    Existing ones are reused if they match and stay valid for a week. A folder that cannot be
    written to, or holds another server's certificate, raises an ``OHTError``.
    """
    certificate_path, key_path = folder / CERTIFICATE_FILE, folder / KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        certificate = None
        with contextlib.suppress(FileNotFoundError, ValueError):  # none, or a damaged one
            certificate = x509.load_pem_x509_certificate(certificate_path.read_bytes())
        if certificate is not None and _is_usable(certificate, key_path):
            key_path.chmod(0o600)
        elif certificate is None or certificate.subject == _NAME:
            _make(certificate_path, key_path)
        else:
            raise OHTError(
                f"{certificate_path}: expected a valid certificate with its key beside it,"
                " got another server's; move it away, and a new one is made"
            )
    except OSError as error:
        place = error.filename or folder
        raise OHTError(f"{place}: cannot be used: {error.strerror or error}") from error
    return certificate_path, key_path


def _is_usable(certificate: x509.Certificate, key_path: Path) -> bool:
    """Return whether the certificate stays valid for a while, and the key matches it."""
    now = datetime.datetime.now(datetime.UTC)
    try:
        key = serialization.load_pem_private_key(key_path.read_bytes(), password=None)
    except (FileNotFoundError, TypeError, ValueError):  # TypeError: the key has a password
        return False
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    is_valid = begin <= now <= end - _VALID_AT_LEAST
    return is_valid and key.public_key() == certificate.public_key()


def _make(certificate_path: Path, key_path: Path) -> None:
    """Write a new certificate and its key."""
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
    with atomic_path(key_path) as temporary:
        temporary.chmod(0o600)
        temporary.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
    with atomic_path(certificate_path) as temporary:
        temporary.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
