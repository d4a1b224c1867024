import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { ConfigFault } from '@hufu/contract/merchant-config'

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
const curves: Record<string, string[]> = { EC: ['P-256', 'P-384', 'P-521'], OKP: ['Ed25519'] }
const leastBits = 2048

type Jwk = Record<string, unknown>

/** What is wrong with a client's key, and where below it. */
export function publicKeyFault(key: Jwk): ConfigFault | undefined {
  const leaked = privateMembers.find((name) => key[name] !== undefined)
  if (leaked) return { path: [leaked], message: '这里只能填写公钥，请删除私钥的内容；已经泄露的私钥请勿再使用' }
  if (!['RSA', 'EC', 'OKP'].includes(String(key.kty))) return { path: ['kty'], message: '只能是 "RSA"、"EC"、"OKP"' }
  const allowed = curves[String(key.kty)]
  if (allowed && !allowed.includes(String(key.crv)))
    return { path: ['crv'], message: `只能是 ${allowed.map((name) => JSON.stringify(name)).join('、')}` }
  if (key.use !== undefined && key.use !== 'sig') return { path: ['use'], message: '须为用于签名的公钥（"sig"）' }
  const unnamed = ['kid', 'alg'].find((name) => key[name] !== undefined && !isName(key[name]))
  return unnamed ? { path: [unnamed], message: '须为文本，且不能为空' } : contentFault(key)
}

const isName = (value: unknown) => typeof value === 'string' && value !== ''

function contentFault(key: Jwk): ConfigFault | undefined {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    const bits = asymmetricKeyDetails?.modulusLength
    return bits !== undefined && bits < leastBits
      ? { path: ['n'], message: `RSA 密钥不能少于 ${leastBits} 位` }
      : undefined
  } catch {
    return { path: [], message: '不是有效的公钥（JWK）' }
  }
}
