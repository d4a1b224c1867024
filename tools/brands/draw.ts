import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { brandFolder } from './brands.ts'
import { icon, wordmark } from './marks.ts'
import { grid, halls, hills, spots, tall, wide } from './scenes.ts'

// node tools/brands/draw.ts: makes the pictures of examples/brands anew. Everything in them is our own.
const pictures: Record<string, Record<string, string>> = {
  bank: {
    icon: icon({ glyph: 'wave', ink: '#ffffff', ground: '#0b1f3f' }),
    logo: wordmark({ words: '澜江银行', width: 410, ink: '#0b1f3f', glyph: 'wave' }),
    wide: hills(wide, ['#dbe6f4', '#8fa9c9', '#7d98bd', '#4f6f9c', '#274672', '#0b1f3f']),
    tall: hills(tall, ['#dbe6f4', '#8fa9c9', '#7d98bd', '#4f6f9c', '#274672', '#0b1f3f']),
  },
  'tea-shop': {
    icon: icon({ glyph: 'leaf', ink: '#2d6a4f', ground: '#d8f3dc', round: 128 }),
    tall: hills(tall, ['#f6fff9', '#dff5e8', '#c4ecd6', '#97d8b6', '#63b58c']),
  },
  'game-studio': {
    icon: icon({ glyph: 'pixel', ink: '#39ff14', ground: '#050807' }),
    wide: grid(wide, ['#020403', '#0b2a12', '#39ff14']),
  },
  hospital: { icon: icon({ glyph: 'cross', ink: '#0a8f8f', ground: '#ffffff' }) },
  airline: { logo: wordmark({ words: '云羽航空 YUNYU AIRLINES', width: 1010, ink: '#e60012', glyph: 'wing' }) },
  'book-shop': { icon: icon({ glyph: 'book', ink: '#111111' }) },
  gym: {
    icon: icon({ glyph: 'wheel', ink: '#111111', ground: '#ffeb3b' }),
    logo: wordmark({ words: '快跑健身', width: 410, ink: '#111111', glyph: 'wheel', ground: '#ffeb3b' }),
  },
  kindergarten: {
    icon: icon({ glyph: 'mushroom', ink: '#ff5c93', ground: '#fff0f6', round: 60 }),
    wide: spots(wide, ['#fff5f9', '#ffe3ee', '#ffc2d9', '#ffe08a', '#bfe8ff', '#c9f2c7']),
  },
  museum: {
    logo: wordmark({ words: '素白美术馆', width: 360, ink: '#1b1b1b', serif: true }),
    wide: halls(wide, ['#fbfaf8', '#f0eeea', '#efece6', '#e4e0d8', '#f7f5f1']),
    tall: halls(tall, ['#fbfaf8', '#f0eeea', '#efece6', '#e4e0d8', '#f7f5f1']),
  },
  hotel: {
    icon: icon({ glyph: 'moon', ink: '#e8c36a', ground: '#1c1a17' }),
    tall: hills(tall, ['#0d1220', '#2c2a3a', '#2b3148', '#1f2437', '#141827']),
  },
  'outdoor-gear': {
    icon: icon({ glyph: 'peak', ink: '#ffffff', ground: '#ff6a00', round: 40 }),
    wide: hills(wide, ['#ffd9b8', '#ff9d5c', '#d9683a', '#94432d', '#4e2a26', '#1d1413']),
  },
  newspaper: { logo: wordmark({ words: '海屿晚报', width: 300, ink: '#000000', serif: true }) },
  'long-company': { icon: icon({ glyph: 'bolt', ink: '#ffffff', ground: '#6a1b9a', round: 50 }) },
}

for (const [brand, drawn] of Object.entries(pictures)) {
  for (const [name, svg] of Object.entries(drawn)) {
    const bytes = await sharp(Buffer.from(svg)).webp({ quality: 80, effort: 6 }).toBuffer()
    writeFileSync(join(brandFolder, brand, `${name}.webp`), bytes)
  }
}
