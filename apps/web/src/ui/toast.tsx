import './toast.css'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useEffect } from 'react'
import { create } from 'zustand'

interface Toast {
  kind: 'good' | 'bad'
  message: string
}

const lasting = { good: 3_000, bad: 5_000 }

const useToast = create<{ toast: Toast | undefined }>(() => ({ toast: undefined }))

/** Shows a message at the top of the screen for a while; a newer one replaces it. */
export function showToast(kind: Toast['kind'], message: string) {
  useToast.setState({ toast: { kind, message } })
}

/** Always rendered once: a live region must exist before its text. */
export function Toaster() {
  const toast = useToast((state) => state.toast)
  useEffect(() => {
    if (!toast) return
    const timer = setTimeout(() => useToast.setState({ toast: undefined }), lasting[toast.kind])
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <div className="toaster" role="status">
      {toast && (
        <p className={`toast ${toast.kind}`}>
          {toast.kind === 'good' ? <CircleCheck /> : <CircleAlert />}
          {toast.message}
        </p>
      )}
    </div>
  )
}
