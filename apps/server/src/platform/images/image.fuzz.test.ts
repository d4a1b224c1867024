import fc from 'fast-check'
import sharp from 'sharp'
import { expect } from 'vitest'
import { fuzz } from '../../../../../tools/fuzz/fuzz.ts'
import { byteText, changedBytes } from '../../../../../tools/fuzz/nasty.ts'
import { AppError } from '../app-error.ts'
import { pictureFor } from './image.ts'

const plain = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#c81e1e' } })
const samples = await Promise.all([
  plain().jpeg().toBuffer(),
  plain()
    .jpeg({ progressive: true })
    .withExif({ IFD0: { Artist: 'geheim' } })
    .toBuffer(),
  plain().png().toBuffer(),
  plain().png({ progressive: true }).toBuffer(),
  plain().webp().toBuffer(),
  plain().webp({ lossless: true }).toBuffer(),
])
const files = fc.oneof(changedBytes(fc.constantFrom(...samples.map((sample) => sample.toString('latin1')))), byteText)

fuzz(
  'picture',
  'a broken picture is re-encoded without what it hid, or refused',
  files,
  async (text) => {
    try {
      const { bytes, width, height } = await pictureFor({ loadShedding: false }, 'logo', Buffer.from(text, 'latin1'))
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width, height })
      expect(bytes.includes('geheim')).toBe(false)
      expect(width <= 800 && height <= 400).toBe(true)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      expect(['IMAGE_INVALID', 'IMAGE_TOO_LARGE']).toContain(error.code)
    }
  },
  { share: 0.3 },
)
