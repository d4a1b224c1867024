import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { firstLoad, gzipKib, type Manifest } from './bundle.ts'

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
