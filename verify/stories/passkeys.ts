import type { Page } from '@playwright/test'

export interface Authenticator {
  /** Whether its owner touches it as soon as the browser asks. */
  touch(at: boolean): Promise<void>
  /** The hosts of the passkeys that it holds. */
  hosts(): Promise<string[]>
}

/** A phone or computer with fingerprint: as its browser sees it, in this page. */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    touch: async (enabled) =>
      void (await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })),
    async hosts() {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ rpId }) => rpId ?? '').sort()
    },
  }
}
