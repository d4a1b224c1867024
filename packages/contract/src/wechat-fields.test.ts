import { expect, test } from 'vitest'
import { doubtAbout, fieldsIn, fieldWords, fillIn, isUnshown } from './wechat-fields.ts'

const content = '订单号:{{character_string1.DATA}}\n商品:{{thing2.DATA}}\n备注:{{thing2.DATA}} {{ thing3.DATA }}'

test('S218 S323 the fields of a template are its placeholders, each once', () => {
  expect(fieldsIn(content)).toEqual(['character_string1', 'thing2'])
  expect(fieldsIn('没有占位符 {{x}}')).toEqual([])
})

test('S324 S325 non-empty values take the place of their placeholders, the others stay', () => {
  expect(fillIn(content, { thing2: '海盐香皂', character_string1: '' })).toBe(
    '订单号:{{character_string1.DATA}}\n商品:海盐香皂\n备注:海盐香皂 {{ thing3.DATA }}',
  )
  expect(fillIn('{{toString.DATA}} {{a.DATA}}', { a: '$& {{b.DATA}}' })).toBe('{{toString.DATA}} $& {{b.DATA}}')
})

test('first and remark are the fields that WeChat no longer shows', () => {
  expect(['first', 'remark', 'thing1'].map(isUnshown)).toEqual([true, true, false])
})

test.each([
  ['thing1', '一'.repeat(20), '一'.repeat(21)],
  ['thing2', '😀'.repeat(20), '😀'.repeat(21)],
  ['character_string1', `SF3306-${'7'.repeat(25)}`, `SF${'7'.repeat(31)}`],
  ['character_string1', 'A-1_b.2', '单号 1'],
  ['phrase3', '已发货', '已发货1'],
  ['phrase3', '一二三四五', '一二三四五六'],
  ['name1', '欧阳'.repeat(5), '欧阳'.repeat(6)],
  ['name1', 'Alexander Hamilton', 'a'.repeat(21)],
  ['number3', '320.50', '320 分'],
  ['number3', '1'.repeat(32), '1'.repeat(33)],
  ['phone_number5', '+86-0766-66888866', '+86-0766-668888667'],
  ['phone_number5', '13800138000', '电话'],
])('%s takes %s and certainly not %s', (field, right, wrong) => {
  expect([doubtAbout(field, right), doubtAbout(field, wrong)]).toEqual([undefined, 'bad'])
  expect(fieldWords(field)).toEqual(expect.any(String))
})

test.each([
  ['time4', ['15:01', '2026-11-14 18:20', '2026年11月14日 18:20', '09:00~18:00', '9:05:07'], ['下午三点', '25:00']],
  ['date4', ['2026年11月14日', '2026/11/14', '2026年11月14日 ~ 2026年11月20日'], ['11月14日', '明天']],
  ['amount6', ['¥99.50', '100元', '12'], ['12345678901', '一百元']],
  ['letter7', ['abcXYZ'], ['abc1', 'a'.repeat(33)]],
  ['symbol8', ['!?#'], ['!!!!!!', 'a']],
  ['car_number9', ['粤A8Z888', '粤A8Z888挂'], ['粤A8Z8888挂车']],
  ['const10', ['已完成'], ['一'.repeat(21)]],
])('%s: what doesn’t fit may be refused', (field, right, wrong) => {
  expect(right.map((value) => doubtAbout(field, value))).toEqual(right.map(() => undefined))
  expect(wrong.map((value) => doubtAbout(field, value))).toEqual(wrong.map(() => 'unsure'))
})

test('an empty value and an unknown kind are left to WeChat', () => {
  expect(doubtAbout('phrase1', '')).toBeUndefined()
  expect([doubtAbout('keyword1', '一'.repeat(99)), fieldWords('keyword1')]).toEqual([undefined, undefined])
  expect(fieldWords('constructor')).toBeUndefined()
})
