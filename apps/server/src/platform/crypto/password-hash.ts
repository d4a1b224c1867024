import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { AppError } from '../app-error.ts'
import { type LoadShedding, longestWait, mostAtOnce } from '../config/wait-limits.ts'
import { lowerPriority } from '../lower-priority.ts'

const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Of nobody's password: checking against it takes as long as a real check. */
const decoy = hash('decoy', options)

/**
 * Hashing runs in libuv's threads. On Linux they step back behind the event loop, which answers everybody else, but not so far
 * that nobody could sign in by password while the machine has its hands full.
 */
function lowerHasherPriority(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
    if (name === 'libuv-worker') lowerPriority(Number(thread), 5)
  }
}

let lowered = false

/** The decoy's hash has made the threads. */
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
/** Milliseconds that a hash took lately. */
let usual = 50

/** How many calls stand in line to have a password hashed. */
export const passwordsWaiting = (): number => waiting.length

/** Refuses whoever's turn wouldn't come within the part of the longest wait. */
function refuseInVain(config: LoadShedding, part: number): void {
  const { length } = waiting
  const tooLate = (length / atOnce) * usual > part * longestWait(config, longestTurn)
  if (length >= mostAtOnce(config, mostWaiting) || tooLate) throw new AppError('SERVICE_BUSY')
}

/**
 * Asked before anything is looked up or counted: in a flood of passwords a refusal has to be cheap, and a right password that
 * nobody had time for is no failed one. A quarter of the line is for those on their way to it.
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
    // One that the machine stood still for says little about the next.
    usual += (Math.min(performance.now() - began, 4 * usual) - usual) / 8
    next()
  }
}

/** Hands the place of whoever ended to the next in line. */
function next(): void {
  const turn = waiting.shift()
  if (turn) turn()
  else running--
}

export const hashPassword = (config: LoadShedding, password: string): Promise<string> =>
  inTurn(config, () => hash(password, options))

const present = `$argon2id$v=19$m=${options.memoryCost},t=${options.timeCost},p=${options.parallelism}$`

/** Whether a hash was made at another cost than is usual by now. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(present)

/** False for a wrong password and, in the same time, for somebody who has none. */
export async function checkPassword(
  config: LoadShedding,
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  const against = stored ?? (await decoy)
  const right = await inTurn(config, () => verify(against, password))
  return right && stored !== undefined
}
