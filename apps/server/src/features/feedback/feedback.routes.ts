import * as contract from '@hufu/contract/feedback'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { confirm, listOwn, noteRead, readOwn, readUnread, reply, sendByUser, setStatus } from './feedback.service.ts'
import { listForMerchant, readFeedbackUser, readForMerchant } from './merchant-feedback.service.ts'
import { rate } from './rating.service.ts'

export function feedbackRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listFeedback, (input, { site, caller }) => listOwn(deps, site, caller, input))
  serve(app, deps, contract.readFeedback, (input, { site, caller }) => readOwn(deps, site, caller, input))
  serve(app, deps, contract.sendFeedback, (input, { site, caller }) => sendByUser(deps, site, caller, input))
  serve(app, deps, contract.confirmFeedback, ({ id }, { site, caller }) => confirm(deps, site, caller, id))
  serve(app, deps, contract.rateFeedback, (input, { site, caller }) => rate(deps, site, caller, input))
  serve(app, deps, contract.seeFeedback, (input, { site, caller }) => noteRead(deps, site, 'user', caller, input))
  serve(app, deps, contract.unreadFeedback, (_input, { site, caller }) => readUnread(deps, site, caller))

  serve(app, deps, contract.listMerchantFeedback, (input, { site }) => listForMerchant(deps, site, input))
  serve(app, deps, contract.readMerchantFeedback, (input, { site }) => readForMerchant(deps, site, input))
  serve(app, deps, contract.feedbackPerson, ({ id }, { site }) => readFeedbackUser(deps, site, id))
  serve(app, deps, contract.replyFeedback, (input, { site, caller }) => reply(deps, site, caller, input))
  serve(app, deps, contract.setFeedbackStatus, (input, { site, caller }) => setStatus(deps, site, caller, input))
  serve(app, deps, contract.seeMerchantFeedback, (input, { site, caller }) =>
    noteRead(deps, site, 'merchant', caller, input),
  )
}
