import { expect, test } from 'vitest'
import { imageUrl, webUrl, webUrlOrPhone } from './fields.ts'

test.each(['https:shop.example', 'https:/shop.example', 'http:shop.example/x', 'javascript://shop.example'])(
  'a page of ours would open %s elsewhere than it was read',
  (text) => {
    for (const field of [webUrl, webUrlOrPhone, imageUrl]) expect(field.safeParse(text).success).toBe(false)
  },
)

test.each(['https://shop.example', 'HTTPS://shop.example/x?y#z'])('%s is opened as it was read', (text) => {
  for (const field of [webUrl, webUrlOrPhone, imageUrl]) expect(field.parse(text)).toBe(text)
})
