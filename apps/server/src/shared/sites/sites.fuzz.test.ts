import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { normalizeHost } from './sites.ts'

const hosts = fc.constantFrom(
  'id.example.com',
  'ID.Example.com.:8443',
  '127.0.0.1:80',
  '[::1]:8080',
  'xn--fiq228c.example',
  'a:',
)

fuzz(
  'host',
  'a host has one spelling, and port, capitals and a last dot make no other',
  fc.oneof(changed(hosts), nastyText, longText),
  (host) => {
    const name = quick(host.length, () => normalizeHost(host))
    expect(name.toLowerCase()).toBe(name)
    if (!/[.:]$/.test(name)) expect(normalizeHost(`${name}.:443`)).toBe(name)
  },
)

const real = fc
  .tuple(fc.domain(), fc.constantFrom('', '.'), fc.constantFrom('', ':80', ':8443', ':'))
  .map((parts) => parts.join(''))

fuzz('host-real', 'a real host is found as a browser calls it', real, (host) => {
  const { hostname } = new URL(`http://${host}/`)
  expect(normalizeHost(host)).toBe(hostname.replace(/\.$/, ''))
  expect(normalizeHost(host.toUpperCase())).toBe(normalizeHost(host))
})
