import './pager.css'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from './button.tsx'
import { usePagerText } from './pager.text.ts'

interface Props {
  /** From 1. */
  page: number
  pages: number
  onPage: (page: number) => void
}

/** Leads through the pages of a list; a single page needs none. */
export function Pager({ page, pages, onPage }: Props) {
  const text = usePagerText()
  if (pages <= 1) return null
  return (
    <nav className="pager" aria-label={text.name}>
      <IconButton label={text.previous} disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeft />
      </IconButton>
      <span role="status" aria-label={text.at(page, pages)}>
        {page} / {pages}
      </span>
      <IconButton label={text.next} disabled={page >= pages} onClick={() => onPage(page + 1)}>
        <ChevronRight />
      </IconButton>
    </nav>
  )
}
