import { changeNickname, userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { freshAddress, type Harness, openHarness, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { type Nginx, runNginx } from '../harness/nginx.ts'
import { answersIn, exchangeBytes } from './raw.ts'
import { honest, type Smuggle, smuggles } from './smuggling.ts'

const direct = inject('apiUrls')[0] ?? ''

/** One connection to the API that carries the requests of all users in turn, as a busy proxy keeps it. */
const proxied = {
  upstream: `upstream api { server ${new URL(direct).host}; keepalive 1; }`,
  locations: `location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }`,
}

let t: Harness
let nginx: Nginx
let here: TestSite
let there: TestSite
let victims: User[]
beforeAll(async () => {
  nginx = await runNginx(proxied)
  t = await openHarness()
  ;[here, there] = (await t.sites(2, (index) => ({ name: `mark-${index}-` }))) as [TestSite, TestSite]
  victims = await together(4, 4, async () => await newUser(there, nginx.url))
})
afterAll(async () => {
  await nginx.stop()
  await t.close()
})

async function newUser(site: TestSite, url: string): Promise<User> {
  const { id } = await t.user(site, { password: undefined })
  return await t.session(site, id, { urls: [url] })
}

const cookiesOf = ({ cookies }: User) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** What the attacker's request begins with: anything that is answered. */
const outer = () => [
  `POST ${meta.path} HTTP/1.1`,
  `Host: ${here.host}`,
  'Content-Type: application/json',
  `X-Forwarded-For: ${freshAddress()}`,
]

/** Whole requests: one that leaves a trace, and one that swallows what comes next on the same connection. */
function inners(user: User): Record<'leaving a trace' | 'swallowing the next', string> {
  const body = '{"nickname":"smuggled"}'
  const lines = [
    `POST ${changeNickname.path} HTTP/1.1`,
    `Host: ${here.host}`,
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    `Cookie: ${cookiesOf(user)}`,
    `Content-Length: ${body.length}`,
  ]
  return {
    'leaving a trace': `${lines.join('\r\n')}\r\n\r\n${body}`,
    'swallowing the next': `GET /api/nothing HTTP/1.1\r\nHost: ${here.host}\r\nX-Swallow: `,
  }
}

const nicknameOf = async ({ id }: User) =>
  (await t.deps.pool.query('SELECT nickname FROM users WHERE id = $1', [id])).rows[0]?.nickname as string | null

/** Users of another site who go on meanwhile; answers how many of their calls there were and what went wrong with them. */
function goOn() {
  let stopped = false
  const wrong: string[] = []
  let calls = 0
  const work = Promise.all(
    victims.map(async (victim) => {
      while (!stopped) {
        const { status, data, body } = await victim.call(userInfo).catch((error: Error) => {
          return { status: 0, data: undefined, body: error.message }
        })
        calls++
        if (data?.id !== victim.id) wrong.push(`${status} ${body.slice(0, 200)}`)
      }
    }),
  )
  return async () => {
    stopped = true
    await work
    return { calls, wrong }
  }
}

for (const way of ['directly', 'through nginx'] as const) {
  test(`A24 no hidden request is carried out, answered or mixed with those of others, ${way}`, async () => {
    const url = way === 'directly' ? direct : nginx.url
    const control = await newUser(here, url)
    expect(answersIn(await exchangeBytes(url, honest(outer(), inners(control)['leaving a trace'])))).toBe(2)
    expect(await nicknameOf(control)).toBe('smuggled')

    const stop = goOn()
    const [carriedOut, twice, leaked] = [[] as string[], [] as string[], [] as string[]]
    const tried = await together(smuggles.length, 6, async (index) => {
      const { name, write, plain } = smuggles[index] as Smuggle
      const user = await newUser(here, url)
      for (const [kind, inner] of Object.entries(inners(user)).reverse()) {
        const text = await exchangeBytes(url, write(outer(), inner))
        const answers = answersIn(text)
        // A proxy may read two requests and pass on two; what it passes on as one must stay one.
        if (answers > 1 && way === 'directly' && !plain) twice.push(`${name}, ${kind}: ${text.slice(0, 600)}`)
        if (text.includes('mark-1-') || victims.some(({ id }) => text.includes(id))) leaked.push(`${name}, ${kind}`)
        if (answers < 2 && (await nicknameOf(user)) !== null) carriedOut.push(`${name}, ${kind}: ${text}`)
      }
    })
    const { calls, wrong } = await stop()
    for (const line of [...carriedOut, ...twice, ...leaked, ...wrong.slice(0, 10)]) console.log(`A24: ${way}: ${line}`)
    figure(`hidden requests sent ${way}`, tried.length * 2, ['>=', 100])
    figure(`hidden requests carried out or answered ${way}`, carriedOut.length + twice.length, ['=', 0])
    figure(`answers of others mixed up meanwhile ${way}`, wrong.length + leaked.length, ['=', 0])
    expect(calls).toBeGreaterThan(50)
  })
}

/** Ways to name two sites in one request. */
const doubled = (path: string): string[][] => [
  [`POST http://${there.host}${path} HTTP/1.1`, `Host: ${here.host}`],
  [`POST http://${here.host}${path} HTTP/1.1`, `Host: ${there.host}`],
  [`POST http://${here.host}@${there.host}${path} HTTP/1.1`, `Host: ${here.host}`],
  [`POST //${there.host}${path} HTTP/1.1`, `Host: ${here.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${here.host}`, `Host: ${there.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${there.host}`, `Host: ${here.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${here.host}`, ` ${there.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${here.host}`, `\tHost: ${there.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${here.host}\nHost: ${there.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${here.host}\rHost: ${there.host}`],
  [`POST ${path} HTTP/1.1`, `Host : ${there.host}`, `Host: ${here.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${here.host}, ${there.host}`],
  [`POST ${path} HTTP/1.1`, `Host: ${here.host}`, `X-Forwarded-Host: ${there.host}`],
  [`POST ${path} HTTP/1.1\nHost: ${there.host}`, `Host: ${here.host}`],
  [`POST ${path} HTTP/1.1`, `host:${here.host}`, `HOST:${there.host}`],
]

test('A24 a request that names two sites is answered by one of them or by none, and shows nothing of the other', async () => {
  const mine = await newUser(here, direct)
  const victim = victims[0] as User
  const wrong: string[] = []
  let asked = 0
  for (const url of [direct, nginx.url]) {
    for (const path of [meta.path, userInfo.path]) {
      for (const lines of doubled(path)) {
        asked++
        const rest = ['Sec-Fetch-Site: same-origin', 'Content-Type: application/json', `Cookie: ${cookiesOf(mine)}`]
        const text = await exchangeBytes(url, `${[...lines, ...rest, 'Content-Length: 0'].join('\r\n')}\r\n\r\n`, 150)
        const context = `${url === direct ? 'directly' : 'through nginx'} ${JSON.stringify(lines)}: ${text.slice(-200)}`
        if (answersIn(text) > 1 || (text.includes('mark-0-') && text.includes('mark-1-'))) wrong.push(context)
        if (text.includes(victim.id)) wrong.push(context)
      }
    }
  }
  for (const line of wrong) console.log(`A24: ${line}`)
  figure('requests naming two sites', asked, ['>=', 60])
  figure('of them answered by both or for another user', wrong.length, ['=', 0])
})
