import { expect, test } from 'vitest'
import { readMail } from './mail-text.ts'

const mail = (...lines: string[]) => Buffer.from(lines.join('\r\n')).toString('latin1')

test('a plain mail is read as it is', () => {
  const raw = mail('Subject: Hello', 'From: a@b.example', 'Message-ID: <1@b>', '', 'One', 'Two', '')
  expect(readMail(raw)).toEqual({ subject: 'Hello', from: 'a@b.example', messageId: '<1@b>', text: 'One\nTwo' })
})

test('a subject in several encoded words, over several lines, is one text', () => {
  const raw = mail('Subject: =?UTF-8?B?6Z2S5bG/?=', ' =?utf-8?Q?=E7=94=9F=E6=B4=BB_123?= (1)', '', '')
  expect(readMail(raw).subject).toBe('青屿生活 123 (1)')
})

test('the name of the sender is shown rather than the address', () => {
  expect(readMail(mail('From: =?UTF-8?B?6Z2S5bG/?= <a@b.example>', '', '')).from).toBe('青屿')
  expect(readMail(mail('From: "Blue Isle" <a@b.example>', '', '')).from).toBe('Blue Isle')
  expect(readMail(mail('From: <a@b.example>', '', '')).from).toBe('<a@b.example>')
})

test.each([
  ['base64', '5oKo55qE6aqM6K+B56CB5Li6\r\nMTIzNDU2'],
  ['quoted-printable', '=E6=82=A8=E7=9A=84=E9=AA=8C=\r\n=E8=AF=81=E7=A0=81=E4=B8=BA123456'],
  ['8bit', '您的验证码为123456'],
])('a body in %s is read as UTF-8', (encoding, body) => {
  const raw = mail('Content-Type: text/plain; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`, '', body)
  expect(readMail(raw).text).toBe('您的验证码为123456')
})

test('of several parts the plain text is read', () => {
  const raw = mail(
    'Content-Type: multipart/alternative;',
    ' boundary="--=_x"',
    '',
    '----=_x',
    'Content-Type: text/html',
    '',
    '<p>no</p>',
    '----=_x',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'yes',
    '----=_x--',
  )
  expect(readMail(raw).text).toBe('yes')
})
