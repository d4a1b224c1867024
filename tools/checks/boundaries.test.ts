import { describe, expect, test } from 'vitest'
import { violations } from './boundaries.ts'
import { importsOf } from './imports.ts'

const s = 'apps/server/src'
const f = `${s}/features`
const check = (files: Record<string, string>) => violations(new Map(Object.entries(files)))
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

describe('who may import whom', () => {
  const allowed: [string, string][] = [
    ['packages/contract/src/a.ts', 'zod'],
    ['apps/web/src/app/main.tsx', 'react'],
    ['apps/web/src/app/main.tsx', './styles.css'],
    ['apps/web/src/app/main.tsx', '@hufu/contract/pages'],
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
    ['packages/contract/src/a.ts', '../../../apps/web/src/app/main.tsx', 'contract may not import web'],
    ['apps/web/src/app/main.tsx', '@hufu/server', 'web may not import server'],
    ['apps/web/src/app/main.tsx', '../../server/src/platform/postgres/db.ts', 'web may not import platform'],
    ['apps/web/src/app/main.tsx', '../../../tools/run/dev.ts', 'web may not import files outside the sources'],
    ['apps/web/src/app/main.tsx', 'zod', 'web may not import zod'],
    [`${s}/app.ts`, '@hufu/web/main', 'root may not import web'],
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

  test('a module in no known place is named', () => {
    expect(check({ [`${s}/misc/a.ts`]: '' })).toEqual([expect.stringContaining(`${s}/misc/a.ts: stands in a place`)])
  })
})

describe('schemas and the browser', () => {
  const contract = {
    'packages/contract/src/site.ts': "import { z } from 'zod'",
    'packages/contract/src/all.ts': "import { meta } from './site.ts'",
    'packages/contract/src/shape.ts': "import type { Meta } from './site.ts'",
  }
  const web = (line: string) => check({ ...contract, 'apps/web/src/a.ts': line })

  test('types may come from anywhere, values only from modules without zod', () => {
    expect(web("import type { Meta } from '@hufu/contract/site'\nimport { x } from '@hufu/contract/shape'")).toEqual([])
  })

  test.each(['site', 'all'])('values of %s are refused', (name) => {
    expect(web(`import { meta } from '@hufu/contract/${name}'`)).toEqual([
      `apps/web/src/a.ts: web takes only types from modules with schemas: @hufu/contract/${name}`,
    ])
  })
})

describe('cycles', () => {
  const pair = (back: string) =>
    check({ 'apps/web/src/a.ts': "import { b } from './b'", 'apps/web/src/b.tsx': `${back} from './a.ts'` })

  test('are named once, with their whole way', () => {
    expect(pair('import { a }')).toEqual([
      'apps/web/src/a.ts: no import cycles: apps/web/src/a.ts → apps/web/src/b.tsx → apps/web/src/a.ts',
    ])
  })

  test('of types are none', () => expect(pair('import type { a }')).toEqual([]))
})

describe('environment and barrels', () => {
  test.each(['process.env.X', "process['env']", 'const { env } = process', "import { env } from 'node:process'"])(
    'on the server only platform/config/config.ts says %s',
    (line) => {
      const path = `${s}/platform/log.ts`
      expect(check({ [path]: line, [`${s}/platform/config/config.ts`]: line, 'apps/web/src/a.ts': line })).toEqual([
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
