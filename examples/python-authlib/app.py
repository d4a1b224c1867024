"""A site of its own that signs its users in through the account centre."""

import json
import secrets
from urllib.parse import urlsplit

from authlib.integrations.base_client import OAuthError
from flask import Flask, redirect, render_template_string, request, session
from joserfc.errors import JoseError
from waitress import serve

from relying_party import (
    app_address,
    finish_login,
    oauth,
    read_logout_token,
    refresh,
    start_login,
    start_logout,
)

app = Flask(__name__)
app.config.update(
    # Sessions are in memory and end with the process, so their key may as well. Yours are in your database.
    SECRET_KEY=secrets.token_bytes(32),
    SESSION_COOKIE_SAMESITE="Lax",
    SESSION_COOKIE_SECURE=app_address.startswith("https:"),
)
oauth.init_app(app)
users = {}

page = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Example</title>
{% if error %}<h1>Sign-in failed</h1><p>{{ error }}</p><a href="/login">Try again</a>
{% elif user %}<h1>Signed in</h1><pre>{{ claims }}</pre>
{% if user.refresh_token %}<form method="post" action="/refresh"><button>Refresh</button></form>{% endif %}
<form method="post" action="/logout"><button>Sign out</button></form>
{% else %}<h1>Not signed in</h1><a href="/login">Sign in</a>{% endif %}</html>"""


@app.after_request
def never_cached(response):
    response.headers["Cache-Control"] = "no-store"
    return response


@app.get("/")
def home():
    user = users.get(session.get("id"))
    claims = json.dumps(user["claims"], indent=2, ensure_ascii=False) if user else None
    return render_template_string(page, user=user, claims=claims)


@app.get("/login")
def login():
    return start_login()


@app.get("/callback")
def callback():
    user = finish_login()
    session.clear()
    session["id"] = secrets.token_urlsafe(32)
    users[session["id"]] = user
    return redirect("/")


@app.post("/refresh")
def renew():
    key = session.get("id")
    if key in users:
        renewed = refresh(users[key])
        # Meanwhile the user may have signed out.
        if key in users and renewed:
            users[key] = renewed
        else:
            users.pop(key, None)
    return redirect("/")


@app.post("/logout")
def logout():
    user = users.pop(session.get("id"), None)
    session.clear()
    return start_logout(user) if user else redirect("/")


@app.get("/signed-out")
def signed_out():
    # There is nothing left to do, so the state that Authlib sent along needs no check.
    session.clear()
    return redirect("/")


@app.post("/backchannel-logout")
def backchannel_logout():
    try:
        sid = read_logout_token(request.form.get("logout_token", ""))
    except (JoseError, ValueError) as error:
        app.logger.warning("refused a logout token: %s", error)
        return "", 400
    for key, user in list(users.items()):
        if user["claims"]["sid"] == sid:
            users.pop(key, None)
    return "", 200


@app.errorhandler(OAuthError)
def failed(error):
    # error.error is what the account centre answered, such as access_denied.
    app.logger.warning("sign-in failed: %s", error)
    return render_template_string(page, error=error.error), 502


if __name__ == "__main__":
    print(f"ready at {app_address}", flush=True)
    serve(app, host="0.0.0.0", port=urlsplit(app_address).port, threads=8)
