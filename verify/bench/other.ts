import { join } from 'node:path'
import { type Environment, run } from '../../tools/run/product.ts'
import { freePort } from '../../tools/stores/ports.ts'
import type { BenchGround } from './bench-environment.ts'
import { post } from './post.ts'

/** Something to compare with, as a process of its own; stopped with the rest. */
export async function startOther(
  { started }: Pick<BenchGround, 'started'>,
  file: string,
  environment: Environment,
): Promise<string> {
  const port = await freePort()
  const running = run(process.execPath, [join(import.meta.dirname, file)], { ...environment, PORT: String(port) })
  started.push(running)
  const url = `http://127.0.0.1:${port}`
  for (let waited = 0; waited < 100; waited++) {
    if (await post(url, {}).catch(() => undefined)) return url
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${file} did not start`)
}
