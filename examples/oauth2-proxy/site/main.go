// A site that knows nothing of OpenID Connect: the proxy before it says in headers who is signed in.
package main

import (
	"encoding/json"
	"html/template"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

const socket = "site.sock"

var page = template.Must(template.New("page").Parse(`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Example</title>
{{if .Claims}}<h1>Signed in</h1><pre>{{.Claims}}</pre><a href="{{.SignOut}}">Sign out</a>
{{else}}<h1>Not signed in</h1><a href="/oauth2/start?rd=%2F">Sign in</a>{{end}}</html>`))

// Out of the proxy's session, then out of the account centre, then back. The proxy puts in the ID token.
func signOut() string {
	centre := os.Getenv("ISSUER") + "/oidc/logout?id_token_hint={id_token}&post_logout_redirect_uri=" +
		url.QueryEscape(os.Getenv("APP")+"/")
	return "/oauth2/sign_out?rd=" + url.QueryEscape(centre)
}

func claimsOf(header http.Header) map[string]string {
	claims := map[string]string{}
	for claim, name := range map[string]string{
		"sub": "X-User", "nickname": "X-User-Nickname", "phone_number": "X-User-Phone",
	} {
		if value := header.Get(name); value != "" {
			claims[claim] = value
		}
	}
	return claims
}

func home(w http.ResponseWriter, r *http.Request) {
	content := struct{ Claims, SignOut string }{SignOut: signOut()}
	if claims := claimsOf(r.Header); claims["sub"] != "" {
		text, err := json.MarshalIndent(claims, "", "  ")
		if err != nil {
			log.Println(err)
		}
		content.Claims = string(text)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err := page.Execute(w, content); err != nil {
		log.Println(err)
	}
}

func main() {
	// Of an earlier start.
	_ = os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	server := http.Server{Handler: http.HandlerFunc(home), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
