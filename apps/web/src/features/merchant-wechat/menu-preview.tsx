import { Keyboard, Menu } from 'lucide-react'
import { useState } from 'react'
import { useSite } from '../../site/site.store.ts'
import { type ShownButton, shownMenu } from './menu-view.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

/** The menu at the foot of the account's chat, to be tried out. */
export function MenuPreview({ data }: { data: unknown }) {
  const text = useMerchantWechatText().menu
  const name = useSite((site) => site.name)
  const [open, setOpen] = useState<number>()
  // Keyed by position, so that it follows the edited text.
  const [tapped, setTapped] = useState<{ at: number; below?: number }>()
  const buttons = shownMenu(data, text)
  const top = tapped && buttons[tapped.at]
  const target = tapped?.below === undefined ? top : top?.below[tapped.below]
  const tap = (button: ShownButton, at: number) => {
    setOpen(button.below.length > 0 && open !== at ? at : undefined)
    setTapped(button.below.length > 0 ? undefined : { at })
  }
  return (
    <section className="card menu-preview" aria-label={text.preview}>
      <h2>{text.preview}</h2>
      <div className="menu-phone">
        <p className="menu-phone-head">{name}</p>
        <div className="menu-phone-talk" />
        {buttons.length === 0 && <p className="menu-phone-empty">{text.previewEmpty}</p>}
        {buttons.length > 0 && (
          <div className="menu-phone-bar">
            <Keyboard />
            {buttons.map((button, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries are their place in the menu
              <div className="menu-phone-slot" key={at}>
                {open === at && <Below buttons={button.below} onTap={(below) => setTapped({ at, below })} />}
                <button
                  type="button"
                  aria-expanded={button.below.length > 0 ? open === at : undefined}
                  onClick={() => tap(button, at)}
                >
                  {button.below.length > 0 && <Menu />}
                  <span>{button.name}</span>
                </button>
              </div>
            ))}
          </div>
        )}
      </div>
      <p className="menu-target" role="status">
        {target ? <Target button={target} /> : text.chosen}
      </p>
    </section>
  )
}

function Below({ buttons, onTap }: { buttons: ShownButton[]; onTap: (at: number) => void }) {
  return (
    <ul className="menu-phone-below">
      {buttons.map((button, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries are their place in the menu
        <li key={at}>
          <button type="button" onClick={() => onTap(at)}>
            {button.name}
          </button>
        </li>
      ))}
    </ul>
  )
}

function Target({ button: { name, kind, target } }: { button: ShownButton }) {
  return (
    <>
      <b>{name}</b>
      <span>{kind}</span>
      {target && <span className="mono">{target}</span>}
    </>
  )
}
