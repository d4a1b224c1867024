import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { runCommand } from '../src/cli/commands.ts'
import { findOidcClient, matchesSecret } from '../src/features/oidc/client-metadata.ts'
import { startTestApp, type TestApp, type TestSite } from './test-app.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterAll(() => t.close())
beforeEach(async () => {
  site = await t.site()
})

type Options = Parameters<typeof runCommand>[1]
interface Credentials {
  issuer: string
  client_id: string
  client_secret?: string
}

/** What a command prints. */
async function run(action: string, options: Options = {}): Promise<unknown[]> {
  const printed: unknown[] = []
  const words = ['client', action, site.host]
  const print = (value: unknown) => void printed.push(value)
  await runCommand(t.deps.config, { by: 'lin.zhixia', ...options }, words, print, t.deps.sites.refresh)
  return printed
}
const credentials = async (action: string, options: Options) => (await run(action, options))[0] as Credentials

/** Which of the secrets a client may prove itself with. */
function valid(id: string, ...secrets: (string | undefined)[]): boolean[] {
  const now = t.deps.sites.find(site.host)
  const client = now && findOidcClient(now, id)
  if (!client) throw new Error('no client')
  return secrets.map((secret) => matchesSecret(t.deps.config.keys, now, client, secret ?? ''))
}

const books = { id: 'books', name: '海风书店', kind: 'web', return: ['https://books.example.com/cb'] }

test('D201 a client is added with what is named, and its secret is shown once', async () => {
  const added = await credentials('add', {
    ...books,
    'logout-return': ['https://books.example.com/bye'],
    scope: ['profile', 'phone'],
    'first-party': true,
    backchannel: 'https://books.example.com/logout',
    'pkce-optional': true,
  })
  expect(added).toEqual({
    issuer: site.origin,
    client_id: 'books',
    client_secret: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(valid('books', added.client_secret, '')).toEqual([true, false])
  expect(t.deps.sites.find(site.host)?.config.clients).toEqual([
    {
      id: 'books',
      name: '海风书店',
      kind: 'web',
      returns: ['https://books.example.com/cb'],
      logoutReturns: ['https://books.example.com/bye'],
      firstParty: true,
      backchannelUrl: 'https://books.example.com/logout',
      pkceOptional: true,
      scopes: [{ name: 'profile' }, { name: 'phone' }],
      secret: expect.stringMatching(/^sealed:/),
    },
  ])
  const { rows } = await t.deps.pool.query(
    "SELECT operator, target, detail FROM operator_log WHERE site_id = $1 AND action = 'config.save'",
    [site.id],
  )
  expect(rows).toEqual([{ operator: 'cli:lin.zhixia', target: '2', detail: { changed: ['clients'] } }])
})

test('D201 a public client has no secret, a machine no address', async () => {
  expect(await credentials('add', { ...books, kind: 'spa' })).toEqual({ issuer: site.origin, client_id: 'books' })
  const machine = await credentials('add', { id: 'gateway', name: '网关', kind: 'machine' })
  expect(valid('gateway', machine.client_secret)).toEqual([true])
})

test('D313 a television is added with --device and needs no address', async () => {
  const tv = { id: 'tv', name: '客厅影院', kind: 'native', device: true, scope: ['profile'], 'first-party': true }
  expect(await credentials('add', tv)).toEqual({ issuer: site.origin, client_id: 'tv' })
  expect(t.deps.sites.find(site.host)?.config.clients).toEqual([
    { id: 'tv', name: '客厅影院', kind: 'native', device: true, firstParty: true, scopes: [{ name: 'profile' }] },
  ])
})

test('D201 clients are listed with their kind and how they prove themselves', async () => {
  await run('add', books)
  await run('add', { ...books, id: 'app', kind: 'native', return: ['com.example.app:/cb'], 'first-party': true })
  await run('add', { id: 'gateway', name: '网关', kind: 'machine' })
  await run('rotate', { id: 'books' })
  const printed = await run('list')
  expect(printed).toEqual([
    'books  web  third-party  two-secrets  海风书店  https://books.example.com/cb',
    'app  native  first-party  public  海风书店  com.example.app:/cb',
    'gateway  machine  third-party  secret  网关',
  ])
  const bare = { id: 'bare', name: '无密钥', kind: 'web' as const, returns: ['https://bare.example.com/cb'] }
  site = await t.site({ clients: [bare, { ...bare, id: 'old', kind: undefined, returns: [] }] })
  expect(await run('list')).toEqual([
    'bare  web  third-party  NO-SECRET  无密钥  https://bare.example.com/cb',
    'old  legacy  first-party  NO-SECRET  无密钥',
  ])
})

test('D201 a rotation keeps the former secret valid until it is finished', async () => {
  const { client_secret: first } = await credentials('add', books)
  const { client_secret: second } = await credentials('rotate', { id: 'books' })
  expect(second).toMatch(/^[\w-]{43}$/)
  expect(valid('books', first, second)).toEqual([true, true])
  await expect(run('rotate', { id: 'books' })).rejects.toMatchObject({ details: { field: 'previousSecret' } })
  expect(valid('books', first, second)).toEqual([true, true])
  expect(await run('rotate', { id: 'books', finish: true })).toEqual([])
  expect(valid('books', first, second)).toEqual([false, true])
  await expect(run('rotate', { id: 'books', finish: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

test('D201 a client without a secret gets its first one by a rotation', async () => {
  site = await t.site({ clients: [{ id: 'books', name: 'b', kind: 'web', returns: books.return }] })
  const { client_secret: first } = await credentials('rotate', { id: 'books' })
  expect(valid('books', first)).toEqual([true])
  expect(t.deps.sites.find(site.host)?.config.clients?.[0]).not.toHaveProperty('previousSecret')
})

test('D201 what is missing or wrong changes nothing', async () => {
  await run('add', books)
  await expect(run('add', { ...books, return: ['https://b.example.com/'] })).rejects.toMatchObject({
    details: { field: 'clients.1.id' },
  })
  await expect(run('add', { ...books, id: 'b', return: [] })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await expect(run('add', { ...books, id: 'b', kind: 'app' })).rejects.toThrow('--kind is one of web, spa')
  await expect(run('add', { ...books, id: 'b', scope: ['openid'] })).rejects.toThrow('--scope is one of')
  await expect(run('add', { ...books, id: '' })).rejects.toThrow('--id is missing')
  await expect(run('add', { ...books, name: '' })).rejects.toThrow('--name is missing')
  await expect(run('rotate', { id: 'unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await run('list')).toHaveLength(1)
})

test('D320 a client counts on running processes when the command ends', async () => {
  const words = ['client', 'add', site.host]
  const printed: Credentials[] = []
  await runCommand(
    t.deps.config,
    { by: 'lin.zhixia', ...books },
    words,
    (value) => void printed.push(value as Credentials),
  )
  expect(valid('books', printed[0]?.client_secret)).toEqual([true])
})

test('D358 a machine gets scopes of its own, and a guarded one needs a name in --by', async () => {
  const erp = { id: 'erp', name: '订单系统', kind: 'machine' }
  const added = await credentials('add', { ...erp, scope: ['users:read', 'users:write'] })
  expect(valid('erp', added.client_secret)).toEqual([true])
  await expect(run('add', { ...erp, id: 'b', scope: ['profile'] })).rejects.toThrow('--scope is one of users:read')
  const nameless = { ...erp, id: 'b', by: undefined } as never as Options
  await expect(run('add', { ...nameless, scope: ['users:contact'] })).rejects.toThrow('--by is missing')
  await run('add', { ...nameless, scope: ['users:read'] })
})
