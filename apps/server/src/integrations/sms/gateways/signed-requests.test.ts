import { describe, expect, test } from 'vitest'
import type { SmsMessage } from '../gateway.ts'
import { aliyunNumber, aliyunRequest, readAliyun } from './aliyun.ts'
import { readTencent, tencentRequest } from './tencent.ts'

const account = {
  kind: 'aliyun',
  keyId: 'LTAI5tExample',
  secret: 'secret-of-the-example',
  signName: '青屿生活',
  appId: '1400006666',
  templates: {},
}
const message: SmsMessage = {
  prefix: '86',
  mobile: '13800138000',
  template: 'SMS_1',
  params: [
    { name: 'code', value: '012345' },
    { name: 'minutes', value: '5' },
  ],
}
const moment = { now: Date.UTC(2026, 10, 14, 22, 48, 29, 700), nonce: 'a1b2c3' }

describe('Aliyun', () => {
  test('the same message, key, time and nonce always give the same request', () => {
    expect(aliyunRequest('http://127.0.0.1:4100', account, message, moment)).toEqual({
      url:
        'http://127.0.0.1:4100/?PhoneNumbers=13800138000&SignName=%E9%9D%92%E5%B1%BF%E7%94%9F%E6%B4%BB' +
        '&TemplateCode=SMS_1&TemplateParam=%7B%22code%22%3A%22012345%22%2C%22minutes%22%3A%225%22%7D',
      headers: {
        accept: 'application/json',
        'x-acs-action': 'SendSms',
        'x-acs-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        'x-acs-date': '2026-11-14T22:48:29Z',
        'x-acs-signature-nonce': 'a1b2c3',
        'x-acs-version': '2017-05-25',
        // Worked out with another implementation, as the one below.
        authorization:
          'ACS3-HMAC-SHA256 Credential=LTAI5tExample,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=6f14ad0b288163f22099ba9342fd3d2e982d1d8556579b4357543c7e14158186',
      },
    })
  })

  test('mainland numbers go bare, others behind their prefix without a plus', () => {
    expect(aliyunNumber({ prefix: '86', mobile: '13800138000' })).toBe('13800138000')
    expect(aliyunNumber({ prefix: '852', mobile: '61234567' })).toBe('85261234567')
    expect(aliyunNumber({ prefix: '1', mobile: '2025550123' })).toBe('12025550123')
  })

  test('a number abroad that this gateway would take for a mainland one is refused before it is sent', () => {
    const abroad = { ...message, prefix: '1', mobile: '3135550123' }
    expect(aliyunRequest('http://127.0.0.1:4100', account, abroad, moment)).toMatchObject({
      kind: 'refused',
      code: 'NUMBER_AMBIGUOUS',
    })
  })

  test.each([
    [
      { Code: 'OK', Message: 'OK', BizId: '9006^0' },
      { kind: 'sent', id: '9006^0' },
    ],
    [
      { Code: 'isv.BUSINESS_LIMIT_CONTROL', Message: '触发天级流控Permits:10' },
      { kind: 'refused', code: 'isv.BUSINESS_LIMIT_CONTROL', message: '触发天级流控Permits:10' },
    ],
    [
      { Code: 'SignatureDoesNotMatch', Message: 'PhoneNumbers=13800138000&%22code%22%3A%22012345%22' },
      { kind: 'refused', code: 'SignatureDoesNotMatch', message: 'PhoneNumbers=****&%22code%22%3A%****%22' },
    ],
    [
      { Code: 'isp.SYSTEM_ERROR', Message: '' },
      { kind: 'unknown', reason: 'isp.SYSTEM_ERROR' },
    ],
    [
      { Code: 'ServiceUnavailable', Message: '' },
      { kind: 'unknown', reason: 'ServiceUnavailable' },
    ],
    [undefined, { kind: 'unknown', reason: 'UNREADABLE_ANSWER' }],
    [{ answer: 42 }, { kind: 'unknown', reason: 'UNREADABLE_ANSWER' }],
  ])('an answer %j means %j', (answer, outcome) => {
    expect(readAliyun(answer)).toEqual(outcome)
  })
})

describe('Tencent Cloud', () => {
  test('the same message, key and time always give the same request', () => {
    const { url, headers, body } = tencentRequest('http://127.0.0.1:4200', account, message, moment)
    expect(url).toBe('http://127.0.0.1:4200/')
    expect(body).toBe(
      '{"PhoneNumberSet":["+8613800138000"],"SmsSdkAppId":"1400006666","TemplateId":"SMS_1","SignName":"青屿生活","TemplateParamSet":["012345","5"]}',
    )
    expect(headers).toMatchObject({
      'x-tc-action': 'SendSms',
      'x-tc-version': '2021-01-11',
      'x-tc-region': 'ap-guangzhou',
      'x-tc-timestamp': '1794696509',
      authorization:
        'TC3-HMAC-SHA256 Credential=LTAI5tExample/2026-11-14/sms/tc3_request, SignedHeaders=content-type;host, Signature=b1d88856777bab1cfc03c912fad05a7ac6e472f2377076522c013e8ef07099ea',
    })
  })

  const status = { SerialNo: '5000:1', PhoneNumber: '+8613800138000', Fee: 1, Code: 'Ok', Message: 'send success' }
  const error = { Code: 'AuthFailure.SignatureExpire', Message: 'expired' }

  test.each([
    [{ SendStatusSet: [status] }, { kind: 'sent', id: '5000:1' }],
    [{ Error: error }, { kind: 'refused', code: error.Code, message: 'expired' }],
    [
      { Error: error, SendStatusSet: [status] },
      { kind: 'refused', code: error.Code, message: 'expired' },
    ],
    [
      { SendStatusSet: [{ ...status, Code: 'LimitExceeded.PhoneNumberDailyLimit', Message: 'of 13800138000' }] },
      { kind: 'refused', code: 'LimitExceeded.PhoneNumberDailyLimit', message: 'of ****' },
    ],
    [{ Error: { Code: 'InternalError', Message: '' } }, { kind: 'unknown', reason: 'InternalError' }],
    [
      { SendStatusSet: [{ ...status, Code: 'InternalError.Timeout' }] },
      { kind: 'unknown', reason: 'InternalError.Timeout' },
    ],
    [{ SendStatusSet: [] }, { kind: 'unknown', reason: 'UNREADABLE_ANSWER' }],
    [{}, { kind: 'unknown', reason: 'UNREADABLE_ANSWER' }],
  ])('an answer %j means %j', (answer, outcome) => {
    expect(readTencent({ Response: answer })).toEqual(outcome)
  })

  test('an answer of another form is unknown', () => {
    expect(readTencent('<html>')).toEqual({ kind: 'unknown', reason: 'UNREADABLE_ANSWER' })
  })
})
