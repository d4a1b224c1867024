/** Addresses of pictures as they are on this device, by the id that the server gave them. */
const known = new Map<string, string>()

/** The sender sees a picture at once, before the server returns it. */
export const localPicture = (id: string): string | undefined => known.get(id)

export const keepLocal = (id: string, address: string) => void known.set(id, address)

/** The server's picture is loaded. */
export function dropLocal(id: string) {
  const address = known.get(id)
  if (address === undefined) return
  known.delete(id)
  URL.revokeObjectURL(address)
}
