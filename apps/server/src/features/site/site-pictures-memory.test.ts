import { randomUUID } from 'node:crypto'
import { sitePicturePath } from '@hufu/contract/picture-rules'
import { expect, test } from 'vitest'
import { newSiteId } from '../../platform/ids.ts'
import { loginOptionsOf } from '../../shared/sites/login-options.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { createPictureMemory } from './site-pictures-memory.ts'

const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]

function siteWith(bg: string, vbg: string, logoIcon: string): Site {
  const config = { bg: sitePicturePath(bg), vbg: sitePicturePath(vbg), logoIcon: sitePicturePath(logoIcon) }
  const login = loginOptionsOf(config)
  return { id: newSiteId(), origin: 'https://id.example.com', status: 'active', version: '1', hosts: [], config, login }
}

test('what was asked for last stays, within a bound for all sites together', () => {
  const memory = createPictureMemory(100)
  const [site, other] = [siteWith(a, b, c), siteWith(a, b, c)]
  const held = () => [site, other].flatMap((each) => [a, b, c].map((id) => memory.find(each, id)?.length ?? 0))
  memory.keep(site, a, Buffer.alloc(40))
  memory.keep(other, a, Buffer.alloc(50))
  memory.find(site, a)
  memory.keep(site, b, Buffer.alloc(60))
  expect(held()).toEqual([40, 60, 0, 0, 0, 0])
  memory.keep(site, b, Buffer.alloc(30))
  memory.keep(site, c, Buffer.alloc(30))
  expect(held()).toEqual([40, 30, 30, 0, 0, 0])
  memory.keep(other, b, Buffer.alloc(101))
  expect(held()).toEqual([40, 30, 30, 0, 0, 0])
  memory.keep(other, b, Buffer.alloc(100))
  expect(held()).toEqual([0, 0, 0, 0, 100, 0])
})

test('what no page of the site shows is never kept, and an id is a text', () => {
  const memory = createPictureMemory()
  const site = siteWith(a, b, c)
  const unknown = randomUUID()
  memory.keep(site, unknown, Buffer.alloc(9))
  memory.keep(site, a, Buffer.alloc(9))
  expect([unknown, [a], undefined, a].map((id) => memory.find(site, id)?.length)).toEqual([
    undefined,
    undefined,
    undefined,
    9,
  ])
})
