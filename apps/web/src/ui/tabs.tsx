import './tabs.css'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { useSearchParams } from 'react-router'

interface Tab {
  /** What the address calls it. */
  name: string
  label: string
  content: ReactNode
}

interface Props {
  label: string
  tabs: [Tab, ...Tab[]]
}

const steps: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
}

/** One of several contents in the same place. Which one stands in the address, so a reload or a sent link keeps it. */
export function Tabs({ label, tabs }: Props) {
  const id = useId()
  const { shown, choose } = useChosen(tabs)
  const chosen = useRef<HTMLButtonElement>(null)
  // On a narrow screen the row is wider than what is seen of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown.name])
  const onKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLElement>) => {
    const tab = tabs[steps[key]?.(tabs.indexOf(shown), tabs.length - 1) ?? -1]
    if (!tab) return
    choose(tab)
    currentTarget.querySelector<HTMLElement>(`[data-name="${tab.name}"]`)?.focus()
  }
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            ref={tab === shown ? chosen : null}
            type="button"
            role="tab"
            id={`${id}${tab.name}`}
            data-name={tab.name}
            aria-selected={tab === shown}
            aria-controls={tab === shown ? `${id}panel` : undefined}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => choose(tab)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div className="tab-panel" role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${shown.name}`}>
        {shown.content}
      </div>
    </>
  )
}

/** The tab of the address; the first has none of its own there. */
function useChosen(tabs: Props['tabs']) {
  const [search, setSearch] = useSearchParams()
  const choose = ({ name }: Tab) =>
    setSearch(
      (now) => {
        now.delete('tab')
        if (name !== tabs[0].name) now.set('tab', name)
        return now
      },
      { replace: true },
    )
  return { shown: tabs.find(({ name }) => name === search.get('tab')) ?? tabs[0], choose }
}
