/// <reference types="node" />
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { contrast, defaultPrimary, deriveBrand, surfaces } from './brand.ts'

const tokens = readFileSync(new URL('../../ui/tokens.css', import.meta.url), 'utf8')

const hardColours =
  '#5374fa #fff9c4 #fffde7 #000000 #ffffff #808080 #ff0000 #00ff00 #0000ff #ffff00 #00ffff #ff00ff #07c160 #1677ff ' +
  '#e60012 #ff6a00 #001f5c #f5f5f5 #111111 #777777'

function randomColours(count: number): string[] {
  let seed = 20261114
  return Array.from({ length: count }, () => {
    seed = (seed * 1664525 + 1013904223) >>> 0
    return `#${(seed >>> 8).toString(16).padStart(6, '0')}`
  })
}

const colours = [...hardColours.split(' '), ...randomColours(200)]
const themes = [
  { theme: 'light' as const, selector: ':root {' },
  { theme: 'dark' as const, selector: 'html.dark {' },
]

/** The variables of one block of tokens.css. */
function block(selector: string): Record<string, string> {
  const [body = ''] = tokens.slice(tokens.indexOf(selector)).split('}')
  return Object.fromEntries([...body.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]))
}

/** A translucent colour laid over an opaque one. */
function over(translucent: string, ground: string): string {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (translucent.match(/[\d.]+/g) ?? []).map(Number)
  const mixed = [red, green, blue].map((value, index) => {
    const under = Number.parseInt(ground.slice(1 + 2 * index, 3 + 2 * index), 16)
    return Math.round(value * alpha + under * (1 - alpha))
  })
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function expectContrast(what: string, front: string | undefined, back: string | undefined, least: number) {
  expect(contrast(front ?? '', back ?? ''), `${what}: ${front} on ${back}`).toBeGreaterThanOrEqual(least)
}

test('S435 the primary theme colour is #5374fa', () => {
  expect(defaultPrimary).toBe('#5374fa')
  expect(block(':root {')['--brand']).toBe('#5374fa')
})

test.each(['', 'blue', '#12345', 'rgb(1,2,3)', '#gggggg'])(
  'S435 what is no colour (%j) gives the default',
  (rubbish) => {
    expect(deriveBrand(rubbish, false)).toEqual(deriveBrand('#5374fa', false))
  },
)

test('tokens.css holds what #5374fa derives to', () => {
  const light = block(':root {')
  for (const [name, value] of Object.entries(deriveBrand('#5374fa', false))) {
    expect(light[name]?.replaceAll(' ', '').replaceAll('0.', '.').replace('.1)', '.10)'), name).toBe(value)
  }
})

describe.each(themes)('$theme', ({ theme, selector }) => {
  const ground = surfaces[theme]
  const neutral = { ...block(':root {'), ...block(selector) }

  test('surfaces in tokens.css equal those the colours are derived for', () => {
    for (const [name, value] of Object.entries(ground)) expect(neutral[`--${name}`], name).toBe(value)
  })

  test('text reads on every surface and on the tints', () => {
    for (const text of ['--text-1', '--text-2', '--text-3']) {
      for (const [name, value] of Object.entries(ground)) expectContrast(`${text}/${name}`, neutral[text], value, 4.5)
    }
    for (const sign of ['good', 'warn', 'bad']) {
      for (const back of ['card', 'page', 'raised', `${sign}-soft`]) {
        expectContrast(sign, neutral[`--${sign}`], neutral[`--${back}`], 4.5)
      }
    }
  })

  test('text on the translucent bar reads over any picture', () => {
    for (const picture of ['#000000', '#ffffff']) {
      const bar = over(neutral['--bar'] ?? '', picture)
      for (const text of ['--text-1', '--text-2']) expectContrast(`${text}/bar`, neutral[text], bar, 4.5)
    }
  })

  test(`${colours.length} primary colours keep their contrast`, () => {
    for (const colour of colours) {
      const brand = deriveBrand(colour, theme === 'dark')
      for (const fill of ['--brand-fill', '--brand-fill-hover', '--brand-fill-pressed'] as const) {
        expectContrast(`${colour} on/${fill}`, brand['--brand-on'], brand[fill], 4.5)
      }
      const soft = [brand['--brand-soft'], brand['--brand-soft-hover']]
      for (const back of [...Object.values(ground), ...soft]) expectContrast(colour, brand['--brand-text'], back, 4.5)
      for (const back of soft) expectContrast(`${colour} text-1/soft`, neutral['--text-1'], back, 7)
      expectContrast(`${colour} edge`, brand['--brand-edge'], ground.card, 3)
      expectContrast(`${colour} glow`, neutral['--text-2'], over(brand['--brand-glow'], ground.page), 4.5)
    }
  })
})
