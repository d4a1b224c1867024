import { type DestinationStream, destination, type Logger, pino } from 'pino'
import type { Config } from './config.ts'

export type Log = Logger

const mobile = /(?<![\w.:-])(\+?\d{3})\d{4,8}(\d{4})(?![\w.:-])/g
const email = /([\w.+-]{1,2})[\w.+-]*@([\w-]+\.[\w.-]+)/g

/** Whatever slips into a line (an error's text, a foreign message): numbers and addresses never stand there whole. */
export const mask = (line: string): string => line.replace(mobile, '$1****$2').replace(email, '$1***@$2')

/** Structured lines on standard output, written in batches; tests pass a stream of their own. */
export function createLog(config: Pick<Config, 'logLevel'>, stream?: DestinationStream): Log {
  return pino(
    {
      level: config.logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.password', '*.secret', '*.code', '*.cookie', '*.authorization'],
      hooks: { streamWrite: mask },
    },
    stream ?? destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 500 }),
  )
}
