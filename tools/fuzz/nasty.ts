import fc from 'fast-check'

/** Pieces that have broken parsers: invisible, incomplete, doubled, or with a special meaning. */
const pieces = [
  ...['\0', '\t', '\n', '\r', '\r\n', ' ', '\u00a0', '\u0085', '\u2028', '\u3000', '\ufeff', '\x7f', '\x1b'],
  ...[
    '\u200b',
    '\u200d',
    '\u202e',
    '\u2066',
    '\u00ad',
    '\u0301',
    '\u0307',
    '\ud800',
    '\udc00',
    '\u{1f600}',
    '\u{e0041}',
  ],
  ...[
    '/',
    '//',
    '\\',
    '.',
    '..',
    '%',
    '%00',
    '%0a',
    '%2f',
    '%5c',
    '%2e',
    '%25',
    '?',
    '#',
    '@',
    ':',
    ';',
    '&',
    '=',
    '+',
    '-',
    ',',
  ],
  ...[
    '"',
    "'",
    '`',
    '<',
    '>',
    '</',
    '<!--',
    '{',
    '}',
    '[',
    ']',
    '{{',
    '}}',
    '(',
    ')',
    '$',
    '$&',
    '$1',
    '|',
    '*',
    '~',
    '^',
  ],
  ...['ı', 'İ', 'K', 'ß', 'ſ', 'ﬀ', '．', '。', '／', '＠', '＋', '０', '１', '9', '0', '1e9', '-0', 'NaN', '0x1f'],
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'true', '中', '文', 'a', 'Z', '_'],
]

const piece = fc.constantFrom(...pieces)

/** Any text: of all characters, of characters that users type, and put together from nasty pieces. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 12 }).map((parts) => parts.join('')),
)

/** The same piece over and over, up to some 20 KB: where a parser goes back and forth, this takes it long. */
export const longText: fc.Arbitrary<string> = fc
  .tuple(
    nastyText,
    fc.oneof(piece, fc.string({ minLength: 1, maxLength: 4 })),
    fc.integer({ min: 100, max: 20_000 }),
    nastyText,
  )
  .map(([head, repeated, length, tail]) => head + repeated.repeat(Math.ceil(length / repeated.length)) + tail)

interface Edit {
  at: number
  remove: number
  insert: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(10_000),
  remove: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(4)),
  insert: fc.oneof({ weight: 2, arbitrary: piece }, fc.string({ maxLength: 3 }), fc.constant('')),
})

const edited = (text: string, { at, remove, insert }: Edit) => {
  const start = at % (text.length + 1)
  return text.slice(0, start) + insert + text.slice(start + remove)
}

/** Good samples with up to five changes. */
export const changed = (samples: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(samples, fc.array(edit, { maxLength: 5 })).map(([sample, edits]) => edits.reduce(edited, sample))

/** Good samples with some bytes changed, put in, taken out or cut off. Bytes stand as latin1, so that they can be kept. */
export const changedBytes = (samples: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      samples,
      fc.array(
        fc.record({ at: fc.nat(1_000_000), remove: fc.nat(3), insert: fc.string({ unit: byte, maxLength: 3 }) }),
        { maxLength: 8 },
      ),
    )
    .map(([sample, edits]) => edits.reduce(edited, sample))

const byte = fc.nat(255).map((code) => String.fromCharCode(code))

/** Bytes as latin1. */
export const byteText = fc.string({ unit: byte, maxLength: 200 })
