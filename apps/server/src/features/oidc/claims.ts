/** The claims of each scope, as OpenID Connect Core names them. */
export const scopeClaims = {
  profile: ['name', 'nickname', 'picture'],
  phone: ['phone_number', 'phone_number_verified'],
  email: ['email', 'email_verified'],
}

/** What is known of every sign-in, whatever the scopes. */
export const signInClaims = ['sub', 'auth_time', 'acr', 'amr']
