// @vitest-environment happy-dom
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import { expect, test, vi } from 'vitest'
import { CallError } from './call.ts'
import { withProofOfWork } from './with-proof-of-work.ts'

const secret = 'of the server'
const challenge = () =>
  createChallenge({ algorithm: 'PBKDF2/SHA-256', cost: 10, counter: 30, deriveKey, hmacSignatureSecret: secret })
const required = (details?: Record<string, unknown>) => new CallError('PROOF_REQUIRED', '请完成人机验证', details)

test('a call that needs no proof is made once, without one', async () => {
  const ask = vi.fn(async (proof?: string) => proof ?? 'none')
  expect(await withProofOfWork(ask)).toBe('none')
  expect(ask).toHaveBeenCalledTimes(1)
})

test('D053 a challenge is solved and the call repeated with what the server accepts', async () => {
  const solving: boolean[] = []
  const asked = await challenge()
  const ask = async (proof?: string) => {
    if (!proof) throw required({ challenge: asked })
    const payload = JSON.parse(atob(proof))
    return verifySolution({ ...payload, deriveKey, hmacSignatureSecret: secret })
  }
  expect(await withProofOfWork(ask, (working) => solving.push(working))).toMatchObject({ verified: true })
  expect(solving).toEqual([true, false])
})

test('D053 a proof is given once; asked again, the person is told', async () => {
  const asked = await challenge()
  const ask = vi.fn(() => Promise.reject(required({ challenge: asked })))
  await expect(withProofOfWork(ask)).rejects.toMatchObject({ code: 'PROOF_REQUIRED' })
  expect(ask).toHaveBeenCalledTimes(2)
})

test.each([undefined, {}, { challenge: { parameters: { nonce: 'zz', keyPrefix: '' } } }])(
  'a challenge that can not be solved (%j) leaves what the server said',
  async (details) => {
    const ask = vi.fn(() => Promise.reject(required(details)))
    await expect(withProofOfWork(ask)).rejects.toMatchObject({ message: '请完成人机验证' })
    expect(ask).toHaveBeenCalledTimes(1)
  },
)

test('other failures pass through', async () => {
  await expect(withProofOfWork(() => Promise.reject(new CallError('CODE_WRONG', '不正确')))).rejects.toMatchObject({
    code: 'CODE_WRONG',
  })
})
