import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { AppError } from './app-error.ts'
import { stepBack } from './priority.ts'

const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Of nobody's password: checking against it takes as long as a real check. */
const decoy = hash('nobody', options).finally(hashersStepBack)

/**
 * Hashing runs in libuv's threads. On Linux they step back behind the event loop, which answers everybody else, but not so far
 * that nobody could sign in by password while the machine has its hands full.
 */
function hashersStepBack(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
    if (name === 'libuv-worker') stepBack(Number(thread), 5)
  }
}

const atOnce = Math.max(1, availableParallelism() - 1)
const mostWaiting = 200
const longestWait = 2_000

let running = 0
const waiting: (() => void)[] = []

/** How many calls stand in line to have a password hashed. */
export const passwordsWaiting = (): number => waiting.length

/** Hashing fills the thread pool that everything shares, so few run at once, few wait, and none waits long. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) {
    if (waiting.length >= mostWaiting) throw new AppError('SERVICE_BUSY')
    const turn = Promise.withResolvers<void>()
    waiting.push(turn.resolve)
    const asked = performance.now()
    await turn.promise
    if (performance.now() - asked > longestWait) {
      next()
      throw new AppError('SERVICE_BUSY')
    }
  } else running++
  try {
    return await work()
  } finally {
    next()
  }
}

/** Hands the place of whoever ended to the next in line. */
function next(): void {
  const turn = waiting.shift()
  if (turn) turn()
  else running--
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, options))

const present = `$argon2id$v=19$m=${options.memoryCost},t=${options.timeCost},p=${options.parallelism}$`

/** Whether a hash was made at another cost than is usual by now. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(present)

/** False for a wrong password and, in the same time, for somebody who has none. */
export async function checkPassword(password: string, stored: string | undefined): Promise<boolean> {
  const against = stored ?? (await decoy)
  const right = await inTurn(() => verify(against, password))
  return right && stored !== undefined
}
