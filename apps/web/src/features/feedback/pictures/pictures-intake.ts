import { type ClipboardEvent, type DragEvent, useState } from 'react'

/** A picture in the clipboard; copied text that also brings a picture stays text. */
export function pastedFiles({ clipboardData: { types, files } }: ClipboardEvent): File[] {
  return types.includes('text/plain') ? [] : [...files]
}

const brings = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')

/** Files that are dropped onto something, and whether some hover over it. */
export function useDropping(add: (files: File[]) => void) {
  const [dropping, setDropping] = useState(false)
  const onDragOver = (event: DragEvent) => {
    if (!brings(event)) return
    event.preventDefault()
    setDropping(true)
  }
  const onDragLeave = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!currentTarget.contains(relatedTarget as Node | null)) setDropping(false)
  }
  const onDrop = (event: DragEvent) => {
    if (!brings(event)) return
    event.preventDefault()
    setDropping(false)
    add([...event.dataTransfer.files])
  }
  return { dropping, onto: { onDragOver, onDragLeave, onDrop } }
}
