import type { TestSite } from '../../apps/server/test/test-app.ts'

export interface Poison {
  name: string
  headers?: string[]
  /** The lines that say which host is meant, where they aren't just the right one. */
  hosts?: string[]
  target?: (path: string) => string
  /** Names the other host outright: of another site of ours that is simply a visit to it. */
  visit?: boolean
}

const names = [
  'X-Forwarded-Host',
  'X-Host',
  'X-Original-Host',
  'X-Forwarded-Server',
  'X-HTTP-Host-Override',
  'X-Forwarded-Origin',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Forwarded-Prefix',
  'X-Forwarded-Path',
  'X-Backend-Host',
  'X-Proxy-Host',
  'Proxy-Host',
  'Front-End-Https',
  'Base-Url',
  'Destination',
  'Via',
  'Referer',
]

/** Ways to name another host; the first ones must be without any effect, whatever names a host itself may also be refused. */
export function poisons(site: TestSite, wrong: string): Poison[] {
  const right = `Host: ${site.host}`
  return [
    ...names.flatMap((name) =>
      [wrong, `https://${wrong}/`, `${wrong}, ${site.host}`].map((value) => ({ name, headers: [`${name}: ${value}`] })),
    ),
    { name: 'Forwarded', headers: [`Forwarded: for=1.2.3.4;host=${wrong};proto=http`] },
    { name: 'Forwarded in quotes', headers: [`Forwarded: host="${wrong}:8443"`] },
    { name: 'scheme', headers: ['X-Forwarded-Proto: http', 'X-Forwarded-Scheme: javascript', 'X-Forwarded-Ssl: off'] },
    { name: 'port', headers: ['X-Forwarded-Port: 8443', `X-Forwarded-Host: ${site.host}:8443`] },
    { name: 'port of the host', hosts: [`Host: ${site.host}:8443`] },
    { name: 'case and dot of the host', hosts: [`Host: ${site.host.toUpperCase()}.`] },
    { name: 'absolute target', target: (path) => `http://${wrong}${path}` },
    {
      name: 'absolute target of ours',
      target: (path) => `https://${site.host}${path}`,
      hosts: [`Host: ${wrong}`],
      visit: true,
    },
    { name: 'target with userinfo', target: (path) => `http://${site.host}@${wrong}${path}` },
    { name: 'target without a scheme', target: (path) => `//${wrong}${path}` },
    { name: 'second host', hosts: [right, `Host: ${wrong}`] },
    { name: 'first host', hosts: [`Host: ${wrong}`, right], visit: true },
    { name: 'host', hosts: [`Host: ${wrong}`], visit: true },
    { name: 'folded host', hosts: [right, ` Host: ${wrong}`] },
    { name: 'host with a space', hosts: [`Host : ${wrong}`, right] },
    ...[
      `${site.host}@${wrong}`,
      `${wrong}@${site.host}`,
      `${site.host}:443@${wrong}`,
      `${wrong}#${site.host}`,
      `${wrong}/${site.host}`,
      `${wrong}?${site.host}`,
      `${site.host}, ${wrong}`,
      `${site.host} ${wrong}`,
      `${site.host}:${wrong}`,
      `${site.host}.${wrong}`,
      `${site.host}%00.${wrong}`,
      `${site.host}\t${wrong}`,
      '',
    ].map((value) => ({ name: `host ${JSON.stringify(value)}`, hosts: [`Host: ${value}`] })),
  ]
}
