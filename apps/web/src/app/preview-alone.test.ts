// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { call } from '../lib/call/call.ts'
import { writePreference } from '../lib/device/preference.ts'
import { standAlone } from './preview-alone.ts'

test('the preview sends no request, keeps nothing and takes no focus', async () => {
  const { localStorage: kept } = window
  kept.setItem('device_preference', '{"dark":true}')
  const field = document.body.appendChild(document.createElement('input'))
  standAlone({ '/api/login/entry': '/user' })

  writePreference({ dark: false })
  expect(kept.getItem('device_preference')).toBe('{"dark":true}')
  expect(window.localStorage.getItem('device_preference')).toBeNull()
  sessionStorage.setItem('sent_codes', '[]')
  expect(sessionStorage.getItem('sent_codes')).toBeNull()

  expect(await call('/api/login/entry')).toBe('/user')
  const later = new Promise((resolve) => setTimeout(() => resolve('nothing'), 20))
  expect(await Promise.race([call('/api/user/info'), later])).toBe('nothing')
  expect(typeof BroadcastChannel).toBe('undefined')

  field.focus()
  expect(document.activeElement).toBe(document.body)
})
