import { deviceGrant } from '@hufu/contract/oidc'
import type { Schema } from './schemas.ts'

const text = (description: string): Schema => ({ type: 'string', description })

const clientAuthentication = {
  client_id: text('Of a client that authenticates in the body, or has no secret.'),
  client_secret: text('`client_secret_post`.'),
  client_assertion: text('`private_key_jwt`: a signed JWT.'),
  client_assertion_type: { const: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
}

/** What the standards say of the provider's forms and answers, under names of their own. */
export const oidcSchemas: Record<string, Schema> = {
  OAuthError: {
    type: 'object',
    description: 'A refusal in the words of OAuth 2.0 (RFC 6749).',
    required: ['error'],
    properties: { error: text('Such as `invalid_grant`.'), error_description: { type: 'string' } },
  },
  TokenRequest: {
    type: 'object',
    required: ['grant_type'],
    properties: {
      grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant] },
      code: text('Of `authorization_code`.'),
      redirect_uri: text('Of `authorization_code`: the address of the authorization request.'),
      code_verifier: text('Of `authorization_code`: the PKCE verifier.'),
      refresh_token: text('Of `refresh_token`; it is used up, the answer has the next one.'),
      device_code: text('Of a device: the code that it polls with.'),
      scope: text('Of `refresh_token` and `client_credentials`: separated by spaces.'),
      ...clientAuthentication,
    },
  },
  TokenResponse: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in'],
    properties: {
      access_token: text('Opaque.'),
      token_type: { const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Seconds.' },
      scope: { type: 'string' },
      id_token: text('A JWT signed with RS256, of `openid`.'),
      refresh_token: { type: 'string' },
    },
  },
  DeviceRequest: {
    type: 'object',
    required: ['scope'],
    properties: {
      scope: text('Separated by spaces, `openid` among them.'),
      claims: text('A JSON object.'),
      ...clientAuthentication,
    },
  },
  DeviceResponse: {
    type: 'object',
    required: ['device_code', 'user_code', 'verification_uri', 'verification_uri_complete', 'expires_in', 'interval'],
    properties: {
      device_code: text('What the device polls with, and never shows.'),
      user_code: text('What a user types.'),
      verification_uri: text('Where the user types it.'),
      verification_uri_complete: text('What the QR code holds.'),
      expires_in: { type: 'integer', description: 'Seconds.' },
      interval: { type: 'integer', description: 'Seconds between two polls, at least.' },
    },
  },
  TokenReference: {
    type: 'object',
    required: ['token'],
    properties: {
      token: { type: 'string' },
      token_type_hint: { type: 'string', examples: ['access_token', 'refresh_token'] },
      ...clientAuthentication,
    },
  },
  Introspection: {
    type: 'object',
    description: 'RFC 7662. A token that is unknown, expired, revoked or of another client is not active.',
    required: ['active'],
    properties: {
      active: { type: 'boolean' },
      client_id: { type: 'string' },
      sub: { type: 'string' },
      scope: { type: 'string' },
      exp: { type: 'integer' },
      iat: { type: 'integer' },
      iss: { type: 'string' },
      token_type: { type: 'string' },
    },
  },
  Claims: {
    type: 'object',
    description: 'What the scopes of the token allow.',
    required: ['sub'],
    properties: {
      sub: text('The user; of a third-party client its own id for the user.'),
      name: { type: 'string' },
      nickname: { type: 'string' },
      picture: { type: 'string' },
      phone_number: { type: 'string' },
      phone_number_verified: { type: 'boolean' },
      email: { type: 'string' },
      email_verified: { type: 'boolean' },
    },
  },
  ProviderMetadata: {
    type: 'object',
    description: 'OpenID Connect Discovery 1.0 and RFC 8414.',
    required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
    properties: {
      issuer: { type: 'string' },
      authorization_endpoint: { type: 'string' },
      token_endpoint: { type: 'string' },
      jwks_uri: { type: 'string' },
    },
    additionalProperties: true,
  },
  JsonWebKeySet: {
    type: 'object',
    required: ['keys'],
    properties: { keys: { type: 'array', items: { type: 'object', additionalProperties: true } } },
  },
}
