import './waiting.css'
import { numberText } from '../lib/figures.ts'

/** A figure, or its shape until it is known. */
export function Figure({ value, sign = '' }: { value: number | undefined; sign?: string }) {
  if (value === undefined) return <span className="bone figure-bone" />
  return value > 0 ? sign + numberText(value) : numberText(value)
}
