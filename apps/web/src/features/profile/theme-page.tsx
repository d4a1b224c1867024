import './theme-page.css'
import { Frame } from '../../frame/frame.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Skeleton, Spinner } from '../../ui/waiting.tsx'
import { DisplaySettings } from './display-settings.tsx'
import { useProfileText } from './profile.text.ts'

export default function ThemePage() {
  const text = useProfileText().theme
  return (
    <Frame title={text.title}>
      <DisplaySettings title={text.display} />
      <Card title={text.colours}>
        <Swatches />
      </Card>
      <Card title={text.buttons}>
        <div className="samples">
          <Button>{text.main}</Button>
          <Button kind="soft">{text.soft}</Button>
          <Button kind="quiet">{text.quiet}</Button>
          <Button kind="danger">{text.danger}</Button>
          <Button kind="text">{text.text}</Button>
          <Button disabled>{text.disabled}</Button>
        </div>
      </Card>
      <Card title={text.alerts}>
        <Notice kind="good">{text.alertGood}</Notice>
        <Notice kind="warn">{text.alertWarn}</Notice>
        <Notice kind="bad">{text.alertBad}</Notice>
        <Notice>{text.alertPlain}</Notice>
      </Card>
      <Card title={text.toasts}>
        <div className="samples">
          <Button kind="quiet" onClick={() => showToast('good', text.toastGood)}>
            {text.showGood}
          </Button>
          <Button kind="quiet" onClick={() => showToast('bad', text.toastBad)}>
            {text.showBad}
          </Button>
        </div>
      </Card>
      <Card title={text.waiting}>
        <Spinner label={text.spinner} />
      </Card>
      <Card title={text.skeleton}>
        <Skeleton label={text.skeletonWaiting} rows={2} />
      </Card>
    </Frame>
  )
}

function Swatches() {
  const text = useProfileText().theme
  const swatches = [
    { name: text.brand, colour: 'var(--brand)' },
    { name: text.brandFill, colour: 'var(--brand-fill)' },
    { name: text.brandText, colour: 'var(--brand-text)' },
    { name: text.brandSoft, colour: 'var(--brand-soft)' },
    { name: text.page, colour: 'var(--page)' },
    { name: text.card, colour: 'var(--card)' },
    { name: text.field, colour: 'var(--field)' },
    { name: text.good, colour: 'var(--good)' },
    { name: text.warn, colour: 'var(--warn)' },
    { name: text.bad, colour: 'var(--bad)' },
  ]
  return (
    <ul className="swatches">
      {swatches.map(({ name, colour }) => (
        <li key={colour}>
          <span style={{ background: colour }} />
          {name}
        </li>
      ))}
    </ul>
  )
}
