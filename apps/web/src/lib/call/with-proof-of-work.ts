import type { Challenge } from 'altcha-lib/types'
import { CallError } from './call.ts'

function challengeIn(error: unknown): Challenge | undefined {
  if (!(error instanceof CallError) || error.code !== 'PROOF_REQUIRED') return undefined
  return error.details?.challenge as Challenge | undefined
}

/** Loaded on demand: few users are ever challenged. */
async function solve({ parameters, signature }: Challenge): Promise<string> {
  const [{ solveChallenge }, { deriveKey }] = await Promise.all([
    import('altcha-lib'),
    import('altcha-lib/algorithms/web/pbkdf2'),
  ])
  const solution = await solveChallenge({ challenge: { parameters }, deriveKey })
  if (!solution) throw new Error('the challenge was not solved in time')
  return btoa(JSON.stringify({ challenge: { parameters, signature }, solution }))
}

/** Makes a call; when the server demands a proof of work, solves it and makes the call once more. */
export async function withProofOfWork<Answer>(
  ask: (proof?: string) => Promise<Answer>,
  onSolving: (solving: boolean) => void = () => {},
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    const challenge = challengeIn(error)
    if (!challenge) throw error
    onSolving(true)
    // A browser that can't solve it (an insecure page has no crypto) shows the server's error.
    const proof = await solve(challenge)
      .catch(() => Promise.reject(error))
      .finally(() => onSolving(false))
    return ask(proof)
  }
}
