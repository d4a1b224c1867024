package example;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class Security {
    @Bean
    SecurityFilterChain chain(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
        return http
            .authorizeHttpRequests(requests -> requests.requestMatchers("/").permitAll().anyRequest().authenticated())
            .oauth2Login(login -> login.defaultSuccessUrl("/", true))
            .logout(logout -> logout.logoutSuccessHandler(leadToAccountCentre(clients)))
            // POST /logout/connect/back-channel/hufu ends the sessions of a sign-in that has ended at the account centre.
            .oidcLogout(logout -> logout.backChannel(Customizer.withDefaults()))
            .build();
    }

    /** Signs out of the account centre as well, which returns the browser here. */
    private static OidcClientInitiatedLogoutSuccessHandler leadToAccountCentre(ClientRegistrationRepository clients) {
        var handler = new OidcClientInitiatedLogoutSuccessHandler(clients);
        handler.setPostLogoutRedirectUri("{baseUrl}/");
        return handler;
    }
}
