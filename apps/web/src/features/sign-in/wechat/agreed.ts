const storageKey = 'agreed_version'

/** The consent given before the redirect to WeChat, for the return. */
export function keepAgreed(version: string | undefined): void {
  if (version !== undefined) sessionStorage.setItem(storageKey, version)
}

export const agreedBefore = (): string | undefined => sessionStorage.getItem(storageKey) ?? undefined
