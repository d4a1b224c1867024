import * as contract from '@hufu/contract/feedback-desk'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { answering } from './answering.service.ts'
import { addNote, notesOf, removeNote } from './notes.service.ts'
import { removeReply, repliesOf, saveReply } from './replies.service.ts'

/** Calls among operators. */
export function feedbackDeskRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listNotes, ({ id }, { site }) => notesOf(deps, site, id))
  serve(app, deps, contract.addNote, (input, { site, caller }) => addNote(deps, site, caller, input))
  serve(app, deps, contract.removeNote, (input, { site, caller }) => removeNote(deps, site, caller, input))
  serve(app, deps, contract.answering, (input, { site, caller }) => answering(deps, site, caller, input))
  serve(app, deps, contract.listReplies, (_input, { site }) => repliesOf(deps, site))
  serve(app, deps, contract.saveReply, (input, { site, caller }) => saveReply(deps, site, caller, input))
  serve(app, deps, contract.removeReply, ({ id }, { site, caller }) => removeReply(deps, site, caller, id))
}
