import { describe, expect, test } from 'vitest'
import { jsonFault } from './json-fault.ts'

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('where a text stops being JSON', () => {
  test.each([
    ['{"a": 1,}', 8, '前面有多余的逗号'],
    ['{"a": 1 "b": 2}', 8, '此处缺少逗号或 }'],
    ['{"a" 1}', 5, '此处缺少冒号'],
    ['{a: 1}', 1, '键名须写在双引号中'],
    ['{"a": yes}', 6, '此处缺少内容，文本须写在双引号中'],
    ['{"a": "b}', 6, '文本缺少结尾的双引号，或含有无法识别的字符'],
    ['{"a": [1, 2}', 11, '此处应为 ]'],
    ['{"a": 1} x', 9, '结尾有多余的内容'],
    ['', 0, '此处缺少内容'],
    ['{"a":', 4, '此处缺少 }'],
    ["{'a': 1}", 1, '键名须写在双引号中'],
  ])('%s', (text, at, message) => {
    expect(jsonFault(text)).toEqual({ at, message })
  })

  test('a bracket that is closed further left than it was opened is the one without its own', () => {
    const text = '{\n  "name": "甲",\n  "theme": { "primary": "#0f766e"  ,\n  "icp": "x"\n}\n'
    expect(jsonFault(text)).toEqual({ at: text.indexOf('{ "primary"'), message: '此处缺少 }' })
  })
})

/** The same noise on every run. */
function noise(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
}

test('a fault is found exactly where JSON.parse finds one', () => {
  const pick = noise(7)
  const parts = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"b',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    ' ',
    '\n',
    '"\\u00e9"',
    '"\\x"',
    '"\u007f"',
    '"\t"',
  ]
  const whole = JSON.stringify({ name: '青屿', list: [1, { deep: [true, null, 'x\\"y'] }], n: -1.5e-7, e: {}, l: [] })
  const texts = Array.from({ length: 5_000 }, (_, at) => {
    if (at % 2) return Array.from({ length: pick(8) }, () => parts[pick(parts.length)]).join('')
    const place = pick(whole.length)
    return whole.slice(0, place) + (parts[pick(parts.length)] ?? '') + whole.slice(place + pick(3))
  })
  const wrong = texts.filter((text) => (jsonFault(text) === undefined) !== isJson(text))
  expect(texts.filter(isJson).length).toBeGreaterThan(50)
  expect(wrong).toEqual([])
})

test('a text of many thousand open brackets is no trouble', () => {
  expect(jsonFault('['.repeat(100_000))).toMatchObject({ message: '此处缺少 ]' })
})

test('nor is one of many thousand brackets in one line', () => {
  // So many that only work in proportion to the length ends before the test is given up.
  expect(jsonFault('{"a":['.repeat(500_000) + ']}'.repeat(500_000))).toBeUndefined()
})
