export interface Attempts {
  /** The pictures that could not be taken. */
  failed: string[]
  /** Takes one picture. Where that fails, the reason is printed and the run goes on. */
  attempt(picture: string, take: () => Promise<void>): Promise<void>
}

export function countAttempts(): Attempts {
  const failed: string[] = []
  return {
    failed,
    async attempt(picture, take) {
      try {
        await take()
      } catch (error) {
        failed.push(picture)
        console.error(`${picture} failed: ${error instanceof Error ? error.message : error}`)
      }
    },
  }
}
