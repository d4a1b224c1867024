"""All that has to do with OpenID Connect. app.py has the pages and the sessions of this site."""

import json
import os

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import request
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError
from joserfc.jwk import KeySet

# As `hufu client add` printed it.
with open("client.json") as file:
    client = json.load(file)

app_address = os.environ.get("APP", "http://localhost:3000")
scope = os.environ.get("SCOPE", "openid profile")

oauth = OAuth()
oauth.register(
    "hufu",
    client_id=client["client_id"],
    client_secret=client["client_secret"],
    server_metadata_url=f"{client['issuer']}/.well-known/openid-configuration",
    client_kwargs={"scope": scope, "code_challenge_method": "S256", "default_timeout": 10},
    # A refresh token that outlives the sign-out is given after an explicit consent alone.
    authorize_params={"prompt": "consent"} if "offline_access" in scope.split() else None,
)


def start_login():
    """Sends the browser to sign in. Authlib keeps state, nonce and verifier in its session."""
    return oauth.hufu.authorize_redirect(f"{app_address}/callback")


def finish_login():
    """The user who came back. Raises OAuthError where the answer isn't one to the browser's own request."""
    if request.args.get("iss") != client["issuer"]:
        raise OAuthError("invalid_issuer", "the answer is of another account centre")
    token = oauth.hufu.authorize_access_token()
    return _user_of(token, token["userinfo"])


def refresh(user):
    """The same user with new tokens and claims; None once the grant has ended: then sign the user out."""
    try:
        token = oauth.hufu.fetch_access_token(
            grant_type="refresh_token",
            refresh_token=user["refresh_token"],
            # Authlib would ask for the configured scopes, of which the user may have refused some.
            scope=user["scope"],
        )
    except OAuthError as error:
        if error.error == "invalid_grant":
            return None
        raise
    claims = oauth.hufu.parse_id_token(token, nonce=user["claims"]["nonce"])
    if claims["sub"] != user["claims"]["sub"]:
        raise OAuthError("invalid_subject", "the tokens are of another user")
    return _user_of(token, claims)


def _user_of(token, claims):
    info = oauth.hufu.userinfo(token=token)
    if info["sub"] != claims["sub"]:
        raise OAuthError("invalid_subject", "userinfo is of another user")
    return {
        "claims": {**claims, **info},
        "scope": token["scope"],
        "id_token": token["id_token"],
        "refresh_token": token.get("refresh_token"),
    }


def start_logout(user):
    """Sends the browser to sign out of the account centre as well."""
    return oauth.hufu.logout_redirect(
        post_logout_redirect_uri=f"{app_address}/signed-out", id_token_hint=user["id_token"]
    )


_logout_event = "http://schemas.openid.net/event/backchannel-logout"


def read_logout_token(text):
    """The session that the account centre says has ended (OpenID Connect Back-Channel Logout)."""
    token = _decode(text)
    expected = jwt.JWTClaimsRegistry(
        leeway=30,
        iss={"essential": True, "value": client["issuer"]},
        aud={"essential": True, "value": client["client_id"]},
        iat={"essential": True},
        exp={"essential": True},
        jti={"essential": True},
        sid={"essential": True},
    )
    expected.validate(token.claims)
    if token.header.get("typ") != "logout+jwt" or "nonce" in token.claims:
        raise ValueError("no logout token")
    if _logout_event not in token.claims.get("events", {}):
        raise ValueError("no logout event")
    return token.claims["sid"]


def _decode(text):
    try:
        return jwt.decode(text, KeySet.import_key_set(oauth.hufu.fetch_jwk_set()), algorithms=["RS256"])
    except InvalidKeyIdError:
        # The account centre has changed its key.
        keys = KeySet.import_key_set(oauth.hufu.fetch_jwk_set(force=True))
        return jwt.decode(text, keys, algorithms=["RS256"])
