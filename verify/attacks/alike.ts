import { expect } from 'vitest'
import { figure } from '../harness/assert-figure.ts'

const seen = { tried: 0, different: 0 }

/** The one answer to all of them: foreign ids and wrong ones must be indistinguishable. */
export function alike(replies: { status: number; body: string; code: string | undefined }[]): string {
  const answers = [...new Set(replies.map(({ status, body }) => `${status} ${body}`))]
  seen.tried += replies.length
  seen.different += answers.length - 1
  expect(answers).toHaveLength(1)
  return `${replies[0]?.status} ${replies[0]?.code}`
}

/** What all comparisons of a file have shown. */
export function reportAlike(what: string, atLeast: number): void {
  figure(`${what} tried`, seen.tried, ['>=', atLeast])
  figure(`${what} distinguishable from ones that never existed`, seen.different, ['=', 0])
}
