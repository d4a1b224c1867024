interface NetworkError extends Error {
  code?: string
  /** Nodemailer keeps the system's own code here. */
  originalCode?: string
  syscall?: string
}

const badCertificate = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/

/** Whether a failure happened before there was a connection to write a request to. */
export function neverConnected(error: NetworkError): boolean {
  if (error instanceof AggregateError) return error.errors.every(neverConnected)
  const { code = '', originalCode = code, syscall } = error
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  return originalCode === 'UND_ERR_CONNECT_TIMEOUT' || badCertificate.test(originalCode)
}
