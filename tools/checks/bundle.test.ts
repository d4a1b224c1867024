import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { firstLoad, gzipKib, type Manifest, strays } from './bundle.ts'

const manifest: Manifest = {
  'index.html': { file: 'assets/main.js', isEntry: true, imports: ['_react.js'] },
  'src/home-page.tsx': { file: 'assets/home.js', imports: ['_frame.js'] },
  'src/theme-page.tsx': { file: 'assets/theme.js', imports: ['_frame.js', 'index.html'] },
  'src/styles.css': { file: 'assets/styles.css' },
  '_react.js': { file: 'assets/react.js' },
  '_frame.js': { file: 'assets/frame.js', imports: ['_react.js', '_icons.js', 'src/styles.css'] },
  '_icons.js': { file: 'assets/icons.js', imports: ['_frame.js'] },
}

test('a first load is the entry and the chunk of the page with all static imports, each script once', () => {
  expect(firstLoad(manifest, 'src/home-page.tsx').sort()).toEqual([
    'assets/frame.js',
    'assets/home.js',
    'assets/icons.js',
    'assets/main.js',
    'assets/react.js',
  ])
})

test('a page whose chunk is gone is an error, not a small page', () => {
  expect(() => firstLoad(manifest, 'src/renamed-page.tsx')).toThrow('no chunk src/renamed-page.tsx')
})

test('a build without an entry is an error', () => {
  expect(() => firstLoad({ 'src/a.tsx': { file: 'a.js' } }, 'src/a.tsx')).toThrow('no entry')
})

test('sizes are those after gzip, file by file', () => {
  expect(gzipKib([Buffer.alloc(100 * 1024)])).toBeLessThan(1)
  const random = randomBytes(10 * 1024)
  expect(gzipKib([random, random])).toBeGreaterThan(20)
})

const usersPage = 'src/features/merchant-users/users-page.tsx'
const built: Manifest = {
  'index.html': { file: 'main.js', isEntry: true },
  'src/features/home/home-page.tsx': { file: 'home.js', isDynamicEntry: true, imports: ['_shared.js'] },
  [usersPage]: { file: 'users.js', isDynamicEntry: true, imports: ['_shared.js', '_table.js'] },
  '_shared.js': { file: 'shared.js' },
  '_table.js': { file: 'table.js' },
}
const held = {
  'main.js': ['src/app/main.tsx'],
  'home.js': ['src/features/home/home-page.tsx'],
  'users.js': [usersPage],
  'shared.js': ['src/frame/frame.tsx', 'src/features/profile/user-page.tsx'],
  'table.js': ['src/ui/data-table/data-table.tsx'],
}

test('the back-office may bring its own modules, the other pages may not', () => {
  expect(strays(built, held)).toEqual([])
})

test.each([
  'src/features/merchant-users/user-page.tsx',
  'src/features/merchant-log/operator-action.tsx',
  'src/features/feedback/desk/merchant-talk.tsx',
  'src/features/merchant-home/merchant-home-page.tsx',
  'src/features/merchant-config/config-page.tsx',
  'src/features/merchant-config/editor/use-config-draft.ts',
  'src/ui/data-table/data-table-pager.tsx',
  'src/ui/json-editor/json-editor.tsx',
  'src/frame/merchant-frame.tsx',
  'src/frame/side-list.text.zh-CN.ts',
  'src/features/merchant-statistics/statistics.text.ts',
  '../../node_modules/.pnpm/@codemirror+view@6/node_modules/@codemirror/view/dist/index.js',
])('%s in a shared script is found', (module) => {
  const shared = { ...held, 'shared.js': [...held['shared.js'], module] }
  expect(strays(built, shared)).toEqual([`src/features/home/home-page.tsx brings ${module} in shared.js`])
  const entry = { ...held, 'main.js': [module] }
  expect(strays(built, entry)).toEqual([`src/features/home/home-page.tsx brings ${module} in main.js`])
})

test('a script of unknown content is an error', () => {
  const { 'shared.js': _, ...rest } = held
  expect(() => strays(built, rest)).toThrow('nothing is known of what shared.js is made of')
})
