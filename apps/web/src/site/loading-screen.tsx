import './loading-screen.css'
import { Button } from '../ui/button.tsx'
import { useSite } from './site.store.ts'
import { useSiteText } from './site.text.ts'

/** index.html holds the same markup, so that it is on the screen before this code is. */
export function LoadingScreen({ onReconnect }: { onReconnect?: () => void }) {
  const text = useSiteText()
  const name = useSite((site) => site.name)
  const { title, message, state } = useSite((site) => site.loading)
  return (
    <main className="hello">
      <span className="logo large early" aria-hidden="true" />
      <h1>{name}</h1>
      <div className="hello-state" role="status">
        <p>{title}</p>
        <p>{message}</p>
      </div>
      <div className="hello-end">
        {state === 'working' && (
          <div className="run" role="progressbar" aria-label={title}>
            <i />
          </div>
        )}
        {state === 'lost' && <Button onClick={onReconnect}>{text.loading.reconnect}</Button>}
      </div>
    </main>
  )
}
