import { type DestinationStream, destination, type Logger, pino } from 'pino'
import type { Config } from './config/config.ts'

export interface Log extends Logger {
  /** Writes a finished line of ASCII soon. For the one line of each call, which holds nothing that needs masking. */
  line(text: string): void
}

const mobile = /(?<![\w.:-])(\+?\d{3})\d{4,8}(\d{4})(?![\w.:-])/g
const nameCharacter = /[\w.+-]/

/** Masks whatever slips into a line (an error's text, a foreign message): numbers and addresses never appear whole. */
function mask(line: string): string {
  return maskEmails(line.replace(mobile, '$1****$2'))
}

/** Walks back from every @: a pattern for the whole address would restart at each character of a long line. */
function maskEmails(line: string): string {
  let masked = ''
  let done = 0
  for (let at = line.indexOf('@'); at >= 0; at = line.indexOf('@', at + 1)) {
    let start = at
    while (start > done && at - start < 64 && nameCharacter.test(line.charAt(start - 1))) start--
    if (start === at) continue
    masked += `${line.slice(done, Math.min(start + 2, at))}***`
    done = at
  }
  return masked + line.slice(done)
}

/** Structured lines on standard output, written in batches; tests pass a stream of their own. */
export function createLog(config: Pick<Config, 'logLevel'>, stream?: DestinationStream): Log {
  const out = stream ?? destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 500 })
  const logger = pino(
    {
      level: config.logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.password', '*.secret', '*.code', '*.cookie', '*.authorization'],
      hooks: { streamWrite: mask },
    },
    out,
  )
  return Object.assign(logger, lineWriter(logger.isLevelEnabled('info'), out, logger.flush.bind(logger)))
}

/** Batches lines for a moment: handing each to the stream costs as much as the rest of the line. */
function lineWriter(enabled: boolean, out: DestinationStream, flushOut: Logger['flush']): Pick<Log, 'line' | 'flush'> {
  const gathered = Buffer.allocUnsafe(65_536)
  let length = 0
  function drain() {
    if (length === 0) return
    out.write(gathered.toString('latin1', 0, length))
    length = 0
  }
  function line(text: string) {
    if (length + text.length > gathered.length) drain()
    length += gathered.write(text, length, 'latin1')
  }
  setInterval(drain, 200).unref()
  return {
    line: enabled ? line : () => {},
    flush(done) {
      drain()
      flushOut(done)
    },
  }
}
