import { endpoints, navigations } from '@hufu/contract/endpoints'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../test/test-app.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

test('the OpenAPI document passes a validator and lists every call and navigation of the contract', async () => {
  const site = await t.site()
  const reply = await t.app.inject({ url: '/api/openapi.json', headers: { host: site.host } })
  const document = reply.json()
  expect(document.openapi).toBe('3.1.0')
  const result = await new Validator().validate(document)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  expect(Object.keys(document.paths).sort()).toEqual([...endpoints, ...navigations].map(({ path }) => path).sort())
  const { content } = document.paths['/api/user/info/changeAvatar'].post.requestBody
  expect(Object.keys(content)).toEqual(['multipart/form-data'])
})

test('every endpoint of the contract is served, and nothing under /api is served without being in it', async () => {
  const site = await t.site()
  for (const { path } of endpoints) {
    const reply = await t.app.inject({ method: 'POST', url: path, headers: { host: site.host } })
    expect(reply.statusCode, path).not.toBe(404)
  }
  for (const { path } of navigations) {
    const reply = await t.app.inject({ method: 'GET', url: path, headers: { host: site.host } })
    expect(reply.statusCode, path).toBe(302)
  }
  const routes = t.app.printRoutes({ commonPrefix: false })
  expect(routes.match(/\(POST\)/g)).toHaveLength(endpoints.length)
})
