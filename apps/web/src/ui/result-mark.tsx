import './result-mark.css'
import { Check, X } from 'lucide-react'

/** How something ended, large. */
export const ResultMark = ({ good }: { good: boolean }) => (
  <span className={`result-mark ${good ? 'good' : 'plain'}`}>{good ? <Check /> : <X />}</span>
)
