/** How long the document must be unchanged, and the timeout for that. */
const restMs = 80
const patienceMs = 3_000

/** Something is still loading: a progress bar or a placeholder is shown. */
const isComing = () => document.querySelector('[role="progressbar"], .scan-room') !== null

/** Resolves when the document has not changed for a moment. */
function quiet(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      observer.disconnect()
      clearTimeout(rest)
      clearTimeout(last)
      resolve()
    }
    const look = () => {
      if (isComing()) rest = setTimeout(look, restMs)
      else end()
    }
    let rest = setTimeout(look, restMs)
    const observer = new MutationObserver(() => {
      clearTimeout(rest)
      rest = setTimeout(look, restMs)
    })
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    const last = setTimeout(end, patienceMs)
  })
}

function backgrounds(): string[] {
  return [...document.querySelectorAll<HTMLElement>('.picture')].flatMap(({ style }) => {
    const address = /^url\("(.*)"\)$/.exec(style.backgroundImage)?.[1]
    return address ? [address] : []
  })
}

/** Resolves when the picture is decoded, has failed, or timed out. */
function arrived(address: string): Promise<void> {
  const image = new Image()
  image.src = address
  return Promise.race([
    image.decode().catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs)),
  ])
}

/** Resolves when the last render is complete, including its pictures. */
export async function settled(): Promise<void> {
  await quiet()
  await Promise.all([...backgrounds(), ...[...document.images].map(({ src }) => src)].map(arrived))
  // A picture that fails is replaced by letters.
  await quiet()
}
