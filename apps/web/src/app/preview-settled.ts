/** How long nothing may have changed, and how long that is waited for. */
const restMs = 80
const patienceMs = 3_000

/** Something is still to come: it says so, or a room is kept for it. */
const isComing = () => document.querySelector('[role="progressbar"], .scan-room') !== null

/** Until nothing in the document has changed for a moment. */
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

/** Until the picture is there, or is known not to come. */
function arrived(address: string): Promise<void> {
  const image = new Image()
  image.src = address
  return Promise.race([
    image.decode().catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs)),
  ])
}

/** Until what was drawn last stands, its pictures too. */
export async function settled(): Promise<void> {
  await quiet()
  await Promise.all([...backgrounds(), ...[...document.images].map(({ src }) => src)].map(arrived))
  // A picture that can't be shown gives way to letters.
  await quiet()
}
