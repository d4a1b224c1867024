import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginByPassword } from '@hufu/contract/login'
import { send, tally, together } from '../harness/http.ts'

// A separate process, so that the cost of flooding isn't measured as the server's: host, milliseconds, width, addresses.
const [host = '', ms, width, ...urls] = process.argv.slice(2)
/** Of one caller, from call to call. */
const everyMs = 1_500
const until = performance.now() + Number(ms)
const answers: string[] = []
let longest = 0
let turn = 0

async function one(): Promise<void> {
  const reply = await send(urls[turn++ % urls.length] ?? '', {
    path: loginByPassword.path,
    headers: {
      host,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'x-forwarded-for': `2001:db8:${(turn % 65_536).toString(16)}:f::1`,
    },
    body: JSON.stringify({ account: `u${randomUUID().slice(0, 8)}`, password: 'Wrong#2026x' }),
  })
  answers.push(/"code":"(\w+)"/.exec(reply.body)?.[1] ?? String(reply.status))
  longest = Math.max(longest, reply.ms)
}

const began = performance.now()
await together(Number(width), Number(width), async (index) => {
  // At a fixed rate and not all at the same moment: a refused caller does not call more often, and a burst is no flood.
  let due = began + (index / Number(width)) * everyMs
  while (due < until) {
    await sleep(Math.max(0, due - performance.now()))
    await one()
    due = Math.max(due + everyMs, performance.now())
  }
})
process.stdout.write(JSON.stringify({ answers: tally(answers), count: answers.length, longest }))
process.exit(0)
