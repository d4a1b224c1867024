import fc from 'fast-check'
import { changed, nastyText } from './nasty.ts'

/** Addresses put together by the grammar, each part of them sometimes wrong in a way that misleads browsers. */
const scheme = fc.constantFrom(
  ...['https:', 'http:', 'HTTPS:', 'hTTp:', 'javascript:', 'data:', 'blob:', 'file:', 'ftp:', 'ws:', 'https', ''],
  ...['view-source:', 'vbscript:', 'mailto:', 'about:', 'h\ttps:', ' https:', '\u0000https:', 'https：', 'tel:'],
)
const slashes = fc.constantFrom('//', '//', '//', '/', '', '///', '\\\\', '/\\', '\\/', '/\t/', '//\n', '/ /', '%2f%2f')
const userinfo = fc.constantFrom('', '', '', '', '@', 'a@', 'a:b@', 'id.example.com@', ':@', '%40', 'a@b@', '\\@')
const port = fc.constantFrom('', '', '', ':443', ':80', ':8443', ':0', ':99999', ':', ':8443a', ':０')
const path = fc.constantFrom(
  ...[
    '',
    '/',
    '/user',
    '/user?x=1',
    '//evil.example',
    '/\\evil.example',
    '/%2fevil.example',
    '/%5cevil.example',
    '/..//evil.example',
  ],
  ...[
    '/.//evil.example',
    '/%2e%2e//evil.example',
    '/api/meta',
    '/API/meta',
    '/%61pi/meta',
    '/login',
    '/Login/',
    '/login%2f',
    '/x/../login',
  ],
  ...[
    '?//evil.example',
    '#//evil.example',
    '/\t/evil.example',
    '/;//evil.example',
    '/%zz',
    '/%c0%af',
    '/%E4%B8%AD',
    '/中',
    '/ａpi/x',
  ],
)

const hosts = (known: string[]) =>
  fc.oneof(
    fc.constantFrom(...known),
    fc.constantFrom(
      ...known.flatMap((host) => [
        `${host}.`,
        `${host}.evil.example`,
        `evil-${host}`,
        `x.${host}`,
        host.toUpperCase(),
        host.replaceAll('.', '。'),
        host.replaceAll('.', '．'),
        host.replace('.', '%2e'),
        host.replace('e', 'ｅ'),
        host.replace('.', '\u200b.'),
        host.replace('.', '\t.'),
        host.replace('.', '\u00ad.'),
      ]),
    ),
    fc.constantFrom(
      ...[
        'evil.example',
        '127.0.0.1',
        '2130706433',
        '0x7f.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        'localhost',
        '',
        '.',
        '..',
      ],
      ...['xn--fiq228c', '例子.example', 'faß.example', 'a b', 'a%00b', 'a<b', '１２７.0.0.1', 'ⅷ.example'],
    ),
  )

/** Known hosts and look-alikes of them. */
export const addresses = (known: string[]): fc.Arbitrary<string> => {
  const whole = fc.tuple(scheme, slashes, userinfo, hosts(known), port, path).map((parts) => parts.join(''))
  return fc.oneof(whole, changed(whole), path, changed(path), nastyText)
}
