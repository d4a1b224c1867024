import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeTicket } from '@hufu/contract/authorize'
import { avatarPath } from '@hufu/contract/avatar-rules'
import { errors } from '@hufu/contract/errors'
import { deviceGrant, oidcPaths, oidcScopes } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import { siteConfig } from '@hufu/contract/site'
import { expect, test } from 'vitest'
import { scopeClaims } from '../../apps/server/src/features/oidc/claims.ts'
import { deviceSeconds } from '../../apps/server/src/features/oidc/device/device-limits.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const page = read('docs/integrating.md')
const languages = [page, read('docs/integrating.zh-CN.md')]

/** The code block with this mark. */
function block(mark: string): string {
  const found = new RegExp(`\`\`\`${mark}\\n(.*?)\`\`\``, 's').exec(page)?.[1]
  if (!found) throw new Error(`docs/integrating.md has no block ${mark}`)
  return found
}

test('the config of the page is one that a site takes', () => {
  const { clients } = siteConfig.parse(JSON.parse(block('json config')))
  expect(clients?.[0]).toMatchObject({ id: 'bookshop', returns: ['https://books.example.com/callback'] })
  expect(clients?.[0]).not.toHaveProperty('sources')
})

test('the request of the page is the one of the contract', () => {
  const curl = block('sh ticket')
  expect(curl).toContain(`https://id.example.com${exchangeTicket.path} `)
  const body = JSON.parse(/-d '(.*?)'/s.exec(curl)?.[1] ?? '')
  expect(exchangeTicket.input.parse(body)).toEqual(body)
  expect(Object.keys(body).sort()).toEqual(Object.keys(exchangeTicket.input.shape).sort())
})

test('the answer of the page is the one of the contract', () => {
  const { data } = JSON.parse(block('json answer'))
  expect(exchangeTicket.output.strict().parse(data)).toEqual(data)
  expect(data.avatar).toBe(`https://id.example.com${avatarPath(data.id, 1_763_184_000_000)}`)
  for (const field of Object.keys(exchangeTicket.output.shape)) expect(page).toContain(`| \`${field}\` |`)
})

test('the failures of the page have the status of the contract', () => {
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ])
  const known = Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status]))
  expect(documented).toEqual(documented.map(([code]) => [code, known[code as string]]))
  expect(documented.length).toBeGreaterThan(3)
})

test('the addresses of the page are those of the product', () => {
  expect(page).toContain(
    `https://id.example.com${pages.authorize.replace(':source', '{source}')}?state={state}&code_challenge={challenge}&code_challenge_method=S256`,
  )
  expect(page).toContain(encodeURIComponent('https://books.example.com/callback'))
})

test('both languages name the scopes with their claims, and the discovery document', () => {
  for (const text of languages) {
    expect(text).toContain(`https://id.example.com${oidcPaths.discovery}`)
    const rows = new Map(
      [...text.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name = '', cell = '']) => [name, cell]),
    )
    for (const [scope, claims] of Object.entries(scopeClaims))
      expect([...(rows.get(scope) ?? '').matchAll(/`([a-z_]+)`/g)].map(([, claim]) => claim)).toEqual(claims)
    expect(oidcScopes.filter((scope) => !rows.has(scope))).toEqual([])
  }
})

/** The options of a command, without their values. */
const optionsOf = (command: string) => new Set(command.match(/--[a-z-]+/g))

test('the command that registers a client has options that the command line takes, in both languages', () => {
  const usage = optionsOf(read('apps/server/src/cli/cli.ts'))
  for (const text of languages) {
    const command = /hufu client add .*?```/s.exec(text)?.[0] ?? ''
    expect(optionsOf(command).size).toBeGreaterThan(5)
    expect([...optionsOf(command)].filter((option) => !usage.has(option))).toEqual([])
  }
})

test('D322 the guide in both languages and the list of examples lead to every example', () => {
  const folder = join(import.meta.dirname, '../../examples')
  const examples = readdirSync(folder).filter(
    (name) => name !== 'brands' && existsSync(join(folder, name, 'README.md')),
  )
  expect(examples.length).toBeGreaterThan(3)
  for (const text of [...languages, read('examples/README.md')])
    expect(examples.filter((name) => !text.includes(`${name}/README.md)`))).toEqual([])
})

test('D319 both languages describe the device flow by the names of the product', () => {
  const usage = optionsOf(read('apps/server/src/cli/cli.ts'))
  for (const text of languages) {
    const [, section = ''] = /\n## (?:Devices without a keyboard|电视和终端)\n(.*?)\n## /s.exec(text) ?? []
    const command = /hufu client add .*/.exec(section)?.[0] ?? ''
    expect(command).toContain('--device')
    expect([...optionsOf(command)].filter((option) => !usage.has(option))).toEqual([])
    expect(section).toContain(`grant_type=${deviceGrant}`)
    expect(section).toMatch(new RegExp(`\`expires_in\`[ ]?[(（]${deviceSeconds}[)）]`))
    for (const error of ['authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'invalid_grant'])
      expect(section).toContain(`| \`${error}\` |`)
  }
})
