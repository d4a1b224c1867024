import * as contract from '@hufu/contract/personal-data'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { agree, consentsOf } from './agreements.service.ts'

export function agreementsRoutes(app: App, deps: Deps): void {
  serve(app, deps, contract.listConsents, (_input, { site, caller }) => consentsOf(deps, site, caller))
  serve(app, deps, contract.agree, ({ version }, { site, caller, address }) =>
    agree(deps, site, caller, version, address),
  )
}
