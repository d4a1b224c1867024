import type { FastifyInstance } from 'fastify'
import type { Config } from '../core/config.ts'

const sample = 100
const tooLate = 250

/**
 * Refusing early keeps the rest quick: over a number of calls in progress, or while the event loop runs late,
 * new ones are turned away before any work is done for them.
 */
export function startShedding(app: FastifyInstance, config: Pick<Config, 'maxCalls'>): () => boolean {
  let inProgress = 0
  let late = 0
  let expected = performance.now() + sample
  const timer = setInterval(() => {
    late = performance.now() - expected
    expected = performance.now() + sample
  }, sample)
  timer.unref()

  app.addHook('onRequest', (_request, reply, done) => {
    inProgress++
    // Also fires when the caller hangs up in the middle, unlike onResponse.
    reply.raw.once('close', () => inProgress--)
    done()
  })
  app.addHook('onClose', async () => clearInterval(timer))
  return () => inProgress > config.maxCalls || late > tooLate
}
