import { describe, expect, test } from 'vitest'
import { violations } from './boundaries.ts'
import { importsOf } from './imports.ts'
import type { FeatureImport } from './zones.ts'

const s = 'apps/server/src'
const f = `${s}/features`
const w = 'apps/web/src'
const check = (files: Record<string, string>, listed: FeatureImport[] = []) =>
  violations(new Map(Object.entries(files)), listed)
const imports = (path: string, specifier: string) => check({ [path]: `import { x } from '${specifier}'` })

describe('specifiers', () => {
  test('are found in every form of import', () => {
    const source = `import a, { b } from 'one'
import {
  c, // why
  d,
} from "two"
export * from 'three'
import 'four'
const page = lazy(() => import('five')); import e from 'six'`
    expect(importsOf(source).map((i) => i.specifier)).toEqual(['one', 'two', 'three', 'six', 'four', 'five'])
  })

  test('count as types alone only where the whole import vanishes', () => {
    const source = `import type { A } from 'one'
export type { B } from 'two'
import { type C } from 'three'
import type from 'four'`
    expect(importsOf(source).map((i) => i.typeOnly)).toEqual([true, true, false, false])
  })

  test('in comments are none', () => {
    expect(importsOf("/*\nimport a from 'one'\n*/\n// import('two')\nconst x = 1 // import('three')")).toEqual([])
  })
})

describe('which zone may import which', () => {
  const allowed: [string, string][] = [
    ['packages/contract/src/a.ts', 'zod'],
    [`${w}/app/main.tsx`, 'react'],
    [`${w}/app/main.tsx`, './styles.css'],
    [`${w}/app/main.tsx`, '@hufu/contract/pages'],
    [`${w}/app/routes.tsx`, '../features/devices/devices-page.tsx'],
    [`${w}/app/routes.tsx`, '../identity/step-up/two-factor-page.tsx'],
    [`${w}/ui/fields/field.tsx`, '../../lib/text/text.ts'],
    [`${w}/site/site.store.ts`, '../lib/device/device.ts'],
    [`${w}/session/profile.api.ts`, '../site/site.store.ts'],
    [`${w}/frame/frame.tsx`, '../session/profile.api.ts'],
    [`${w}/identity/step-up/two-factor-page.tsx`, '../../frame/frame.tsx'],
    [`${w}/features/devices/devices-page.tsx`, './devices.api.ts'],
    [`${w}/features/feedback/desk/note.tsx`, '../conversation/talk.ts'],
    [`${w}/features/devices/devices-page.tsx`, '../../identity/step-up/two-factor.api.ts'],
    [`${w}/test/page.tsx`, '../app/routes.tsx'],
    [`${s}/app.ts`, './features/site/site.routes.ts'],
    [`${s}/platform/config/config.ts`, '@hufu/contract/errors'],
    [`${s}/shared/sites/sites.ts`, '../../platform/postgres/db.ts'],
    [`${s}/shared/notices/sms-notices.ts`, '../../integrations/sms/send-sms.ts'],
    [`${s}/integrations/mail/mailer.ts`, '../../platform/log.ts'],
    [`${s}/cli/commands.ts`, '../features/site/site.service.ts'],
    [`${s}/http/serve.ts`, 'fastify'],
    [`${f}/site/site.routes.ts`, './site.service.ts'],
    [`${f}/site/site.routes.ts`, '../../http/serve.ts'],
    [`${f}/account/account.service.ts`, './account.store.ts'],
    [`${f}/account/account.service.ts`, '../users/users.store.ts'],
    [`${f}/account/account.service.ts`, '../verify-code/verify-code.service.ts'],
    [`${f}/account/account.service.ts`, '../../integrations/sms.ts'],
    [`${f}/site/site.store.ts`, 'kysely'],
  ]
  test.each(allowed)('%s may import %s', (path, specifier) => expect(imports(path, specifier)).toEqual([]))

  const refused: [string, string, string][] = [
    ['packages/contract/src/a.ts', 'node:fs', 'contract may not import npm'],
    ['packages/contract/src/a.ts', '../../../apps/web/src/app/main.tsx', 'contract may not import web app'],
    [`${w}/app/main.tsx`, '@hufu/server', 'web app may not import server'],
    [`${w}/app/main.tsx`, '../../../server/src/platform/postgres/db.ts', 'web app may not import platform'],
    [`${w}/app/main.tsx`, '../../../../tools/run/dev.ts', 'web app may not import files outside the sources'],
    [`${w}/app/main.tsx`, 'zod', 'web app may not import zod'],
    [`${w}/app/main.tsx`, '../test/page.tsx', 'web app may not import web test'],
    [`${w}/lib/text/text.ts`, '../../ui/button.tsx', 'web lib may not import web ui'],
    [`${w}/lib/text/text.ts`, '../../site/site.store.ts', 'web lib may not import web site'],
    [`${w}/lib/when.ts`, '../features/devices/devices.api.ts', "web lib may not import another feature's web feature"],
    [`${w}/ui/button.tsx`, '../site/site.store.ts', 'web ui may not import web site'],
    [`${w}/ui/button.tsx`, '../session/profile.api.ts', 'web ui may not import web session'],
    [`${w}/ui/button.tsx`, '../frame/frame.tsx', 'web ui may not import web frame'],
    [`${w}/ui/button.tsx`, '../identity/step-up/two-factor.api.ts', 'web ui may not import web identity'],
    [`${w}/ui/button.tsx`, '../features/devices/a.css', "web ui may not import another feature's web feature"],
    [`${w}/site/site.store.ts`, '../session/profile.api.ts', 'web site may not import web session'],
    [`${w}/session/profile.api.ts`, '../frame/frame.tsx', 'web session may not import web frame'],
    [
      `${w}/session/use-leave.ts`,
      '../features/home/home-page.tsx',
      "web session may not import another feature's web feature",
    ],
    [`${w}/frame/frame.tsx`, '../identity/step-up/two-factor.api.ts', 'web frame may not import web identity'],
    [
      `${w}/frame/frame.tsx`,
      '../features/devices/devices.api.ts',
      "web frame may not import another feature's web feature",
    ],
    [
      `${w}/identity/a.ts`,
      '../features/account/account.css',
      "web identity may not import another feature's web feature",
    ],
    [`${w}/identity/a.ts`, '../app/routes.tsx', 'web identity may not import web app'],
    [`${w}/features/devices/a.tsx`, '../../app/routes.tsx', 'web feature may not import web app'],
    [`${w}/features/devices/a.tsx`, '../profile/b.ts', "web feature may not import another feature's web feature"],
    [`${s}/app.ts`, '@hufu/web/app/main', 'root may not import web app'],
    [`${s}/platform/log.ts`, '../features/site/site.store.ts', "platform may not import another feature's store"],
    [`${s}/platform/log.ts`, '../shared/sites/sites.ts', 'platform may not import shared'],
    [`${s}/platform/log.ts`, '../integrations/outcome.ts', 'platform may not import integrations'],
    [`${s}/shared/deps.ts`, '../features/site/site.service.ts', "shared may not import another feature's service"],
    [`${s}/shared/deps.ts`, '../http/serve.ts', 'shared may not import http'],
    [`${s}/integrations/outcome.ts`, '../shared/sites/sites.ts', 'integrations may not import shared'],
    [`${f}/site/site.service.ts`, '../../cli/cli.ts', 'service may not import cli'],
    [`${s}/platform/log.ts`, '../http/serve.ts', 'platform may not import http'],
    [`${s}/platform/log.ts`, 'fastify', 'platform may not import fastify'],
    [`${s}/http/serve.ts`, '../features/site/site.service.ts', "http may not import another feature's service"],
    [`${s}/integrations/sms.ts`, '../http/serve.ts', 'integrations may not import http'],
    [`${f}/site/site.routes.ts`, './site.store.ts', 'routes may not import own store'],
    [`${f}/site/site.routes.ts`, '../users/users.store.ts', 'routes may not import shared store'],
    [`${f}/site/site.service.ts`, '../../http/serve.ts', 'service may not import http'],
    [`${f}/site/site.service.ts`, 'fastify', 'service may not import fastify'],
    [`${f}/site/site.service.ts`, '@fastify/static', 'service may not import fastify'],
    [`${f}/site/site.service.ts`, './site.routes.ts', 'service may not import own routes'],
    [`${f}/site/site.service.ts`, '../login/login.service.ts', "service may not import another feature's service"],
    [`${f}/site/site-cache.ts`, '../login/login-rules.ts', "part may not import another feature's part"],
    [`${f}/site/site.store.ts`, './site.service.ts', 'store may not import own service'],
    [`${f}/site/site.store.ts`, '../users/users.store.ts', 'store may not import shared store'],
  ]
  test.each(refused)('%s may not import %s', (path, specifier, rule) => {
    expect(imports(path, specifier)).toEqual([`${path}: ${rule}: ${specifier}`])
  })

  test.each([`${s}/misc/a.ts`, `${w}/misc/a.ts`, `${w}/a.ts`])('a module in no known zone is named: %s', (path) => {
    expect(check({ [path]: '' })).toEqual([expect.stringContaining(`${path}: is in no zone`)])
  })
})

describe('imports between web features', () => {
  const from = 'profile/account-card.tsx'
  const to = 'devices/devices.api.ts'
  const path = `${w}/features/${from}`
  const card = { [path]: "import { x } from '../devices/devices.api.ts'" }
  const rule = "web feature may not import another feature's web feature"

  test('are refused unless they are listed', () => {
    expect(check(card, [[from, to]])).toEqual([])
    expect(check(card)).toEqual([`${path}: ${rule}: ../devices/devices.api.ts`])
  })

  test('of types alone are imports too', () => {
    const types = { [path]: "import type { X } from '../devices/devices.api.ts'" }
    expect(check(types)).toEqual([`${path}: ${rule}: ../devices/devices.api.ts`])
  })

  test('are listed one by one: another module of the same feature is refused', () => {
    const other = `${w}/features/profile/user-page.tsx`
    const page = { ...card, [other]: "import { x } from '../devices/devices.api.ts'" }
    expect(check(page, [[from, to]])).toEqual([`${other}: ${rule}: ../devices/devices.api.ts`])
  })

  test('that are gone may not stay in the list', () => {
    const gone = `${path}: tools/checks/zones.ts lists an import that is gone: ${to}`
    expect(check({ [path]: '' }, [[from, to]])).toEqual([gone])
    expect(check({}, [[from, to]])).toEqual([gone])
  })

  test('go one way between two features', () => {
    const back: FeatureImport = ['devices/devices-page.tsx', 'profile/crop.ts']
    const files = { ...card, [`${w}/features/${back[0]}`]: "import { x } from '../profile/crop.ts'" }
    expect(check(files, [[from, to], back])).toEqual([
      `${w}/features/: no two features import each other: profile → devices`,
      `${w}/features/: no two features import each other: devices → profile`,
    ])
  })
})

describe('calls', () => {
  const refused = (path: string) => [`${path}: only *.api.ts files call the server: call`]

  test.each([
    "import { call } from '../../lib/call/call.ts'",
    "import { CallError, call } from '../../lib/call/call.ts'",
    "import { call as ask } from '../../lib/call/call.ts'",
    "import * as calls from '../../lib/call/call.ts'",
    "send(() => call('/api/logout'))",
  ])('%s stands in api files alone', (line) => {
    const path = `${w}/features/devices/devices-page.tsx`
    expect(check({ [path]: line, [`${w}/features/devices/devices.api.ts`]: line })).toEqual(refused(path))
  })

  test('what else call.ts gives may be imported anywhere', () => {
    const line = "import { CallError, type CallInput } from '../../lib/call/call.ts'\nbridge.call('closeWindow')"
    expect(check({ [`${w}/features/devices/devices-page.tsx`]: line })).toEqual([])
  })
})

describe('folders', () => {
  const folder = (count: number, at: string) =>
    check(Object.fromEntries(Array.from({ length: count }, (_, each) => [`${at}/a${each}.ts`, ''])))

  test.each([`${s}/platform`, `${w}/ui`])('%s holds at most 30 files', (at) => {
    expect(folder(30, at)).toEqual([])
    expect(folder(31, at)).toEqual([`${at}: at most 30 files in one folder: 31`])
  })
})

describe('schemas and the browser', () => {
  const contract = {
    'packages/contract/src/site.ts': "import { z } from 'zod'",
    'packages/contract/src/all.ts': "import { meta } from './site.ts'",
    'packages/contract/src/shape.ts': "import type { Meta } from './site.ts'",
  }
  const web = (line: string) => check({ ...contract, [`${w}/app/a.ts`]: line })

  test('types may come from anywhere, values only from modules without zod', () => {
    expect(web("import type { Meta } from '@hufu/contract/site'\nimport { x } from '@hufu/contract/shape'")).toEqual([])
  })

  test.each(['site', 'all'])('values of %s are refused', (name) => {
    expect(web(`import { meta } from '@hufu/contract/${name}'`)).toEqual([
      `${w}/app/a.ts: web takes only types from modules with schemas: @hufu/contract/${name}`,
    ])
  })
})

describe('cycles', () => {
  const pair = (back: string) =>
    check({ [`${w}/app/a.ts`]: "import { b } from './b'", [`${w}/app/b.tsx`]: `${back} from './a.ts'` })

  test('are named once, with their whole way', () => {
    expect(pair('import { a }')).toEqual([
      `${w}/app/a.ts: no import cycles: ${w}/app/a.ts → ${w}/app/b.tsx → ${w}/app/a.ts`,
    ])
  })

  test('of types are none', () => expect(pair('import type { a }')).toEqual([]))
})

describe('statements', () => {
  test.each([
    ["db.selectFrom('users').selectAll()", '.selectFrom('],
    ["await db\n    .insertInto('users')", '.insertInto('],
    ["tx.updateTable('users')", '.updateTable('],
    ["tx.deleteFrom('users')", '.deleteFrom('],
    ["db.with('own', (each) => each.selectFrom('users'))", '.selectFrom('],
  ])('%s is refused', (line, call) => {
    const path = `${f}/site/site.store.ts`
    expect(check({ [path]: line })).toEqual([`${path}: statements are raw sql, not the query builder: ${call}`])
  })

  test('raw ones pass, also where a comment names the builder', () => {
    const lines = '// not db.selectFrom(\nawait sql`SELECT id FROM users`.execute(db)'
    expect(check({ [`${f}/site/site.store.ts`]: lines })).toEqual([])
  })
})

describe('environment and barrels', () => {
  test.each(['process.env.X', "process['env']", 'const { env } = process', "import { env } from 'node:process'"])(
    'on the server only platform/config/config.ts says %s',
    (line) => {
      const path = `${s}/platform/log.ts`
      expect(check({ [path]: line, [`${s}/platform/config/config.ts`]: line, [`${w}/app/a.ts`]: line })).toEqual([
        `${path}: only platform/config/config.ts reads the environment: process.env`,
      ])
    },
  )

  test('an index that exports what others made is refused', () => {
    expect(check({ 'apps/web/src/ui/index.ts': "export * from './frame.tsx'" })).toEqual([
      'apps/web/src/ui/index.ts: no barrels: ./frame.tsx',
    ])
    expect(check({ 'apps/web/src/ui/index.ts': "import { y } from './y.ts'\nexport const x = y" })).toEqual([])
  })
})
