import { type ChildProcess, fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { AppError } from './app-error.ts'
import type { Drawn } from './picture-process.ts'

const mostWaiting = 20
/** Nothing of 16 megapixels takes nearly as long, unless the machine has no time at all. */
const longest = 20_000
const idle = 30_000

let drawer: ChildProcess | undefined
let rest: NodeJS.Timeout | undefined

/**
 * Decoders of pictures are large and meet whatever strangers send. In a process of their own they know no secret, can't
 * take ours down with them, and the memory they took is given back when they end. On Linux they step back behind answering.
 */
function start(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'picture-process.ts'), {
    serialization: 'advanced',
    execArgv: [],
    stdio: 'ignore',
    // Without these, freed memory stays with the process.
    env: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' },
  })
  if (child.pid !== undefined) setPriority(child.pid, 10)
  child.unref()
  child.channel?.unref()
  child.once('exit', () => {
    if (drawer === child) drawer = undefined
  })
  return child
}

function stop(): void {
  drawer?.kill('SIGKILL')
  drawer = undefined
}

/** Where the process ends over it, it is the picture's fault. */
function ask(file: Uint8Array): Promise<Drawn | 'SERVICE_BUSY'> {
  clearTimeout(rest)
  drawer ??= start()
  const child = drawer
  const answer = Promise.withResolvers<Drawn | 'SERVICE_BUSY'>()
  const invalid = () => answer.resolve('IMAGE_INVALID')
  const limit = setTimeout(() => {
    answer.resolve('SERVICE_BUSY')
    stop()
  }, longest)
  child.once('message', answer.resolve).once('exit', invalid).once('error', invalid)
  child.send(file, (error) => error && invalid())
  return answer.promise.finally(() => {
    clearTimeout(limit)
    child.off('message', answer.resolve).off('exit', invalid).off('error', invalid)
    rest = setTimeout(stop, idle)
    rest.unref()
  })
}

let busy = false
const waiting: (() => void)[] = []

/** One after the other; few wait. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (busy) {
    if (waiting.length >= mostWaiting) throw new AppError('SERVICE_BUSY')
    const turn = Promise.withResolvers<void>()
    waiting.push(turn.resolve)
    await turn.promise
  }
  busy = true
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else busy = false
  }
}

/** The picture as it is kept, from a file that is JPEG, PNG or WebP by its content. */
export async function squarePicture(file: Uint8Array): Promise<Buffer> {
  const drawn = await inTurn(() => ask(file))
  if (typeof drawn === 'string') throw new AppError(drawn)
  return Buffer.from(drawn.buffer, drawn.byteOffset, drawn.length)
}
