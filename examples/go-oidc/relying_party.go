package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// All that has to do with OpenID Connect. main.go has the pages and the sessions of this site.

type relyingParty struct {
	config     oauth2.Config
	provider   *oidc.Provider
	verifier   *oidc.IDTokenVerifier
	issuer     string
	endSession string
	home       string
}

// What the account centre says about a user, and what the site needs to sign the user out again.
type user struct {
	claims       map[string]any
	sid          string
	idToken      string
	refreshToken string
}

// What the browser keeps until it comes back from the account centre.
type checks struct{ State, Nonce, Verifier string }

var errEnded = errors.New("the account centre has ended the tokens of this user")

// client.json is what `hufu client add` printed.
func newRelyingParty(ctx context.Context, app string, scopes []string) (*relyingParty, error) {
	var client struct {
		Issuer string `json:"issuer"`
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	file, err := os.ReadFile("client.json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(file, &client); err != nil {
		return nil, err
	}
	provider, err := oidc.NewProvider(ctx, client.Issuer)
	if err != nil {
		return nil, err
	}
	var more struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	// Without this the library finds out by trying, and a code that was refused once is sent twice.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	return &relyingParty{
		config: oauth2.Config{
			ClientID:     client.ID,
			ClientSecret: client.Secret,
			Endpoint:     endpoint,
			RedirectURL:  app + "/callback",
			Scopes:       scopes,
		},
		provider:   provider,
		verifier:   provider.Verifier(&oidc.Config{ClientID: client.ID}),
		issuer:     client.Issuer,
		endSession: more.EndSession,
		home:       app + "/",
	}, nil
}

// Where to send the browser, and what it must keep.
func (rp *relyingParty) startLogin() (string, checks) {
	kept := checks{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier()}
	options := []oauth2.AuthCodeOption{oidc.Nonce(kept.Nonce), oauth2.S256ChallengeOption(kept.Verifier)}
	if slices.Contains(rp.config.Scopes, oidc.ScopeOfflineAccess) {
		// A refresh token that outlives the sign-out is given after an explicit consent alone.
		options = append(options, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	return rp.config.AuthCodeURL(kept.State, options...), kept
}

// The user who came back. Fails where the answer isn't one to the browser's own request.
func (rp *relyingParty) finishLogin(ctx context.Context, answer url.Values, kept checks) (*user, error) {
	if kept.State == "" || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(kept.State)) != 1 {
		return nil, errors.New("the sign-in was not started in this browser, or too long ago")
	}
	if answer.Get("iss") != rp.issuer {
		return nil, errors.New("the answer is of another account centre")
	}
	if code := answer.Get("error"); code != "" {
		return nil, fmt.Errorf("the account centre answered %s", code)
	}
	tokens, err := rp.config.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(kept.Verifier))
	if err != nil {
		return nil, err
	}
	return rp.userOf(ctx, tokens, kept.Nonce)
}

// The same user with new tokens and claims, or errEnded: then sign the user out.
func (rp *relyingParty) refresh(ctx context.Context, former *user) (*user, error) {
	tokens, err := rp.config.TokenSource(ctx, &oauth2.Token{RefreshToken: former.refreshToken}).Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return nil, errEnded
	}
	if err != nil {
		return nil, err
	}
	nonce, _ := former.claims["nonce"].(string)
	renewed, err := rp.userOf(ctx, tokens, nonce)
	if err == nil && renewed.claims["sub"] != former.claims["sub"] {
		return nil, errors.New("the tokens are of another user")
	}
	return renewed, err
}

// The library checks signature, issuer, audience and expiry; the nonce is ours to check.
func (rp *relyingParty) userOf(ctx context.Context, tokens *oauth2.Token, nonce string) (*user, error) {
	raw, _ := tokens.Extra("id_token").(string)
	idToken, err := rp.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if idToken.Nonce != nonce {
		return nil, errors.New("the ID token is of another sign-in")
	}
	if idToken.AccessTokenHash != "" {
		if err := idToken.VerifyAccessToken(tokens.AccessToken); err != nil {
			return nil, err
		}
	}
	info, err := rp.provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return nil, err
	}
	if info.Subject != idToken.Subject {
		return nil, errors.New("userinfo is of another user")
	}
	claims, more := map[string]any{}, map[string]any{}
	if err := errors.Join(idToken.Claims(&claims), info.Claims(&more)); err != nil {
		return nil, err
	}
	maps.Copy(claims, more)
	sid, _ := claims["sid"].(string)
	return &user{claims: claims, sid: sid, idToken: raw, refreshToken: tokens.RefreshToken}, nil
}

// Where to send the browser to sign out of the account centre as well.
func (rp *relyingParty) logoutAddress(signedOut *user) string {
	separator := "?"
	if strings.Contains(rp.endSession, "?") {
		separator = "&"
	}
	return rp.endSession + separator + url.Values{
		"id_token_hint":            {signedOut.idToken},
		"post_logout_redirect_uri": {rp.home},
	}.Encode()
}

// The session that the account centre says has ended (OpenID Connect Back-Channel Logout).
func (rp *relyingParty) readLogoutToken(ctx context.Context, token string) (string, error) {
	verified, err := rp.verifier.VerifyLogout(ctx, token)
	if err != nil {
		return "", err
	}
	if verified.SessionID == "" {
		return "", errors.New("the logout token names no session")
	}
	return verified.SessionID, nil
}
