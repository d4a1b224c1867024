import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { type Crop, dragCrop, gripOf, moveCrop, type Point, type Size, zoomCrop, zoomOf } from './crop.ts'
import { useProfileText } from './profile.text.ts'

const step = 0.04
const zoomStep = 1.12
const moves: Record<string, Point> = {
  ArrowLeft: { x: -step, y: 0 },
  ArrowRight: { x: step, y: 0 },
  ArrowUp: { x: 0, y: -step },
  ArrowDown: { x: 0, y: step },
}
const zooms: Record<string, number> = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep }

interface Props {
  picture: HTMLImageElement
  size: Size
  crop: Crop
  onCrop: (change: (crop: Crop) => Crop) => void
  stage: RefObject<HTMLDivElement | null>
}

/** The picture under a round window: dragged, pinched, wheeled or moved by keys. */
export function CropStage({ picture, size, crop, onCrop, stage }: Props) {
  const text = useProfileText().avatar
  const fingers = useRef(new Map<number, Point>())

  /** In parts of the stage's side. */
  const pointAt = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const { left, top, width } = stage.current?.getBoundingClientRect() ?? { left: 0, top: 0, width: 1 }
    return { x: (clientX - left) / width, y: (clientY - top) / width }
  }
  const press = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    fingers.current.set(event.pointerId, pointAt(event))
  }
  const drag = (event: PointerEvent) => {
    if (!fingers.current.has(event.pointerId)) return
    const from = gripOf([...fingers.current.values()])
    fingers.current.set(event.pointerId, pointAt(event))
    const to = gripOf([...fingers.current.values()])
    onCrop((now) => dragCrop(size, now, from, to))
  }
  const release = ({ pointerId }: PointerEvent) => void fingers.current.delete(pointerId)
  const key = (event: KeyboardEvent) => {
    const move = moves[event.key]
    const zoom = zooms[event.key]
    if (!move && !zoom) return
    event.preventDefault()
    if (move) onCrop((now) => moveCrop(size, now, move))
    if (zoom) onCrop((now) => zoomCrop(size, now, zoomOf(size, now) * zoom))
  }

  // React's own wheel events can't keep the page from zooming.
  useEffect(() => {
    const shown = stage.current
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002))
      const at = pointAt(event)
      onCrop((now) => zoomCrop(size, now, zoomOf(size, now) * factor, at))
    }
    shown?.addEventListener('wheel', wheel, { passive: false })
    return () => shown?.removeEventListener('wheel', wheel)
  })

  const { x, y, side } = crop
  return (
    <div
      ref={stage}
      className="crop-stage"
      role="application"
      aria-label={text.stage}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application is a control, the arrow keys work on it
      tabIndex={0}
      onKeyDown={key}
      onPointerDown={press}
      onPointerMove={drag}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <img
        src={picture.src}
        alt=""
        draggable={false}
        style={{
          width: `${(size.width / side) * 100}%`,
          transform: `translate(${(-x / size.width) * 100}%, ${(-y / size.height) * 100}%)`,
        }}
      />
    </div>
  )
}
