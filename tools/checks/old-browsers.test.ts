import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { tooNew, unguarded } from './old-browsers.ts'

const folder = makeTemporaryFolder('old-browsers')
mkdirSync(join(folder, 'assets'))
afterAll(() => rmSync(folder, { recursive: true }))

const fault = (file: string, what: string, since: number) => [`${file} uses ${what}, which Chromium has since ${since}`]

test.each([
  ['let a=b.toSorted((e,t)=>e-t)', 'Array copies that are changed', 110],
  ['if(!e.isWellFormed())throw n', 'well-formed strings', 111],
  ['document.startViewTransition(()=>e())', 'view transitions', 111],
  ['let t=Object.groupBy(e,e=>e.kind)', 'groupBy', 117],
  ['let{promise:e}=Promise.withResolvers()', 'Promise.withResolvers', 119],
  ['let n=e=>/^https/.test(e)&&URL.canParse(e)', 'URL.canParse', 120],
  ['e.current.requestClose()', 'requestClose', 134],
])('%s in a script is found', (code, what, since) => {
  expect(tooNew('assets/page-1.js', code)).toEqual(fault('page-1.js', what, since))
})

test.each([
  ['.a{height:100dvh}', 'heights of the visible part', 108],
  ['.a{background:color-mix(in srgb,red 10%,#0000)}', 'color-mix', 111],
  ['.a{color:oklch(60% .1 20)}', 'colour spaces', 111],
  ['.a{color:red;&:hover{color:blue}}', 'nested rules', 112],
  ['.a:user-invalid{color:red}', ':user-invalid', 119],
  ['.a{color:light-dark(#000,#fff)}', 'light-dark', 123],
])('%s in a style is found', (code, what, since) => {
  expect(tooNew('assets/page-1.css', code)).toEqual(fault('page-1.css', what, since))
})

test('what 107 has, what asks first and what React never reaches are no faults', () => {
  const style = '@supports (height:100dvh){:root{--full:100dvh}}.a:has(b){inset:0;color:var(--color-1)}'
  expect(tooNew('a.css', style)).toEqual([])
  expect(tooNew('a.js', 'e.at(-1),structuredClone(e),try{var u=l.startViewTransition({update(){}})}catch{}')).toEqual(
    [],
  )
})

test('only what stands inside the question is taken out', () => {
  const asked = '@supports (height:100dvh){@media print{.a{height:100dvh}}}'
  expect(unguarded(`.a{top:0}${asked}.b{top:1px}${asked}.c{height:1dvh}`)).toBe('.a{top:0}.b{top:1px}.c{height:1dvh}')
})

test('a build with a planted fault goes red, without it green, and no build at all is an error', () => {
  const check = () => spawnSync(process.execPath, ['tools/checks/old-browsers.ts', folder], { encoding: 'utf8' })
  expect(check().stderr).toContain('holds no build')
  writeFileSync(join(folder, 'assets/base-1.js'), 'let a=[3,1].sort()')
  const green = execFileSync(process.execPath, ['tools/checks/old-browsers.ts', folder], { encoding: 'utf8' })
  expect(green).toBe("1 files read, 0 uses of what Chromium 107 doesn't have\n")
  writeFileSync(join(folder, 'assets/page-1.js'), 'let b=[3,1].toSorted()')
  const red = check()
  expect(red.status).toBe(1)
  expect(red.stderr).toContain('page-1.js uses Array copies that are changed')
})
