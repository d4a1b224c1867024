/** How long after a failure the numbered retry of the meta comes; undefined when there is no such retry. */
export function retryDelay(retry: number): number | undefined {
  if (retry <= 5) return 200
  if (retry <= 20) return 3_000
  if (retry <= 50) return 10_000
  return undefined
}
