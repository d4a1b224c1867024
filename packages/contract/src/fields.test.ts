import { expect, test } from 'vitest'
import { imageUrl, isAppAddress, returnAddress, webUrl, webUrlOrPhone } from './fields.ts'

test.each(['https:shop.example', 'https:/shop.example', 'http:shop.example/x', 'javascript://shop.example'])(
  'a page of ours would open %s elsewhere than it was read',
  (text) => {
    for (const field of [webUrl, webUrlOrPhone, imageUrl]) expect(field.safeParse(text).success).toBe(false)
  },
)

test.each(['https://shop.example', 'HTTPS://shop.example/x?y#z'])('%s is opened as it was read', (text) => {
  for (const field of [webUrl, webUrlOrPhone, imageUrl]) expect(field.parse(text)).toBe(text)
})

test.each(['com.example.app:/callback', 'com.example.app://callback?a=1', 'cn.haifeng.my-app:/'])(
  'D194 %s may be the address of an app',
  (text) => {
    expect(returnAddress.parse(text)).toBe(text)
    expect(isAppAddress(text)).toBe(true)
    for (const field of [webUrl, webUrlOrPhone, imageUrl]) expect(field.safeParse(text).success).toBe(false)
  },
)

test.each([
  'javascript:alert(1)',
  'javascript:/alert(1)',
  'data:/text/html,x',
  'file:///etc/passwd',
  'vbscript:/x',
  'blob:/x',
  'about:/blank',
  'intent:/x',
  'myapp:/callback',
  'com.example.app:callback',
  'com.example.app:/callback#part',
  'COM.example.app:/callback',
  'com.example.app://user@host/',
  'com.example.app:/a b',
  'com.example.app:/a\\b',
  'com..app:/x',
  '.app:/x',
  'https.:/x',
])('D194 %s is no address to return to', (text) => {
  expect(returnAddress.safeParse(text).success).toBe(false)
})
