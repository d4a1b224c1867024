import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { bootScript } from './vite-boot.ts'
import { compressedCopies } from './vite-compress.ts'
import { siteDocument } from './vite-site.ts'

// Older WeChat browsers are the floor.
const target = ['chrome107', 'safari15.4']
const api = process.env.HUFU_API ?? 'http://localhost:3000'

export default defineConfig({
  plugins: [react(), bootScript(target), siteDocument(api), compressedCopies()],
  server: {
    allowedHosts: true,
    // The host stays as the browser sent it: it names the site.
    proxy: { '/api': { target: api, changeOrigin: false } },
  },
  build: { target, cssTarget: target, manifest: true, modulePreload: { polyfill: false } },
})
