import { readBounded } from './bounded.ts'

const mostBytes = 2 * 1_048_576
const timeoutMs = 5_000

/**
 * The address to copy a picture from, or undefined when it isn't one of WeChat's. The listed origin decides scheme,
 * host and port, since WeChat still writes http into most of them; no more than path and query are taken from outside.
 */
export function pictureAddress(origins: readonly string[], address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  const origin = origins.find((listed) => new URL(listed).host === url.host)
  return origin && origin + url.pathname + url.search
}

/** A copy of a user's picture, at most 2 MB; undefined where it can't be fetched. */
export async function fetchPicture(origins: readonly string[], address: string): Promise<Uint8Array | undefined> {
  const from = pictureAddress(origins, address)
  if (!from) return undefined
  try {
    const response = await fetch(from, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    if (response.status === 200) return await readBounded(response, mostBytes)
    await response.body?.cancel()
  } catch {
    // A picture is optional: callers go on without it.
  }
  return undefined
}
