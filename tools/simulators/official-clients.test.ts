import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canonicalQuery, signAliyun } from '../../apps/server/src/integrations/sms/gateways/aliyun.ts'
import { signTencent } from '../../apps/server/src/integrations/sms/gateways/tencent.ts'
import { demoKeys, demoSms } from './demo-gateways.ts'
import { listen, readBody, type Simulator, sendJson } from './loopback.ts'
import { type Simulators, startSimulators } from './start-simulators.ts'

// The gateways' own clients say what is right: our simulators take them as they are, and our signatures equal theirs.
const require = createRequire(import.meta.url)
const Aliyun = require('@alicloud/dysmsapi20170525') as typeof import('@alicloud/dysmsapi20170525')
const { Config } = require('@alicloud/openapi-client') as typeof import('@alicloud/openapi-client')
const { sms } = require('tencentcloud-sdk-nodejs-sms') as typeof import('tencentcloud-sdk-nodejs-sms')

interface Captured {
  url: URL
  headers: Record<string, string>
  body: string
}

let simulators: Simulators
let recorder: Simulator
let captured: Captured

beforeAll(async () => {
  simulators = await startSimulators()
  recorder = await listen(0, async (request, response) => {
    const headers = request.headers as Record<string, string>
    captured = { url: new URL(request.url ?? '', recorder.url), headers, body: await readBody(request) }
    sendJson(response, 200, { Code: 'OK', Response: { SendStatusSet: [], RequestId: '1' } })
  })
})
afterAll(() => Promise.all([simulators.stop(), recorder.stop()]))

const [aliyunGateway, tencentGateway] = demoSms.gateways
const awkward = { code: '123456', minutes: "5 (约)*'!~+/=&%" }

function sendByAliyunsClient(url: string, number: string, secret = demoKeys.aliyun.secret) {
  const config = new Config({
    accessKeyId: demoKeys.aliyun.keyId,
    accessKeySecret: secret,
    endpoint: new URL(url).host,
    protocol: 'HTTP',
  })
  const client = new Aliyun.default(config)
  const request = new Aliyun.SendSmsRequest({
    phoneNumbers: number,
    signName: aliyunGateway?.signName,
    templateCode: aliyunGateway?.templates.login,
    templateParam: JSON.stringify(awkward),
  })
  return client.sendSms(request)
}

function sendByTencentsClient(url: string, number: string, secret = demoKeys.tencent.secret) {
  const client = new sms.v20210111.Client({
    credential: { secretId: demoKeys.tencent.keyId, secretKey: secret },
    region: 'ap-guangzhou',
    profile: { httpProfile: { endpoint: new URL(url).host, protocol: 'http://' } },
  })
  return client.SendSms({
    PhoneNumberSet: [number],
    SmsSdkAppId: demoKeys.tencent.appId,
    SignName: tencentGateway?.signName ?? '',
    TemplateId: tencentGateway?.templates.login ?? '',
    TemplateParamSet: Object.values(awkward),
  })
}

test("Aliyun's own client is understood by the simulator", async () => {
  const { body } = await sendByAliyunsClient(simulators.aliyunUrl, '13800138001')
  expect(body).toMatchObject({ code: 'OK', message: 'OK', bizId: expect.stringMatching(/\^0$/) })
  expect(simulators.messages('13800138001')[0]?.text).toContain('【青屿生活】您正在登录，验证码为123456，5 (约)')
})

test("Aliyun's own client with a wrong secret is refused by the simulator", async () => {
  await expect(sendByAliyunsClient(simulators.aliyunUrl, '13800138002', 'wrong')).rejects.toMatchObject({
    code: 'SignatureDoesNotMatch',
  })
})

test("our signature for Aliyun equals its own client's for the same request", async () => {
  await sendByAliyunsClient(recorder.url, '13800138003')
  const { headers, url, body } = captured
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? []
  const signed = Object.fromEntries(names.map((name) => [name, headers[name] ?? '']))
  const query = canonicalQuery(Object.fromEntries(url.searchParams))
  expect(query).toContain('%22minutes%22%3A%225%20%28%E7%BA%A6%29%2A%27%21~%2B%2F%3D%26%25%22')
  expect(signAliyun(demoKeys.aliyun, query, signed, body)).toBe(headers.authorization)
})

test("Tencent's own client is understood by the simulator", async () => {
  const answer = await sendByTencentsClient(simulators.tencentUrl, '+8613800138004')
  expect(answer.SendStatusSet?.[0]).toMatchObject({ Code: 'Ok', Fee: 1, PhoneNumber: '+8613800138004', IsoCode: 'CN' })
  expect(simulators.messages('13800138004')[0]?.text).toContain('【青屿生活】您正在登录，验证码为123456，5 (约)')
})

test("Tencent's own client with a wrong secret is refused by the simulator", async () => {
  await expect(sendByTencentsClient(simulators.tencentUrl, '+8613800138005', 'wrong')).rejects.toMatchObject({
    code: 'AuthFailure.SignatureFailure',
  })
})

test("our signature for Tencent Cloud equals its own client's for the same request", async () => {
  await sendByTencentsClient(recorder.url, '+8613800138006')
  const { headers, body } = captured
  // Against an address this client signs the host without its port and takes the service from its first part.
  const [, service = ''] = /\/(\w+)\/tc3_request/.exec(headers.authorization ?? '') ?? []
  const signed = {
    service,
    host: (headers.host ?? '').replace(/:\d+$/, ''),
    contentType: headers['content-type'] ?? '',
    body,
    timestamp: Number(headers['x-tc-timestamp']),
  }
  expect(signTencent(demoKeys.tencent, signed)).toBe(headers.authorization)
})
