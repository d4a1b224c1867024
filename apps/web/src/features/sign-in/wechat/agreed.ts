const place = 'agreed_version'

/** What was agreed to before the browser went to WeChat, for when it is back. */
export function keepAgreed(version: string | undefined): void {
  if (version !== undefined) sessionStorage.setItem(place, version)
}

export const agreedBefore = (): string | undefined => sessionStorage.getItem(place) ?? undefined
