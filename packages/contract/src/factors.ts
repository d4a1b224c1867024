import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { powSolution } from './fields.ts'
import { signedIn } from './login.ts'

/*
 * Second factors (登录保护): passkeys, an authenticator app (TOTP) and recovery codes. An account with a passkey or an
 * authenticator is protected: it is opened and changed by a factor alone.
 */

const limit = { calls: 60, seconds: 60 }

/** How a protected account proves its second factor. */
export const factorWay = z.enum(['passkey', 'totp', 'recovery']).meta({ id: 'FactorWay' })
export type FactorWay = z.infer<typeof factorWay>

/** Six digits of an authenticator. */
const totpCode = z.string().regex(/^\d{6}$/)

/** As typed: letters in either case, with or without hyphens and spaces. */
const recoveryCode = z.string().trim().min(12).max(40)

/** How many passkeys an account may have. */
export const passkeysMost = 20

/** How many recovery codes are made at a time. */
export const recoveryCodes = 10

/** For how many days a customer's trusted browser signs in without the second factor. */
export const trustDays = 30

const base64url = (most: number) =>
  z
    .string()
    .max(most, { abort: true })
    .regex(/^[A-Za-z0-9_-]+$/)

/** A credential as `navigator.credentials` answers it, in the JSON form of WebAuthn Level 3. */
const credential = <Response extends z.ZodRawShape>(response: Response) =>
  z.object({
    id: base64url(1400),
    rawId: base64url(1400),
    type: z.literal('public-key'),
    authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
    clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
    response: z.object(response),
  })

export const assertion = credential({
  clientDataJSON: base64url(4096),
  authenticatorData: base64url(4096),
  signature: base64url(2048),
  userHandle: base64url(100).nullish(),
}).meta({ id: 'PasskeyAssertion' })

export const attestation = credential({
  clientDataJSON: base64url(4096),
  attestationObject: base64url(65_536),
  transports: z.array(z.string().max(20)).max(10).optional(),
}).meta({ id: 'PasskeyAttestation' })

/** Options for `navigator.credentials`, in the JSON form of WebAuthn Level 3. */
const options = z.record(z.string(), z.unknown())

/**
 * The code with which an operator enrols after a reset, or from a new browser while the account has no proof besides its
 * number: from another ADMIN or the command line; 15 minutes.
 */
const enrolment = recoveryCode.optional()

/** Exactly one of them. */
export const factorProof = z.object({
  totp: totpCode.optional(),
  recovery: recoveryCode.optional(),
  passkey: assertion.optional(),
})

/** The details of FACTOR_REQUIRED: what the second step of a sign-in shows. */
export const factorRequired = z
  .object({
    /** Held by the browser that gave the first proof; ten minutes. */
    ticket: z.string(),
    ways: z.array(factorWay),
    /** The nickname, or the masked contact. */
    name: z.string(),
    /** Whether this browser can be trusted for the next sign-ins. */
    trust: z.boolean(),
  })
  .meta({ id: 'SecondStep' })
export type FactorRequired = z.infer<typeof factorRequired>

export const loginByFactor = endpoint({
  path: '/api/login/factor',
  summary: 'Answers FACTOR_REQUIRED: the second step of signing in to a protected account.',
  access: 'public',
  limit,
  errors: [
    'FACTOR_EXPIRED',
    'FACTOR_WRONG',
    'FACTOR_PAUSED',
    'PASSKEY_UNKNOWN',
    'PROOF_REQUIRED',
    'ACCOUNT_DISABLED',
    'METHOD_DISABLED',
    'FACTOR_REQUIRED',
  ],
  input: factorProof.extend({
    ticket: z.string().max(128),
    /** Sign in without the second step in this browser for 30 days. */
    trust: z.boolean().optional(),
    proof: powSolution.optional(),
  }),
  output: signedIn,
})

export const readFactorTicket = endpoint({
  path: '/api/login/factor/read',
  summary: 'What the second step shows, where a navigation led to it: the ticket is in the fragment of the address.',
  access: 'public',
  limit,
  errors: ['FACTOR_EXPIRED'],
  input: z.object({ ticket: z.string().max(128) }),
  output: factorRequired.omit({ ticket: true }),
})

export const passkeyLoginOptions = endpoint({
  path: '/api/login/passkey/options',
  summary: 'The options to ask the browser for a passkey of this site with.',
  access: 'public',
  limit: { calls: 600, seconds: 60 },
  input: nothing,
  output: options,
})

export const loginByPasskey = endpoint({
  path: '/api/login/passkey',
  summary: 'Signs in with a passkey: both factors at once.',
  access: 'public',
  limit,
  errors: [
    'FACTOR_WRONG',
    'FACTOR_PAUSED',
    'PASSKEY_UNKNOWN',
    'PROOF_REQUIRED',
    'ACCOUNT_DISABLED',
    'METHOD_DISABLED',
    'FACTOR_REQUIRED',
  ],
  input: z.object({ passkey: assertion, agreements: z.string().max(40).optional(), proof: powSolution.optional() }),
  output: signedIn,
})

const passkey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created: z.number(),
    lastUsed: z.number().nullable(),
    /** Synced between the devices of its owner, or held by one device. */
    synced: z.boolean(),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof passkey>

const state = z
  .object({
    /** Whether signing in takes a second step. */
    protected: z.boolean(),
    passkeys: z.array(passkey),
    totp: z.object({ created: z.number(), lastUsed: z.number().nullable() }).nullable(),
    /** Null where there are none, as on an account that isn't protected. */
    recovery: z.object({ created: z.number(), left: z.number() }).nullable(),
    /** How many browsers sign in without the second step. */
    trusted: z.number(),
    /** Whether this site lets customers trust a browser. */
    trust: z.boolean(),
    /** An operator keeps at least one factor. */
    operator: z.boolean(),
    /** Whether factors that were lost can be removed through the recovery: it needs a password and an address. */
    recoverable: z.boolean(),
    /** An operator enrols with a code from an ADMIN or the command line. */
    enrolment: z.boolean(),
    /** Whether the account has a way to sign in besides the number, without which no authenticator can be added. */
    otherWay: z.boolean(),
  })
  .meta({ id: 'FactorState' })
export type FactorState = z.infer<typeof state>

export const factorState = endpoint({
  path: '/api/user/factor/state',
  summary: 'The second factors of the own account.',
  access: 'user',
  limit: { calls: 300, seconds: 60 },
  input: nothing,
  output: state,
})

/** Shown once. Null where the account has codes already. */
const newCodes = z.array(z.string()).nullable()

export const beginTotp = endpoint({
  path: '/api/user/factor/totp/begin',
  summary: 'Makes the secret of an authenticator, which counts once a code of it was given.',
  access: 'user',
  stepUp: true,
  limit,
  errors: [
    'ENROLMENT_REQUIRED',
    'FACTOR_WRONG',
    'FACTOR_PAUSED',
    'FACTOR_NEEDS_WAY',
    'TOTP_EXISTS',
    'SECOND_TOO_FRESH',
  ],
  input: z.object({ enrolment }),
  output: z.object({ /** Base32. */ secret: z.string(), /** otpauth:// */ uri: z.string() }),
})

export const confirmTotp = endpoint({
  path: '/api/user/factor/totp/confirm',
  summary: 'Adds the authenticator, proved by a code of it. The first factor comes with recovery codes.',
  access: 'user',
  stepUp: true,
  limit,
  errors: [
    'ENROLMENT_REQUIRED',
    'FACTOR_WRONG',
    'FACTOR_PAUSED',
    'FACTOR_EXPIRED',
    'FACTOR_NEEDS_WAY',
    'TOTP_EXISTS',
    'SECOND_TOO_FRESH',
  ],
  input: z.object({ totp: totpCode, enrolment }),
  output: z.object({ recoveryCodes: newCodes }),
})

export const removeTotp = endpoint({
  path: '/api/user/factor/totp/remove',
  summary: 'Removes the authenticator.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['FACTOR_LAST', 'FACTOR_NONE', 'SECOND_TOO_FRESH'],
  input: nothing,
  output: z.null(),
})

export const beginPasskey = endpoint({
  path: '/api/user/factor/passkey/begin',
  summary: 'The options to ask the browser for a new passkey with.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['ENROLMENT_REQUIRED', 'FACTOR_WRONG', 'FACTOR_PAUSED', 'PASSKEYS_FULL', 'SECOND_TOO_FRESH'],
  input: z.object({ enrolment }),
  output: options,
})

const passkeyName = z.string().trim().min(1).max(40)

export const addPasskey = endpoint({
  path: '/api/user/factor/passkey/add',
  summary: 'Adds a passkey. The first factor comes with recovery codes.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['ENROLMENT_REQUIRED', 'FACTOR_WRONG', 'FACTOR_PAUSED', 'PASSKEY_TAKEN', 'PASSKEYS_FULL', 'SECOND_TOO_FRESH'],
  input: z.object({
    passkey: attestation,
    /** Left out, the browser and system. */ name: passkeyName.optional(),
    enrolment,
  }),
  output: z.object({ id: z.uuid(), recoveryCodes: newCodes }),
})

export const renamePasskey = endpoint({
  path: '/api/user/factor/passkey/rename',
  summary: 'Names a passkey.',
  access: 'user',
  limit,
  errors: ['NOT_FOUND'],
  input: z.object({ id: z.uuid(), name: passkeyName }),
  output: z.null(),
})

export const removePasskey = endpoint({
  path: '/api/user/factor/passkey/remove',
  summary: 'Removes a passkey: it no longer signs in.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['FACTOR_LAST', 'FACTOR_NEEDS_WAY', 'NOT_FOUND', 'SECOND_TOO_FRESH'],
  input: z.object({ id: z.uuid() }),
  output: z.null(),
})

export const renewRecoveryCodes = endpoint({
  path: '/api/user/factor/recovery/renew',
  summary: 'Makes new recovery codes; the former ones are void.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['FACTOR_NONE', 'SECOND_TOO_FRESH'],
  input: nothing,
  output: z.object({ recoveryCodes: z.array(z.string()) }),
})

export const forgetTrusted = endpoint({
  path: '/api/user/factor/trusted/forget',
  summary: 'Every browser takes the second step again.',
  access: 'user',
  limit,
  input: nothing,
  output: z.null(),
})

export const removeFactors = endpoint({
  path: '/api/user/factor/removeAll',
  summary: 'Ends the protection: removes all factors and recovery codes.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['FACTOR_LAST', 'FACTOR_NONE', 'SECOND_TOO_FRESH'],
  input: nothing,
  output: z.null(),
})
