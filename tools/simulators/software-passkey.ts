import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type { InputOf } from '@hufu/contract/endpoint'
import type { addPasskey, loginByPasskey } from '@hufu/contract/factors'

/*
 * A WebAuthn authenticator with the browser before it: ES256, attestation "none". It does what it is told, so that
 * tests can send what a browser never would.
 */

export type PasskeyAssertion = InputOf<typeof loginByPasskey>['passkey']
export type PasskeyAttestation = InputOf<typeof addPasskey>['passkey']

/** The options of a call as the contract describes them. */
type Options = Record<string, unknown>

export interface Answering {
  /** Where the page is, as the browser writes it. */
  origin?: string
  rpId?: string
  /** The next one unless said otherwise. */
  counter?: number
  userVerified?: boolean
  userHandle?: string | null
  challenge?: string
  crossOrigin?: boolean
  /** The format of the attestation and what it states; "none" states nothing. */
  format?: string
  statement?: Record<string, unknown>
}

export interface SoftwarePasskey {
  id: string
  counter: number
  create(options: Options, answering?: Answering): PasskeyAttestation
  get(options: Options, answering?: Answering): PasskeyAssertion
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

const head = (major: number, value: number): Buffer => {
  const type = major << 5
  if (value < 24) return Buffer.from([type | value])
  if (value < 256) return Buffer.from([type | 24, value])
  return Buffer.from([type | 25, value >> 8, value & 255])
}

type Cbor = number | string | Buffer | Cbor[] | Map<Cbor, Cbor>

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = (text: string) => Buffer.from(text, 'base64url')
  return cbor(
    new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, point(x)],
      [-3, point(y)],
    ]),
  )
}

const flags = { present: 1, verified: 4, attested: 64 }

function counterBytes(counter: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(counter)
  return bytes
}

const clientData = (type: string, options: Options, { origin, challenge, crossOrigin = false }: Answering): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge: challenge ?? options.challenge, origin, crossOrigin }))

/** One with a counter of 0 has none, as those that are synced between devices. */
export function softwarePasskey(origin: string, { counter = 0 } = {}): SoftwarePasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rawId = randomBytes(32)
  const id = rawId.toString('base64url')
  const counts = counter > 0
  let userHandle: string | null = null

  const passkey: SoftwarePasskey = { id, counter, create, get }

  const common = { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} }

  const authenticatorData = (rpId: string, extra: number, { userVerified = true, ...answering }: Answering) =>
    Buffer.concat([
      sha256(answering.rpId ?? rpId),
      Buffer.from([flags.present | (userVerified ? flags.verified : 0) | extra]),
      counterBytes(answering.counter ?? passkey.counter),
    ])

  function create(options: Options, own: Answering = {}): PasskeyAttestation {
    const answering = { origin, ...own }
    const { rp, user } = options as { rp: { id: string }; user: { id: string } }
    userHandle = user.id
    const authData = Buffer.concat([
      authenticatorData(rp.id, flags.attested, answering),
      Buffer.alloc(16),
      Buffer.from([0, rawId.length]),
      rawId,
      coseKey(publicKey),
    ])
    const statement = new Map(Object.entries(answering.statement ?? {})) as Map<Cbor, Cbor>
    const attestation = new Map<Cbor, Cbor>([
      ['fmt', answering.format ?? 'none'],
      ['attStmt', statement],
      ['authData', authData],
    ])
    return {
      ...common,
      response: {
        clientDataJSON: clientData('webauthn.create', options, answering).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  function get(options: Options, own: Answering = {}): PasskeyAssertion {
    const answering = { origin, ...own }
    if (counts && answering.counter === undefined) passkey.counter++
    const authData = authenticatorData(String(options.rpId), 0, answering)
    const client = clientData('webauthn.get', options, answering)
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(client)]))
      .sign(privateKey)
    return {
      ...common,
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: answering.userHandle === undefined ? userHandle : answering.userHandle,
      },
    }
  }

  return passkey
}
