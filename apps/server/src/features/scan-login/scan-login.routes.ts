import * as contract from '@hufu/contract/scan-login'
import { scanSeconds, scanStatus } from '@hufu/contract/scan-login-rules'
import { addressBucket } from '../../http/address.ts'
import type { App } from '../../http/app.ts'
import { Prepared, serve } from '../../http/serve.ts'
import { visitorOf } from '../../http/visitor.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { answerWaiting, beginScanSession, createRequest, processRequest, repeatSeconds } from './scan-login.service.ts'

/** One cookie for each request, so that two tabs wait side by side. */
const cookieOf = (id: string) => `hufu-scan-${id}`

/** Pages poll twice a second, and nearly always get one of these. */
const answers = new Map<number, Prepared>(
  [scanStatus.waiting, scanStatus.scanned, scanStatus.rejected].map((status) => [status, new Prepared({ status })]),
)

export function scanLoginRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.createScanRequest, async (_input, context) => {
    const { site } = context
    const { request, secret } = await createRequest(deps, site, context)
    context.setCookie(cookieOf(request.id), secret, scanSeconds)
    return { ...request, origin: site.origin }
  })

  serve(app, deps, contract.checkScanRequest, (request, context) => {
    const { site } = context
    const secret = context.cookie(cookieOf(request.id)) ?? ''

    async function signIn(approver: UserId): Promise<Prepared | { status: number }> {
      const approved = { request, secret, approver }
      context.signIn(await beginScanSession(deps, site, approved, visitorOf(context)))
      context.setCookie(cookieOf(request.id), secret, repeatSeconds)
      return { status: scanStatus.approved }
    }
    return answerWaiting(deps, site, request, secret, (status, scanner) =>
      status === scanStatus.approved ? signIn(scanner) : (answers.get(status) ?? { status }),
    )
  })

  serve(app, deps, contract.processScanRequest, (request, { site, caller, address }) =>
    processRequest(deps, site, request, {
      userId: caller.userId,
      sessionId: caller.session.id,
      address,
      owesFactor: caller.user.protected && caller.session.factorAt === null,
      bucketOf: addressBucket,
    }),
  )
}
