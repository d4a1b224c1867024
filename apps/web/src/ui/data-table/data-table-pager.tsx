import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../button.tsx'
import { useDataTableText } from './data-table.text.ts'
import { pageNumbers } from './data-table-pages.ts'

interface Props {
  /** From 1. */
  page: number
  pages: number
  onPage: (page: number) => void
  /** Without room for numbers: the page one is on can be typed over. */
  narrow: boolean
}

/** Leads through the pages of a table: to the next, to one nearby, or to any. */
export function TablePager({ page, pages, onPage, narrow }: Props) {
  const text = useDataTableText().table
  return (
    <nav className="table-pager" aria-label={text.pager}>
      <IconButton label={text.previous} disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeft />
      </IconButton>
      {narrow ? (
        <span className="table-at">
          <PageField page={page} pages={pages} onPage={onPage} shown={String(page)} />
          {text.of(pages)}
        </span>
      ) : (
        <PageNumbers page={page} pages={pages} onPage={onPage} />
      )}
      <IconButton label={text.next} disabled={page >= pages} onClick={() => onPage(page + 1)}>
        <ChevronRight />
      </IconButton>
      {!narrow && pages > 5 && (
        <span className="table-at">
          {text.jump}
          <PageField page={page} pages={pages} onPage={onPage} shown="" />
          {text.jumpEnd}
        </span>
      )}
    </nav>
  )
}

function PageNumbers({ page, pages, onPage }: Omit<Props, 'narrow'>) {
  const text = useDataTableText().table
  return pageNumbers(page, pages).map((each, at, all) =>
    each === 'gap' ? (
      <span key={`after ${all[at - 1]}`} className="table-gap" aria-hidden="true">
        …
      </span>
    ) : (
      <button
        key={each}
        type="button"
        aria-label={text.toPage(each)}
        aria-current={each === page ? 'page' : undefined}
        onClick={() => onPage(each)}
      >
        {each}
      </button>
    ),
  )
}

/** Goes to the page whose number is typed, with Enter or when the field is left. */
function PageField({ page, pages, onPage, shown }: Omit<Props, 'narrow'> & { shown: string }) {
  const text = useDataTableText().table
  const [typed, setTyped] = useState<string>()
  const go = () => {
    const wanted = Math.min(Number(typed), pages)
    setTyped(undefined)
    if (wanted >= 1 && wanted !== page) onPage(wanted)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <input
        inputMode="numeric"
        enterKeyHint="go"
        aria-label={text.jumpLabel(pages)}
        value={typed ?? shown}
        onFocus={(event) => event.target.select()}
        onChange={({ target }) => setTyped(target.value.replace(/\D/g, '').slice(0, 9))}
        onBlur={go}
      />
    </form>
  )
}
