import { randomBytes } from 'node:crypto'

export const webhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`
