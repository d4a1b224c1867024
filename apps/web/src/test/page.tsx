import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, type ReactNode, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { MemoryRouter, useLocation } from 'react-router'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

type Input = Record<string, unknown>
/** What the server would answer; a Refusal is thrown as the server's failure. */
export type Answers = Record<string, (input: Input) => unknown>

export class Refusal {
  readonly code: string
  readonly message: string
  readonly details: Input | undefined
  readonly status: number

  constructor(code: string, message = code, details?: Input, status = 400) {
    this.code = code
    this.message = message
    this.details = details
    this.status = status
  }
}

/** An answer that refuses. */
export const failing = (code: string, message: string) => () => {
  throw new Refusal(code, message)
}

/** Every call since the last serve(), in order. */
const calls: { path: string; input: Input }[] = []
export const inputsOf = (path: string) => calls.filter((each) => each.path === path).map(({ input }) => input)

/** Stands in for the server, through the real call helper, in a browser marked as having a session. A path without an answer has no network. */
export function serve(answers: Answers) {
  calls.length = 0
  document.cookie = 'hufu-in=1'
  globalThis.fetch = async (path, request) => {
    const input = JSON.parse(String(request?.body)) as Input
    calls.push({ path: String(path), input })
    const answer = answers[String(path)]
    if (!answer) throw new TypeError('Failed to fetch')
    try {
      return new Response(JSON.stringify({ data: await answer(input) }))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, ...body } = error
      return new Response(JSON.stringify(body), { status })
    }
  }
}

const place = document.body.appendChild(document.createElement('div'))
let root: Root | undefined
let address = ''

function Address() {
  const { pathname, search, key } = useLocation()
  address = pathname + search
  // As the browser tells of a step that was made.
  // biome-ignore lint/correctness/useExhaustiveDependencies: at every step
  useEffect(() => void window.dispatchEvent(new PopStateEvent('popstate')), [key])
  return null
}

/** Draws a page as at an address, with a cache of its own. */
export async function draw(page: ReactNode, path = '/') {
  await leave()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  root = createRoot(place)
  await act(async () =>
    root?.render(
      <QueryClientProvider client={client}>
        <MemoryRouter initialEntries={[path]}>
          <Address />
          {page}
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  )
  await settle()
  return place
}

export async function leave() {
  await act(async () => root?.unmount())
  root = undefined
}

/** Lets answers arrive. */
export async function settle() {
  for (let turn = 0; turn < 6; turn += 1) await act(async () => new Promise((resolve) => setTimeout(resolve, 1)))
}

export const currentAddress = () => address
export const shownText = () => place.textContent ?? ''
export const find = <E extends Element = HTMLElement>(selector: string) => place.querySelector<E>(selector)
export const all = (selector: string) => [...place.querySelectorAll<HTMLElement>(selector)]

/** The control with this label. */
export function field(label: string): HTMLInputElement {
  const named = all('label').find((each) => each.textContent === label) as HTMLLabelElement | undefined
  const found = named ? document.getElementById(named.htmlFor) : find(`[aria-label="${label}"]`)
  if (!found) throw new Error(`no field ${label} in: ${shownText()}`)
  return found as HTMLInputElement
}

export const hasField = (label: string) => all('label').some((each) => each.textContent === label)

/** The button that says exactly this, by its label or by its words. */
export function button(words: string): HTMLButtonElement | undefined {
  const says = (each: HTMLElement) => {
    const labelled = document.getElementById(each.getAttribute('aria-labelledby') ?? '')
    return each.getAttribute('aria-label') ?? (labelled ?? each).textContent
  }
  return all('button').find((each) => says(each) === words) as HTMLButtonElement | undefined
}

let pressedAt = 0

/** A second after the last one: two taps on two pages are no double tap. */
export async function press(words: string) {
  const pressed = button(words)
  if (!pressed) throw new Error(`no button ${words} in: ${shownText()}`)
  pressedAt += 1_000
  const timeStamp = { value: pressedAt }
  const later = (event: Event) => Object.defineProperty(event, 'timeStamp', timeStamp)
  window.addEventListener('click', later, { capture: true, once: true })
  await act(async () => pressed.click())
  await settle()
}

export async function type(label: string, text: string) {
  const input = field(label)
  const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set
  await act(async () => {
    input.focus()
    set?.call(input, text)
    input.dispatchEvent(new Event(input.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }))
  })
  await settle()
}

export const alertText = () => find('[role=alert]')?.textContent
