import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type DemoProduct, layDemoGround } from '../run/demo-product.ts'
import { demoOperator } from '../run/demo-site.ts'
import { buildWeb, ready, runHufu } from '../run/product.ts'
import { freePort } from '../stores/ports.ts'
import { putTlsBefore } from './https.ts'
import { cache } from './old-browsers.ts'

/** The demo with pages of its own build, so that another build meanwhile changes nothing under the walk. */
export async function startProduct(parts: DemoProduct['parts']) {
  const folder = join(cache, 'dist')
  await buildWeb(folder)
  const [port, inside] = [await freePort(), await freePort()]
  const web = `https://localhost:${port}`
  const { environment: ground, inbox } = await layDemoGround(parts, web)
  const environment = { ...ground, NODE_ENV: 'production', HUFU_PORT: String(inside), HUFU_WEB_FOLDER: folder }
  const server = runHufu('serve', environment)
  parts.push(server, runHufu('work', environment), await putTlsBefore(port, inside))
  await ready(`http://localhost:${inside}`, server)
  const database = new pg.Pool({ connectionString: ground.HUFU_DATABASE_URL, max: 1 })
  parts.push({ stop: () => database.end() })
  return { web, operator: demoOperator, codeTo: codesIn(inbox), passMinute: minutesOf(database) }
}

/** The code that arrived last. */
const codesIn = (inbox: string) => async (to: string) => {
  for (let waited = 0; waited < 15_000; waited += 100) {
    const answer = await fetch(`${inbox}/api/messages?to=${to}`)
    const { data } = (await answer.json()) as { data: { text: string }[] }
    const code = /(?<!\w)\d{6}(?!\w)/.exec(data[0]?.text ?? '')?.[0]
    if (code) return code
    await sleep(100)
  }
  throw new Error('no code arrived')
}

const minutesOf = (database: pg.Pool) => async (receiver: string) => {
  const text = "UPDATE receiver SET last_sent_at = last_sent_at - interval '61 seconds' WHERE receiver = $1"
  await database.query(text, [receiver])
}

export const freshMobile = () => `139${String(randomInt(10 ** 8)).padStart(8, '0')}`
