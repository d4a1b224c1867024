/** Shown again and again in the examples. */
export const userId = '1b4e28ba-2fa1-41d2-883f-0016d3cca427'
export const sessionId = '5f0c9f3e-8a57-4f6e-9f0e-0f8f6f6b2a11'
export const conversationId = '7d0a3c5e-91b4-4a7e-8f52-6f1f0c2d4e10'
export const otherId = '3c2b6a10-5d7e-4b0b-8d4c-2a9e7f51c0d3'
export const time = 1_793_433_600_000
export const later = 1_794_038_400_000
export const ip = '203.0.113.7'
export const token = 'Zm9yLXRoZS1leGFtcGxlLW9ubHktbm90LWEtdG9rZW4'
export const ticket = 'q3Zr0pYb7mWkX1dTn5Lc2A'
export const code = '271828'
export const mobile = { mobilePrefix: '86', mobile: '13900000001' }
export const maskedMobile = '139****0001'
export const email = 'lin@example.com'
export const maskedEmail = 'l**@example.com'
export const password = 'Qingyu#2026a'
export const sent = { retryAfter: 60 }
export const signedIn = { id: userId, created: false }
export const device = {
  id: sessionId,
  browser: 'Chrome 142',
  device: 'PC',
  os: 'Windows 11',
  ip,
  region: '广东',
  time,
  lastAccess: later,
}
export const madeFile = { id: otherId, status: 'done' as const, done: 1200, total: 1200, time, expires: later }
export const assertion = {
  id: 'AQIDBAUGBwgJCgsMDQ4PEA',
  rawId: 'AQIDBAUGBwgJCgsMDQ4PEA',
  type: 'public-key' as const,
  clientExtensionResults: {},
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgO',
    signature: 'MEUCIQ',
    userHandle: 'G04ouo',
  },
}
