import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, inject, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { newWechat } from '../../../test/wechat-phone.ts'
import { fetchPicture, pictureAddress } from './picture.ts'

const listed = ['https://thirdwx.qlogo.cn', 'https://wx.qlogo.cn']
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A picture server that behaves badly. */
async function server(answer: RequestListener): Promise<string> {
  const started = createServer(answer).listen(0, '127.0.0.1')
  await once(started, 'listening')
  stops.push(
    () => started.closeAllConnections(),
    () => started.close(),
  )
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

test('a picture is copied', async () => {
  const { appId } = await newWechat()
  const url = inject('wechatUrl')
  const bytes = await fetchPicture([url], `${url}/mmopen/vi_32/${appId}-lin-1/132`)
  expect([...(bytes ?? []).slice(0, 3)]).toEqual([0xff, 0xd8, 0xff])
  expect(await fetchPicture([url], `${url}/mmopen/vi_32/${appId}-lin-2/132`)).toBeUndefined()
})

test('http becomes the scheme of the list', () => {
  expect(pictureAddress(listed, 'http://thirdwx.qlogo.cn/mmopen/a/132?x=1')).toBe(
    'https://thirdwx.qlogo.cn/mmopen/a/132?x=1',
  )
  expect(pictureAddress(listed, 'https://wx.qlogo.cn/a')).toBe('https://wx.qlogo.cn/a')
  expect(pictureAddress(listed, 'http://WX.QLOGO.CN:80//evil.example/a')).toBe('https://wx.qlogo.cn//evil.example/a')
})

test.each([
  'https://evil.example/a',
  'https://wx.qlogo.cn.evil.example/a',
  'https://evil.example#wx.qlogo.cn',
  'https://wx.qlogo.cn@evil.example/a',
  'https://evil@wx.qlogo.cn/a',
  'https://a:b@wx.qlogo.cn/a',
  'https://wx.qlogo.cn:8443/a',
  'http://wx.qlogo.cn:443/a',
  'https://wx.qlogo.cn./a',
  'file:///etc/passwd',
  'ftp://wx.qlogo.cn/a',
  'data:image/png;base64,AAAA',
  '//wx.qlogo.cn/a',
  '/132',
  '',
])('nothing is fetched from %s', (address) => {
  expect(pictureAddress(listed, address)).toBeUndefined()
})

test('a redirect is not followed', async () => {
  let reached = false
  const other = await server((_, response) => {
    reached = true
    response.end('x')
  })
  const url = await server((_, response) => response.writeHead(302, { location: `${other}/a` }).end())
  expect(await fetchPicture([url, other], `${url}/a`)).toBeUndefined()
  expect(reached).toBe(false)
})

test('two megabytes are taken, one byte more is not, however the length is announced', async () => {
  const most = 2 * 1_048_576
  const url = await server((request, response) => response.end(Buffer.alloc(Number(request.url?.slice(1)))))
  expect((await fetchPicture([url], `${url}/${most}`))?.length).toBe(most)
  expect(await fetchPicture([url], `${url}/${most + 1}`)).toBeUndefined()
  let written = 0
  const endless = await server((_, response) => {
    const chunk = Buffer.alloc(65_536)
    const more = () => {
      if (response.destroyed) return
      written += chunk.length
      response.write(chunk, () => setImmediate(more))
    }
    more()
  })
  expect(await fetchPicture([endless], `${endless}/a`)).toBeUndefined()
  expect(written).toBeLessThan(64 * 1_048_576)
})

test('a server that falls silent is given up after five seconds', async () => {
  const url = await server((_, response) => void response.writeHead(200).write('x'))
  const began = performance.now()
  expect(await fetchPicture([url], `${url}/a`)).toBeUndefined()
  expect(performance.now() - began).toBeLessThan(timeLimit(6_000))
})
