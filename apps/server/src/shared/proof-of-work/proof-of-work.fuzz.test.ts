import { createChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { fuzz } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { solvePow } from '../../../test/pow-solution.ts'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import type { AppError } from '../../platform/app-error.ts'
import { requireProofOfWork } from './proof-of-work.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

/** Solved for a forged challenge. */
const foreign = await solvePow({
  challenge: await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: 10,
    counter: 3,
    deriveKey,
    hmacSignatureSecret: 'x',
  }),
})
const shape = Buffer.from(foreign, 'base64').toString()
const proofs = fc.oneof(
  changed(fc.constant(shape)).map((text) => Buffer.from(text).toString('base64')),
  fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text).toString('base64')),
  changed(fc.constant(foreign)),
  nastyText,
  longText,
)

const outcome = (what: string, powSolution: string | undefined) =>
  requireProofOfWork(t.deps, what, powSolution).then(
    () => 'let through',
    (error: AppError) => error.code ?? String(error),
  )

fuzz(
  'proof',
  'whatever is no proof of ours is asked for one',
  proofs,
  async (powSolution) => {
    expect(await outcome('receiver', powSolution)).toBe('PROOF_REQUIRED')
  },
  { share: 0.3 },
)

fuzz(
  'proof-changed',
  'a proof counts once, for what it was asked, and not with anything changed',
  changed(fc.constant('')),
  async (edit) => {
    const asked = await requireProofOfWork(t.deps, 'receiver', undefined).catch((error: AppError) => error.details)
    const powSolution = await solvePow(asked as Parameters<typeof solvePow>[0])
    const { challenge, solution } = JSON.parse(Buffer.from(powSolution, 'base64').toString())
    const later = {
      ...challenge,
      parameters: { ...challenge.parameters, expiresAt: challenge.parameters.expiresAt + 1, data: { for: edit } },
    }
    const forged = Buffer.from(JSON.stringify({ challenge: later, solution })).toString('base64')
    const outcomes = [
      await outcome('receiver', forged),
      await outcome(`receiver${edit || 'else'}`, powSolution),
      await outcome('receiver', powSolution),
      await outcome('receiver', powSolution),
    ]
    expect(outcomes).toEqual(['PROOF_REQUIRED', 'PROOF_REQUIRED', 'let through', 'PROOF_REQUIRED'])
  },
  { share: 0.02 },
)
