import { expect, test, vi } from 'vitest'
import { isWeakPassword } from './weak-password.ts'

const user = { username: 'zhixia_lin', email: 'lin.zhixia@qingyu.example', mobile: '13800138000' }
const siteNames = ['Qingyu Life', 'id.qingyu.example.com']

test.each([
  'Password1!',
  'P@ssw0rd',
  'p@$$w0rd2026',
  '123Admin!',
  'Admin@123456',
  '@dm1n888!',
  'Qwerty123!',
  '1qaz@WSX',
  '!QAZ2wsx',
  'Woaini1314!',
  'a123456!',
  'Aa123456!',
  'Abc@12345678',
  'Test_1234',
  'Welcome#2026',
  'iLoveYou5201314!',
])('%s is a common one', (password) => {
  expect(isWeakPassword(password, {})).toBe(true)
})

test.each([
  'Zhixia_Lin#1',
  'zh1x1al1n@84920',
  'lin.zhixia#77120',
  'Qingyu#84920175',
  '84920#qingyu',
  'Life@918273',
  'a!13800138000',
  'Xk#00138000',
])('%s is made of public facts about the user or the site', (password) => {
  expect(isWeakPassword(password, user, siteNames)).toBe(true)
})

test.each([
  'Qy#2026autumn',
  'Neu#2026pass',
  'Another#2026a',
  'Aa#45678',
  'Aa#4567890123456',
  'Aa345678~',
  'admin#8492017',
  'My!qingyu7river',
  'correct7Horse!',
  'Passw0rd#kq83',
  'tEst!vX29pw',
])('%s is good enough', (password) => {
  expect(isWeakPassword(password, user, siteNames)).toBe(false)
})

test('a user without names, and names that are short or digits alone, refuse nothing', () => {
  const few = { username: null, email: 'li@x.example', mobile: null }
  expect(isWeakPassword('li#9182736', few, ['青屿生活', '10.0.0.1', 'https://id.cn'])).toBe(false)
})

test('of the longest password every part is looked at once', () => {
  const folded = vi.spyOn(String.prototype, 'toLowerCase')
  const looks = (password: string) => {
    folded.mockClear()
    isWeakPassword(password, user, siteNames)
    return folded.mock.calls.length
  }
  const ofNames = looks('')
  expect(looks('@1@1@1@1@1@1@1@a') - ofNames).toBeLessThanOrEqual((16 * 17) / 2)
  folded.mockRestore()
})
