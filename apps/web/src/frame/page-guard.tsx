import { RefreshCw } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { useFrameText } from './frame.text.ts'
import { Frame } from './frame.tsx'

interface Props {
  /** Another URL resets the error. */
  path: string
  children: ReactNode
}

/** A page that fails to load or to render (lost network, new release) shows a way to reload. */
export class PageGuard extends Component<Props, { brokenAt?: string }> {
  override state: { brokenAt?: string } = {}

  static getDerivedStateFromError() {
    return { brokenAt: window.location.pathname }
  }

  override render() {
    return this.state.brokenAt === this.props.path ? <BrokenPage /> : this.props.children
  }
}

function BrokenPage() {
  const text = useFrameText().broken
  return (
    <Frame title={text.title}>
      <Empty icon={RefreshCw} message={text.message}>
        <Button kind="soft" onClick={() => window.location.reload()}>
          {text.reload}
        </Button>
      </Empty>
    </Frame>
  )
}
