import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../..')

/** Where credentials, contacts, rights and config are written without a step-up, and on which ground. */
const exemptions = {
  'features/factors/reset-factors.service.ts': ['commandLine'],
  'features/login/confirm.service.ts': ['recycledNumber'],
  'features/recovery/finish-factor-recovery.service.ts': ['recovery'],
  'features/recovery/finish-recovery.service.ts': ['recovery'],
  'features/site/site.service.ts': ['commandLine', 'commandLine'],
  'features/users-import/insert-users.ts': ['commandLine'],
  'features/users/undo-change.ts': ['undo'],
  'features/users/users.service.ts': ['commandLine', 'commandLine'],
  'features/users/users.store.ts': ['registration'],
  'features/wechat/wechat-binding.service.ts': ['boundWechat'],
  'features/wechat/wechat-login.service.ts': ['boundWechat', 'registration'],
}

const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))

test('D083 every write without a step-up is listed here', () => {
  const found = files.flatMap((file) => {
    const grounds = [...readFileSync(join(source, file), 'utf8').matchAll(/withoutStepUp\('(\w+)'\)/g)]
    return grounds.length > 0 ? [[file, grounds.map(([, ground]) => ground).sort()] as const] : []
  })
  expect(Object.fromEntries(found)).toEqual(exemptions)
})

const usersOf = (pattern: RegExp) =>
  files.filter((file) => pattern.test(readFileSync(join(source, file), 'utf8'))).sort()

test('D083 a proof of a step-up is made in one place, after looking, and nowhere by a cast', () => {
  expect(usersOf(/\bas (unknown as )?(StepUp|Exemption|Authority|AppearanceOnly)\b/)).toEqual([
    'shared/step-up/authority.ts',
  ])
  expect(usersOf(/\bstepUpProof\b/)).toEqual(['shared/step-up/authority.ts', 'shared/step-up/step-up.ts'])
  expect(usersOf(/\bappearanceProof\b/)).toEqual(['features/site/config-guard.ts', 'shared/step-up/authority.ts'])
})
