import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { scanStatus } from './scan-login-rules.ts'

/** 128 random bits, as text that is safe in a path. */
const id = z.string().regex(/^[\w-]{22}$/)

/** The identity of a request: its id, and the time and address that the server stored with it. */
const request = z.object({ id, time: z.int().min(0), ip: z.string().min(2).max(45) }).meta({ id: 'ScanRequest' })

export const createScanRequest = endpoint({
  path: '/api/login/request/create',
  summary: 'Asks for a sign-in that is approved on another device; the caller alone gets the secret to wait with.',
  access: 'public',
  limit: { calls: 600, seconds: 60 },
  errors: ['METHOD_DISABLED'],
  input: nothing,
  /** The origin is the site's stored one: the QR code leads there, whichever host the page came from. */
  output: request.extend({ origin: z.string() }),
})

export const checkScanRequest = endpoint({
  path: '/api/login/request/check',
  summary: 'How the request stands; once it is approved, the browser that asked for it is signed in.',
  access: 'public',
  polled: true,
  errors: ['ACCOUNT_DISABLED', 'LOGIN_REQUEST_EXPIRED'],
  input: request,
  output: z.object({ status: z.int().min(scanStatus.waiting).max(scanStatus.rejected) }),
})

/** What the approving user is shown. */
const asked = z
  .object({
    site: z.string(),
    host: z.string(),
    browser: z.string(),
    os: z.string(),
    device: z.string(),
    ip: z.string(),
    region: z.string().nullable(),
    time: z.number(),
    /**
     * Where the waiting browser is, relative to the approver: null means unknown, as with a phone on mobile data beside a
     * computer.
     */
    network: z.enum(['same', 'elsewhere']).nullable(),
  })
  .meta({ id: 'ScanAsked' })
export type ScanAsked = z.infer<typeof asked>

export const processScanRequest = endpoint({
  path: '/api/login/request/process',
  summary: 'Marks a request as scanned (0), approves it (1) or rejects it (2), as the user who scanned it.',
  access: 'user',
  limit: { calls: 600, seconds: 60 },
  errors: ['LOGIN_REQUEST_TAKEN', 'LOGIN_REQUEST_DONE', 'LOGIN_REQUEST_EXPIRED', 'TWO_FACTOR_REQUIRED'],
  input: request.extend({
    status: z.union([z.literal(scanStatus.scanned), z.literal(scanStatus.approved), z.literal(scanStatus.rejected)]),
  }),
  output: asked,
})
