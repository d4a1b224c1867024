import type { Page } from '@playwright/test'

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** A line of text, a control or a picture. */
interface Thing extends Box {
  name: string
  /** Its path in the document: the paths of its ancestors are prefixes. */
  way: string
  /** What hides a part of it. */
  cutter?: string | undefined
}

/** Overlaps smaller than this are rounding of letters and edges. */
const slack = 1

/** What is cut, lies over something else or makes the page scroll sideways, one line each. */
export async function crowding(page: Page): Promise<string[]> {
  const width = page.viewportSize()?.width ?? 0
  const lines = await page.evaluate(findLines, slack)
  const things = [...lines, ...(await page.evaluate(findControls))]
  const wide = (await page.evaluate(() => document.documentElement.scrollWidth)) > width
  return [
    ...(wide ? ['the page scrolls sideways'] : []),
    ...lines.filter(({ cutter }) => cutter).map(({ name, cutter }) => `${name} is cut by ${cutter}`),
    ...things
      .filter(({ left, right }) => left < -slack || right > width + slack)
      .map(({ name }) => `${name} stands out`),
    ...things.flatMap((one, at) => things.slice(at + 1).flatMap((other) => collision(one, other))),
    ...(await page.evaluate(findCutHints, slack)),
  ]
}

function collision(one: Thing, other: Thing): string[] {
  const inside = `${one.way}/`.startsWith(`${other.way}/`) || `${other.way}/`.startsWith(`${one.way}/`)
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return !inside && across > slack && down > slack ? [`${one.name} lies on ${other.name}`] : []
}

/** In the page: every line of text that is seen, as high as its letters; what a font keeps around them may overlap. */
function findLines(slack: number): Thing[] {
  const name = (element: Element) =>
    `${element.localName}.${element.className} 「${element.textContent?.slice(0, 16)}」`
  const wayTo = (element: Element): string => {
    const parent = element.parentElement
    return parent ? `${wayTo(parent)}/${[...parent.children].indexOf(element)}` : ''
  }
  /** A value too long for its row ends in dots; nothing else may. */
  const dotted = '.row > .value'
  const cutterOf = (box: Box, element: Element | null): Element | undefined => {
    if (!element || element.matches(`html, ${dotted}`)) return undefined
    const { overflowX, overflowY } = getComputedStyle(element)
    const edge = element.getBoundingClientRect()
    const cuts =
      (overflowX !== 'visible' && (box.left < edge.left - slack || box.right > edge.right + slack)) ||
      (overflowY !== 'visible' && (box.top < edge.top - slack || box.bottom > edge.bottom + slack))
    return cuts ? element : cutterOf(box, element.parentElement)
  }
  const found: Thing[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!element?.checkVisibility() || !node.nodeValue?.trim() || element.closest('.unseen, .skip')) continue
    const size = Number.parseFloat(getComputedStyle(element).fontSize)
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const middle = (top + bottom) / 2
      const seen = element.matches(dotted) ? element.getBoundingClientRect().right : right
      const box = { left, right: Math.min(right, seen), top: middle - size / 2, bottom: middle + size / 2 }
      const cutter = cutterOf(box, element)
      found.push({ ...box, name: name(element), way: wayTo(element), cutter: cutter && name(cutter) })
    }
  }
  return found
}

/** In the page: everything that can be touched, and every picture. */
function findControls(): Thing[] {
  const wayTo = (element: Element): string => {
    const parent = element.parentElement
    return parent ? `${wayTo(parent)}/${[...parent.children].indexOf(element)}` : ''
  }
  const all = document.querySelectorAll(
    'a, button, label, input:not([type=radio], [type=checkbox], [type=file]), img, .logo',
  )
  return [...all]
    .filter((element) => element.checkVisibility() && !element.matches('.unseen, .skip'))
    .map((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      const name = `${element.localName}.${element.className} 「${element.textContent?.slice(0, 16)}」`
      return { left, top, right, bottom, name, way: wayTo(element) }
    })
}

/** In the page: what an empty field says, where it doesn't fit in. */
function findCutHints(slack: number): string[] {
  const pen = document.createElement('canvas').getContext('2d')
  return [...document.querySelectorAll<HTMLInputElement>('input[placeholder]')]
    .filter((field) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      if (!pen || !field.checkVisibility()) return false
      pen.font = font
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      return pen.measureText(field.placeholder).width > room + slack
    })
    .map(({ placeholder }) => `「${placeholder}」 is cut by its field`)
}
