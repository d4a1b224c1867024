/** The clipboard is missing on insecure pages: that too is a refusal. */
export async function copyText(text: string) {
  await navigator.clipboard.writeText(text)
}
