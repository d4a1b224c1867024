package example;

import org.springframework.http.MediaType;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;
import tools.jackson.databind.json.JsonMapper;

@RestController
class Home {
    private final JsonMapper json;

    Home(JsonMapper json) {
        this.json = json;
    }

    /** The claims are those of the ID token and of userinfo. {@code user.getSubject()} is the id of the user. */
    @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
    String home(@AuthenticationPrincipal OidcUser user, CsrfToken csrf) {
        return page(user == null
            ? "<h1>Not signed in</h1><a href=\"/oauth2/authorization/hufu\">Sign in</a>"
            : """
                <h1>Signed in</h1><pre>%s</pre>
                <form method="post" action="/logout"><input type="hidden" name="%s" value="%s"><button>Sign out</button></form>
                """.formatted(claims(user), csrf.getParameterName(), csrf.getToken()));
    }

    private String claims(OidcUser user) {
        return HtmlUtils.htmlEscape(json.writerWithDefaultPrettyPrinter().writeValueAsString(user.getClaims()));
    }

    private static String page(String body) {
        return """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Example</title>%s</html>
            """.formatted(body);
    }
}
