import { createServer, type Server } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { openConfig, readConfig, restoreConfig, updateConfig } from '@hufu/contract/merchant-config'
import { meta, type SiteConfig } from '@hufu/contract/site'
import { sendEmailCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { secretSpots } from '../../apps/server/src/features/site/config-secrets.ts'
import { unseal } from '../../apps/server/src/platform/crypto/secrets.ts'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { configTexts } from './config-texts.ts'

type Webhook = NonNullable<SiteConfig['webhooks']>[number]
type Client = NonNullable<SiteConfig['clients']>[number]

const mask = '********'
const secrets = [
  'wechat-secret-1',
  'mail-secret-2',
  'sms-secret-3',
  'sms-secret-4',
  'sms-secret-7',
  'Bearer sms-secret-8',
  'client-secret-05',
  'former-secret-09',
  'client-secret-06',
  webhookSecret(10),
  webhookSecret(11),
  webhookSecret(12),
]

/** As the config demands them: 32 bytes. */
function webhookSecret(number: number): string {
  return `whsec_${Buffer.alloc(32, number).toString('base64')}`
}

const full = {
  wechat: { appId: 'wx1', secret: 'wechat-secret-1' },
  mail: { host: 'smtp.a.example', port: 465, user: 'u', password: 'mail-secret-2' },
  sms: {
    gateways: [
      { kind: 'aliyun' as const, keyId: 'k1', secret: 'sms-secret-3', signName: 'n' },
      { kind: 'tencent' as const, keyId: 'k2', secret: 'sms-secret-4', signName: 'n' },
      {
        kind: 'http' as const,
        url: 'https://sms.example.com/send',
        secret: 'sms-secret-7',
        headers: { Authorization: 'Bearer sms-secret-8' },
      },
    ],
  },
  clients: [
    {
      id: 'c1',
      name: '甲',
      secret: 'client-secret-05',
      previousSecret: 'former-secret-09',
      returns: ['https://c1.example.com/back'],
    },
    { id: 'c2', name: '乙', secret: 'client-secret-06', returns: ['https://c2.example.com/back'] },
  ],
  webhooks: [
    { id: 'w1', url: 'https://w1.example.com/', secret: webhookSecret(10), previousSecret: webhookSecret(11) },
    { id: 'w2', url: 'https://w2.example.com/', secret: webhookSecret(12) },
  ],
} satisfies SiteConfig

const [first = {}, second = {}, third] = full.sms.gateways
const [{ previousSecret: _, ...one }, two] = full.clients as [Client, Client]
const gateways = (...list: object[]) => ({ sms: { gateways: list.map((each) => ({ ...each, secret: mask })) } })
const masked = { ...third, headers: { Authorization: mask } }
const clients = (...list: object[]) => ({ clients: list.map((each) => ({ ...each, secret: mask })) })
const [hook, otherHook] = full.webhooks as [Webhook, Webhook]
const webhooks = (...list: object[]) => ({ webhooks: list })
const mail = (change: object) => ({ mail: { ...full.mail, password: mask, ...change } })

/** What is changed beside the mask, and which secrets must still be in force afterwards: at their own place alone. */
const cases: [string, object, string[]][] = [
  ['app id', { wechat: { appId: 'wx2', secret: mask } }, []],
  ['app id in another case', { wechat: { appId: 'WX1', secret: mask } }, []],
  ['app id with a slash', { wechat: { appId: 'wx1/', secret: mask } }, []],
  ['host', mail({ host: 'smtp.evil.example' }), []],
  ['host in another case', mail({ host: 'SMTP.a.example' }), []],
  ['host with a dot', mail({ host: 'smtp.a.example.' }), []],
  ['host that holds the port', mail({ host: 'smtp.a.example/465', port: undefined }), []],
  ['port', mail({ port: 2525 }), []],
  ['no port', mail({ port: undefined }), []],
  ['key id', gateways({ ...first, keyId: 'k9' }), []],
  ['kind', gateways({ ...first, kind: 'tencent' }), []],
  ['kinds swapped', gateways({ ...first, kind: 'tencent' }, { ...second, kind: 'aliyun' }), []],
  ['key ids swapped', gateways({ ...first, keyId: 'k2' }, { ...second, keyId: 'k1' }), []],
  ['gateways in another order', gateways(second, first), ['sms-secret-4', 'sms-secret-3']],
  ['address of an HTTP gateway', gateways({ ...masked, url: 'https://sms.evil.example/send' }), []],
  ['its path', gateways({ ...masked, url: 'https://sms.example.com/send2' }), []],
  ['its headers exchanged', gateways({ ...masked, headers: { 'X-Api-Key': mask } }), ['sms-secret-7']],
  ['what it sends', gateways({ ...masked, json: { key: '{secret}' } }), ['sms-secret-7', 'Bearer sms-secret-8']],
  ['client renamed', clients({ ...one, id: 'c9' }), []],
  ['clients that take each other’s addresses', clients({ ...one, returns: two.returns }), ['client-secret-05']],
  [
    'clients that take each other’s ids',
    clients({ ...one, id: 'c2' }, { ...two, id: 'c1' }),
    ['client-secret-06', 'client-secret-05'],
  ],
  ['former secret of a client renamed', { clients: [{ ...one, id: 'c9', secret: mask, previousSecret: mask }] }, []],
  ['former secret asked for by another client', { clients: [{ ...two, secret: undefined, previousSecret: mask }] }, []],
  ['URL of an endpoint', webhooks({ ...hook, url: 'https://evil.example/', secret: mask, previousSecret: mask }), []],
  ['its path', webhooks({ ...hook, url: 'https://w1.example.com/x', secret: mask, previousSecret: mask }), []],
  ['endpoint renamed', webhooks({ ...hook, id: 'w9', secret: mask, previousSecret: mask }), []],
  ['endpoints that take each other’s ids', webhooks({ ...hook, id: 'w2', secret: mask, previousSecret: mask }), []],
  [
    'former secret asked for by another endpoint',
    webhooks({ ...otherHook, secret: undefined, previousSecret: mask }),
    [],
  ],
  ['what an endpoint wants', webhooks({ ...otherHook, types: ['user.deleted'], secret: mask }), [webhookSecret(12)]],
  ['the mask of another kind', { clients: [{ id: 'wx1', name: 'x', secret: mask, sources: [] }] }, []],
  ['a mask with a space', { wechat: { appId: 'wx2', secret: `${mask} ` } }, [`${mask} `]],
]

let t: Harness
let site: TestSite
let admin: Browser
const receivedLines: string[] = []
let listener: Server
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  admin = await callerOf(t, 'merchantAdmin', site)
  listener = listen()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  listener.close()
  await t.close()
})

/** A mail server of the attacker's that records whatever it receives. */
function listen(): Server {
  return createServer((socket) => {
    socket.write('220 evil\r\n')
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      const line = data.toString()
      receivedLines.push(line)
      socket.write(
        /^EHLO/i.test(line)
          ? '250-evil\r\n250 AUTH PLAIN LOGIN\r\n'
          : /^AUTH/i.test(line)
            ? '235 ok\r\n'
            : '250 ok\r\n',
      )
    })
  })
}

/** Every answer is searched on the way. */
async function save(config: object): Promise<number> {
  const { status, body, data } = await admin.call(updateConfig, { config: config as SiteConfig }, freshAddress())
  expect(status, body).toBe(200)
  for (const secret of secrets) expect(body).not.toContain(secret)
  return data?.version ?? 0
}

/** Every secret that is in force, opened at its own place; one that opens nowhere counts as a failure. */
async function inForce(): Promise<string[]> {
  const { rows } = await t.deps.pool.query(
    'SELECT config FROM site_config WHERE site_id = $1 ORDER BY version DESC LIMIT 1',
    [site.id],
  )
  return secretSpots(rows[0].config as SiteConfig).flatMap(({ holder, key, path }) =>
    holder[key] === undefined ? [] : [unseal(t.deps.config.keys, `${site.id}/${path}`, String(holder[key]))],
  )
}

test('A41 every secret of a config is covered', () => {
  const named = [...configTexts()].filter((place) => /(secret|password|key|token)$/i.test(place))
  const owners = [
    'clients.previousSecret',
    'clients.secret',
    'mail.password',
    'sms.gateways.secret',
    'webhooks.previousSecret',
    'webhooks.secret',
    'wechat.secret',
  ]
  // Which key of a region it is.
  expect(named.filter((place) => !place.startsWith('regions')).sort()).toEqual(owners)
  expect(secretSpots(full).flatMap(({ holder, key }) => holder[key] ?? [])).toEqual(secrets)
})

test('A41 a secret stays with its host, app or key, or is deleted', async () => {
  const went: string[] = []
  for (const [what, change, stays] of cases) {
    await save(full)
    expect(await inForce()).toHaveLength(secrets.length)
    await save(change)
    const left = await inForce()
    if (!isDeepStrictEqual(left, stays)) went.push(`${what}: ${left.length} in force, not ${stays.length}`)
    const { body } = await admin.call(readConfig, {}, freshAddress())
    for (const secret of secrets) expect(body, what).not.toContain(secret)
  }
  for (const line of went) console.log(`A41: ${line}`)
  figure('changes beside a mask', cases.length, ['>=', 19])
  figure('secrets that went along or were lost', went.length, ['=', 0])
})

test('A41 what was pointed to another host and back again has no secret', async () => {
  await save(full)
  await save({ wechat: { appId: 'wx2', secret: mask } })
  await save({ wechat: { appId: 'wx1', secret: mask } })
  expect(await inForce()).toEqual([])
})

test('A41 restoring brings no old secret back, neither to its own place nor to another', async () => {
  const version = await save(full)
  await save({})
  await admin.call(restoreConfig, { version }, freshAddress())
  expect(await inForce()).toEqual([])
  await save({ ...full, wechat: { appId: 'wx1', secret: 'a-newer-secret' } })
  await admin.call(restoreConfig, { version }, freshAddress())
  expect(await inForce()).toEqual(['a-newer-secret', ...secrets.slice(1)])
  const opened = await admin.call(openConfig, { version }, freshAddress())
  for (const secret of secrets) expect(opened.body).not.toContain(secret)
})

const withMail = (password: string | undefined, port: number) => ({
  mail: { host: '127.0.0.1', port, user: 'u', password, from: 'a@a.example' },
  limits: { receiverHour: 1000, receiverDay: 1000, addressProof: 100_000, addressHour: 100_000, siteDay: 100_000 },
})

const nameAt = async (url: string) => (await t.browser(site, { urls: [url] }).call(meta)).data?.name

/** Saves a mail server and has a mail sent by both processes, once each has seen what was saved. */
async function saveAndSend(password: string, port: number) {
  const name = fresh.username()
  await save({ ...withMail(password, port), name })
  const names = () => Promise.all(inject('apiUrls').map(nameAt))
  await expect.poll(names, { timeout: 30_000 }).toEqual(inject('apiUrls').map(() => name))
  receivedLines.length = 0
  for (let process = 0; process < 2; process++)
    await admin.call(sendEmailCode, { email: fresh.email(), type: 'authorize' }, freshAddress())
}

const plain = (password: string) => Buffer.from(`\0u\0${password}`).toString('base64')

test('A41 a mail server of the attacker never receives the kept password', async () => {
  const { port } = listener.address() as { port: number }
  await save(withMail('mail-secret-2', 1))
  await saveAndSend(mask, port)
  const leaked = [plain('mail-secret-2'), 'mail-secret-2'].filter((secret) => receivedLines.join('').includes(secret))
  figure('kept passwords sent to another mail server', leaked.length, ['=', 0])
  // The same server does receive a password that was meant for it, so it would have received the other.
  await saveAndSend('meant-for-it', port)
  expect(receivedLines.join('')).toContain(plain('meant-for-it'))
})
