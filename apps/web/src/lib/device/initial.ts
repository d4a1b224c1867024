/** What stands on the tile of a site that has no logo: the first character of its name, whole also outside the BMP. */
export function initialOf(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? ''
}
