import { type ChildProcess, fork } from 'node:child_process'
import { connect, Socket } from 'node:net'
import { extname, join } from 'node:path'
import type { PictureUse } from '@hufu/contract/picture-rules'
import { z } from 'zod'
import { AppError } from '../app-error.ts'
import type { DecoderAddress } from '../config/decoder-address.ts'
import { type LoadShedding, longestWait, mostAtOnce } from '../config/wait-limits.ts'
import { freeBuffer } from '../free-buffer.ts'
import { lowerPriority } from '../lower-priority.ts'
import { readFrame, writeFrame } from './decoder-frame.ts'
import type { Decoded, DecodeRefusal, DecodeRequest } from './decoder-process.ts'

/** A picture as it is stored, and its size. */
export interface Kept {
  bytes: Buffer
  width: number
  height: number
}

const mostWaiting = 20
/** No picture of 16 megapixels takes nearly as long, unless the machine is overloaded. */
const longest = 20_000
const idle = 30_000

let decoder: ChildProcess | undefined
let rest: NodeJS.Timeout | undefined

/**
 * Picture decoders are large and parse untrusted files. In a process of their own they can't crash ours, and their
 * memory is freed when they end. On Linux they run at a lower priority. A child still runs as our user, who may read
 * our environment: where that holds keys, `hufu draw` is the parent, which has none.
 */
function start({ loadShedding }: LoadShedding): ChildProcess {
  const child = fork(join(import.meta.dirname, `decoder-process${extname(import.meta.filename)}`), {
    execArgv: ['--expose-gc'],
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
    // Without these, freed memory stays with the process.
    env: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' },
  })
  if (child.pid !== undefined && loadShedding) lowerPriority(child.pid, 10)
  child.unref()
  child.channel?.unref()
  child.once('exit', () => {
    if (decoder === child) decoder = undefined
    child.stdin?.destroy()
  })
  for (const pipe of [child.stdin, child.stdout]) {
    if (pipe instanceof Socket) pipe.unref()
    // A process that ends in the middle of a file is reported by its 'exit'.
    pipe?.on('error', () => {})
  }
  return child
}

/** Its input is closed at once: the file's memory may be freed before the process has ended. */
function stop(): void {
  decoder?.stdin?.destroy()
  decoder?.kill('SIGKILL')
  decoder = undefined
}

/** The decoded picture, in one buffer. */
function takeOver({ stdout }: ChildProcess, length: number, done: (bytes: Buffer) => void): void {
  const bytes = Buffer.from(new ArrayBuffer(length))
  let taken = 0
  const take = (chunk: Buffer) => {
    taken += chunk.copy(bytes, taken)
    freeBuffer(chunk)
    if (taken < length) return
    stdout?.off('data', take).pause()
    done(bytes)
  }
  stdout?.on('data', take).resume()
}

type Answer = Kept | DecodeRefusal | 'SERVICE_BUSY'

/** If the process ends while decoding, the picture is to blame. */
function ask(config: LoadShedding, file: Uint8Array, use: DecodeRequest['use']): Promise<Answer> {
  clearTimeout(rest)
  decoder ??= start(config)
  const child = decoder
  const answer = Promise.withResolvers<Answer>()
  const onReply = (decoded: Decoded | DecodeRefusal) => {
    if (typeof decoded === 'string') return answer.resolve(decoded)
    const { width, height, length } = decoded
    takeOver(child, length, (bytes) => answer.resolve({ width, height, bytes }))
  }
  const invalid = () => answer.resolve('IMAGE_INVALID')
  const limit = setTimeout(
    () => {
      answer.resolve('SERVICE_BUSY')
      stop()
    },
    longestWait(config, longest),
  )
  child.once('message', onReply).once('exit', invalid).once('error', invalid)
  child.send({ use, length: file.length } satisfies DecodeRequest, (error) => error && invalid())
  child.stdin?.write(file)
  return answer.promise.finally(() => {
    clearTimeout(limit)
    child.off('message', onReply).off('exit', invalid).off('error', invalid)
    rest = setTimeout(stop, idle)
    rest.unref()
  })
}

let busy = false
const waiting: (() => void)[] = []

/** One at a time, with a short queue. */
async function inTurn<Result>(config: LoadShedding, work: () => Promise<Result>): Promise<Result> {
  if (busy) {
    if (waiting.length >= mostAtOnce(config, mostWaiting)) throw new AppError('SERVICE_BUSY')
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

/** Decoded by a child of this process. */
export const decodeHere = (config: LoadShedding, file: Uint8Array, use: DecodeRequest['use']): Promise<Answer> =>
  inTurn(config, () => ask(config, file, use))

/** The largest result that is accepted. The decoder handles untrusted files, so its lengths are bounded here. */
const mostKept = 16 * 1024 * 1024

const answered = z.union([
  z.enum(['IMAGE_TOO_LARGE', 'IMAGE_INVALID', 'SERVICE_BUSY']),
  z.object({ width: z.int().min(1).max(10_000), height: z.int().min(1).max(10_000) }),
])

const isWebp = (bytes: Buffer) =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'

/**
 * Decoded by `hufu draw`, as another user and without a network. While it is unreachable nothing is decoded, least of
 * all here.
 */
async function decodeRemotely(
  config: LoadShedding,
  address: DecoderAddress,
  file: Uint8Array,
  use: DecodeRequest['use'],
): Promise<Answer> {
  const socket = connect(address)
  const limit = setTimeout(() => socket.destroy(), longestWait(config, longest))
  try {
    const answer = readFrame(socket, mostKept)
    writeFrame(socket, { use, length: file.length } satisfies DecodeRequest, file)
    const { head, bytes } = await answer
    const result = answered.parse(head)
    if (typeof result === 'string') return result
    return isWebp(bytes) ? { ...result, bytes } : 'IMAGE_INVALID'
  } catch {
    return 'SERVICE_BUSY'
  } finally {
    clearTimeout(limit)
    socket.destroy()
  }
}

/** Where pictures are decoded; without an address, by a child of this process. */
type DecoderConfig = LoadShedding & { pictures?: DecoderAddress | undefined }

/** The stored form of a file that is JPEG, PNG or WebP by its content. */
async function decode(config: DecoderConfig, file: Uint8Array, use: DecodeRequest['use']): Promise<Kept> {
  const { pictures } = config
  const answer = pictures
    ? await inTurn(config, () => decodeRemotely(config, pictures, file, use))
    : await decodeHere(config, file, use)
  if (typeof answer === 'string') throw new AppError(answer)
  return answer
}

/** An avatar in its stored form. */
export async function squarePicture(config: DecoderConfig, file: Uint8Array): Promise<Buffer> {
  return (await decode(config, file, 'avatar')).bytes
}

/** A picture in its stored form for that use: whole, with its size. */
export const pictureFor = (config: DecoderConfig, use: PictureUse, file: Uint8Array): Promise<Kept> =>
  decode(config, file, use)
