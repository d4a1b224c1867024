import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { runHufu } from '../../tools/run/product.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'

export interface WithWorker extends OwnProduct {
  urls: string[]
  /** What each process and the worker have logged, by name. */
  logs(): [name: string, text: string][]
}

/** A dedicated database, two processes and a worker: on the common database it would serve and clean up for other attacks. */
export async function startWithWorker(own: Record<string, string> = {}): Promise<WithWorker> {
  const product = await startOwnProduct(own)
  const { apis, environment } = product
  const log = join(inject('logFolder'), `worker-${randomUUID()}.log`)
  const file = openSync(log, 'a')
  const worker = runHufu('work', environment, [], file)
  closeSync(file)
  async function stop() {
    await worker.stop()
    await product.stop()
  }
  const logs = () => [
    ...apis.map((api, index): [string, string] => [`process ${index}`, readFileSync(api.log, 'utf8')]),
    ['the worker', readFileSync(log, 'utf8')] as [string, string],
  ]
  return { ...product, urls: apis.map(({ url }) => url), logs, stop }
}
