package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// A site of its own that signs its users in through the account centre.

func setting(name, usual string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return usual
}

type session struct {
	sid string
	sync.Mutex
	user *user
}

type site struct {
	rp     *relyingParty
	secure bool
	// In memory; yours are in your database.
	sessions map[string]*session
	lock     sync.Mutex
}

func main() {
	app := setting("APP", "http://localhost:3000")
	address, err := url.Parse(app)
	if err != nil {
		log.Fatal(err)
	}
	rp, err := newRelyingParty(context.Background(), app, strings.Fields(setting("SCOPE", "openid profile")))
	if err != nil {
		log.Fatal(err)
	}
	s := &site{rp: rp, secure: address.Scheme == "https", sessions: map[string]*session{}}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /{$}", s.home)
	routes.HandleFunc("GET /login", s.login)
	routes.HandleFunc("GET /callback", s.callback)
	routes.HandleFunc("POST /refresh", s.refresh)
	routes.HandleFunc("POST /logout", s.logout)
	routes.HandleFunc("POST /backchannel-logout", s.backchannelLogout)
	// Forms of other sites are refused. The account centre's server isn't a browser and passes.
	protected := http.NewCrossOriginProtection().Handler(routes)
	log.Println("ready at", app)
	server := http.Server{Addr: ":" + address.Port(), Handler: protected, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

var page = template.Must(template.New("page").Parse(`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Example</title>
{{if .Error}}<h1>Sign-in failed</h1><p>{{.Error}}</p><a href="/login">Try again</a>
{{else if .Claims}}<h1>Signed in</h1><pre>{{.Claims}}</pre>
{{if .Refreshable}}<form method="post" action="/refresh"><button>Refresh</button></form>{{end}}
<form method="post" action="/logout"><button>Sign out</button></form>
{{else}}<h1>Not signed in</h1><a href="/login">Sign in</a>{{end}}</html>`))

type shown struct {
	Error, Claims string
	Refreshable   bool
}

func show(w http.ResponseWriter, status int, content shown) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := page.Execute(w, content); err != nil {
		log.Println(err)
	}
}

func fail(w http.ResponseWriter, err error) {
	log.Println(err)
	show(w, http.StatusBadGateway, shown{Error: err.Error()})
}

func (s *site) setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func (s *site) sessionOf(r *http.Request) (string, *session) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return "", nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	return cookie.Value, s.sessions[cookie.Value]
}

func (s *site) end(id string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.sessions, id)
}

func (s *site) home(w http.ResponseWriter, r *http.Request) {
	_, current := s.sessionOf(r)
	if current == nil {
		show(w, http.StatusOK, shown{})
		return
	}
	current.Lock()
	defer current.Unlock()
	claims, err := json.MarshalIndent(current.user.claims, "", "  ")
	if err != nil {
		fail(w, err)
		return
	}
	show(w, http.StatusOK, shown{Claims: string(claims), Refreshable: current.user.refreshToken != ""})
}

func (s *site) login(w http.ResponseWriter, r *http.Request) {
	address, kept := s.rp.startLogin()
	s.setCookie(w, "login", url.Values{"s": {kept.State}, "n": {kept.Nonce}, "v": {kept.Verifier}}.Encode(), 600)
	http.Redirect(w, r, address, http.StatusSeeOther)
}

func (s *site) callback(w http.ResponseWriter, r *http.Request) {
	kept := url.Values{}
	if cookie, err := r.Cookie("login"); err == nil {
		kept, _ = url.ParseQuery(cookie.Value)
	}
	s.setCookie(w, "login", "", -1)
	who, err := s.rp.finishLogin(r.Context(), r.URL.Query(), checks{kept.Get("s"), kept.Get("n"), kept.Get("v")})
	if err != nil {
		fail(w, err)
		return
	}
	id := rand.Text()
	s.lock.Lock()
	s.sessions[id] = &session{sid: who.sid, user: who}
	s.lock.Unlock()
	s.setCookie(w, "session", id, 86_400)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *site) refresh(w http.ResponseWriter, r *http.Request) {
	id, current := s.sessionOf(r)
	if current != nil {
		// A refresh token is good once: two requests of a session wait for each other.
		current.Lock()
		defer current.Unlock()
		renewed, err := s.rp.refresh(r.Context(), current.user)
		if errors.Is(err, errEnded) {
			s.end(id)
		} else if err != nil {
			fail(w, err)
			return
		} else {
			current.user = renewed
		}
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *site) logout(w http.ResponseWriter, r *http.Request) {
	address := "/"
	if id, current := s.sessionOf(r); current != nil {
		s.end(id)
		current.Lock()
		defer current.Unlock()
		address = s.rp.logoutAddress(current.user)
	}
	s.setCookie(w, "session", "", -1)
	http.Redirect(w, r, address, http.StatusSeeOther)
}

func (s *site) backchannelLogout(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	sid, err := s.rp.readLogoutToken(r.Context(), r.PostFormValue("logout_token"))
	if err != nil {
		log.Println(err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for id, each := range s.sessions {
		if each.sid == sid {
			delete(s.sessions, id)
		}
	}
}
