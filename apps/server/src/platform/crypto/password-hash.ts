import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { hash } from '@node-rs/argon2'
import { AppError } from '../app-error.ts'
import { type LoadShedding, longestWait, mostAtOnce } from '../config/wait-limits.ts'
import { lowerPriority } from '../lower-priority.ts'
import { decoyOf, verifyHash } from './imported-hash.ts'

const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A decoy: verifying against it takes as long as a real verification. */
const decoy = hash('decoy', options)

/**
 * Hashing runs in libuv's threads. On Linux they run at a lower priority than the event loop, which answers all other
 * calls, but not so low that signing in by password starves while the machine is busy.
 */
function lowerHasherPriority(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
    if (name === 'libuv-worker') lowerPriority(Number(thread), 5)
  }
}

let lowered = false

/** Hashing the decoy has created the threads. */
function lowerHasherPriorityOnce(): void {
  if (lowered) return
  lowered = true
  void decoy.then(lowerHasherPriority)
}

const atOnce = Math.max(1, availableParallelism() - 1)
const mostWaiting = 200
const longestTurn = 2_000

let running = 0
const waiting: (() => void)[] = []
/** How many milliseconds recent hashes took. */
let usual = 50

/** How many calls wait for a password hash. */
export const passwordsWaiting = (): number => waiting.length

/** Refuses a call whose turn wouldn't come within this part of the longest wait. */
function refuseInVain(config: LoadShedding, part: number): void {
  const { length } = waiting
  const tooLate = (length / atOnce) * usual > part * longestWait(config, longestTurn)
  if (length >= mostAtOnce(config, mostWaiting) || tooLate) throw new AppError('SERVICE_BUSY')
}

/**
 * Checked before anything is queried or counted: in a flood of passwords a refusal has to be cheap, and a right
 * password that found no capacity is not a failed try. A quarter of the queue is kept for calls that passed this check
 * already.
 */
export const requireTurn = (config: LoadShedding): void => refuseInVain(config, 0.75)

/** Hashing fills the thread pool that everything shares, so few run at once, few wait, and none waits long. */
async function inTurn<Result>(config: LoadShedding, work: () => Promise<Result>): Promise<Result> {
  if (config.loadShedding) lowerHasherPriorityOnce()
  if (running >= atOnce) {
    refuseInVain(config, 1)
    const turn = Promise.withResolvers<void>()
    waiting.push(turn.resolve)
    const asked = performance.now()
    await turn.promise
    if (performance.now() - asked > longestWait(config, longestTurn)) {
      next()
      throw new AppError('SERVICE_BUSY')
    }
  } else running++
  const began = performance.now()
  try {
    return await work()
  } finally {
    // A hash during which the machine paused says little about the next.
    usual += (Math.min(performance.now() - began, 4 * usual) - usual) / 8
    next()
  }
}

/** Hands a finished hash's slot to the next in the queue. */
function next(): void {
  const turn = waiting.shift()
  if (turn) turn()
  else running--
}

export const hashPassword = (config: LoadShedding, password: string): Promise<string> =>
  inTurn(config, () => hash(password, options))

/** The same outside of the queue, for a process that answers no calls. */
export const hashApart = (text: string): Promise<string> => hash(text, options)

const present = `$argon2id$v=19$m=${options.memoryCost},t=${options.timeCost},p=${options.parallelism}$`

/** Whether a hash was made with other cost parameters than today's, or by another system. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(present)

/**
 * False for a wrong password and, in the same time, for a user who has none. On a site with hashes of another system the
 * caller says which form such a user seems to have.
 */
export async function checkPassword(
  config: LoadShedding,
  password: string,
  stored: string | undefined,
  decoyForm?: string,
): Promise<boolean> {
  const against = stored ?? (decoyForm ? decoyOf(decoyForm) : await decoy)
  const right = await inTurn(config, () => verifyHash(against, password))
  return right && stored !== undefined
}
