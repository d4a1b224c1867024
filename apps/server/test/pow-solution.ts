import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Challenge } from 'altcha-lib/types'

/** Solves the challenge of PROOF_REQUIRED, as a page does. */
export async function solvePow({ challenge }: { challenge: Challenge }): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey })
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
}

interface Asked {
  code: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: each code has details of its own
  details: any
}

/** Calls, and solves every challenge; it may get harder meanwhile. */
export async function solving<Answer extends Asked>(
  ask: (proof?: string) => Promise<Answer>,
  most = 6,
): Promise<Answer> {
  let last = await ask()
  for (let done = 0; last.code === 'PROOF_REQUIRED' && done < most; done++)
    last = await ask(await solvePow(last.details))
  return last
}
